"""The results as Markdown: ratios first, then goals, then what was measured, then where."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from rig.installed import Install
from rig.measured import Cost
from rig.started import Start

PACKAGES = ("keju", "aiohttp", "pybase64", "uvloop", "openai")
LIMIT, KEJU = "bare client, pybase64 (the limit)", "keju run"

Repetition = Mapping[tuple[str, float], tuple[Cost, Cost]]
"""Client and latency → costs at the small and at the large size."""


@dataclass(frozen=True)
class Results:
    """All that the harness measured."""

    repetitions: Sequence[Repetition]
    starts: Mapping[str, Start]
    install: Install | None

    def of(self, client: str, latency: float) -> list[tuple[Cost, Cost]]:
        """The pairs of costs of a client, one a repetition."""
        return [costs[client, latency] for costs in self.repetitions]

    def ratios(self, client: str, latency: float) -> list[float]:
        """CPU an item against the limit's, within each repetition."""
        limits = self.of(LIMIT, latency)
        return [
            per_item(*pair) / per_item(*limit) for pair, limit in zip(self.of(client, latency), limits, strict=True)
        ]


def per_item(small: Cost, large: Cost) -> float:
    """CPU milliseconds an item: the slope between the two sizes."""
    return (large.cpu_s - small.cpu_s) / (large.items - small.items) * 1e3


def fixed(small: Cost, large: Cost) -> float:
    """CPU seconds at no item: where the line through the two sizes begins."""
    return small.cpu_s - per_item(small, large) / 1e3 * small.items


def markdown(results: Results) -> str:
    """The whole report."""
    clients = list(dict.fromkeys(client for client, _ in results.repetitions[0]))
    latencies = list(dict.fromkeys(latency for _, latency in results.repetitions[0]))
    parts = [
        "# What keju costs",
        (
            "Written by `python benchmarks/harness.py`; [README.md](README.md) says what is measured and how. "
            f"Repetitions: {len(results.repetitions)}; the middle of them, smallest–largest in brackets."
        ),
        "## CPU an item, against the limit",
        _ratios(results, clients, latencies),
        "## Goals",
        _goals(results, latencies[-1]),
        *(part for latency in latencies for part in _section(results, clients, latency)),
        "## Start",
        _starts(results.starts),
        "## Where",
        _where(results),
    ]
    return "\n\n".join(parts) + "\n"


def _ratios(results: Results, clients: Sequence[str], latencies: Sequence[float]) -> str:
    rows = [[client, *(_spread(results.ratios(client, at), "{:.1f}") for at in latencies)] for client in clients]
    return _table(["client", *(f"server latency {at * 1e3:.0f} ms" for at in latencies)], rows)


def _goals(results: Results, latency: float) -> str:
    """Goal, what was measured, and whether it was reached."""
    slow, quick = results.of(KEJU, latency), results.of(KEJU, 0.0)
    large = [pair[1] for pair in (*slow, *quick)]
    goals: list[tuple[str, float, float, str]] = [
        ("CPU an item / the limit's", 2.0, median(results.ratios(KEJU, 0.0)), "{:.2f}"),
        ("fixed CPU s", 1.5, median(fixed(*pair) for pair in quick), "{:.2f}"),
        ("peak memory, MB", 250, max(cost.rss_mb for cost in large), "{:.0f}"),
        ("log, KB an item", 1.0, max(cost.log_bytes / cost.items for cost in large) / 1e3, "{:.2f}"),
        ("`keju --help`, wall s", 0.2, results.starts["keju --help"].wall_s, "{:.3f}"),
    ]
    if results.install:
        goals.append(("packages of the core", 40, results.install.packages, "{:.0f}"))
    rows = [[what, f"≤ {goal:g}", form.format(got), _yes(got <= goal)] for what, goal, got, form in goals]
    held = max(cost.in_flight for cost in (pair[1] for pair in slow))
    rows.append([f"in flight at {latency * 1e3:.0f} ms", "≥ 64", str(held), _yes(held >= 64)])
    return _table(["", "goal", "measured", "reached"], rows)


def _section(results: Results, clients: Sequence[str], latency: float) -> list[str]:
    heads = ["client", "CPU ms / item", "fixed CPU s", "items", "wall s", "peak MB", "log KB / item", "in flight"]
    return [
        f"## Server latency {latency * 1e3:.0f} ms",
        _table([*heads, "accuracy right"], [_row(client, results.of(client, latency)) for client in clients]),
    ]


def _row(client: str, pairs: Sequence[tuple[Cost, Cost]]) -> list[str]:
    def large(value: Callable[[Cost], float], form: str) -> str:
        return _spread([value(pair[1]) for pair in pairs], form)

    return [
        client,
        _spread([per_item(*pair) for pair in pairs], "{:.2f}"),
        _spread([fixed(*pair) for pair in pairs], "{:.2f}"),
        str(pairs[0][1].items),
        large(lambda cost: cost.wall_s, "{:.1f}"),
        large(lambda cost: cost.rss_mb, "{:.0f}"),
        large(lambda cost: cost.log_bytes / cost.items / 1e3, "{:.2f}"),
        large(lambda cost: cost.in_flight, "{:.0f}"),
        _yes(all(cost.correct for pair in pairs for cost in pair)),
    ]


def _starts(starts: Mapping[str, Start]) -> str:
    rows = [[f"`{name}`", f"{start.cpu_s:.3f}", f"{start.wall_s:.3f}"] for name, start in starts.items()]
    return _table(["command", "CPU s", "wall s"], rows)


def _where(results: Results) -> str:
    foreign = [cost.foreign for costs in results.repetitions for pair in costs.values() for cost in pair]
    lines = [
        (
            f"{datetime.now(UTC):%Y-%m-%d}, {_processor()}, {os.cpu_count()} processors, {platform.system()}, "
            f"Python {platform.python_version()}"
        ),
        ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        (
            f"Others used {median(foreign):.0%} of the machine meanwhile (at most {max(foreign):.0%}): ratios can be "
            "trusted, wall seconds less"
        ),
    ]
    if results.install:
        lines.append(f"Core install: {results.install.packages} packages, {results.install.mb:.0f} MB")
    return "\n".join(f"- {line}." for line in lines)


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _spread(values: Sequence[float], form: str) -> str:
    middle, least, most = (form.format(value) for value in (median(values), min(values), max(values)))
    return middle if least == most else f"{middle} [{least}–{most}]"


def _yes(true: bool) -> str:
    return "yes" if true else "**no**"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
