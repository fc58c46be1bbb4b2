"""A task of lmms-eval: `NAME.yaml`, `utils.py`, `items.jsonl` and the media, run with `--include_path FOLDER`.

The rows hold finished prompts and no option by itself: the JSON loader in between reads a column of dates (or of
numbers in a CSV) as such, and an option `1949-10-01` would come back as a time. `until` is set empty, or lmms-eval ends
every reply at its first blank line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.formats.format import Format, final
from keju.formats.losses import first_wording_only, need_media, refuse
from keju.formats.media import copied
from keju.formats.names import to_disk
from keju.formats.prompt_text import prompt_text
from keju.formats.task_name import task_name
from keju.formats.vlmevalkit import written_id
from keju.items import Item

TOOL = "lmms-eval"
_YAML = """\
# {title} as a task of lmms-eval; written by keju. Move the folder and this path must follow.
task: {task}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {items}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 64
  temperature: 0
  do_sample: false
  until: []  # left out, it would be ["\\n\\n"] and cut every reply at its first blank line
process_results: !function utils.process_results
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""
_UTILS = '''"""What the task beside it calls; written by keju."""

import re
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
RATE = 16_000  # samples a second, as speech models take them
LETTER = re.compile(r"(?<![A-Za-z])([A-Z])(?![A-Za-z])")


def doc_to_visual(doc):
    return [_picture(name) for name in doc["images"]] + [_clip(name) for name in doc["audios"]]


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return doc["prompt"]


def process_results(doc, results):
    """The last capital letter that stands alone is the answer; keju marks the stored replies by its own rules."""
    found = LETTER.findall(results[0])
    return {"acc": float(bool(found) and found[-1] == doc["answer"])}


def _picture(name):
    with Image.open(HERE / name) as picture:
        return picture.convert("RGB")


def _clip(name):
    import av
    import numpy

    with av.open(str(HERE / name)) as clip:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        frames = [part for frame in clip.decode(audio=0) for part in resampler.resample(frame)]
        frames += resampler.resample(None)
    return {"array": numpy.concatenate([frame.to_ndarray()[0] for frame in frames]), "sampling_rate": RATE}
'''


def losses(benchmark: Benchmark) -> list[Problem]:
    """Raises `Misuse` for items that the task could not put or mark."""
    unkeyed = (item for item in benchmark if item.answer is None)
    refuse(unkeyed, f"{TOOL} marks by the key, and these items have none", "add their keys, or leave them out")
    need_media(benchmark, TOOL, ("image", "audio"))
    return first_wording_only(benchmark)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write the task into the folder `path`."""
    with (path / "items.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for item in benchmark:
            file.write(json.dumps(_row(copied(item, path)), ensure_ascii=False) + "\n")
    task = task_name(benchmark.name)
    items = json.dumps(str(final(path) / "items.jsonl"), ensure_ascii=False)
    yaml = _YAML.format(title=" ".join(benchmark.name.split()), task=task, items=items)
    (path / to_disk(f"{task}.yaml")).write_text(yaml, encoding="utf-8", newline="\n")
    (path / "utils.py").write_text(_UTILS, encoding="utf-8", newline="\n")


def _row(item: Item) -> dict[str, Any]:
    return {
        "id": written_id(item.id),
        "prompt": prompt_text(item.wording),
        "answer": item.answer,
        "images": [medium.name for medium in item.media if medium.kind == "image"],
        "audios": [medium.name for medium in item.media if medium.kind == "audio"],
    }


FORMAT = Format("lmms-eval", "a task of lmms-eval: a YAML, utils.py, items.jsonl and media/", None, None, write, losses)
