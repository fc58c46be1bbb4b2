"""What keju costs, against the least a client can cost and the script that everybody writes first.

    python benchmarks/harness.py            about ten minutes; writes benchmarks/RESULTS.md
    python benchmarks/harness.py --quick    one small repetition, printed only

Work: TCO layout, 1280 x 720 PNGs of 1.6 MB, the paper's prompt, 64 in flight, a light server on loopback. Two sizes of
exam tell the cost of an item from the fixed cost. The clients take turns, so that what else the machine does hits
all of them. Such load only ever adds to a figure, so the least of the repetitions is the best estimate.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rig import exam, installed, started
from rig.clients import AGAIN, FIRST, LIMIT, Client, bare, keju, openai_script
from rig.measured import BENCHMARKS, Cost, MockServer, environment, measure
from rig.report import Results, markdown

LATENCIES = (0.0, 0.2)


def clients(small: int, large: int, cache: Path) -> list[Client]:
    """The limit first. The sequential script is asked less: its cost an item does not depend on the number."""
    return [
        Client(LIMIT, bare(), (small, large)),
        Client("bare client that takes digests", bare("--digest"), (small, large)),
        Client("bare client, stdlib base64", bare("--encoder", "stdlib"), (small, large)),
        Client(FIRST, keju(None), (small, large)),
        Client(AGAIN, keju(cache), (small, large)),
        Client("openai, sequential script", openai_script, (small // 8, large // 10)),
    ]


def repetition(chosen: list[Client], folder: Path, log: Path) -> dict[tuple[str, float], tuple[Cost, Cost]]:
    """Every client once at both sizes and every latency."""
    costs: dict[tuple[str, float], tuple[Cost, Cost]] = {}
    for latency in LATENCIES:
        for client in chosen:
            pair = []
            for items in client.sizes:
                with MockServer(latency) as server:
                    to = log / f"{len(costs)}-{items}"
                    command = client.command(folder / str(items), items, server, to)
                    pair.append(measure(command, items=items, server=server, log=to))
            costs[client.name, latency] = (pair[0], pair[1])
            print(f"{client.name}, {latency:g} s: {pair[1].cpu_s:.1f} CPU s for {pair[1].items} items", file=sys.stderr)
    return costs


def run(repetitions: int, small: int, large: int, *, install: bool) -> Results:
    if install:
        installed.uv_command()  # what is missing shows now, not after ten minutes
    with tempfile.TemporaryDirectory(prefix="keju-bench-") as name:
        folder = Path(name)
        chosen = clients(small, large, folder / "cache")
        sizes = sorted({size for client in chosen for size in client.sizes})
        # In a process of its own: memory that this process once held would count as its children's peak.
        make = [sys.executable, "-m", "rig.exam", str(folder / "all"), "--items", str(sizes[-1])]
        subprocess.run(make, check=True, env=environment())
        for size in sizes:
            exam.first(folder / "all", size, folder / str(size))
        time.sleep(2.5)  # keju keeps no digest of a file that is younger than two seconds
        warm = [Client(client.name, client.command, (sizes[0], sizes[1])) for client in chosen]
        repetition(warm, folder, folder / "warm-up")
        costs = [repetition(chosen, folder, folder / f"log-{number}") for number in range(repetitions)]
    return Results(costs, started.commands(), installed.core() if install else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one repetition of 40 and 160 items; writes no file")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--no-install", action="store_true", help="do not measure a fresh install (it needs uv)")
    given = parser.parse_args()
    if given.quick:
        print(markdown(run(1, 40, 160, install=False)))
        return
    text = markdown(run(given.repetitions, 200, 1000, install=not given.no_install))
    (BENCHMARKS / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
