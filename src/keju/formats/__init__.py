"""Benchmarks on disk. One module a format, each with a `FORMAT`: a look, a reader, a writer.

`tco` and `multi_tw` are the papers' layouts, `jsonl` is keju's own form, `sheets` reads what experts send, `parquet`
writes data sets for a hub, `mapped` reads any table by a `mapping`; `loading` chooses among them, `hub` fetches.
`vlmevalkit`, `inspect_ai`, `lmms_eval`, `lm_eval`, `evalscope` and `chat` write what other tools run: `losses` says
what they cannot hold, `prompt_text` words the prompt, `task_name` the task. They share `encodings` (bytes → text),
`question_text` (text → stem and options), `field_names` (what authors call things), `media` (files beside a
benchmark), `names` (of files), `tables`, and `labels` (the side table). `outputs` reads the runs of other tools.
"""

from keju.formats.format import Format
from keju.formats.loading import ALL, FORMATS, demos, load, of_split, write

__all__ = ["ALL", "FORMATS", "Format", "demos", "load", "of_split", "write"]
