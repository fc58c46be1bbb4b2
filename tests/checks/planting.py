"""A clean TCO folder of bilingual items, and forty kinds of faults to plant in it.

`lay_out` makes the folder, `plant` spoils items and says for each which rule has to find it.
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 1280, 720
"""The paper's smallest picture."""


def _words(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


ROLES = _words(
    "老生:elder 小生:youth 武生:warrior 青衣:lady 花旦:maid 老旦:matron 武丑:acrobat 文丑:jester "
    "须生:greybeard 官生:officer 巾生:scholar 贴旦:companion 彩旦:matchmaker 红生:general "
    "净角:painted-face 龙套:attendant"
)
THINGS = _words(
    "盔头:helmet 靠旗:pennants 水袖:sleeves 髯口:whiskers 蟒袍:robe 褶子:gown 玉带:belt 翎子:plumes "
    "马鞭:whip 令旗:banner 宫灯:lantern 云肩:collar 绣鞋:slippers 折扇:fan 宝剑:sword 官帽:hat 帔风:cape "
    "桌帔:tablecloth 长枪:spear 圣旨:edict 酒杯:goblet 拂尘:whisk 令箭:arrow 朝靴:boots"
)
PLACES = _words(
    "山门:gate 公堂:courtroom 长亭:pavilion 江岸:riverbank 花园:garden 校场:drillground 金殿:throne-hall "
    "城楼:tower 渡口:ferry 佛寺:monastery 书房:study 军帐:tent 断桥:bridge 酒肆:tavern 客栈:inn "
    "法场:scaffold 绣楼:boudoir 驿站:station"
)


@dataclass
class Plot:
    """One item's files, to be spoilt."""

    folder: Path
    stem: str
    other: str
    """An item that stays as it is."""

    def path(self, suffix: str) -> Path:
        return self.folder / f"{self.stem}.{suffix}"

    def rewrite(self, suffix: str, change: Callable[[str], str]) -> None:
        path = self.path(suffix)
        path.write_bytes(change(path.read_text(encoding="utf-8")).encode("utf-8"))

    def document(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the JSON."""
        document = json.loads(self.path("json").read_bytes())
        change(document)
        self.path("json").write_text(_json(document), encoding="utf-8")

    def question(self, change: Callable[[list[str]], object]) -> None:
        """Change the lines of question and options, in the JSON as well."""
        lines = self.path("md").read_text(encoding="utf-8").splitlines()
        change(lines)
        self.path("md").write_text("\n".join([*lines, ""]), encoding="utf-8")
        options = {line[1]: line[4:] for line in lines[1:]}
        self.document(lambda document: document.update(question_text=lines[0], options=options))

    def answer(self, text: str) -> None:
        self.path("txt").write_text(text, encoding="utf-8")

    def picture(self, change: Callable[[Any], Any], form: str = "PNG", **how: Any) -> None:
        """Save another picture under the same name: `change` of it, by Pillow."""
        from PIL import Image

        with Image.open(self.path("png")) as image:
            image.load()
            target = BytesIO()
            change(image).save(target, form, **how)
        self.path("png").write_bytes(target.getvalue())


@dataclass(frozen=True)
class Planted:
    rule: str
    item: str

    @property
    def rules(self) -> list[str]:
        """Names of the rules of which one has to find it."""
        return self.rule.split(" or ")


def lay_out(folder: Path, n: int = 1000, seed: int = 0) -> Path:
    """`n` clean items `0001`, `0002`, … with pictures, translations, split lists and labels."""
    folder.mkdir(parents=True)
    draw = random.Random(seed)
    stems = [f"{number:04d}" for number in range(1, n + 1)]
    for number, stem in enumerate(stems):
        _item(folder, stem, "ABCD"[number % 4], draw)
        (folder / f"{stem}.png").write_bytes(picture(number))
    order = draw.sample(stems, n)
    sizes = {"train": n * 7 // 10, "val": n // 10, "test": n - n * 7 // 10 - n // 10}
    for name, size in sizes.items():
        (folder / f"{name}.json").write_text(json.dumps(sorted(order[:size])), encoding="utf-8")
        del order[:size]
    (folder / "split_metadata.json").write_text(_json({"sizes": sizes, "seed": seed}), encoding="utf-8")
    return folder


def plant(folder: Path, each: int = 5) -> list[Planted]:
    """Spoil `each` items in every one of `KINDS`; no item twice."""
    stems = iter(sorted({path.stem for path in folder.glob("*.md")})[1::2])  # every second one stays as it is
    planted = []
    for rule, spoil in KINDS:
        for stem in (next(stems) for _ in range(each)):
            spoil(Plot(folder, stem, f"{int(stem) - 1:04d}"))
            planted.append(Planted(rule, stem))
    return planted


def _item(folder: Path, stem: str, key: str, draw: random.Random) -> None:
    roles, places = draw.sample(list(ROLES), 3), draw.sample(list(PLACES), 3)
    things = draw.sample(list(THINGS), 7)
    year = draw.randint(1600, 1899)
    question = (
        f"{year}年，{places[0]}里的{roles[0]}拿着{things[0]}，{places[1]}旁的{roles[1]}拿着{things[1]}，"
        f"{places[2]}前的{roles[2]}看着{things[2]}，他要的是哪一件？"
    )
    english = (
        f"In {year} the {ROLES[roles[0]]} in the {PLACES[places[0]]} holds the {THINGS[things[0]]}, the "
        f"{ROLES[roles[1]]} by the {PLACES[places[1]]} holds the {THINGS[things[1]]}, the {ROLES[roles[2]]} before the "
        f"{PLACES[places[2]]} looks at the {THINGS[things[2]]}. Which one is wanted?"
    )
    options = dict(zip("ABCD", things[3:], strict=True))
    lines = [question, *(f"({label}) {text}" for label, text in options.items()), ""]
    (folder / f"{stem}.md").write_text("\n".join(lines), encoding="utf-8")
    (folder / f"{stem}.txt").write_text(f"{key}\n", encoding="utf-8")
    document = {"id": stem, "image": f"{stem}.png", "question_file": f"{stem}.md", "answer_file": f"{stem}.txt"}
    document |= {"question_text": question, "options": options, "answer": key}
    translation = {"question": english, "options": {label: THINGS[text] for label, text in options.items()}}
    (folder / f"{stem}.json").write_text(_json({**document, "translation": {"en": translation}}), encoding="utf-8")


def picture(seed: int) -> bytes:
    """A grey PNG of the paper's size: a mosaic that differs by seed, sharp, of middle brightness and good contrast."""
    import numpy as np

    tiles = np.random.default_rng(seed).integers(50, 205, (HEIGHT // 80, WIDTH // 80))
    checks = np.repeat(np.indices((HEIGHT // 8, WIDTH // 8)).sum(axis=0) % 2 * 60 - 30, 8, axis=1)
    bands = np.repeat(np.repeat(tiles, 80, axis=1), 10, axis=0) + checks  # of 8 rows each
    return _grey_png(bands.astype(np.uint8), rows=8)


def _grey_png(bands: Any, rows: int) -> bytes:
    """The PNG of 8-bit grey levels, each band `rows` high: what a row adds to the one above is mostly nothing."""
    import numpy as np

    height, width = len(bands) * rows, bands.shape[1]
    filtered = np.zeros((height, width + 1), np.uint8)
    filtered[:, 0] = 2  # the filter `up`
    filtered[::rows, 1:] = np.diff(bands, axis=0, prepend=np.zeros((1, width), np.uint8))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _lists(plot: Plot, change: Callable[[dict[str, list[str]]], object]) -> None:
    lists = {name: json.loads((plot.folder / f"{name}.json").read_bytes()) for name in ("train", "val", "test")}
    change(lists)
    for name, ids in lists.items():
        (plot.folder / f"{name}.json").write_text(json.dumps(ids), encoding="utf-8")


def _in_two_lists(plot: Plot) -> None:
    def also(lists: dict[str, list[str]]) -> None:
        lists["val" if plot.stem in lists["train"] else "train"].append(plot.stem)

    _lists(plot, also)


def _unknown_in_a_list(plot: Plot) -> None:
    _lists(plot, lambda lists: lists["test"].append(f"{plot.stem}-old"))


def _gone(plot: Plot) -> None:
    _lists(plot, lambda lists: [ids.remove(plot.stem) for ids in lists.values() if plot.stem in ids])
    for suffix in ("md", "txt", "png", "json"):
        plot.path(suffix).unlink()


def _linked_from_elsewhere(plot: Plot) -> None:
    outside = plot.folder.with_name(f"{plot.stem}-elsewhere.png")
    plot.path("png").rename(outside)
    plot.path("png").symlink_to(outside)


def _in_full_width(plot: Plot) -> None:
    wide = plot.stem.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})
    plot.path("png").rename(plot.folder / f"{wide}.png")


def _same_again(plot: Plot) -> None:
    """Question, options, key and picture of the item before it."""
    theirs = Plot(plot.folder, plot.other, plot.other)
    for suffix in ("md", "txt", "png"):
        plot.path(suffix).write_bytes(theirs.path(suffix).read_bytes())
    document = json.loads(theirs.path("json").read_bytes())
    taken = {key: document[key] for key in ("question_text", "options", "answer", "translation")}
    plot.document(lambda own: own.update(taken))


def _same_picture(plot: Plot) -> None:
    plot.path("png").write_bytes((plot.folder / f"{plot.other}.png").read_bytes())


def _translation(plot: Plot, change: Callable[[dict[str, Any]], object]) -> None:
    plot.document(lambda document: change(document["translation"]["en"]))


def _not_translated(plot: Plot) -> None:
    def copied(document: dict[str, Any]) -> None:
        own = {"question": document["question_text"], "options": document["options"]}
        document["translation"]["en"] = own

    plot.document(copied)


def _as_jpeg(plot: Plot) -> None:
    plot.picture(lambda image: image, "JPEG", quality=90)


def _cut(plot: Plot) -> None:
    data = plot.path("png").read_bytes()
    plot.path("png").write_bytes(data[: len(data) // 2])


def _turned(plot: Plot) -> None:
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    plot.picture(lambda image: image, exif=exif)


def _bright(image: Any) -> Any:
    return image.point(lambda level: 255 if level > 150 else level)


def _blurred(image: Any) -> Any:
    from PIL import ImageFilter

    return image.filter(ImageFilter.GaussianBlur(12))


KINDS: tuple[tuple[str, Callable[[Plot], object]], ...] = (
    # the folder and its files
    ("question-missing", lambda plot: plot.path("md").unlink()),
    ("answer-missing", lambda plot: plot.path("txt").unlink()),
    ("media-missing", lambda plot: plot.path("png").unlink()),
    ("member-twice", lambda plot: plot.path("jpg").write_bytes(b"an older picture")),
    ("stray-file", lambda plot: (plot.folder / f"{plot.stem}-final.docx").write_bytes(b"PK")),
    ("path-escape", _linked_from_elsewhere),
    ("name-spelling", _in_full_width),
    ("encoding-not-utf8", lambda plot: plot.path("md").write_bytes(plot.path("md").read_text("utf-8").encode("gbk"))),
    ("byte-order-mark", lambda plot: plot.rewrite("md", lambda text: "\ufeff" + text)),
    ("encoding-unknown", lambda plot: plot.path("md").write_bytes(plot.path("md").read_bytes() + "旧".encode("gbk"))),
    ("line-ends", lambda plot: plot.rewrite("md", lambda text: text.replace("\n", "\r\n"))),
    ("json-disagrees", lambda plot: plot.document(lambda document: document.update(question_text="图中是谁？"))),
    ("json-unreadable", lambda plot: plot.rewrite("json", lambda text: text[:-9])),
    ("split-overlap", _in_two_lists),
    ("split-unknown-id", _unknown_in_a_list),
    ("number-gap", _gone),
    # questions
    ("stem-empty", lambda plot: plot.question(lambda lines: lines.__setitem__(0, ""))),
    ("not-four-options", lambda plot: (plot.question(lambda lines: lines.pop()), plot.answer("A\n"))),
    ("answer-not-an-option", lambda plot: plot.answer("E\n")),
    ("answer-form", lambda plot: plot.rewrite("txt", str.lower)),
    ("answer-several", lambda plot: plot.answer("AC\n")),
    ("answer-empty", lambda plot: plot.answer("")),
    ("options-identical", lambda plot: plot.question(lambda lines: lines.__setitem__(3, "(C)" + lines[2][3:]))),
    ("option-empty", lambda plot: plot.question(lambda lines: lines.__setitem__(2, "(B)"))),
    ("option-about-options", lambda plot: plot.question(lambda lines: lines.__setitem__(4, "(D) 以上都对"))),
    ("question-twice", _same_again),
    # language
    ("traditional-in-simplified", lambda plot: plot.rewrite("md", lambda text: text.replace("里的", "裡的"))),
    ("translation-missing", lambda plot: plot.document(lambda document: document.pop("translation"))),
    ("translation-incomplete", lambda plot: _translation(plot, lambda english: english["options"].pop("D"))),
    ("other-language", _not_translated),
    ("numbers-differ", lambda plot: _translation(plot, lambda english: english.update(question="Which one in 2001?"))),
    ("invisible-in-file", lambda plot: plot.rewrite("md", lambda text: text.replace("，", "\u200b，", 1))),
    ("brackets-unbalanced", lambda plot: plot.question(lambda lines: lines.__setitem__(0, "《" + lines[0]))),
    # pictures
    ("picture-cut-short", _cut),
    ("picture-suffix", _as_jpeg),
    ("picture-too-small", lambda plot: plot.picture(lambda image: image.resize((640, 360), 0))),
    ("clipped", lambda plot: plot.picture(_bright)),
    ("blurred", lambda plot: plot.picture(_blurred)),
    ("turned-by-exif", _turned),
    ("picture-twice or picture-in-two-splits", _same_picture),
)
"""Name of the rule that has to find it (or of two, by the item's split), and what spoils an item."""
