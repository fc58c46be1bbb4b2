"""What `keju run --dry-run` prints: requests, bytes, tokens and money, before anything is asked."""

from __future__ import annotations

import argparse
import json
from typing import Any

from keju import variants
from keju.benchmark import Benchmark
from keju.protocols import load_protocol
from keju.runs.cost import estimate, load_prices


def print_estimates(benchmark: Benchmark, args: argparse.Namespace) -> None:
    """One line a model and protocol. Bytes and requests are exact; tokens are rough, and so is money."""
    asked = variants.apply(benchmark, variants.parse_variants(args.variant))
    prices = load_prices(args.prices) if args.prices else {}
    rows: list[dict[str, Any]] = []
    for model in args.model:
        for name in args.protocol or ["multi-tw" if benchmark.format == "multi-tw" else "tco"]:
            protocol = load_protocol(name)
            row = {"model": model, "protocol": protocol.name, **_fields(estimate(protocol.prompt(i) for i in asked))}
            if price := prices.get(model):
                row["cost"] = round((row["input_tokens"] * price.input + row["output_tokens"] * price.output) / 1e6, 4)
                row["currency"] = price.currency
            rows.append(row)
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for row in rows:
        cost = f", about {row['cost']:.2f} {row['currency']}" if "cost" in row else ""
        absent = f"; {row['missing_media']} items have no medium and would not be asked" if row["missing_media"] else ""
        print(
            f"{row['model']} · {row['protocol']}: {row['requests']} requests, {row['bytes'] / 1e6:.1f} MB, about "
            f"{row['input_tokens']} tokens in and at most {row['output_tokens']} out{cost}{absent}"
        )


def _fields(figures: Any) -> dict[str, int]:
    return {name: getattr(figures, name) for name in type(figures).__slots__}
