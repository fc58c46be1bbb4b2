"""What `peers.py` measured, as Markdown: cost, start and install, whether it is right, and what was not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from rig.asked import Arrival, Asked
from rig.clients import FIRST, IN_FLIGHT
from rig.installed import Install
from rig.measured import Cost
from rig.report import Pair, Results, fixed, per_item, ranged, table, yes
from rig.started import Start

Repetition = Mapping[str, tuple[Asked, Asked]]
"""Client → what came of the smaller and of the larger exam."""


@dataclass(frozen=True)
class Standing:
    """What a tool is before it asks anything."""

    version: str
    start: Start
    """Of its help."""
    install: Install | None
    """None where it was not measured."""


@dataclass
class Measured:
    """All that was measured of the clients."""

    latency: float
    repetitions: list[Repetition] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    """Client → why it has no figures."""
    standings: dict[str, Standing] = field(default_factory=dict)
    """Tool → its standing."""
    settings: dict[str, str] = field(default_factory=dict)
    """Client → its option for requests in flight."""

    @property
    def clients(self) -> list[str]:
        """Those that came through every repetition."""
        return [name for name in self.repetitions[0] if name not in self.broken]

    @property
    def costs(self) -> Results:
        pairs = [
            {(name, self.latency): (small.cost, large.cost) for name, (small, large) in turn.items()}
            for turn in self.repetitions
        ]
        return Results(pairs, {}, None)

    @property
    def foreign(self) -> list[float]:
        """Of every run, the share of the machine that others used."""
        return [asked.cost.foreign for turn in self.repetitions for pair in turn.values() for asked in pair]

    def every(self, client: str) -> list[Asked]:
        """All runs of a client."""
        return [asked for turn in self.repetitions for asked in turn[client]]


UNTOLD = "too little to tell"
"""Where repetitions of one exam differ by more than the two exams do."""
_COST = (
    *("client", "CPU ms / item", "against keju", "fixed CPU s", "items", "wall s", "first request after s"),
    *("peak MB", "log KB / item"),
)
_STANDING = ("tool", "version", "help, CPU s", "help, wall s", "packages", "MB")
_RIGHT = (
    *("client", "in flight, asked for", "most seen", "requests / item", "picture arrives", "marked as planned"),
    *("no answer", "right"),
)


def lines(measured: Measured, missing: Mapping[str, str]) -> list[str]:
    """The page. `missing`: tool → the command that installs it."""
    parts = [
        *("## Cost of asking", table(_COST, [_cost(measured, client) for client in measured.clients])),
        *("## Start and install", table(_STANDING, [_standing(*each) for each in measured.standings.items()])),
        *("## Whether it is right", table(_RIGHT, [_right(measured, client) for client in measured.clients])),
    ]
    left_out = [f"- {name} failed: {' '.join(why.split())}" for name, why in measured.broken.items()]
    left_out += [f"- {name} is not installed: `{command}`" for name, command in missing.items()]
    if left_out:
        parts += ["## Not measured", "\n".join(left_out)]
    return "\n\n".join(parts).split("\n")


def noise(measured: Measured, before: float, after: float) -> str:
    """How busy the machine was, by its load averages and by what others used of it."""
    used = f"others used {median(measured.foreign):.0%} of the machine (at most {max(measured.foreign):.0%})"
    return f"Load average {before:.1f} before and {after:.1f} after; meanwhile {used}: wall seconds only indicate."


def _cost(measured: Measured, client: str) -> list[str]:
    costs, at = measured.costs, measured.latency
    pairs, least = costs.of(client, at), costs.least(client, at)
    large = [cost for _, cost in pairs]
    slopes, told = [per_item(pair) for pair in pairs], _told(pairs, least)
    return [
        client,
        ranged(per_item(least), slopes, "{:.1f}") if told else f"{UNTOLD} [{min(slopes):.1f}–{max(slopes):.1f}]",
        ranged(costs.ratio(client, at, FIRST), costs.ratios(client, at, FIRST), "{:.1f}") if told else "–",
        ranged(fixed(least), [fixed(pair) for pair in pairs], "{:.1f}"),
        " / ".join(str(cost.items) for cost in pairs[0]),
        _least(large, "wall_s"),
        _least(large, "first_s"),
        f"{max(cost.rss_mb for cost in large):.0f}",
        f"{max(cost.log_bytes / cost.items for cost in large) / 1e3:.1f}",
    ]


def _told(pairs: Sequence[Pair], least: Pair) -> bool:
    """Whether the two exams differ by more than the repetitions of either do."""
    small, large = ([cost.cpu_s for cost in size] for size in zip(*pairs, strict=True))
    return least[1].cpu_s - least[0].cpu_s > max(max(small) - min(small), max(large) - min(large))


def _least(costs: Sequence[Cost], name: str) -> str:
    values = [getattr(cost, name) for cost in costs]
    return ranged(min(values), values, "{:.1f}")


def _right(measured: Measured, client: str) -> list[str]:
    every = measured.every(client)
    items = sum(asked.cost.items for asked in every)
    as_planned = sum(asked.marks.as_planned for asked in every)
    return [
        client,
        f"{IN_FLIGHT}: {measured.settings.get(client, 'by design')}",
        str(max(asked.cost.in_flight for asked in every)),
        f"{sum(asked.cost.requests for asked in every) / items:.2f}",
        next(_arrived(asked.arrival) for asked in every if asked.arrival),
        f"{as_planned} of {items}",
        str(sum(asked.marks.unanswered for asked in every)),
        yes(all(asked.marks.whole for asked in every)),
    ]


def _arrived(arrival: Arrival) -> str:
    if not arrival.pictures:
        return "none is sent"
    if arrival.unchanged == arrival.pictures:
        return "unchanged"
    kinds = " or ".join(arrival.types)
    return f"**changed**: {arrival.pictures - arrival.unchanged} of {arrival.pictures}, {kinds} of {arrival.mb:.2f} MB"


def _standing(tool: str, standing: Standing) -> list[str]:
    start, install = standing.start, standing.install
    size = [str(install.packages), f"{install.mb:.0f}"] if install else ["not measured"] * 2
    return [tool, standing.version, f"{start.cpu_s:.2f}", f"{start.wall_s:.2f}", *size]
