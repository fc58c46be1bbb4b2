"""The studio's messages in Chinese: collect, convert, compile.

    python tools/messages.py            # bring the catalogues up to date; exit 1 where a message is not translated yet
    python tools/messages.py --check    # change nothing; exit 1 where a run without it would

English stands in the code. `locale/zh_Hans/LC_MESSAGES/django.po` is translated by hand; `zh_Hant` is made from it, in
Taiwan's words (OpenCC `s2twp`), with the corrections of `locale/zh_Hant.toml`. GNU gettext is not needed.
"""

from __future__ import annotations

import ast
import io
import os
import re
import struct
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.pofile import read_po, write_po

STUDIO = Path(__file__).parent.parent / "src/keju/studio"
LOCALE = STUDIO / "locale"
CORRECTIONS = LOCALE / "zh_Hant.toml"
_PYTHON = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
_QUOTED = r"u?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_TEMPLATE = re.compile(rf"\b(_|n?gettext|pgettext)\(({_QUOTED})(?:, ({_QUOTED}))?")
_PLACE = re.compile(r"%\((\w+)\)[sd]|\{(\w*)\}")
HEADER = "# Messages of keju studio. tools/messages.py writes this file; see there.\n"


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A message in the code."""

    text: str
    plural: str = ""
    context: str = ""
    file: str = ""

    @property
    def id(self) -> str | tuple[str, str]:
        return (self.text, self.plural) if self.plural else self.text


def collected() -> list[Found]:
    """Every message of the studio, in the order of the files."""
    found: list[Found] = []
    for path in sorted(STUDIO.rglob("*.py")):
        if "migrations" not in path.parts:
            found += _of_python(path)
    for path in sorted((STUDIO / "templates").rglob("*.html")):
        found += _of_template(path)
    return found


def _of_python(path: Path) -> Iterator[Found]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in _PYTHON and node.args:
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if isinstance(node.args[0], ast.JoinedStr):
                raise SystemExit(f"{path}:{node.lineno}: an f-string cannot be translated; use %(name)s")
            if texts:
                yield _found(name, texts, path)


def _of_template(path: Path) -> Iterator[Found]:
    from django.utils.translation.template import templatize

    for call in _TEMPLATE.finditer(templatize(path.read_text(encoding="utf-8"))):
        texts = [ast.literal_eval(text) for text in call.group(2, 3) if text]
        yield _found(call[1], texts, path)


def _found(name: str, texts: list[str], path: Path) -> Found:
    file = path.relative_to(STUDIO).as_posix()
    if name.startswith("pgettext"):
        return Found(texts[1], context=texts[0], file=file)
    return Found(texts[0], texts[1] if name.startswith("ngettext") else "", file=file)


def simplified(found: list[Found]) -> Catalog:
    """The catalogue translated by hand: messages of today, with the translations that are there."""
    path = _po("zh_Hans")
    there = path.read_bytes() if path.is_file() else b""
    old = read_po(io.BytesIO(there), locale="zh_Hans")
    return _catalogue("zh_Hans", found, lambda one: _known(old, one))


def traditional(found: list[Found], hans: Catalog) -> Catalog:
    """The same in Taiwan's script and words."""
    from keju.studio.wording import in_taiwan

    whole = tomllib.loads(CORRECTIONS.read_text(encoding="utf-8"))["messages"]

    def made(one: Found) -> str:
        return str(whole.get(one.text) or in_taiwan(_known(hans, one)))

    return _catalogue("zh_Hant", found, made)


def _catalogue(locale: str, found: list[Found], translated: Callable[[Found], str]) -> Catalog:
    catalogue = Catalog(locale=locale, charset="utf-8", fuzzy=False)
    for one in sorted(set(found)):
        text = translated(one)
        catalogue.add(one.id, (text,) if one.plural else text, [(one.file, 0)], context=one.context or None)
    return catalogue


def _known(catalogue: Catalog, one: Found) -> str:
    message: Message | None = catalogue.get(one.text, one.context or None)
    text = message.string if message else ""
    return text[0] if isinstance(text, list | tuple) and text else str(text or "")


def missing(catalogue: Catalog) -> list[str]:
    """Messages without a translation, and those whose places for values differ from the English."""
    wrong = []
    for message in catalogue:
        if not message.id:
            continue
        english = message.id if isinstance(message.id, str) else message.id[-1]
        text = message.string if isinstance(message.string, str) else (message.string or ("",))[0]
        if not text:
            wrong.append(f"not translated: {english}")
        elif _places(text) - _places(english) or (isinstance(message.id, str) and _places(english) - _places(text)):
            wrong.append(f"other values than in English: {english} → {text}")
    return wrong


def _places(text: str) -> set[str]:
    return {place[0] for place in _PLACE.finditer(text)}


def files(catalogue: Catalog) -> dict[Path, bytes]:
    """The .po and the .mo of a catalogue: the same bytes whenever and with whatever version of Babel they are made."""
    name = str(catalogue.locale)
    head = f"Content-Type: text/plain; charset=utf-8\nLanguage: {name}\nPlural-Forms: nplurals=1; plural=0;\n"
    po = io.BytesIO()
    write_po(po, catalogue, width=110, include_lineno=False, omit_header=True, sort_output=True)
    lines = "".join(f'"{line}\\n"\n' for line in head.splitlines())
    text = f'{HEADER}msgid ""\nmsgstr ""\n{lines}\n' + po.getvalue().decode("utf-8")
    return {_po(name): text.encode("utf-8"), _po(name).with_suffix(".mo"): compiled(catalogue, head)}


def compiled(catalogue: Catalog, head: str) -> bytes:
    """The catalogue in the binary form of gettext (its manual, "The Format of GNU MO Files"), without a hash table."""
    pairs = {b"": head.encode("utf-8")}
    for message in catalogue:
        if message.id:
            texts = [message.id] if isinstance(message.id, str) else list(message.id)
            key = (f"{message.context}\4" if message.context else "") + "\0".join(texts)
            told = message.string if isinstance(message.string, str) else message.string[0]
            pairs[key.encode("utf-8")] = told.encode("utf-8")
    n, keys = len(pairs), sorted(pairs)
    at = 28 + 16 * n  # behind the header and both tables of lengths and offsets
    tables, data = [], b""
    for texts in (keys, [pairs[key] for key in keys]):
        for text in texts:
            tables += [len(text), at + len(data)]
            data += text + b"\0"
    return struct.pack(f"<7I{4 * n}I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, at, *tables) + data


def _po(locale: str) -> Path:
    return LOCALE / locale / "LC_MESSAGES/django.po"


def main(check: bool) -> int:
    from django.conf import settings

    if not settings.configured:
        settings.configure()  # templatize asks for nothing in particular
    found = collected()
    hans = simplified(found)
    hant = traditional(found, hans)
    wrong = missing(hans)
    for path, data in {**files(hans), **files(hant)}.items():
        if path.is_file() and path.read_bytes() == data:
            continue
        if check:
            wrong.append(f"out of date: {os.path.relpath(path)}; run python tools/messages.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for line in wrong:
        print(line)
    print(f"{len(hans)} messages, {len(wrong)} to do", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
