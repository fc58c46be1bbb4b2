"""Tables of results, drawn: each renderer is one module with one function, and none of them computes anything.

`show`, `to_text`      terminal and pipe        `to_markdown`, `to_latex`   papers and pull requests
`to_csv`, `to_json`    machines: raw values     `to_xlsx`, `to_html`        spreadsheets and browsers
`write_report`         all of them, in a folder

Names are imported when they are first used: a table on the terminal needs neither pages nor the statistics in them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keju.reports.csv import to_csv, unguarded
    from keju.reports.files import write_report
    from keju.reports.html import to_html
    from keju.reports.json import to_json
    from keju.reports.latex import latex_document, to_latex
    from keju.reports.markdown import markdown_document, to_markdown
    from keju.reports.terminal import show, to_text
    from keju.reports.wording import Language
    from keju.reports.xlsx import to_xlsx

_HOME = {
    "Language": "wording",
    "latex_document": "latex",
    "markdown_document": "markdown",
    "show": "terminal",
    "to_csv": "csv",
    "to_html": "html",
    "to_json": "json",
    "to_latex": "latex",
    "to_markdown": "markdown",
    "to_text": "terminal",
    "to_xlsx": "xlsx",
    "unguarded": "csv",
    "write_report": "files",
}

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


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"keju.reports.{_HOME[name]}"), name)
    raise AttributeError(f"module 'keju.reports' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
