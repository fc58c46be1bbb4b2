"""The results as Markdown: ratios first, then goals, then what was measured, then where."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from rig.clients import AGAIN, FIRST, LIMIT
from rig.installed import Install
from rig.measured import Cost
from rig.started import Start

PACKAGES = ("keju", "aiohttp", "pybase64", "uvloop", "openai")
CLIENTS = FIRST, AGAIN

Pair = tuple[Cost, Cost]
"""Costs at the small and at the large size."""
Repetition = Mapping[tuple[str, float], Pair]
"""Client and latency → costs."""


@dataclass(frozen=True)
class Results:
    """All that the harness measured."""

    repetitions: Sequence[Repetition]
    starts: Mapping[str, Start]
    install: Install | None

    def of(self, client: str, latency: float) -> list[Pair]:
        """The costs of a client, a pair a repetition."""
        return [costs[client, latency] for costs in self.repetitions]

    def least(self, client: str, latency: float) -> Pair:
        """The cheapest run at either size: what else the machine does only ever adds."""
        small, large = zip(*self.of(client, latency), strict=True)
        return min(small, key=_cpu), min(large, key=_cpu)

    def ratio(self, client: str, latency: float, against: str = LIMIT) -> float:
        """CPU an item against another client's."""
        return per_item(self.least(client, latency)) / per_item(self.least(against, latency))

    def ratios(self, client: str, latency: float, against: str = LIMIT) -> list[float]:
        """The same within each repetition."""
        pairs = zip(self.of(client, latency), self.of(against, latency), strict=True)
        return [per_item(pair) / per_item(other) for pair, other in pairs]


def per_item(pair: Pair) -> float:
    """CPU milliseconds an item: the slope between the two sizes."""
    small, large = pair
    return (large.cpu_s - small.cpu_s) / (large.items - small.items) * 1e3


def fixed(pair: Pair) -> float:
    """CPU seconds at no item: where the line through the two sizes begins."""
    small, _ = pair
    return small.cpu_s - per_item(pair) / 1e3 * small.items


def markdown(results: Results) -> str:
    """The whole report."""
    clients = list(dict.fromkeys(client for client, _ in results.repetitions[0]))
    latencies = list(dict.fromkeys(latency for _, latency in results.repetitions[0]))
    parts = [
        "# What keju costs",
        (
            "Written by `python benchmarks/harness.py`; [README.md](README.md) says what is measured and how. "
            f"Each figure is that of the cheapest of {len(results.repetitions)} repetitions, or the largest peak; in "
            "brackets the range over the repetitions."
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
    rows = [
        [client, *(ranged(results.ratio(client, at), results.ratios(client, at), "{:.1f}") for at in latencies)]
        for client in clients
    ]
    return table(["client", *(f"server latency {at * 1e3:.0f} ms" for at in latencies)], rows)


def _goals(results: Results, latency: float) -> str:
    """Goal, what was measured, and whether it was reached."""
    runs = [(client, at) for client in CLIENTS for at in (0.0, latency)]
    large = [pair[1] for client, at in runs for pair in results.of(client, at)]
    ratios = [(f"CPU an item / the limit's: {client}", 2.0, results.ratio(client, 0.0), "{:.2f}") for client in CLIENTS]
    goals: list[tuple[str, float, float, str]] = [
        *ratios,
        ("CPU ms an item", 4.0, max(per_item(results.least(client, at)) for client, at in runs), "{:.2f}"),
        ("fixed CPU s", 1.5, max(fixed(results.least(client, at)) for client, at in runs), "{:.2f}"),
        ("peak memory, MB", 250, max(cost.rss_mb for cost in large), "{:.0f}"),
        ("log, KB an item", 1.0, max(cost.log_bytes / cost.items for cost in large) / 1e3, "{:.2f}"),
        ("`keju --help`, wall s", 0.2, results.starts["keju --help"].wall_s, "{:.3f}"),
    ]
    if results.install:
        goals.append(("packages of the core", 40, results.install.packages, "{:.0f}"))
    rows = [[what, f"≤ {goal:g}", form.format(got), yes(got <= goal)] for what, goal, got, form in goals]
    held = max(pair[1].in_flight for client in CLIENTS for pair in results.of(client, latency))
    rows.append([f"in flight at {latency * 1e3:.0f} ms", "64", str(held), yes(held == 64)])
    return table(["", "goal", "measured", "reached"], rows)


def _section(results: Results, clients: Sequence[str], latency: float) -> list[str]:
    heads = ["client", "CPU ms / item", "fixed CPU s", "items", "wall s", "peak MB", "log KB / item", "in flight"]
    return [
        f"## Server latency {latency * 1e3:.0f} ms",
        table([*heads, "accuracy right"], [_row(results, client, latency) for client in clients]),
    ]


def _row(results: Results, client: str, latency: float) -> list[str]:
    pairs, least = results.of(client, latency), results.least(client, latency)
    large = [pair[1] for pair in pairs]
    wall = [cost.wall_s for cost in large]
    return [
        client,
        ranged(per_item(least), [per_item(pair) for pair in pairs], "{:.2f}"),
        ranged(fixed(least), [fixed(pair) for pair in pairs], "{:.2f}"),
        str(large[0].items),
        ranged(min(wall), wall, "{:.1f}"),
        f"{max(cost.rss_mb for cost in large):.0f}",
        f"{max(cost.log_bytes / cost.items for cost in large) / 1e3:.2f}",
        str(max(cost.in_flight for cost in large)),
        yes(all(cost.correct for pair in pairs for cost in pair)),
    ]


def _starts(starts: Mapping[str, Start]) -> str:
    rows = [[f"`{name}`", f"{start.cpu_s:.3f}", f"{start.wall_s:.3f}"] for name, start in starts.items()]
    return table(["command", "CPU s", "wall s"], rows)


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


def ranged(value: float, values: Sequence[float], form: str) -> str:
    """The figure, and the range over the repetitions where it is one."""
    shown, least, most = (form.format(each) for each in (value, min(values), max(values)))
    return shown if shown == least == most else f"{shown} [{least}–{most}]"


def _cpu(cost: Cost) -> float:
    return cost.cpu_s


def yes(true: bool) -> str:
    """As a table says it; `no` stands out."""
    return "yes" if true else "**no**"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
