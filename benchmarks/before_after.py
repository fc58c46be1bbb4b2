"""What commands cost at an earlier commit, and now.

    python benchmarks/before_after.py [COMMIT]     some ten minutes; writes RESULTS-before_after.md where none is named
    python benchmarks/before_after.py --quick      a tenth of the work, once, printed only

The earlier package is read from a working tree of git's, with the libraries that are installed now; both are given the
same files and take turns. Each command is a process of its own, its start counted. Linux only: figures come from wait4.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import scale
from rig import exam
from rig.measured import BENCHMARKS, MODEL, MockServer, environment
from rig.page import write_page
from rig.spent import Spent, spent

ROOT = BENCHMARKS.parent
SINCE = "bbe3d4d"
"""The last commit before any work on speed but that of asking."""


@dataclass(frozen=True)
class Work:
    """A command that both versions understand."""

    what: str
    command: Callable[[Path], Sequence[str | Path]]
    """The folder that it may write into → its words after `keju`."""


def make(folder: Path, share: float) -> None:
    """Write what the commands read; `share` of the usual size."""
    for name, n in (("texts", _of(share, 200_000)), ("some", _of(share, 5000))):
        (folder / name).mkdir()
        with (folder / name / "items.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(map(scale.line, scale.items(n)))
    exam.write(folder / "pictures", _of(share, 500))
    for name in ("one", "two"):
        _run(folder, _of(share, 200_000), name)
    for name in SMALL:
        _run(folder, _of(share, 1000), name)
    _run(folder, 2, "long", text="我想想。" * _of(share, 400_000) + "答案是A。")


SMALL = tuple(f"model-{number}" for number in range(9))


def works(folder: Path, server: str, share: float) -> Iterator[Work]:
    """The commands over what lies in `folder`."""
    n, pictures = _of(share, 200_000), _of(share, 500)
    endpoint = ["-m", f"vllm/{MODEL}", "--base-url", server, "--protocol", "tco", "--concurrency", "64", "--json", "-o"]
    always = ["--limit", str(n // 10), "-m", "baseline/always-a", "--json", "-o"]
    one, two, *small = (folder / name for name in ("one", "two", *SMALL))
    texts = folder / "texts"
    yield Work("`keju --help`", lambda _: ["--help"])
    yield Work(f"`run`, {pictures} pictures, digests known", lambda out: ["run", folder / "pictures", *endpoint, out])
    yield Work(f"`run baseline/always-a`, {n // 10:,} texts", lambda out: ["run", texts, *always, out])
    yield Work(f"`score`, {n:,} texts", lambda _: ["score", one])
    yield Work(f"`compare`, 2 × {n:,} texts", lambda _: ["compare", one, two])
    yield Work("`score`, 2 replies of megabytes", lambda _: ["score", folder / "long"])
    yield Work(f"`report`, 9 × {_of(share, 1000):,} texts", lambda out: ["report", *small, "-o", out])
    yield Work(f"`check`, {pictures} pictures", lambda _: ["check", folder / "pictures", "--json"])
    yield Work(f"`check`, {_of(share, 5000):,} texts", lambda _: ["check", folder / "some", "--json"])
    yield Work(f"`convert` to Parquet, {n:,} texts", lambda out: ["convert", texts, out / "made", "--to", "parquet"])


def _of(share: float, n: int) -> int:
    return max(int(n * share), 10)


def _run(folder: Path, n: int, model: str, text: str = "") -> None:
    """A run over the first `n` texts, all answered with `text` or as `scale.reply` has it."""
    source = folder / "texts" / "items.jsonl"
    made = scale.make(folder / model, source, n, model=model, protocol="robust" if text else "tco")
    if text:
        ids = [line.split('"', 4)[3] for line in (made / "items.jsonl").read_text(encoding="utf-8").splitlines()]
        rows = [{"id": each, "status": "answered", "text": text, "attempts": 1, "prompt": "p"} for each in ids]
        (made / "records.jsonl").write_text("".join(map(scale.line, rows)), encoding="utf-8")


def measure(work: Work, source: Path, cache: Path) -> Spent | str:
    """Run a command with the package of a working tree. Its last words where it fails; 1 of `check` is no failure."""
    with tempfile.TemporaryDirectory(dir=cache.parent) as out:
        words = [sys.executable, "-m", "keju", *map(str, work.command(Path(out)))]
        given = environment() | {"PYTHONPATH": str(source / "src"), "KEJU_CACHE": str(cache)}
        found = spent(words, given, Path(out))
    if found.code and not (found.code == 1 and words[3] == "check"):
        return f"ended with {found.code}: {found.said[-200:]}"
    return found


@contextmanager
def at(commit: str, folder: Path) -> Iterator[Path]:
    """A working tree of the commit."""
    subprocess.run(["git", "worktree", "add", "--detach", "--quiet", str(folder), commit], cwd=ROOT, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, check=True)


def lines(commit: str, share: float, repetitions: int) -> Iterable[str]:
    """The table. A first turn does not count: it writes bytecode and fills the caches of digests."""
    with (
        tempfile.TemporaryDirectory(prefix="keju-before-") as name,
        at(commit, Path(name) / "before") as before,
        MockServer() as server,
    ):
        folder = Path(name)
        sources = {before: folder / "cache-before", ROOT: folder / "cache-now"}
        # In a process of its own: memory that this process once held would count as its children's peak.
        maker = get_context("spawn").Process(target=make, args=(folder, share))
        maker.start()
        maker.join()
        yield "| command | CPU s before | now | ratio | wall s before | now | peak MB before | now |"
        yield "|---|---|---|---|---|---|---|---|"
        for work in works(folder, server.base_url, share):
            turns = [[measure(work, *each) for each in sources.items()] for _ in range(1 + repetitions)]
            row = _row(work, *zip(*turns[1:], strict=True))
            print(row, file=sys.stderr)
            yield row


def _row(work: Work, before: Sequence[Spent | str], now: Sequence[Spent | str]) -> str:
    failed = [one for one in (*before, *now) if isinstance(one, str)]
    if failed:
        return f"| {work.what} | {' · '.join(failed).replace('|', ' ')} |"
    old, new = ([one for one in costs if isinstance(one, Spent)] for costs in (before, now))
    ratios = [a.cpu_s / b.cpu_s for a, b in zip(old, new, strict=True)]
    cpu = [min(one.cpu_s for one in costs) for costs in (old, new)]
    wall = [min(one.wall_s for one in costs) for costs in (old, new)]
    peak = [max(one.rss_mb for one in costs) for costs in (old, new)]
    spread = f"{cpu[0] / cpu[1]:.1f} [{min(ratios):.1f}–{max(ratios):.1f}]"
    cells = [f"{cpu[0]:.2f}", f"{cpu[1]:.2f}", spread, *(f"{s:.1f}" for s in wall), *(f"{mb:,.0f}" for mb in peak)]
    return f"| {work.what} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default=SINCE)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, once")
    given = parser.parse_args()
    share, repetitions = (0.1, 1) if given.quick else (1.0, 3)
    load = os.getloadavg()[0]
    table = list(lines(given.commit, share, repetitions))
    head = (
        f"Before is commit {given.commit}. The least of {repetitions} repetitions, or the largest peak; the ratio is "
        f"that of the CPU seconds, with its range over the repetitions. Load of the machine {load:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after."
    )
    print("\n".join([head, "", *table]))
    if not given.quick and given.commit == SINCE:
        write_page(__file__, head, table, ("polars", "numpy", "aiohttp"))


if __name__ == "__main__":
    main()
