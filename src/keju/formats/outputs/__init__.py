"""Outputs of other tools: what models answered elsewhere, read for marking and for replay.

One module a tool: `inspect_ai`, `evalscope`, `lm_eval`, `lmms_eval`, `vlmevalkit`, `multi_tw`, and `plain` for JSONL
and tables. Each makes `Sheet`s of `Row`s; `joining` and `building` tie these to items. To add a tool, write a module
with `NAME`, `SHAPE`, `fits` and `read`, and name it in `reading`.
"""

from keju.formats.outputs.reading import READERS, read_outputs
from keju.formats.outputs.rows import Outputs, Row, Sheet, Theirs

__all__ = ["READERS", "Outputs", "Row", "Sheet", "Theirs", "read_outputs"]
