"""Tables of results, drawn: each renderer is one module with one function, and none of them computes anything.

`show`, `to_text`      terminal and pipe        `to_markdown`, `to_latex`   papers and pull requests
`to_csv`, `to_json`    machines: raw values     `to_xlsx`, `to_html`        spreadsheets and browsers
`write_report`         all of them, in a folder
"""

from __future__ import annotations

from keju.reports.csv import to_csv, unguarded
from keju.reports.files import write_report
from keju.reports.html import to_html
from keju.reports.json import to_json
from keju.reports.latex import latex_document, to_latex
from keju.reports.markdown import markdown_document, to_markdown
from keju.reports.terminal import show, to_text
from keju.reports.wording import Language
from keju.reports.xlsx import to_xlsx

__all__ = [
    "Language",
    "latex_document",
    "markdown_document",
    "show",
    "to_csv",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "to_xlsx",
    "unguarded",
    "write_report",
]
