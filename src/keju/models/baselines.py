"""Baselines: answers that need no model, to know what a score is worth.

    baseline/random           one of the options, drawn by a hash of seed and item
    baseline/always-b         the same label always
    baseline/longest-option   the option with the longest text
    baseline/prior            the most frequent key of the benchmark
    baseline/overlap          the option that shares most characters with the text that can be seen

Ties are drawn like `random`, so that no rule favours a label by accident.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.items import LABELS, NOTHING
from keju.prompts import Prompt, Text
from keju.records import Reply

NAMES = ("random", "always-a", "longest-option", "prior", "overlap")
NEVER = -100.0  # log-probability of the options not chosen: nothing, in a form that JSON can hold

Choice = Callable[[Prompt], str]


class Baseline:
    """A `Model` that chooses by a rule."""

    concurrency = 256  # a choice takes microseconds; enough that the engine never waits for one

    def __init__(self, name: str, choose: Choice, settings: Mapping[str, Any] = NOTHING) -> None:
        self.name = name
        self.settings = settings
        self._choose = choose

    async def answer(self, prompt: Prompt) -> Reply:
        label = self._choose(prompt) if prompt.options else ""
        if prompt.scoring == "generate":
            return Reply(label)
        return Reply(label, scores={option: 0.0 if option == label else NEVER for option in prompt.options})

    async def close(self) -> None:
        """Nothing to close."""


def open_baseline(name: str, *, benchmark: Benchmark | None = None, seed: int = 0) -> Baseline:
    """The baseline `name`, without its `baseline/`.

    Raises `Misuse` for an unknown name, and for `prior` without a benchmark or one without keys.
    """
    full = f"baseline/{name}"
    if name == "random":
        return Baseline(full, lambda prompt: _drawn(list(prompt.options), prompt, seed), {"seed": seed})
    if name == "longest-option":
        return Baseline(
            full, lambda p: _best(p, {label: len(text) for label, text in p.options.items()}, seed), {"seed": seed}
        )
    if name == "overlap":
        return Baseline(full, lambda prompt: _best(prompt, overlaps(prompt), seed), {"seed": seed})
    if name == "prior":
        label, source = _most_frequent(benchmark)
        return Baseline(full, lambda _prompt: label, {"label": label, "counted_in": source})
    if (label := name.removeprefix("always-").upper()) in set(LABELS) and name.startswith("always-"):
        return Baseline(full, lambda _prompt: label, {"label": label})
    raise Misuse(f"no baseline {name!r}; there are {', '.join(NAMES)} (and always-b, …)")


def overlaps(prompt: Prompt) -> dict[str, float]:
    """Option label → share of the option's characters that occur in the question or in a text that stands for a medium.

    A part that holds every option is the question sheet itself and tells the options nothing apart.
    """
    parts = [part.text for part in prompt.parts if isinstance(part, Text)]
    seen = [text for text in parts if not all(option in text for option in prompt.options.values())]
    characters = set(_letters("".join([*seen, prompt.question])))
    return {label: _share(_letters(option), characters) for label, option in prompt.options.items()}


def _share(letters: str, characters: set[str]) -> float:
    return sum(letter in characters for letter in letters) / len(letters) if letters else 0.0


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def _best(prompt: Prompt, scores: Mapping[str, float], seed: int) -> str:
    """The label with the highest score; ties are drawn, so that they favour no label."""
    highest = max(scores.values())
    return _drawn([label for label, score in scores.items() if score == highest], prompt, seed)


def _drawn(labels: list[str], prompt: Prompt, seed: int) -> str:
    digest = hashlib.sha256(f"baseline\0{seed}\0{prompt.item_id}".encode()).digest()
    return labels[int.from_bytes(digest[:8]) % len(labels)]


def _most_frequent(benchmark: Benchmark | None) -> tuple[str, str]:
    """The most frequent key of the training split, else of all items, and which of the two it was counted in."""
    items = benchmark.items if benchmark else ()
    training = [item for item in items if item.split == "train"]
    keys = Counter(item.answer for item in training or items if item.answer is not None)
    if not keys:
        raise Misuse("baseline/prior counts the keys of a benchmark, and there are none to count")
    label = min(keys, key=lambda key: (-keys[key], key))
    return label, "split train" if training else "all items, those that it answers included"
