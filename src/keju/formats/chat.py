"""Chats for supervised fine-tuning, as ShareGPT keeps them and LLaMA-Factory reads them: the question, then the letter.

`train` is the split that is written: a model that has seen the items it is examined on shows nothing.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.formats.format import Format
from keju.formats.losses import first_wording_only, need_media, refuse
from keju.formats.media import copied
from keju.formats.prompt_text import prompt_text
from keju.formats.task_name import task_name
from keju.items import Item

CHATS = "chats.json"
_TAG = re.compile("<(?:image|audio|video)>")
"""What stands for a medium in a text; LLaMA-Factory counts them against the files."""


def losses(benchmark: Benchmark) -> list[Problem]:
    """Raises `Misuse` for items that nothing can be learnt from."""
    unkeyed = (item for item in benchmark if item.answer is None)
    refuse(unkeyed, "a chat ends with the key, and these items have none", "add their keys, or leave them out")
    need_media(benchmark, "a chat", ("image", "audio"))
    tagged = (item for item in benchmark if _TAG.search(prompt_text(item.wording)))
    refuse(tagged, "tags like <image> stand for media, and these items have them in their text", "reword them")
    return first_wording_only(benchmark)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write `chats.json`, `media/` and LLaMA-Factory's `dataset_info.json` into `path`, its `dataset_dir`."""
    chats = [_chat(copied(item, path)) for item in benchmark]
    kinds = [name for name in ("images", "audios") if any(chat[name] for chat in chats)]
    rows = [
        {name: value for name, value in chat.items() if name not in ("images", "audios") or name in kinds}
        for chat in chats
    ]
    columns = {"messages": "conversations", **{name: name for name in kinds}}
    info = {task_name(benchmark.name): {"file_name": CHATS, "formatting": "sharegpt", "columns": columns}}
    for name, value in ((CHATS, rows), ("dataset_info.json", info)):
        (path / name).write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n")


def _chat(item: Item) -> dict[str, Any]:
    tags = "".join(f"<{medium.kind}>" for medium in item.media)
    return {
        "id": item.id,
        "conversations": [
            {"from": "human", "value": tags + prompt_text(item.wording)},
            {"from": "gpt", "value": item.answer},
        ],
        "images": [medium.name for medium in item.media if medium.kind == "image"],
        "audios": [medium.name for medium in item.media if medium.kind == "audio"],
    }


FORMAT = Format(
    "chat", "chats for fine-tuning (ShareGPT, LLaMA-Factory): chats.json and media/", None, None, write, losses, "train"
)
