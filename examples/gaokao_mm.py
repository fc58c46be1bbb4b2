"""Turn GAOKAO-MM into a benchmark that keju runs: python examples/gaokao_mm.py GAOKAO-MM OUT

GAOKAO-MM keeps a JSON file a subject in `Data/`, with the options inside the question's text and pictures named
relative to its script's folder (`../Data/…`). What cannot be an item with one answer is listed and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.errors import KejuError
from keju.formats import write
from keju.formats.json_text import parse_json
from keju.formats.media import MediaFolder
from keju.formats.question_text import parse_question, read_answer
from keju.items import Item, Wording


def items_in(folder: Path, problems: list[Problem]) -> Iterator[Item]:
    """The items of every subject; what is left out, and every picture that is not there, is added to `problems`."""
    media = MediaFolder(folder)
    for file in sorted((folder / "Data").glob("*.json")):
        subject = parse_json(file.read_text(encoding="utf-8"), file)
        for example in subject["example"]:
            item_id = f"{file.stem}_{example['index']}"
            item = item_of(item_id, example, media, problems)
            if isinstance(item, str):
                problems.append(Problem(item_id, "not_converted", item, file.name, left_out=True))
            else:
                yield item


def item_of(item_id: str, example: dict[str, Any], media: MediaFolder, problems: list[Problem]) -> Item | str:
    """The item of one example, or why it is none."""
    text = parse_question(example["question"])
    if text is None or text.trailing:
        return "no options A, B, C, … can be told in its text"
    told = example["answer"]
    answer, _ = read_answer(told[0], text.options) if len(told) == 1 else (None, None)
    if answer is None:
        return f"its answer is {', '.join(told)}; an item has exactly one"
    pictures = [media.find("image", name.removeprefix("../")) for name in example["picture"]]
    problems.extend(problem for picture in pictures for problem in picture.problem(item_id))
    subject = item_id.split("_", 1)[1].partition("_MCQs")[0]
    wording = Wording("zh-Hans", text.question, text.options, as_written=text.as_written)
    return Item(
        item_id,
        {"zh-Hans": wording},
        answer,
        tuple(picture.medium for picture in pictures),
        labels={"subject": subject, "year": str(example["year"]), "paper": example["category"]},
        extra={"score": example["score"]},
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the GAOKAO-MM repository")
    parser.add_argument("out", type=Path, help="a new folder for the benchmark")
    given = parser.parse_args()
    problems: list[Problem] = []
    items = tuple(items_in(given.folder, problems))
    card = {
        "title": "GAOKAO-MM",
        "source": "github.com/OpenMOSS/GAOKAO-MM",
        "license": "Apache-2.0",
        "languages": ["zh"],
    }
    try:
        write(Benchmark("gaokao-mm", items, card), given.out, "jsonl")
    except KejuError as error:
        print(error, file=sys.stderr)
        return 2
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(items)} items in {given.out}; {sum(problem.left_out for problem in problems)} left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
