"""Benchmarks on disk. One module a format, each with a `FORMAT`: a look, a reader, a writer.

`tco` and `multi_tw` are the papers' layouts, `jsonl` is keju's own form, `sheets` reads what experts send; `loading`
chooses among them, `hub` fetches. They share `encodings` (bytes → text), `question_text` (text → stem and options),
`field_names` (what authors call things), `media` (files beside a benchmark), `names` (of files), `tables`, and `labels`
(the side table). `outputs` reads the runs of other tools.
"""

from keju.formats.format import Format
from keju.formats.loading import FORMATS, demos, load, write

__all__ = ["FORMATS", "Format", "demos", "load", "write"]
