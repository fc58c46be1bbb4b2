"""Charts as files for papers, as `keju report` and `keju describe` write them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keju.reports import Language
    from keju.reports.charts import Chart

FORMS = ("svg", "png", "pdf", "json")
"""As `keju.reports.charts.FORMS`, which is not imported to print `--help`."""


def forms(text: str) -> tuple[str, ...]:
    """`png,svg` as two forms."""
    chosen = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    if not chosen or not set(chosen) <= set(FORMS):
        raise argparse.ArgumentTypeError(f"{text!r}: charts are saved as {', '.join(FORMS)}; write --charts png,svg")
    return chosen


def save_charts(
    charts: Sequence[Chart], folder: Path, chosen: Sequence[str], language: Language, fonts: Path | None
) -> None:
    """Files of the charts; a form that no font here can draw is left out, and said so once."""
    from keju.errors import Misuse
    from keju.reports.charts import save
    from keju.reports.files import file_stems

    refused: list[Misuse] = []
    for stem, chart in zip(file_stems([chart.name for chart in charts]), charts, strict=True):
        for form in chosen:
            try:
                save(chart, folder / f"{stem}.{form}", language=language, fonts=fonts)
            except Misuse as reason:
                refused.append(reason)
    if refused:
        print(f"{len(refused)} pictures of charts are left out. {refused[0]}", file=sys.stderr)
