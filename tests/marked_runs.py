"""Runs made of a few words, for tests of results: what each item was answered, or what became of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keju.benchmark import Benchmark
from keju.items import Item, Medium, Wording
from keju.protocols import load_protocol
from keju.records import Record
from keju.results.scores import Scores, score
from keju.runs.run import Run

GONE = {"!": "failed", "#": "blocked"}
"""In a word of replies: a call that failed, or that a filter refused; `-` was not asked, `?` is no answer."""


def items(keys: str, *, options: str = "ABCD", kind: str | None = None, **labels: Sequence[str]) -> tuple[Item, ...]:
    """One item a key; `?` for an item without a usable one. `labels` give each item's value."""
    return tuple(
        Item(
            f"{number:04d}",
            {"zh-Hans": Wording("zh-Hans", f"第{number}题", {letter: f"选项{letter}" for letter in options})},
            None if key == "?" else key,
            media=(Medium(kind, f"{number}.bin", data=f"{kind}{number}".encode()),) if kind else (),  # type: ignore[arg-type]
            labels={name: values[number] for name, values in labels.items()},
        )
        for number, key in enumerate(keys)
    )


def run(
    of: Sequence[Item],
    replies: str | Sequence[str],
    *,
    model: str = "fake/model",
    protocol: str = "tco",
    variant: Mapping[str, str] | None = None,
    stages: Mapping[str, float] | None = None,
    **record: Any,
) -> Run:
    """A run over items whose replies are the letters (or texts) of `replies`; see `GONE`."""
    records = {}
    for item, reply in zip(of, replies, strict=True):
        if reply == "-":
            continue
        if reply in GONE:
            error = {"kind": "server", "message": "HTTP 500"}
            records[item.id] = Record(item.id, GONE[reply], error=error)  # type: ignore[arg-type]
        else:
            text = "我不知道" if reply == "?" else reply
            records[item.id] = Record(item.id, "answered", text, stages=stages or {}, prompt="p", **record)
    return Run(model, Benchmark("made", tuple(of)), load_protocol(protocol), records, variant or {})


def marked(of: Sequence[Item], replies: str | Sequence[str], **options: Any) -> Scores:
    return score(run(of, replies, **options))
