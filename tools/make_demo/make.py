"""Make the teahouse demo again, from its questions, drawings and scripts.

    python tools/make_demo/make.py pictures OUT              draw the pictures
    python tools/make_demo/make.py kokoro DOWNLOADS KOKORO   put Kokoro together (see kokoro.py for the downloads)
    python tools/make_demo/make.py speech OUT KOKORO         speak the clips: as long as it takes to hear them
    python tools/make_demo/make.py items OUT                 write items.jsonl and benchmark.json

OUT is the demo's folder, src/keju/demo/teahouse. The content is in questions.toml, clips.toml and card.toml;
requirements.txt lists what must be installed.
"""

from __future__ import annotations

import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.formats import jsonl
from keju.items import Item, Medium, Wording

HERE = Path(__file__).parent
LANGUAGES = ("zh-Hans", "zh-Hant", "en")
SPLIT_SEED = 1923
SHARES = (("train", 0.7), ("val", 0.1), ("test", 0.2))
"""The TCO-Dataset's shares ("Data Records")."""
TASKS = {"P1": "Dialogue Comprehension", "P2": "Passage Comprehension"}
INSTRUCTIONS = {
    "Dialogue Comprehension": {
        "zh-Hant": "你會聽到兩個人的對話。請根據對話的內容，從（A）（B）（C）（D）四個選項中選出最合適的答案。",
        "zh-Hans": "你会听到两个人的对话。请根据对话的内容，从（A）（B）（C）（D）四个选项中选出最合适的答案。",
        "en": "You will hear a dialogue. Choose the best answer from (A), (B), (C) and (D) according to what is said.",
    },
    "Passage Comprehension": {
        "zh-Hant": "你會聽到一段話。請根據這段話的內容，從（A）（B）（C）（D）四個選項中選出最合適的答案。",
        "zh-Hans": "你会听到一段话。请根据这段话的内容，从（A）（B）（C）（D）四个选项中选出最合适的答案。",
        "en": "You will hear a talk. Choose the best answer from (A), (B), (C) and (D) according to what is said.",
    },
    "Reading Comprehension": {
        "zh-Hant": "請閱讀圖片中的材料，從（A）（B）（C）（D）四個選項中選出正確的答案。",
        "zh-Hans": "请阅读图片中的材料，从（A）（B）（C）（D）四个选项中选出正确的答案。",
        "en": "Read the material in the picture and choose the right answer from (A), (B), (C) and (D).",
    },
}
OPERA_LABELS = ("genre", "question_type", "difficulty")


def questions() -> list[dict[str, Any]]:
    return tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["item"]


def clips() -> list[dict[str, Any]]:
    return tomllib.loads((HERE / "clips.toml").read_text(encoding="utf-8"))["clip"]


def picture_name(row: Mapping[str, Any]) -> str:
    """Below `media/`: `0001.png` as in the TCO layout's flat folder, `images/….png` as in Multi-TW's."""
    return f"{row['id']}.png" if row["id"].isdecimal() else f"images/{row['id']}.png"


def clip_name(clip: Mapping[str, Any]) -> str:
    return f"audios/{clip['id']}.mp3"


def wordings(row: Mapping[str, Any], mark: str, task: str | None = None) -> dict[str, Wording]:
    """The wordings in the order of the row, the original first; its option lines are marked as its layout does."""
    made: dict[str, Wording] = {}
    for language in (key for key in row if key in LANGUAGES):
        question, *texts = row[language]
        options = dict(zip("ABCD", texts, strict=True))
        lines = () if made else tuple(mark.format(label, text) for label, text in options.items())
        made[language] = Wording(language, question, options, INSTRUCTIONS[task][language] if task else "", lines)
    return made


def id_labels(item_id: str) -> dict[str, str]:
    volume, section, level, part, _ = item_id.split("-")
    return {"volume": volume, "section": section, "level": level, "part": part}


def drawn(row: Mapping[str, Any], root: Path) -> Item:
    """An item with a picture: of the opera where it has a genre, else a sign of the street."""
    name = picture_name(row)
    media = (Medium("image", name, root / jsonl.MEDIA / name),)
    if "genre" in row:
        made = wordings(row, "({}) {}")
        labels = {label: row[label] for label in OPERA_LABELS} | {"original_language": next(iter(made))}
    else:
        made = wordings(row, "（{}）{}", "Reading Comprehension")
        labels = id_labels(row["id"]) | {"task": "Reading Comprehension"}
    return Item(row["id"], made, row["answer"], media, labels | {"cue": row["cue"]})


def spoken(clip: Mapping[str, Any], root: Path) -> Iterator[Item]:
    """The items of a clip; ids count on from the clip's own."""
    name = clip_name(clip)
    said = "\n".join(line.partition("：")[2] for line in clip["lines"])
    for shift, row in enumerate(clip["item"]):
        stem, number = clip["id"][:-3], int(clip["id"][-3:])
        labels = id_labels(clip["id"]) | {"task": TASKS[clip["id"].split("-")[3]], "cue": "speech"}
        yield Item(
            f"{stem}{number + shift:03}",
            wordings(row, "（{}）{}", labels["task"]),
            row["answer"],
            (Medium("audio", name, root / jsonl.MEDIA / name),),
            labels,
            extra={"transcript": said, "facts": row["facts"]},
        )


def split_of(items: list[Item]) -> dict[str, str]:
    """Item id → split, drawn by medium so that two questions on one clip stay together.

    Each stratum is drawn for itself: pictures, clips with two questions, clips with one.
    """
    asked = Counter((item.media[0].kind, item.media[0].name) for item in items)
    split_of_medium: dict[str, str] = {}
    for stratum in sorted({(kind, count) for (kind, _), count in asked.items()}):
        media = sorted(name for (kind, name), count in asked.items() if (kind, count) == stratum)
        random.Random(SPLIT_SEED).shuffle(media)
        ends = [int(len(media) * sum(share for _, share in SHARES[: k + 1]) + 1e-9) for k in range(len(SHARES))]
        split_of_medium |= {
            name: next(SHARES[k][0] for k, end in enumerate(ends) if i < end) for i, name in enumerate(media)
        }
    return {item.id: split_of_medium[item.media[0].name] for item in items}


def write(root: Path) -> None:
    """Write the rows and the card."""
    items = [drawn(row, root) for row in questions()] + [item for clip in clips() for item in spoken(clip, root)]
    split = split_of(items)
    rows = tuple(
        replace(item, split=split[item.id])
        for item in sorted(items, key=lambda item: (not item.id.isdecimal(), item.media[0].kind, item.id))
    )
    card = tomllib.loads((HERE / "card.toml").read_text(encoding="utf-8"))
    jsonl.write(Benchmark(card.pop("name"), rows, card), root)
    print(f"{len(rows)} items")


def main(argv: list[str]) -> None:
    match argv:
        case ["pictures", out]:
            from pictures import draw_all

            draw_all((row["picture"], Path(out) / jsonl.MEDIA / picture_name(row)) for row in questions())
        case ["kokoro", downloads, folder]:
            from kokoro import assemble

            assemble(Path(downloads), Path(folder))
        case ["speech", out, kokoro]:
            from speech import Voices, speak

            speak(((clip, Path(out) / jsonl.MEDIA / clip_name(clip)) for clip in clips()), Voices(Path(kokoro)))
        case ["items", out]:
            write(Path(out))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
