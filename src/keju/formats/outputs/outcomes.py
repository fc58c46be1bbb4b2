"""What became of a call, as other tools write it: an error text in the reply's place is a failure, not a reply."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from keju.items import NOTHING
from keju.records import Record, Status, Usage

TRUNCATED = ("length", "max_tokens", "max_output_tokens", "truncated")
BLOCKED = ("content_filter", "content-filter", "blocked")
FAILED = ("failed", "error")
TOO_LONG = ("model_length",)  # the prompt did not fit the model; the text beside it is the server's message


def record_of(
    item_id: str,
    text: str | None,
    *,
    stop: str | None = None,
    error: str | None = None,
    usage: Mapping[str, Any] | None = None,
    stages: Mapping[str, float] = NOTHING,
    scores: Mapping[str, float] | None = None,
    model: str | None = None,
    at: str = "",
) -> Record:
    """The record of one output. `stop` is the tool's stop reason, `error` its own word that the call failed."""
    status, kind, message = _without_reply(text, stop, error)
    if status:
        return Record(item_id, status, error={"kind": kind, "message": message}, model=model, at=at)
    return Record(
        item_id,
        "truncated" if stop in TRUNCATED else "answered",
        text=text,
        at=at,
        stages=stages,
        usage=usage_of(usage),
        model=model,
        scores=scores,
    )


def _without_reply(text: str | None, stop: str | None, error: str | None) -> tuple[Status | None, str, str]:
    """(status, kind of error, message) of a call that gave no reply; status None where it gave one."""
    if stop in BLOCKED:
        return "blocked", "blocked", error or text or "a content filter refused"
    if error or stop in FAILED:
        return "failed", "model", error or text or "the call failed"
    if stop in TOO_LONG:
        return "failed", "bad-request", text or "the prompt was longer than the model takes"
    if text is None:
        return "failed", "bad-reply", "the file holds no reply for this item"
    # The words with which VLMEvalKit and lmms-eval fill a reply's place when a call fails.
    if "Failed to obtain answer" in text or text.startswith("[LMMS_EVAL_REQUEST_FAILED after"):
        return "failed", "model", text
    return None, "", ""


def usage_of(counts: Mapping[str, Any] | None) -> Usage | None:
    """Token counts under the names that Inspect, evalscope and lmms-eval share; None where there are none."""
    if not isinstance(counts, Mapping):
        return None
    found = {name: counts[name] for name in Usage.__slots__ if isinstance(counts.get(name), int)}
    return Usage(**found) if found else None


def seconds(**stages: Any) -> dict[str, float]:
    """The stages that were measured: finite numbers stay, the rest is left out."""
    return {name: float(value) for name, value in stages.items() if isinstance(value, int | float) and isfinite(value)}
