"""What runs are called where several stand together: no two alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from keju.results.tally import Tally
    from keju.runs.run import Run

AnyTally = TypeVar("AnyTally", bound="Tally")

Words = tuple[str, ...]
"""A run's model with its variant, and what else may tell it from others, the most telling first."""


def run_name(model: str, variant: Mapping[str, str], apart: Iterable[str] = (), repeat: int | None = None) -> str:
    """Model, variant, further words and a number: `openai/gpt-4o [language=en] · opera #2`."""
    own = f"{model} [{variation(variant)}]" if variant else model
    return " · ".join([own, *apart]) + (f" #{repeat}" if repeat else "")


def variation(variant: Mapping[str, str]) -> str:
    """`language=en, rotate=1`."""
    return ", ".join(f"{name}={value}" for name, value in variant.items())


def told_apart(scores: Iterable[AnyTally]) -> list[AnyTally]:
    """The runs, in their order; names of one model and variant say what differs: benchmark, protocol, parser, or else
    a number."""
    given = list(scores)
    found = _differences([(run_name(s.model, s.variant), s.benchmark, s.protocol, s.parser) for s in given])
    return [
        s if (s.apart, s.repeat) == (words, number) else replace(s, apart=words, repeat=number)
        for s, (words, number) in zip(given, found, strict=True)
    ]


def run_names(runs: Sequence[Run]) -> list[str]:
    """What the runs are called before they are marked."""
    found = _differences([(run_name(r.model, r.variant), r.benchmark.name, r.protocol.name) for r in runs])
    return [run_name(run.model, run.variant, *differs) for run, differs in zip(runs, found, strict=True)]


def _differences(runs: Sequence[Words]) -> list[tuple[Words, int | None]]:
    """For each run the words that its name needs beside it, and its number among those that are alike in all."""
    groups: dict[str, list[Words]] = {}
    for words in runs:
        groups.setdefault(words[0], []).append(words)
    needed = {name: _needed(group) for name, group in groups.items()}
    alike, met = Counter(runs), Counter[Words]()
    found: list[tuple[Words, int | None]] = []
    for words in runs:
        met[words] += 1
        number = met[words] if alike[words] > 1 else None
        found.append((tuple(words[place] for place in needed[words[0]]), number))
    return found


def _needed(group: Sequence[Words]) -> list[int]:
    """Places of the words that split the group further, from the first on."""
    chosen: list[int] = []
    for place in range(1, len(group[0])):
        parts, finer = (
            len({tuple(words[at] for at in places) for words in group}) for places in (chosen, [*chosen, place])
        )
        if finer > parts:
            chosen.append(place)
    return chosen
