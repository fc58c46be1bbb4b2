"""GAOKAO-Bench's result files → plain outputs that `keju score` reads, one question a line.

    python examples/gaokao_bench.py RESULTS_FOLDER OUT_FOLDER

A result file holds exam questions with the model's whole output, which may answer several sub-questions at once
(`（1）【答案】 A <eoa> （2）【答案】 C <eoa>`). Each sub-question becomes an item of its own. A question that asks for
every right option (physics) keeps a key of several letters: of it keju reports the published mark.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from keju.errors import BadFile, KejuError
from keju.formats.outputs import Outputs, read_outputs
from keju.formats.question_text import parse_question
from keju.protocols import extract

LETTERS = "ABCD"
NUMBERED = re.compile(r"[（(]\s*(\d)\s*[）)]")


def convert(source: Path, folder: Path) -> Path:
    """Write the outputs of one result file to `folder`; the path of what was written."""
    try:
        data = json.loads(source.read_text(encoding="utf-8"))
        rows = [row for example in data["example"] for row in cut(data, example)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadFile(f"{source}: is not a result file of GAOKAO-Bench ({error!r})") from error
    target = folder / f"{source.stem}.jsonl"
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return target


def cut(data: dict[str, Any], example: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The single questions of one example, with the reply to each and the published mark."""
    keys, parses = example["standard_answer"], example["model_answer"]
    questions = [example["question"]] if len(keys) == 1 else pieces(example["question"], len(keys))
    replies = [example["model_output"]] if len(keys) == 1 else pieces(example["model_output"], len(keys))
    for place, key in enumerate(keys):
        parsed = parse_question(questions[place])
        texts = parsed.options if parsed and list(parsed.options) == list(LETTERS) else dict.fromkeys(LETTERS, "")
        yield {
            "id": f"{example['index']}.{place + 1}" if len(keys) > 1 else str(example["index"]),
            "model": data["model_name"],
            "subject": data["keyword"],
            "year": example["year"],
            "question": parsed.question if parsed and any(texts.values()) else questions[place],
            "options": texts,
            "answer": key,
            "response": replies[place],
            # A parse of another length cannot be told apart into sub-questions: published as wrong, every one.
            "published_right": len(parses) == len(keys) and parses[place] == key,
        }


def pieces(text: str, count: int) -> list[str]:
    """The parts that begin with （1）, （2）, … in order: the last such series, for a passage may be numbered too."""
    marks = list(NUMBERED.finditer(text))
    for start in range(len(marks) - 1, -1, -1):
        if marks[start][1] == "1":
            series = in_order(marks[start:], count)
            if len(series) == count:
                ends = [mark.start() for mark in series[1:]] + [len(text)]
                return [text[mark.end() : end].strip() for mark, end in zip(series, ends, strict=True)]
    return [text] * count


def in_order(marks: list[re.Match[str]], count: int) -> list[re.Match[str]]:
    """The first （1）, the first （2） after it, and so on."""
    series: list[re.Match[str]] = []
    for mark in marks:
        if len(series) < count and mark[1] == str(len(series) + 1):
            series.append(mark)
    return series


def summary(outputs: Outputs) -> str:
    """Questions, the published right ones, and those that keju's `robust` parser marks right."""
    right = 0
    for item in outputs.benchmark:
        record = outputs.records[item.id]
        if item.answer is None:
            right += bool(outputs.marks[item.id])  # several letters: only the published mark is there
        else:
            right += extract(record.text or "", item.options, "robust").label == item.answer
    several = sum(item.answer is None for item in outputs.benchmark)
    note = f"  ({several} with several right options, by the published mark)" if several else ""
    published = sum(map(bool, outputs.marks.values()))
    return f"{outputs.benchmark.name:42} {len(outputs.benchmark):5} {published:10} {right:7}{note}"


def main(source: str, target: str) -> None:
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'set':42} {'N':>5} {'published':>10} {'robust':>7}")
    for file in sorted(Path(source).glob("*.json")):
        for outputs in read_outputs(convert(file, folder)):
            print(summary(outputs))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except KejuError as error:
        sys.exit(str(error))
