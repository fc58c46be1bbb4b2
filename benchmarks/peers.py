"""What the same exam costs with keju and with other tools.

    python benchmarks/peers.py              all tools, about ten minutes; writes benchmarks/RESULTS-peers.md
    python benchmarks/peers.py TOOL…        those alone, printed only
    python benchmarks/peers.py --install    makes the tools' environments first (5 GB, some minutes)
    python benchmarks/peers.py --quick      one repetition with less of keju's own work, printed only

Work: the harness's exam with its pictures of 1.6 MB, and its server. Every tool is given the exam by `keju convert` and
told to hold 64 requests in flight. Two sizes of exam tell the cost of an item from the fixed cost. A tool that is not
installed is named and left out. Statistics are measured against SciPy, statsmodels and a plain loop, checks against
bare decoders and a plain loop.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rig import exam, installed, peers_page, started
from rig.asked import Asked, ask
from rig.clients import AGAIN, FIRST, LIMIT, Client, bare, keju
from rig.installed import size_of
from rig.measured import environment
from rig.peer import BY_NAME, Peer, install
from rig.peers_page import Measured, Repetition, Standing

LATENCY = 0.2  # seconds; at once would leave little in flight
PEERS = (  # those that take long per item are asked little: all of it shall fit into ten minutes
    Peer("Inspect AI", BY_NAME["inspect"], (20, 80), "--max-connections"),
    Peer(
        "Inspect AI, lean logs", BY_NAME["inspect"], (40, 200), "--max-connections", "--no-log-images --no-log-realtime"
    ),
    Peer("evalscope", BY_NAME["evalscope"], (40, 200), "--eval-batch-size"),
    Peer("VLMEvalKit", BY_NAME["vlmevalkit"], (20, 120), "--api-nproc"),
    Peer("lmms-eval", BY_NAME["lmms-eval"], (10, 40), "num_concurrent"),
    Peer("lm-eval, texts alone", BY_NAME["lm-eval"], (100, 500), "num_concurrent"),
)
INTRODUCTION = (
    "[README.md](README.md) says what is measured, and what cannot be compared. Each figure is the least of "
    "{repetitions} repetitions, or the largest peak; in brackets the range over the repetitions. Ratios are against "
    "keju at pictures new to it."
)
STARTS = 2
"""Runs of a start, after one that is not counted."""


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    repetitions: int
    sizes: tuple[int, int]
    """Items at which keju and the bare client are asked."""
    pictures: int
    """That are checked."""
    core: bool
    """Whether keju's core is installed afresh, to be counted."""


WHOLE, QUICK = Plan(2, (100, 500), 300, core=True), Plan(1, (20, 80), 50, core=False)
PACKAGES = ("aiohttp", "pybase64", "numpy", "scipy", "statsmodels", "pillow")


def own(cache: Path, sizes: tuple[int, int]) -> list[Client]:
    """The limit, and keju without and with digests known; `cache` is keju's."""
    return [Client(LIMIT, bare(), sizes), Client(FIRST, keju(None), sizes), Client(AGAIN, keju(cache), sizes)]


def lay_out(folder: Path, sizes: Sequence[int]) -> None:
    """Write the exams `opera20`, … into `folder`."""
    # In a process of its own: memory that this process once held would count as its children's peak.
    make = [sys.executable, "-m", "rig.exam", str(folder / "all"), "--items", str(max(sizes))]
    subprocess.run(make, check=True, env=environment())
    for size in set(sizes):
        exam.first(folder / "all", size, folder / f"opera{size}")
    time.sleep(2.5)  # keju keeps no digest of a file that is younger than two seconds


def repetition(
    clients: Sequence[Client | Peer], folder: Path, broken: dict[str, str], *, larger_first: bool = False
) -> Repetition:
    """Every client once at both sizes. A peer that fails is asked no more, and the others go on; keju must not fail."""
    results: dict[str, tuple[Asked, Asked]] = {}
    for client in clients:
        if client.name in broken:
            continue
        sizes = reversed(client.sizes) if larger_first else client.sizes
        try:
            pair = [ask(client, folder / f"opera{n}", n, LATENCY, folder / f"log-{n}") for n in sizes]
        except RuntimeError as error:
            if isinstance(client, Client):
                raise
            broken[client.name] = str(error)
            continue
        small, large = sorted(pair, key=lambda asked: asked.cost.items)
        results[client.name] = small, large
        print(f"{client.name}: {large.cost.cpu_s:.1f} CPU s for {large.cost.items} items", file=sys.stderr)
    return results


def measure(folder: Path, clients: Sequence[Client], peers: Sequence[Peer], repetitions: int) -> Measured:
    """All take turns, after a turn of keju's own clients that does not count: it fills the cache of digests.

    The first run of a turn finds its program on the disk, the second in memory. So every other turn begins with the
    larger exam.
    """
    everyone = [*clients, *peers]
    lay_out(folder, [size for client in everyone for size in client.sizes])
    found = Measured(LATENCY, settings={peer.name: f"`{peer.setting}`" for peer in peers})
    found.settings |= dict.fromkeys((FIRST, AGAIN), "`--concurrency`")
    repetition(clients, folder, found.broken)
    found.repetitions = [
        repetition(everyone, folder, found.broken, larger_first=turn % 2 == 1) for turn in range(repetitions)
    ]
    return found


def standings(peers: Sequence[Peer], *, core: bool) -> dict[str, Standing]:
    """keju and the tools before they ask anything. `core`: keju's core is installed afresh, to be counted."""
    rows = {"keju": Standing(version("keju"), started.start(started.KEJU_HELP), installed.core() if core else None)}
    for peer in peers:
        if peer.title not in rows:
            rows[peer.title] = Standing(peer.version, started.start(peer.start(), STARTS), size_of(peer.python))
    return rows


def chosen(names: Sequence[str], *, make: bool) -> tuple[list[Peer], dict[str, str]]:
    """The peers that are there, and of each missing tool the command that installs it."""
    wanted = [peer for peer in PEERS if not names or peer.tool.name in names]
    if make:
        for tool in {peer.tool.name: peer.tool for peer in wanted}.values():
            install(tool)
    there = [peer for peer in wanted if peer.installed]
    missing = {peer.tool.name for peer in wanted if not peer.installed}
    return there, {name: f"python benchmarks/peers.py --install {name}" for name in sorted(missing)}


def page(plan: Plan, peers: Sequence[Peer], missing: Mapping[str, str]) -> tuple[str, list[str]]:
    """How it was measured, and the page."""
    before, ready = os.getloadavg()[0], standings(peers, core=plan.core)
    with tempfile.TemporaryDirectory(prefix="keju-peers-") as name:
        folder = Path(name)
        found = measure(folder, own(folder / "cache", plan.sizes), peers, plan.repetitions)
    import checks_speed  # not before the clients were measured: what this process holds would count as their peak
    import statistics_speed

    found.standings = ready
    noise = peers_page.noise(found, before, os.getloadavg()[0])
    lines = peers_page.lines(found, missing)
    lines += ["", "## Statistics", "", *statistics_speed.measured(rounds=plan.repetitions)]
    lines += ["", "## Checks on pictures", "", *checks_speed.measured(plan.pictures, plan.repetitions)[0]]
    return f"{INTRODUCTION.format(repetitions=plan.repetitions)} {noise}", lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=f"{', '.join(BY_NAME)}; all, where none is named")
    parser.add_argument("--install", action="store_true", help="make the environments of the tools first")
    parser.add_argument("--quick", action="store_true", help="one repetition with less of keju's own work")
    given = parser.parse_args()
    if unknown := set(given.tools) - set(BY_NAME):
        parser.error(f"no tool is called {', '.join(sorted(unknown))}; there are {', '.join(BY_NAME)}")
    plan = QUICK if given.quick else WHOLE
    if plan.core:
        installed.uv_command()  # what is missing shows now, not after ten minutes
    introduction, lines = page(plan, *chosen(given.tools, make=given.install))
    print("\n".join([introduction, "", *lines]))
    if plan is WHOLE and not given.tools:
        from rig.page import write_page

        write_page(__file__, introduction, lines, PACKAGES)


if __name__ == "__main__":
    main()
