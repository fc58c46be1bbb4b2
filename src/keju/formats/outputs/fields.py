"""The names that other tools give to the same fields, and the shapes in which they write options."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from typing import Any

from keju.formats.question_text import mark_of
from keju.items import LABELS, Medium

ID = ("id", "pid", "qid", "question_id", "sample_id", "item_id", "index", "idx", "doc_id")
REPLY = ("response", "raw_output", "generation", "model_output", "output", "reply", "completion", "text", "prediction")
"""Best first: `prediction` is often what a tool's own parser made of the reply."""
GOLD = ("answer_key", "gold", "ground_truth", "target", "answer", "label")
OPTIONS = ("options", "choices")
QUESTION = ("question", "prompt", "input", "query")
MODEL = ("model", "model_name", "model_id")
RUN = ("run", "run_id", "run_name")
STOP = ("finish_reason", "stop_reason", "finish", "status")
LANGUAGE = ("language", "lang")
TOPIC = ("subject", "category", "task", "subset")
"""Labels with which ids are made unique where they count anew in each subject."""
LABEL = (*TOPIC, "l2-category", "genre", "question_type", "difficulty", "level", "topic", "grade", "source", "year")
VERDICT = ("is_correct", "correct", "true_false", "published_right", "right", "hit", "acc", "exact_match", "score")
PARSE = ("published_parse", "published_pred", "parsed", "extracted", "prediction", "pred")
"""What a tool's parser read from the reply; equal to the key, it is a right mark where the file has no other."""

ABSENT: Any = object()


def first(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Value of the first of `names` that the row has, even if it is None; `ABSENT` where it has none."""
    return next((row[name] for name in names if name in row), ABSENT)


def word(row: Mapping[str, Any], names: Iterable[str]) -> str:
    """Like `first`, as text; empty where it is absent, null or not a plain value."""
    value = first(row, names)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def labels_of(row: Mapping[str, Any], names: Iterable[str] = LABEL) -> dict[str, str]:
    """The row's labels for breakdowns."""
    return {name: text for name in names if (text := word(row, (name,)))}


def options_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Label → text, from a dict, a list, a list written as a string, ARC's pair of lists, or columns `A`, `B`, …"""
    value = first(row, OPTIONS)
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, Mapping) and isinstance(texts := value.get("text"), list):
        value = dict(zip(value.get("label", LABELS), texts, strict=False))
    if isinstance(value, Mapping):
        return {str(label): str(text) for label, text in value.items() if text is not None}
    if isinstance(value, list):
        return without_marks(dict(zip(LABELS, map(str, value), strict=False)))
    columns = {label: str(row[label]) for label in LABELS if row.get(label) not in (None, "")}
    return columns if "A" in columns and "B" in columns else {}


def without_marks(options: dict[str, str]) -> dict[str, str]:
    """The options without their own labels (`(A) …`, `A．…`), where every one of them carries it."""
    marks = {label: mark_of(text) for label, text in options.items()}
    cut = {label: mark[1] for label, mark in marks.items() if mark and mark[0] == label}
    return cut if len(cut) == len(options) else options


def options_in(prompt: str) -> tuple[str, dict[str, str]]:
    """(text before the options, options) of a prompt that lists them one a line; no options where it does not.

    Of an option that runs over several lines the first is given, for a prompt goes on after its options.
    """
    lines = prompt.split("\n")
    for start in range(len(lines) - 1, -1, -1):
        found: dict[str, str] = {}
        for label, line in zip(LABELS, lines[start:], strict=False):
            if not (mark := mark_of(line)) or mark[0] != label:
                break
            found[label] = mark[1]
        if len(found) > 1:
            return "\n".join(lines[:start]).strip(), found
    return prompt, {}


def verdict_of(value: Any) -> bool | None:
    """Right, wrong, or None where the value is no plain mark (a partial credit, NaN, a text)."""
    if isinstance(value, str):
        value = {"true": True, "false": False, "1": 1, "0": 0, "1.0": 1, "0.0": 0}.get(value.strip().lower())
    return bool(value) if isinstance(value, bool | int | float) and value in (0, 1) else None


def media_of(row: Mapping[str, Any]) -> tuple[Medium, ...]:
    """The media that the row names; their bytes are not in outputs."""
    return tuple(
        Medium(kind, name)
        for kind in ("image", "audio")
        for field in (kind, f"{kind}_path", f"{kind}s", *(f"{kind}_{n}" for n in range(1, 10)))
        for name in _names(row.get(field))
    )


def _names(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [v.replace("\\", "/") for v in values if isinstance(v, str) and 0 < len(v) < 1024 and v[:5] != "data:"]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
