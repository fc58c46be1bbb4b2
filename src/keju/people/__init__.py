"""People who sit the exam: the items they are given, the sheets they hand in, and their answers as runs.

`sample` draws the items · `sitting` is the folder that keeps the sample and the answers, and never a key · `sheets`
reads what people filled in. A person is a run whose replies are what they wrote, so that every table of results takes
people as it takes models. `keju.reports.booklet` and `keju.reports.answer_sheets` draw what people are given.
"""

from keju.people.sheets import Sheet, read_sheets
from keju.people.sitting import Person, Sitting

__all__ = ["Person", "Sheet", "Sitting", "read_sheets"]
