"""Runs of a million items: how fast they are marked and compared, in how much memory, and against marking item by item.

    python benchmarks/scale.py                      about ten minutes and 3 GB of disk; writes RESULTS-scale.md
    python benchmarks/scale.py --items 100000       a tenth of it, printed only

The work is made here: text items with four options in Chinese, and two models' replies, of which 70 % are a bare
letter, 20 % a letter with the option's text, and 10 % a sentence of the item's own. Each command is `python -m keju` in
a process of its own. Linux only: the figures come from wait4.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from rig.measured import BENCHMARKS, environment
from rig.spent import spent

HELD = 20_000
"""Items of the run that is marked item by item: below `LARGE`, so that keju does so by itself."""
HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]


@dataclass(frozen=True)
class Cost:
    """What one command cost."""

    what: str
    records: int
    wall_s: float
    cpu_s: float
    rss_mb: float


def items(n: int) -> Iterator[dict[str, Any]]:
    """Rows of `items.jsonl`."""
    rng = random.Random(0)

    def words(length: int) -> str:
        return "".join(rng.choices(HAN, k=length))

    for number in range(n):
        options = {letter: words(6) for letter in "ABCD"}
        yield {
            "id": f"item-{number:07d}",
            "wordings": {"zh-Hans": {"question": words(30) + "\n" + words(5), "options": options}},
            "answer": rng.choice("ABCD"),
            "labels": {"genre": rng.choice(["京剧", "昆曲", "越剧"]), "level": str(rng.randint(1, 6))},
            "split": "test",
        }


def reply(item: dict[str, Any], rng: random.Random, *, mixed: bool) -> str:
    """A reply that is right six times in ten, and by chance in a quarter of the others."""
    letter = item["answer"] if rng.random() < 0.6 else rng.choice("ABCD")
    kind = rng.random() if mixed else 0.0
    if kind < 0.7:
        return letter
    if kind < 0.9:
        return f"{letter}. {item['wordings']['zh-Hans']['options'][letter]}"
    return f"我认为{''.join(rng.choices(HAN, k=12))}，所以答案是{letter}。"


def make(folder: Path, source: Path, n: int, *, model: str, protocol: str, mixed: bool = True) -> Path:
    """A run over the first `n` lines of `source`, as `keju run` leaves it with many calls in flight."""
    from keju.benchmark import Benchmark
    from keju.protocols import load_protocol
    from keju.runs.store import Plan, RunFolder

    with RunFolder(folder, Plan(Benchmark("made", ()), model, {}, load_protocol(protocol), {})) as store:
        store.begin()
        store.end()
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps({**info, "items": n}), encoding="utf-8")
    rng = random.Random(model)
    with (
        source.open(encoding="utf-8") as lines,
        (folder / "items.jsonl").open("w", encoding="utf-8") as asked,
        (folder / "records.jsonl").open("w", encoding="utf-8") as records,
    ):
        rows = islice(lines, n)
        while window := list(islice(rows, 64)):
            asked.writelines(window)
            rng.shuffle(window)
            found = map(json.loads, window)
            records.writelines(line(_record(item, reply(item, rng, mixed=mixed), rng)) for item in found)
    return folder


def _record(item: dict[str, Any], text: str, rng: random.Random) -> dict[str, Any]:
    return {
        "id": item["id"],
        "status": "answered",
        "text": text,
        "attempts": 1,
        "at": "2026-11-30T00:00:00.000+00:00",
        "prompt": item["id"].encode().hex()[-16:],
        "stages": {"infer": round(rng.random(), 4), "queue": 0.0},
        "usage": {"input_tokens": 100, "output_tokens": 2},
        "model": "mock",
    }


def line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def measure(what: str, records: int, command: Sequence[str | Path]) -> Cost:
    """Run a command of keju to its end. Raises `RuntimeError` with its last words where it fails."""
    found = spent([sys.executable, "-m", "keju", *map(str, command)], environment())
    if found.code:
        raise RuntimeError(f"{what} ended with {found.code}: {found.said[-500:]}")
    cost = Cost(what, records, found.wall_s, found.cpu_s, found.rss_mb)
    print(_shown(cost), file=sys.stderr)
    return cost


def measured(folder: Path, n: int) -> list[Cost]:
    """Every command once."""
    source = folder / "items.jsonl"
    with source.open("w", encoding="utf-8") as file:
        file.writelines(map(line, items(n)))
    runs = {
        (model, protocol, size): make(
            folder / f"{model}.{protocol}.{size}", source, size, model=model, protocol=protocol
        )
        for model, protocol in (("one", "tco"), ("two", "tco"), ("one", "robust"))
        for size in (HELD, n)
    }
    letters = make(folder / "letters", source, n, model="one", protocol="robust", mixed=False)
    pair = [runs["one", "tco", n], runs["two", "tco", n]]
    held = [runs["one", "tco", HELD], runs["two", "tco", HELD]]
    ask = ["run", source, "--limit", str(n // 10), "-m", "baseline/always-a", "--json", "-o"]
    return [
        measure("score, item by item (tco)", HELD, ["score", held[0]]),
        measure("score, item by item (robust)", HELD, ["score", runs["one", "robust", HELD]]),
        measure("compare, item by item", 2 * HELD, ["compare", *held]),
        measure("score (tco)", n, ["score", pair[0]]),
        measure("score (tco), by genre and level", n, ["score", pair[0], "--by", "genre", "--by", "level"]),
        measure("score (robust), letters only", n, ["score", letters]),
        measure("score (robust), the mix", n, ["score", runs["one", "robust", n]]),
        measure("compare (tco)", 2 * n, ["compare", *pair]),
        measure("run baseline/always-a", n // 10, [*ask, folder / "runs"]),
        measure("run it again: nothing to ask", n // 10, [*ask, folder / "runs"]),
    ]


def markdown(costs: Sequence[Cost], n: int) -> str:
    """The page."""
    lines = [
        "# Runs of many items",
        "",
        f"Written by `python benchmarks/scale.py`. {n:,} text items of 350 bytes, records of 290; one process a command,",  # noqa: E501
        f"its start counted. {os.cpu_count()} processors, load of the machine at the end {os.getloadavg()[0]:.1f}.",
        "",
        "| command | records | wall s | CPU s | records a second | records a CPU second | peak MB |",
        "|---|---|---|---|---|---|---|",
        *map(_shown, costs),
    ]
    return "\n".join(lines) + "\n"


def _shown(cost: Cost) -> str:
    rates = (f"{cost.records / cost.wall_s:,.0f}", f"{cost.records / cost.cpu_s:,.0f}")
    cells = (cost.what, f"{cost.records:,}", f"{cost.wall_s:.1f}", f"{cost.cpu_s:.1f}", *rates, f"{cost.rss_mb:,.0f}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000, metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="keju-scale-") as name:
        text = markdown(measured(Path(name), given.items), given.items)
    if given.items == 1_000_000:
        (BENCHMARKS / "RESULTS-scale.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
