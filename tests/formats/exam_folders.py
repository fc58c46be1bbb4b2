"""Small exams on disk, made by the tests that read them."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

OPTIONS = {"A": "生", "B": "旦", "C": "净", "D": "丑"}
QUESTION = "图中角色属于哪个行当？"
SHEET_HEADER = "id,question,A,B,C,D,answer\n"


def png(shade: int = 0) -> bytes:
    """A picture of one grey pixel; each shade is another file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes((0, shade))))
        + chunk(b"IEND", b"")
    )


def md(question: str = QUESTION, options: dict[str, str] | None = None) -> str:
    return "\n".join([question, *(f"({label}) {text}" for label, text in (options or OPTIONS).items()), ""])


def metadata(stem: str, answer: str, question: str = QUESTION, **more: object) -> dict[str, object]:
    return {
        "id": stem,
        "image": f"{stem}.png",
        "question_file": f"{stem}.md",
        "answer_file": f"{stem}.txt",
        "question_text": question,
        "options": OPTIONS,
        "answer": answer,
        **more,
    }


def tco_item(folder: Path, stem: str, answer: str = "C", *, question: str = QUESTION, **more: object) -> None:
    """The four files of one item."""
    folder.mkdir(exist_ok=True)
    (folder / f"{stem}.md").write_bytes(md(question).encode())
    (folder / f"{stem}.txt").write_bytes(answer.encode())
    (folder / f"{stem}.png").write_bytes(png(int(stem) % 256))
    text = json.dumps(metadata(stem, answer, question, **more), ensure_ascii=False, indent=4)
    (folder / f"{stem}.json").write_bytes(text.encode())


def lay(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write `files` (name → content) into `folder`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Relative name → bytes of every file below `folder`."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
