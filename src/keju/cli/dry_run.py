"""What `keju run --dry-run` prints: requests, bytes, tokens and money, before anything is asked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import Any

from keju import api, variants
from keju.benchmark import Benchmark
from keju.cli.options import model_arguments
from keju.cli.run import Cell
from keju.errors import MissingKey
from keju.models.model import Model
from keju.models.registry import open_model
from keju.protocols import load_protocol
from keju.runs.cost import Price, estimate


def print_estimates(cells: Iterable[Cell], args: argparse.Namespace) -> None:
    """One line a run. Bytes and requests are exact; tokens are rough, and so is money."""
    rows = [_row(cell, args) for cell in cells]
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


def _row(cell: Cell, args: argparse.Namespace) -> dict[str, Any]:
    asked = variants.apply(cell.benchmark, variants.parse_variants(cell.variant))
    model = _model(cell.model, asked, args)
    protocol = load_protocol(cell.protocol or api.default_protocol(cell.benchmark, model))
    prices: Mapping[str, Price] = args.prices or {}
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


def _model(name: str, asked: Benchmark, args: argparse.Namespace) -> Model | None:
    """The model, so that what is wrong with it shows now; None where all that it lacks is its key."""
    try:
        return open_model(name, benchmark=asked, **model_arguments(args))
    except MissingKey:
        return None


def _fields(figures: Any) -> dict[str, int]:
    return {name: getattr(figures, name) for name in type(figures).__slots__}
