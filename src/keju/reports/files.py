"""The report as a folder: every form of every table, each file written whole or not at all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from keju.errors import Misuse
from keju.formats.whole_files import write_whole
from keju.items import NOTHING
from keju.printable import printable
from keju.reports.charts import FORMS as CHART_FORMS
from keju.reports.charts import Chart
from keju.reports.csv import to_csv
from keju.reports.html import to_html
from keju.reports.item_browser import NO_ITEMS, Browser
from keju.reports.json import to_json
from keju.reports.latex import latex_document, to_latex
from keju.reports.markdown import markdown_document
from keju.reports.wording import Language
from keju.reports.xlsx import to_xlsx
from keju.results.table import Table


def write_report(
    tables: Sequence[Table],
    folder: str | os.PathLike[str],
    *,
    title: str,
    meta: Mapping[str, Any] = NOTHING,
    language: Language = "en",
    charts: Sequence[Chart] = (),
    items: Browser = NO_ITEMS,
) -> list[Path]:
    """Writes `report.{html,md,tex,xlsx,json}` and `tables/NAME.{csv,tex}` into `folder`; returns their paths.

    Tables `for_sheets` stand only in XLSX, JSON and CSV. The page draws the `charts` over their tables, and the `items`
    after them; `keju.reports.charts.save` makes files of charts.
    A second call replaces the first one's files, removes those of tables that are no longer there and the pictures of
    charts in `charts/`, which show the old figures, and leaves all other files alone.
    Raises `Misuse` where there is no table or the folder cannot be written.
    """
    if not tables:
        raise Misuse("there is no table to report; give at least one run")
    read = [table for table in tables if not table.for_sheets]
    page = to_html(read, title=title, meta=meta, language=language, charts=charts, items=items)
    root = Path(folder)
    try:
        files = _contents(page, tables, title, meta, language)  # a workbook is made in the folder for temporary files
        for stale in _written_before(root) - files.keys():
            (root / stale).unlink(missing_ok=True)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(root / name, content)
    except OSError as error:
        place = error.filename2 or error.filename or root
        reason = error.strerror or error
        raise Misuse(
            f"the report cannot be written: {place}: {reason}. Close the file in other programs or name another folder"
        ) from error
    return [root / name for name in files]


def file_stems(names: Sequence[str]) -> list[str]:
    """A file stem for each table's name: what a file system refuses becomes `_`; no two are alike in any case."""
    stems: list[str] = []
    for name in names:
        stem = re.sub(r"[^\w.-]+", "_", printable(name)).strip("._-")[:60] or "table"
        unique, number = stem, 2
        while unique.casefold() in (other.casefold() for other in stems):
            unique, number = f"{stem}-{number}", number + 1
        stems.append(unique)
    return stems


def _contents(
    page: str, tables: Sequence[Table], title: str, meta: Mapping[str, Any], language: Language
) -> dict[str, bytes]:
    read = [table for table in tables if not table.for_sheets]
    texts = {
        "report.html": page,
        "report.md": markdown_document(read, title=title, meta=meta, language=language),
        "report.tex": latex_document(read, title=title, meta=meta, language=language),
        "report.json": to_json(tables, title=title, meta=meta) + "\n",
    }
    for stem, table in zip(file_stems([table.name for table in tables]), tables, strict=True):
        texts[f"tables/{stem}.csv"] = to_csv(table)
        if not table.for_sheets:
            texts[f"tables/{stem}.tex"] = to_latex(table, language=language)
    # Half of a surrogate pair, which UTF-8 cannot hold, is written as \ud83d.
    files = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    return files | {"report.xlsx": to_xlsx(tables, title=title, meta=meta, language=language)}


def _written_before(root: Path) -> set[str]:
    """The files of tables, and of charts of them, of the last report, as its `report.json` names them."""
    try:
        tables = json.loads((root / "report.json").read_text(encoding="utf-8"))["tables"]
        stems = file_stems([table["name"] for table in tables])
    except (FileNotFoundError, NotADirectoryError, ValueError, LookupError, TypeError, RecursionError):
        return set()  # no report, or another program's file: nothing of ours to remove
    # Charts bear their tables' names, but for that of validity. Who wants them again draws them after this.
    charts = {f"charts/{stem}.{form}" for stem in (*stems, "validity") for form in CHART_FORMS}
    return {f"tables/{stem}.{form}" for stem in stems for form in ("csv", "tex")} | charts
