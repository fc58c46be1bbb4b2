"""What came back: a model's reply to one prompt, and the record of it that a run keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from keju.items import NOTHING

Finish = Literal["stop", "length"]
Status = Literal["answered", "truncated", "blocked", "failed"]
"""`answered`: a whole reply. `truncated`: the output cap cut it. `blocked`: a content filter refused.
`failed`: no reply after all attempts. Only the first two hold a reply, and only they are read by a parser."""

WITH_REPLY = ("answered", "truncated")
"""The statuses that hold one."""

STAGES = ("load", "preprocess", "transcribe", "read", "queue", "infer", "first_token")
"""The stage clock, in seconds.

`load` bytes from disk · `preprocess` encode, template, processor · `transcribe` audio → text · `read` image → text ·
`queue` waiting for a slot or a retry, never part of latency · `infer` request sent to last byte of the successful
attempt, or forward passes · `first_token` request sent to first token, when streaming (part of `infer`)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said to one prompt."""

    text: str
    finish: Finish = "stop"
    usage: Usage | None = None
    stages: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """Seconds by stage (see `STAGES`), as far as the model measured them."""
    model: str | None = None
    """The model's name as the server gave it."""
    scores: Mapping[str, float] | None = None
    """Log-probability by option label, where the scoring was by likelihood."""
    perceived: Mapping[str, str] | None = None
    """Medium name → text that a transcriber or reader made of it and the model saw instead (cascades)."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One line of `records.jsonl`: what became of one item."""

    id: str
    status: Status
    text: str | None = None
    """The raw reply, whole; None where there is none."""
    error: Mapping[str, Any] | None = None
    """`kind`, `message` and, where there was one, HTTP `status` of a blocked or failed call."""
    attempts: int = 1
    at: str = ""
    """UTC time at which the item's slot was given, ISO 8601 with milliseconds."""
    prompt: str = ""
    """`Prompt.text_digest()` of what was asked."""
    media: tuple[str, ...] = ()
    """First 16 hex digits of each medium's sha256."""
    stages: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    usage: Usage | None = None
    model: str | None = None
    scores: Mapping[str, float] | None = None
    perceived: Mapping[str, str] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def has_reply(self) -> bool:
        return self.status in WITH_REPLY

    def to_json(self) -> dict[str, Any]:
        """A plain dict without empty fields; times in seconds rounded to 0.1 ms."""
        row: dict[str, Any] = {"id": self.id, "status": self.status}
        if self.text is not None:
            row["text"] = self.text
        if self.error:
            row["error"] = dict(self.error)
        row |= {"attempts": self.attempts, "at": self.at, "prompt": self.prompt}
        if self.media:
            row["media"] = list(self.media)
        if self.stages:
            row["stages"] = {stage: round(seconds, 4) for stage, seconds in self.stages.items()}
        if self.usage:
            tokens = {name: getattr(self.usage, name) for name in Usage.__slots__}
            row["usage"] = {name: count for name, count in tokens.items() if count is not None}
        for name in ("model", "scores", "perceived"):
            if (value := getattr(self, name)) is not None:
                row[name] = value if isinstance(value, str) else dict(value)
        if self.warnings:
            row["warnings"] = list(self.warnings)
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Record:
        """The record of a line that `to_json` wrote; fields it does not know are ignored.

        Raises `TypeError` or `ValueError` where a field is missing or of another kind.
        """
        known = {name: row[name] for name in cls.__slots__ if name in row}
        for name, value in known.items():
            _check(name, value)
        for name in ("media", "warnings"):
            known[name] = tuple(known.get(name, ()))
        if known.get("usage") is not None:
            known["usage"] = Usage(**{k: v for k, v in known["usage"].items() if k in Usage.__slots__})
        return cls(**known)


_NONE = type(None)
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", "status", "at", "prompt"), (str,)),
    **dict.fromkeys(("text", "model"), (str, _NONE)),
    **dict.fromkeys(("error", "usage", "scores", "perceived"), (dict, _NONE)),
    **dict.fromkeys(("media", "warnings"), (list, tuple)),
    **{"attempts": (int,), "stages": (dict,)},
}
_WITHIN: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("media", "warnings", "perceived"), (str,)),
    **dict.fromkeys(("stages", "scores"), (int, float)),
    "usage": (int, _NONE),
}


def _check(name: str, value: Any) -> None:
    """Raise `TypeError` where a field, or what it holds, is not of its kind; `ValueError` for a time that is none."""
    within: Iterable[Any] = value.values() if isinstance(value, dict) else value
    if not isinstance(value, _KINDS[name]):
        raise TypeError(f"{name} is a {type(value).__name__}")
    for part in within if value and name in _WITHIN else ():
        if not isinstance(part, _WITHIN[name]):
            raise TypeError(f"{name} holds a {type(part).__name__}")
    if name == "stages" and not all(map(math.isfinite, within)):
        raise ValueError("a stage holds no number of seconds")
