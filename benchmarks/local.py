"""What local models cost in keju, over calling `generate` directly, and what batches gain.

    python benchmarks/local.py                      a few minutes; writes benchmarks/RESULTS-local.md
    python benchmarks/local.py --model FOLDER       a model of your own, printed only

Two Qwen2-VL of the real architecture with random weights are built on the spot: one so small that its forward pass is
mostly Python, and one whose pass works for hundreds of milliseconds an item, as real models do at least. Work: a PNG of
640 x 480 and a question of the protocol `tco`. The direct script is the shortest that does the same: open the picture,
apply the chat template, generate, decode. Seconds of wall and CPU, best of `--repeat` rounds in which all take turns,
after a warm-up; PyTorch on one thread (OMP_NUM_THREADS for another number): threads that spin spoil a comparison.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when PyTorch is imported
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

from rig.page import write_page

from keju.items import Item, Medium, Wording
from keju.models import open_model
from keju.models.model import Model
from keju.prompts import Prompt
from keju.protocols import load_protocol
from tiny.torchvision_ops import make_importable

Work = Callable[[], int]


def prompts(items: int, tokens: int) -> list[Prompt]:
    """Questions of the paper's form on random pictures."""
    from dataclasses import replace

    from PIL import Image

    rng, protocol, made = np.random.default_rng(0), load_protocol("tco"), []
    for number in range(items):
        out = io.BytesIO()
        Image.fromarray(rng.integers(0, 255, (480, 640, 3), "uint8")).save(out, "PNG")
        wording = Wording(
            "zh-Hans", f"图中是什么剧种？编号{number}。", {"A": "京剧", "B": "昆曲", "C": "越剧", "D": "川剧"}
        )
        item = Item(str(number), {"zh-Hans": wording}, "A", (Medium("image", f"{number}.png", data=out.getvalue()),))
        prompt = protocol.prompt(item)
        made.append(replace(prompt, generation=replace(prompt.generation, max_tokens=tokens)))
    return made


def direct(folder: str, asked: Sequence[Prompt], tokens: int) -> Work:
    """The shortest script: one question after another."""
    import torch
    import transformers as tf
    from PIL import Image

    processor = tf.AutoProcessor.from_pretrained(folder)
    model = tf.AutoModelForImageTextToText.from_pretrained(folder).eval()

    def one(prompt: Prompt) -> str:
        picture = Image.open(io.BytesIO(prompt.media[0].read())).convert("RGB")
        blocks = [{"type": "text", "text": prompt.text}, {"type": "image", "image": picture}]
        inputs = processor.apply_chat_template(
            [{"role": "user", "content": blocks}],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        )
        with torch.inference_mode():
            made = model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
        text: str = processor.decode(made[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        return text

    return lambda: sum(len(one(prompt)) for prompt in asked)


def through_keju(model: Model, asked: Sequence[Prompt]) -> Work:
    """All questions through the seam, as many in flight as the model likes."""

    async def asking() -> int:
        slots = asyncio.Semaphore(model.concurrency)

        async def one(prompt: Prompt) -> int:
            async with slots:
                return len((await model.answer(prompt)).text)

        return sum(await asyncio.gather(*(one(prompt) for prompt in asked)))

    return lambda: asyncio.run(asking())


def once(work: Work) -> tuple[float, float, int]:
    """CPU and wall seconds of a run, and the characters that were written."""
    cpu, wall = time.process_time(), time.perf_counter()
    written = work()
    return time.process_time() - cpu, time.perf_counter() - wall, written


@dataclass(frozen=True)
class Size:
    """A model that is built for the occasion, and how much it is asked."""

    name: str
    width: int
    layers: int
    items: int


SIZES = (Size("tiny", 32, 2, 64), Size("wide", 1024, 8, 16))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of a model that takes pictures")
    parser.add_argument("--items", type=int, default=16, help="items that `--model` is asked")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    make_importable()
    if given.model:
        print("\n".join([*HEAD, *measured(given.model.name, given.model, given.items, given)]))
        return
    rows = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            built(size, Path(folder))
            rows += measured(size.name, Path(folder), size.items, given)
    introduction = INTRODUCTION.format(tokens=given.tokens, repeat=given.repeat)
    print(write_page(__file__, introduction, [*HEAD, *rows], ("torch", "transformers")))


HEAD = (
    "| model | client | CPU ms an item | CPU / direct | wall ms an item | wall / direct |",
    "| --- | --- | --- | --- | --- | --- |",
)

INTRODUCTION = """What `hf/NAME` costs over calling `generate` directly, and what batches gain: {tokens} new tokens, \
cheapest of {repeat} rounds, PyTorch on one thread. The tiny model's pass is Python that holds the interpreter's lock, \
so that reading and collating beside it cost hand-overs; the wide model's pass is arithmetic, as in every real model."""


def built(size: Size, folder: Path) -> None:
    import torch
    import transformers as tf

    from tiny.families import qwen2_vl

    torch.manual_seed(0)
    tf.logging.disable_progress_bar()
    qwen2_vl(folder, width=size.width, layers=size.layers)


def measured(name: str, folder: Path, items: int, given: argparse.Namespace) -> list[str]:
    """A row of the table for each client."""
    asked = prompts(items, given.tokens)
    works: dict[str, Work] = {"`generate`, called directly": direct(str(folder), asked, given.tokens)}
    for size in (1, given.batch):
        model: Any = open_model(f"hf/{folder.resolve()}", extra={"batch_size": size})
        works[f"keju, batches of {size}"] = through_keju(model, asked)
    rounds = [{client: once(work) for client, work in works.items()} for _ in range(given.repeat + 1)][1:]
    best = {client: [min(found[client][at] for found in rounds) for at in (0, 1)] for client in works}
    base = next(iter(best.values()))
    return [
        f"| {name} | {client} | {1000 * cpu / items:.1f} | {cpu / base[0]:.2f} | {1000 * wall / items:.1f} "
        f"| {wall / base[1]:.2f} |"
        for client, (cpu, wall) in best.items()
    ]


if __name__ == "__main__":
    main()
