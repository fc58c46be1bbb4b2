"""Tasks of lm-eval for items of text: `NAME.yaml` asks for a letter, `NAME_likelihood.yaml` compares the options.

`utils.py` reads `items.jsonl` for both, because the JSON loader of `datasets` takes texts that look like dates for
times. `until` is set empty, or lm-eval ends every reply at its first blank line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.formats.format import Format
from keju.formats.losses import first_wording_only, need_letters, need_media, refuse
from keju.formats.names import to_disk
from keju.formats.prompt_text import prompt_text, stem_text
from keju.formats.task_name import task_name
from keju.items import Item

TOOL = "lm-eval"
_HEAD = """\
# {title} as a task of lm-eval; written by keju. Run it: lm_eval run --tasks {task} --include_path FOLDER --model …
task: {task}
custom_dataset: !function utils.load
test_split: test
"""
_LETTER = """\
output_type: generate_until
doc_to_text: prompt
doc_to_target: answer
generation_kwargs:
  max_gen_toks: 64
  temperature: 0
  do_sample: false
  until: []  # left out, it would be ["\\n\\n"] and cut every reply at its first blank line
filter_list:
  - name: letter
    filter:
      - function: regex
        regex_pattern: "(?<![A-Za-z])([A-Z])(?![A-Za-z])"
        group_select: -1
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""
_LIKELIHOOD = """\
output_type: multiple_choice
doc_to_text: question
doc_to_choice: choices
doc_to_target: gold
target_delimiter: "\\n"
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""
_UTILS = '''"""What the tasks beside it call; written by keju."""

import json
from pathlib import Path


def load(**_):
    """The items as they stand in the file: no text is taken for a date or a number."""
    import datasets

    with (Path(__file__).parent / "items.jsonl").open(encoding="utf-8") as file:
        return {"test": datasets.Dataset.from_list([json.loads(line) for line in file])}
'''


def losses(benchmark: Benchmark) -> list[Problem]:
    """Raises `Misuse` for items that the tasks could not put or mark."""
    need_letters(benchmark, TOOL)
    need_media(benchmark, TOOL, ())
    blank = (item for item in benchmark if not all(item.options.values()))
    refuse(blank, f"{TOOL} compares the options' texts, and these items have options without one", "leave them out")
    return first_wording_only(benchmark)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write the tasks into the folder `path`."""
    with (path / "items.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(_row(item), ensure_ascii=False) + "\n" for item in benchmark)
    title, name = " ".join(benchmark.name.split()), task_name(benchmark.name)
    for task, rest in ((name, _LETTER), (f"{name}_likelihood", _LIKELIHOOD)):
        yaml = _HEAD.format(title=title, task=task) + rest
        (path / to_disk(f"{task}.yaml")).write_text(yaml, encoding="utf-8", newline="\n")
    (path / "utils.py").write_text(_UTILS, encoding="utf-8", newline="\n")


def _row(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "prompt": prompt_text(item.wording),
        "question": stem_text(item.wording),
        "choices": list(item.options.values()),
        "answer": item.answer,
        "gold": list(item.options).index(str(item.answer)),
    }


FORMAT = Format("lm-eval", "tasks of lm-eval: YAMLs, utils.py and items.jsonl", None, None, write, losses)
