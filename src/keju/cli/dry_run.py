"""What `keju run --dry-run` prints: requests, bytes, tokens and money, before anything is asked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import Any

from keju import variants
from keju.cli.run import Cell
from keju.protocols import load_protocol
from keju.runs.cost import Price, estimate


def print_estimates(cells: Iterable[Cell], args: argparse.Namespace) -> None:
    """One line a run. Bytes and requests are exact; tokens are rough, and so is money."""
    rows = [_row(cell, args.prices or {}) for cell in cells]
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for row in rows:
        cost = f", about {row['cost']:.2f} {row['currency']}" if "cost" in row else ""
        absent = f"; {row['missing_media']} items have no medium and would not be asked" if row["missing_media"] else ""
        variant = f" [{', '.join(row['variant'])}]" if row["variant"] else ""
        print(
            f"{row['model']}{variant} · {row['protocol']}: {row['requests']} requests, {row['bytes'] / 1e6:.1f} MB, "
            f"about {row['input_tokens']} tokens in and at most {row['output_tokens']} out{cost}{absent}"
        )


def _row(cell: Cell, prices: Mapping[str, Price]) -> dict[str, Any]:
    asked = variants.apply(cell.benchmark, variants.parse_variants(cell.variant))
    protocol = load_protocol(cell.protocol or ("multi-tw" if cell.benchmark.format == "multi-tw" else "tco"))
    row: dict[str, Any] = {
        "benchmark": cell.benchmark.name,
        "model": cell.model,
        "variant": list(cell.variant),
        "protocol": protocol.name,
        **_fields(estimate(protocol.prompt(item) for item in asked)),
    }
    if price := prices.get(cell.model):
        money = (row["input_tokens"] * price.input + row["output_tokens"] * price.output) / 1e6
        row |= {"cost": round(money, 4), "currency": price.currency}
    return row


def _fields(figures: Any) -> dict[str, int]:
    return {name: getattr(figures, name) for name in type(figures).__slots__}
