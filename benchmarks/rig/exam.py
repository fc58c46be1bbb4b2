"""The exam: key, mock answer and files of item 1 … n follow from its number alone, so that no party asks another.

python -m rig.exam FOLDER [--items 1000]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import struct
import zlib
from pathlib import Path

LETTERS = "ABCD"
WIDTH, HEIGHT = 1280, 720
NOISE = 6.0
"""Standard deviation of the noise, in levels: makes a PNG of this size about 1.6 MB, like the paper's photographs."""
ROLES = ("生", "旦", "净", "丑", "老生", "花旦", "武生", "青衣")
PROMPT = (
    "根据下面这张图片回答这个选择题:\n{question}\nA: {A}\nB: {B}\nC: {C}\nD: {D}\n"
    "请仅回答正确选项的字母(A、B、C 或 D), 不允许有其他任何内容。"
)


def key(number: int) -> str:
    """The right letter of an item."""
    return LETTERS[_draw("key", number) % 4]


def answer(number: int, model: str) -> str:
    """What the mock says of an item: `mock-73` is right with probability 0.73."""
    right, share = key(number), int(model.rsplit("-", 1)[-1]) / 100
    if unit("hit", model, number) < share:
        return right
    return [letter for letter in LETTERS if letter != right][_draw("wrong", model, number) % 3]


def expected(items: int, model: str) -> float:
    """The accuracy that a correct client must report over items 1 … `items`."""
    return sum(answer(number, model) == key(number) for number in range(1, items + 1)) / items


def unit(*of: object) -> float:
    """A number in [0, 1) that depends on `of` only."""
    return float(_draw(*of) / 2**64)


def question(number: int) -> str:
    """The tag `#NNNN#` tells the server the item, however a client writes its JSON; base64 has no `#`."""
    return f"第#{number:04d}#题：图中人物最可能的行当是？"


def options(number: int) -> dict[str, str]:
    start = number % len(ROLES)
    return dict(zip(LETTERS, (ROLES * 2)[start : start + 4], strict=True))


def prompt(number: int) -> str:
    """The paper's prompt for an item."""
    return PROMPT.format(question=question(number), **options(number))


def write(folder: Path, items: int) -> None:
    """Write the exam in the TCO layout. The pictures share their pixels; each says its number in a chunk of its own."""
    folder.mkdir(parents=True)
    body = picture()
    for number in range(1, items + 1):
        stem, offered = f"{number:04d}", options(number)
        (folder / f"{stem}.png").write_bytes(numbered(body, number))
        lines = [question(number), *(f"({label}) {text}" for label, text in offered.items()), ""]
        (folder / f"{stem}.md").write_text("\n".join(lines), encoding="utf-8")
        (folder / f"{stem}.txt").write_text(f"{key(number)}\n", encoding="utf-8")
        document: dict[str, object] = {"id": stem, "image": f"{stem}.png", "question_file": f"{stem}.md"}
        document |= {"answer_file": f"{stem}.txt", "question_text": question(number)}
        document |= {"options": offered, "answer": key(number)}
        (folder / f"{stem}.json").write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")


def first(folder: Path, items: int, target: Path) -> Path:
    """An exam of the first `items` of the exam in `folder`, by hard links."""
    target.mkdir()
    for number in range(1, items + 1):
        for suffix in ("png", "md", "txt", "json"):
            os.link(folder / f"{number:04d}.{suffix}", target / f"{number:04d}.{suffix}")
    return target


def picture() -> bytes:
    """A PNG of noise."""
    import numpy as np  # the clients that use this module shall not pay for it

    rng = np.random.default_rng(7)
    pixels = np.clip(rng.normal(128, NOISE, (HEIGHT, WIDTH * 3)), 0, 255).astype(np.uint8)
    rows = np.pad(pixels, ((0, 0), (1, 0)))  # each row begins with its filter: 0, none
    packer = zlib.compressobj(level=1, strategy=zlib.Z_HUFFMAN_ONLY)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    data = packer.compress(rows.tobytes()) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def numbered(png: bytes, number: int) -> bytes:
    """The same picture in a file of its own: a text chunk with the number before the last chunk."""
    return png[:-12] + _chunk(b"tEXt", b"Comment\0item %d" % number) + png[-12:]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _draw(*of: object) -> int:
    digest = hashlib.blake2b("|".join(map(str, of)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--items", type=int, default=1000)
    given = parser.parse_args()
    write(given.folder, given.items)


if __name__ == "__main__":
    main()
