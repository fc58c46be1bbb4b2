"""File names as people and systems write them: which count, which are the same, which every system can hold."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote

_SYSTEM = {"thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx", "$recycle.bin", "system volume information"}
_HALF_WIDTH = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*%]|^[.~ ]|[. ]$')
_DIGITS = 4000  # of a number, that Python reads; no counter has as many
_RESERVED = re.compile(r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|COM[0-9¹²³]|LPT[0-9¹²³])\s*(\.|$)", re.IGNORECASE)


def is_system_file(name: str) -> bool:
    """Whether an operating system or an office program made the file, not an author."""
    return name.startswith((".", "~$")) or name.lower() in _SYSTEM


def names_in(folder: Path) -> list[str]:
    """The names in a folder, sorted, without system files."""
    with os.scandir(folder) as entries:  # a `Path` for each of 4,000 files would cost more than all else here
        return sorted(from_disk(entry.name) for entry in entries if not is_system_file(entry.name))


def stem_and_suffix(name: str) -> tuple[str, str]:
    """`0001.png` → (`0001`, `.png`); of a path, its last part."""
    last = name.rpartition("/")[2]
    stem, dot, suffix = last.rpartition(".")
    return (stem, dot + suffix) if stem else (last, "")


def folded(name: str) -> str:
    """`name` in the form in which names are compared: composed (NFC), full-width letters and digits made half-width."""
    return name if name.isascii() else unicodedata.normalize("NFC", name).translate(_HALF_WIDTH)


def in_order(name: str) -> list[str | int]:
    """Sort key that puts `2` before `10`."""
    return [int(part[:_DIGITS]) if part.isdecimal() else part for part in re.split(r"(\d+)", folded(name))]


def safe_name(name: str) -> str:
    """`name` as a file name without suffix that Windows, macOS and Linux can hold; distinct names stay distinct.

    Characters that some system refuses are percent-encoded; `original_name` undoes it.
    """
    safe = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", name)
    return f"%{ord(safe[0]):02X}{safe[1:]}" if _RESERVED.match(safe) else safe


def original_name(name: str) -> str:
    """The name of which `safe_name` made `name`; other names are returned as they are."""
    plain = unquote(name)
    return plain if safe_name(plain) == name else name


def from_disk(name: str) -> str:
    """A name that the system gave, as Unicode even where the locale is not UTF-8; unknown bytes become `\\xNN`."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def to_disk(name: str) -> str:
    """`name` as the system wants it even where the locale is not UTF-8: its UTF-8 bytes."""
    return name if name.isascii() else os.fsdecode(name.encode("utf-8"))
