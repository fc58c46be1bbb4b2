"""lm-eval's `samples_<task>_<time>.jsonl`: one line a document and filter, generated text or log-likelihoods."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.outputs import fields, texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.outcomes import record_of
from keju.formats.outputs.rows import Row, Sheet
from keju.items import LABELS

NAME = "lm-eval"
SHAPE = "`samples_<task>_<time>.jsonl` with `doc_id`, `doc`, `arguments`, `resps`"


def fits(head: Head) -> bool:
    return head.kind == "jsonl" and head.has("doc_id", "resps", "arguments")


def read(path: Path) -> list[Sheet]:
    """The samples of one task. Lines of one document under several filters are one output with several marks.

    Raises `BadFile`.
    """
    rows: dict[int, Row] = {}
    filters: set[tuple[int, str]] = set()
    for number, line in texts.json_lines(path):
        with texts.written_by("lm-eval", f"{path}:{number}"):
            row, name = _row(line, path, number), str(line.get("filter", "none"))
        if (row.position, name) in filters:
            raise BadFile(
                f"{row.place}: document {row.position} occurs twice under filter {name!r}; keep one run a file"
            )
        filters.add((row.position, name))
        before = rows.setdefault(row.position, row)
        rows[row.position] = replace(before, verdicts={**before.verdicts, **row.verdicts})
    model, task = _names(path)
    return [Sheet(model, task, NAME, tuple(rows.values()))]


def _row(line: Mapping[str, Any], path: Path, number: int) -> Row:
    doc = line["doc"] if isinstance(line.get("doc"), dict) else {}
    position = int(line["doc_id"])
    requests = [request for _, request in sorted(line["arguments"].items(), key=lambda one: _number(one[0]))]
    first = [replies[0] for replies in line["resps"]]
    prompt = _prompt(requests[0]["arg_0"])
    item_id = fields.word(doc, fields.ID[:-3]) or str(position)  # a column `index` of the data set is no stable id
    likelihood = len(first) > 1 and all(isinstance(reply, list) for reply in first)
    options = fields.options_of(doc)
    if likelihood and len(options) != len(first):
        options = dict(zip(LABELS, (request["arg_1"].strip() for request in requests), strict=False))
    scores = dict(zip(options, (float(reply[0]) for reply in first), strict=True)) if likelihood else None
    text = "" if likelihood else first[0] if isinstance(first[0], str) else None
    return Row(
        record_of(item_id, text, scores=scores),
        str(path),
        number,
        position,
        question=_question(doc, prompt),
        options={label: "" if text == label else text for label, text in options.items()},
        gold=_gold(line.get("target"), likelihood, doc),
        labels=fields.labels_of(doc),
        verdicts=_verdicts(line),
        read=None if likelihood else _read(line),
    )


def _read(line: Mapping[str, Any]) -> str | None:
    """What the task's filter left of the reply; None where the file does not have it."""
    left = line.get("filtered_resps")
    while isinstance(left, list):
        left = left[0] if left else ""
    return left if isinstance(left, str) else None


def _number(name: str) -> int:
    return int(name.rpartition("_")[2])  # gen_args_10 stands after gen_args_9


def _prompt(argument: Any) -> str:
    """The prompt as text; chat requests hold their messages as one JSON string in a list."""
    if isinstance(argument, list):
        messages = json.loads(argument[0]) if isinstance(argument[0], str) else argument
        contents = [message["content"] for message in messages]
        return "\n".join(c if isinstance(c, str) else "\n".join(p.get("text", "") for p in c) for c in contents)
    return str(argument)


def _question(doc: Mapping[str, Any], prompt: str) -> str:
    """The data set's own question where the prompt holds it; else the prompt, few-shot examples and all."""
    question = fields.word(doc, fields.QUESTION)
    return question if question and question in prompt else prompt


def _gold(target: Any, likelihood: bool, doc: Mapping[str, Any]) -> Any:
    """The key: of a likelihood task `target` is the option's index, of a generation task the text to match."""
    if likelihood and str(target).isdigit():
        return int(target)
    own = fields.first(doc, fields.GOLD)
    return target if target is not None else None if own is fields.ABSENT else own


def _verdicts(line: Mapping[str, Any]) -> dict[str, bool | None]:
    names = [name for name in line.get("metrics") or fields.VERDICT if name in line]
    return {f"{name},{line.get('filter', 'none')}": fields.verdict_of(line[name]) for name in names}


def _names(path: Path) -> tuple[str, str]:
    """(model, task): the model as the results file beside says it, else as the folder is called."""
    task, _, time = path.stem.removeprefix("samples_").rpartition("_")
    results = path.with_name(f"results_{time}.json")
    if results.is_file() and isinstance(value := texts.json_whole(results), dict) and value.get("model_name"):
        return str(value["model_name"]), task or path.stem
    return (path.absolute().parent.name or path.stem) if task else path.stem, task or path.stem
