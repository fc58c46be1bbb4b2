"""Speed of the checks on pictures, against bare decoders and against the loop one would write by hand.

    python benchmarks/checks_speed.py [--pictures 1000] [--rounds 3] [--write]

Work: photograph-like PNGs of 1280 × 720, 1.5 MB each, decoded and measured once, on every core. The parties take turns.
A bare decoder reads the file and decodes it, nothing else. Figures are CPU milliseconds a picture, start of the program
included, best round and range; a rate is its inverse. `--write` writes RESULTS-checks_speed.md. pyvips takes part
where it is installed (`pip install pyvips-binary pyvips`; its library is LGPL, so keju does not bring it).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from rig import exam
from rig.page import write_page

WIDTH, HEIGHT, KINDS = 1280, 720, 16
GOAL = 0.8
"""Of the best bare decoder's rate (spec: checks)."""
CORES = len(os.sched_getaffinity(0))


def photograph(seed: int) -> bytes:
    """Soft light, things with edges, fine texture and the noise of a sensor, as a PNG with adaptive filters."""
    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(30, 220, (5, 8, 3), dtype=np.uint8))
    light = coarse.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(light)
    for _ in range(18):
        x, y, a, b = (int(n) for n in rng.integers((0, 0, 15, 15), (WIDTH, HEIGHT, 200, 200)))
        box = (x - a, y - b, x + a, y + b)
        colour = tuple(int(n) for n in rng.integers(10, 245, 3))
        (draw.ellipse if rng.random() < 0.5 else draw.rectangle)(box, fill=colour)
    texture = Image.fromarray(rng.normal(128, 10, (HEIGHT // 6, WIDTH // 6)).astype(np.uint8)).resize((WIDTH, HEIGHT))
    pixels = np.asarray(light, np.float32) + (np.asarray(texture, np.float32) - 128)[..., None]
    pixels += rng.normal(0, 2.2, pixels.shape)
    file = BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


def lay_out(folder: Path, pictures: int) -> int:
    """Write the pictures, each with its number in a chunk of its own; bytes in all."""
    bodies = [photograph(seed) for seed in range(min(KINDS, pictures))]
    return sum((folder / f"{n:04d}.png").write_bytes(exam.numbered(bodies[n % KINDS], n)) for n in range(pictures))


# The parties. Each takes its share of the files, in a process of its own.


def pillow(files: Sequence[str]) -> None:
    for file in files:
        Image.open(BytesIO(Path(file).read_bytes())).load()


def opencv(files: Sequence[str]) -> None:
    import cv2

    cv2.setNumThreads(1)
    for file in files:
        cv2.imdecode(np.frombuffer(Path(file).read_bytes(), np.uint8), cv2.IMREAD_UNCHANGED)


def pyvips(files: Sequence[str]) -> None:
    os.environ["VIPS_CONCURRENCY"] = "1"
    import pyvips as vips

    for file in files:
        vips.Image.new_from_buffer(Path(file).read_bytes(), "", access="sequential").write_to_memory()


def by_hand(files: Sequence[str]) -> None:
    """The loop one would write: the same figures with Pillow and NumPy, one expression each."""
    for file in files:
        data = Path(file).read_bytes()
        hashlib.sha256(data).hexdigest()
        picture = Image.open(BytesIO(data))
        grey = np.asarray(picture.convert("L")).astype(float)
        ((grey == 0).mean(), (grey == 255).mean(), grey.mean(), grey.std())
        centre = grey[1:-1, 1:-1]
        (grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:] - 4 * centre).var()
        tiny = np.asarray(picture.convert("L").resize((9, 8)))
        (tiny[:, 1:] > tiny[:, :-1]).tobytes()


def keju(files: Sequence[str]) -> None:
    """The whole check, with every rule on pictures and the comparison of all with all."""
    from keju.benchmark import Benchmark
    from keju.checks import check, rules_for
    from keju.items import Item, Medium, Wording

    wording = {"zh-Hans": Wording("zh-Hans", "图中是什么剧种？", dict(zip("ABCD", "京昆越川", strict=True)))}
    items = [Item(Path(f).stem, wording, "A", (Medium("image", Path(f).name, Path(f)),)) for f in files]
    benchmark = Benchmark("pictures", tuple(items), card={"profile": "tco"})
    media = [rule for rule in rules_for(benchmark) if rule.subject in ("image", "audio", "media")]
    check(benchmark, rules=media, jobs=CORES)


PARTIES: dict[str, Callable[[Sequence[str]], None]] = {
    "keju, whole check": keju,
    "Pillow, decoding alone": pillow,
    "OpenCV, decoding alone": opencv,
    "pyvips, decoding alone": pyvips,
    "Pillow + NumPy by hand": by_hand,
}
PACKAGES = {"pillow": "PIL", "numpy": "numpy", "av": "av", "isal": "isal", "opencv-python": "cv2", "pyvips": "pyvips"}
BARE = ("Pillow, decoding alone", "OpenCV, decoding alone", "pyvips, decoding alone")
NEEDS = {"OpenCV, decoding alone": "cv2", "pyvips, decoding alone": "pyvips"}


def cost(party: str, files: Sequence[str]) -> tuple[float, float]:
    """CPU and wall seconds of a party over all files; keju starts its own processes, the others' start here."""
    shares = [files] if PARTIES[party] is keju else [files[core::CORES] for core in range(CORES)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, __file__, "--party", party]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in shares]
    for process, share in zip(running, shares, strict=True):
        assert process.stdin
        process.stdin.write("\n".join(share))
        process.stdin.close()
    if any(process.wait() for process in running):
        raise SystemExit(f"{party} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - began


def table(rounds: Sequence[dict[str, tuple[float, float]]], pictures: int) -> list[str]:
    """The figures as Markdown, and whether the goal is reached."""
    best = {party: min(each[party][0] for each in rounds) for party in rounds[0]}
    bare = min((party for party in BARE if party in best), key=best.__getitem__)
    lines = ["| party | CPU ms a picture | wall s | keju's rate against it |", "| --- | --- | --- | --- |"]
    for party, least in best.items():
        every = [each[party] for each in rounds]
        low, high = min(cpu for cpu, _ in every), max(cpu for cpu, _ in every)
        ratios = [each[party][0] / each["keju, whole check"][0] for each in rounds]
        spread = f"{low / pictures * 1e3:.1f}–{high / pictures * 1e3:.1f}"
        against = f"{least / best['keju, whole check']:.0%} [{min(ratios):.0%}–{max(ratios):.0%}]"
        wall = min(wall for _, wall in every)
        lines.append(f"| {party} | {least / pictures * 1e3:.1f} [{spread}] | {wall:.1f} | {against} |")
    reached = best[bare] / best["keju, whole check"]
    goal = f"Goal: at least {GOAL:.0%} of the best bare decoder's rate ({bare.partition(',')[0]}). "
    goal += f"Measured: {reached:.0%}, {'reached' if reached >= GOAL else 'not reached'}."
    return [*lines, "", goal]


def measured(pictures: int, rounds: int) -> tuple[list[str], float]:
    """The figures as Markdown, and megabytes a picture."""
    parties = [party for party in PARTIES if find_spec(NEEDS.get(party, "PIL"))]
    with tempfile.TemporaryDirectory() as folder:
        size = lay_out(Path(folder), pictures)
        files = sorted(map(str, Path(folder).glob("*.png")))
        costs = [{party: cost(party, files) for party in parties} for _ in range(rounds)]
    return table(costs, pictures), size / pictures / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write RESULTS-checks_speed.md")
    parser.add_argument("--party", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.party:
        PARTIES[options.party](sys.stdin.read().split("\n"))
        return
    lines, size = measured(options.pictures, options.rounds)
    print("\n".join(lines))
    if options.write:
        introduction = f"{options.pictures} PNGs of {WIDTH} × {HEIGHT}, {size:.1f} MB each, on "
        introduction += f"{CORES} cores; least and range of {options.rounds} rounds, in which the parties take turns."
        write_page(__file__, introduction, lines, [name for name, library in PACKAGES.items() if find_spec(library)])


if __name__ == "__main__":
    main()
