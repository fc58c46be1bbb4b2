"""Items of a run as Inspect's samples: what was asked, what came back, and one score a parser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keju.prompts import Text
from keju.records import Record, Usage
from keju.reports.inspect_media import MediaShown, message_part
from keju.results.mark import Mark
from keju.runs.run import Run

_STOP = {"answered": "stop", "truncated": "max_tokens", "blocked": "content_filter"}
"""Status of a record → Inspect's stop reason."""


def sample_of(run: Run, item_id: str, marks: Mapping[str, Mark], shown: MediaShown) -> dict[str, Any]:
    """The sample of one item that was asked; `marks` holds its mark by each parser."""
    item, record = run.benchmark[item_id], run.records[item_id]
    attachments: dict[str, str] = {}
    asked = run.protocol.prompt(item)
    content = [
        {"type": "text", "text": part.text} if isinstance(part, Text) else message_part(part, shown, attachments)
        for part in asked.parts
    ]
    question = {"role": "user", "content": content, "source": "input"}
    output = _output(run.model, record)
    replies = [choice["message"] for choice in output["choices"]]
    usage = {run.model: _usage(record.usage)} if record.usage else {}
    return {
        "id": item.id,
        "epoch": 1,
        "input": [question],
        "choices": list(item.options.values()),
        "target": item.answer or "",
        "messages": [question, *replies],
        "output": output,
        "scores": {name: _score(mark) for name, mark in marks.items()} if record.has_reply else {},
        "metadata": _metadata(run, record, item.labels),
        "store": {},
        "events": [],
        "model_usage": usage,
        "total_time": sum(seconds for stage, seconds in record.stages.items() if stage != "first_token"),
        "working_time": sum(s for stage, s in record.stages.items() if stage not in ("first_token", "queue")),
        "uuid": f"{record.prompt or 'unknown'}-{item.id}",
        "attachments": attachments,
        **({"started_at": record.at} if record.at else {}),
        **({"error": _error(record)} if record.status == "failed" else {}),
    }


def summary_of(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What the viewer's list shows of a sample."""
    kept = ("id", "epoch", "choices", "target", "scores", "model_usage", "total_time", "working_time", "uuid")
    text = [part["text"] for part in sample["input"][0]["content"] if part["type"] == "text"]
    scalars = {name: value for name, value in sample["metadata"].items() if isinstance(value, str | int | float)}
    return {
        **{name: sample[name] for name in kept},
        **({"started_at": sample["started_at"]} if "started_at" in sample else {}),
        **({"error": sample["error"]["message"]} if "error" in sample else {}),
        "input": [{"role": "user", "content": "\n".join(text)}],
        "metadata": scalars,
        "completed": True,
        "message_count": len(sample["messages"]),
    }


def _output(model: str, record: Record) -> dict[str, Any]:
    if record.status == "failed":
        return {"model": model, "choices": [], "completion": ""}
    text = record.text or ""
    message = {"role": "assistant", "content": text, "source": "generate", "model": model}
    return {
        "model": record.model or model,
        "choices": [{"message": message, "stop_reason": _STOP[record.status]}],
        "completion": text,
        **({"usage": _usage(record.usage)} if record.usage else {}),
        **({"time": record.stages["infer"]} if "infer" in record.stages else {}),
        **({"error": _message(record)} if record.status == "blocked" else {}),
    }


def _score(mark: Mark) -> dict[str, Any]:
    told = {"valid": mark.valid, "drawn": mark.drawn} | ({"reason": mark.reason} if mark.reason else {})
    value = "C" if mark.correct else "I"
    return {"value": value, "answer": mark.label or "", "explanation": mark.text, "metadata": told}


def _metadata(run: Run, record: Record, labels: Mapping[str, str]) -> dict[str, Any]:
    item = run.benchmark[record.id]
    digests = [*record.media, *[None] * len(item.media)]
    media = [{"name": medium.name, "sha256": digest} for medium, digest in zip(item.media, digests, strict=False)]
    told = {
        "language": item.wording.language,
        "split": item.split,
        "status": record.status,
        "attempts": record.attempts,
        "media": media,
        "stages": dict(record.stages),
        "perceived": dict(record.perceived or {}),
        "option_scores": dict(record.scores or {}),
    }
    return {**labels, **{name: value for name, value in told.items() if value}}


def _usage(usage: Usage | None) -> dict[str, Any]:
    counts = {name: getattr(usage, name) or 0 for name in ("input_tokens", "output_tokens")}
    total = {"total_tokens": counts["input_tokens"] + counts["output_tokens"]}
    reasoning = usage.reasoning_tokens if usage else None
    return counts | total | ({"reasoning_tokens": reasoning} if reasoning is not None else {})


def _error(record: Record) -> dict[str, str]:
    return {"message": _message(record), "traceback": "", "traceback_ansi": ""}


def _message(record: Record) -> str:
    error = record.error or {}
    return f"{error.get('kind', 'failed')}: {error.get('message', 'no reply')}"
