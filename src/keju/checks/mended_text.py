"""Texts mended where there is one right way: each function repairs one kind of fault and changes nothing else."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping

from keju.formats.encodings import INVISIBLE, without_invisible
from keju.formats.names import original_name

_STRING = r'"(?:[^"\\]|\\.)*"'
_FIELD = re.compile(rf"({_STRING})(\s*:\s*)({_STRING}|\[(?:\s*{_STRING}\s*,?)*\s*\])")
"""A key with a text, or a list of texts, of a JSON document."""
_LITERAL = re.compile(_STRING)
_HIDDEN = re.compile(f"[{INVISIBLE}]|" + "|".join(rf"(?<!\\)\\u{ord(char):04x}" for char in INVISIBLE), re.IGNORECASE)
"""An invisible character in a JSON document, bare or escaped."""
_OF_MEDIA = re.compile("image|audio|media|picture|sound|name|file|path|图|圖|音", re.IGNORECASE)
"""What is in a key whose text is a file's name."""
_BACKSLASH = r"\\"
"""A backslash in a JSON text."""
_LETTER = re.compile(r"[(\[【]?\s*([A-Z])\s*[)\]】]?[.。、]?")


def line_ends(text: str) -> str:
    """Lines that end in LF, as every system reads them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def blanks(text: str) -> str:
    """Lines without blanks at their ends, the file without empty lines at its end."""
    mended = re.sub(r"[^\S\n]+$", "", text, flags=re.MULTILINE)
    return mended.rstrip("\n") + "\n" if mended.strip("\n") and mended.endswith("\n") else mended


def visible(text: str) -> str:
    """The text without characters that nobody sees."""
    return without_invisible(text)[0]


def visible_in_json(text: str) -> str:
    """The same in a JSON document, but for the names of files, which may bear such characters on disk too."""

    def mended(field: re.Match[str]) -> str:
        key, between, value = field.groups()
        kept = _OF_MEDIA.search(json.loads(key)) is not None
        return f"{key}{between}{value if kept else _HIDDEN.sub('', value)}"

    return _FIELD.sub(mended, text)


def slashes_in_json(text: str) -> str:
    """A JSON document whose paths of files bear `/`, as every system reads them."""

    def mended(field: re.Match[str]) -> str:
        key, between, value = field.groups()
        named = _OF_MEDIA.search(json.loads(key)) and re.search(r'\.\w{2,5}"', value)
        return f"{key}{between}{value.replace(_BACKSLASH, '/') if named else value}"

    return _FIELD.sub(mended, text)


def letters_in_json(text: str) -> str:
    """A JSON document whose answers `b`, `(B)`, `Ｂ.` are capital letters alone."""

    def mended(field: re.Match[str]) -> str:
        key, between, value = field.groups()
        if json.loads(key) != "answer" or value.startswith("["):
            return field[0]
        told = json.loads(value)
        found = _LETTER.fullmatch(unicodedata.normalize("NFKC", told).strip().upper())
        return f'{key}{between}"{found[1]}"' if found and found[1] != told else field[0]

    return _FIELD.sub(mended, text)


def names_in_json(text: str, renamed: Mapping[str, str], *, flat: bool = False) -> str:
    """A JSON document that calls media by their new names; `renamed` is old → new, as the benchmark writes them.

    Backslashes, `./`, and the folder `media/` of the neutral form may stand in the document; where the benchmark is
    one `flat` folder, any folder.
    """

    def of_field(field: re.Match[str]) -> str:
        key, between, value = field.groups()
        if not _OF_MEDIA.search(json.loads(key)):
            return field[0]
        return f"{key}{between}{_LITERAL.sub(of_text, value)}"

    def of_text(literal: re.Match[str]) -> str:
        told = json.loads(literal[0])
        new = _new_name(told, renamed, flat)
        return literal[0] if new is None else json.dumps(new, ensure_ascii=literal[0].isascii())

    return _FIELD.sub(of_field, text) if renamed else text


def names_in_table(text: str, renamed: Mapping[str, str]) -> str:
    """A CSV or TSV whose cells call media by their new names."""
    for old, new in renamed.items():
        cell = rf'(?<![^,;\t"\n\r、/\\]){re.escape(old)}(?![^,;\t"\n\r、])'
        text = re.sub(cell, lambda _: new, text)  # noqa: B023 (used within the same round)
    return text


def mended(text: str, *steps: Callable[[str], str]) -> tuple[str, list[Callable[[str], str]]]:
    """The text after `steps`, and those of them that changed it."""
    effective = []
    for step in steps:
        before, text = text, step(text)
        if text != before:
            effective.append(step)
    return text, effective


def _new_name(told: str, renamed: Mapping[str, str], flat: bool) -> str | None:
    """The path `told` with its new suffix; None where the file was not renamed."""
    plain = "/".join(map(original_name, told.strip().replace("\\", "/").removeprefix("./").split("/")))
    for old in (plain, plain.removeprefix("media/"), plain.rpartition("/")[2] if flat else plain):
        if old in renamed:
            return told.strip().removesuffix(_suffix(old)) + _suffix(renamed[old])
    return None


def _suffix(name: str) -> str:
    return "." + name.rpartition(".")[2]
