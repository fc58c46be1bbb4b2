"""A mapping: which columns of a table are question, options, answer, media and labels. TOML; see docs/mappings.md.

`load_mapping` reads one, `SHIPPED` are those that come with keju. What is in a mapping is only ever looked up: nothing
of it is run, and no file outside the data set's own folder is read.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from keju.errors import BadFile, Misuse
from keju.formats.placeholders import Place, Template
from keju.formats.toml_text import read_toml

Templates = Template | tuple[Template, ...]
UNSTATED = "not stated"
"""The licence of a data set whose makers name none; it is not put on a card."""
ANSWERS = ("letter", "text", "number from 0", "number from 1", "mark")
"""What a cell of answers may hold; `mark` is the letter or the number that the options themselves bear."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A mapping as it is applied. Every field is a key of the file."""

    name: str
    question: Mapping[str, Template]
    """Wording's language (empty: told by `language`, or by looking) → question."""
    options: Mapping[str, Templates] = field(default_factory=dict)
    """As `question`; one cell or a cell each. Empty: they stand in the question's text."""
    instruction: Mapping[str, Template] = field(default_factory=dict)
    id: Template = field(default_factory=lambda: Template.of("{table}-{row}"))
    answer: Template | None = None
    """None: the data set has no keys."""
    answer_is: str = "letter"
    hidden: tuple[str, ...] = ()
    """Answers that say that the key is kept back."""
    separator: str | None = None
    """What stands between options in one cell: any of these characters."""
    image: tuple[Template, ...] = ()
    audio: tuple[Template, ...] = ()
    media_folders: tuple[str, ...] = ()
    """Folders in which media are looked for too."""
    media_without: str = ""
    """Beginning of media paths that is not part of them: `../`."""
    language: Template | None = None
    split: Template | None = None
    labels: Mapping[str, Template] = field(default_factory=dict)
    extra: Mapping[str, Template] = field(default_factory=dict)
    extract: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """Column → pattern whose named groups become columns."""
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Column → values of the rows that are meant."""
    files: tuple[str, ...] = ()
    """Patterns of the files to read, as `sources.sources_at` takes them."""
    records: str | None = None
    """Path to the list of rows inside a JSON file."""
    known_by: tuple[Place, ...] = ()
    """Columns that together tell the data set from others."""
    title: str = ""
    license: str = ""
    paper: str = ""
    source: str = ""
    get: str = ""
    """How to get the data."""

    def templates(self) -> Iterator[tuple[str, Template]]:
        """Every template with the key that it stands under."""
        for key in ("question", "options", "instruction", "labels", "extra"):
            for value in getattr(self, key).values():
                yield from ((key, each) for each in (value if isinstance(value, tuple) else (value,)))
        for key in ("image", "audio"):
            yield from ((key, each) for each in getattr(self, key))
        for key in ("id", "answer", "language", "split"):
            if value := getattr(self, key):
                yield key, value
        for key in ("where", "extract"):
            yield from ((key, Template.of(f"{{{column}}}")) for column in getattr(self, key))

    def columns(self, there: Mapping[str, Any], *, asked: bool = False) -> list[str]:
        """Those of a table's columns that are read; with `asked`, without those of labels and extra fields alone."""
        read = (
            column
            for key, template in self.templates()
            if not (asked and key in ("labels", "extra"))
            for place in template.places
            for column in place.read(there)
        )
        return list(dict.fromkeys(read))

    def check(self, columns: Iterable[str], file: Path) -> None:
        """Raises `BadFile` where a key names a column that the file has not."""
        there = dict.fromkeys(columns)
        extracted = {group: None for pattern in self.extract.values() for group in pattern.groupindex}
        for key, template in self.templates():
            for place in template.places:
                if not place.optional and not place.is_in(there if key in ("where", "extract") else there | extracted):
                    named = " or ".join(repr(column) for column in place.columns)
                    near = difflib.get_close_matches(place.columns[0], there, 1)
                    meant = f"; {near[0]!r} is meant?" if near else ""
                    shown = ", ".join(name for name in there if name not in ("table", "row"))
                    raise BadFile(
                        f"mapping {self.name}: `{key}` names the column {named}, which {file} has not{meant} "
                        f"It has {shown}. (Write {{{place.columns[0]}?}} for a column that may be missing.)"
                    )


def load_mapping(mapping: str | Path) -> Spec:
    """The shipped mapping of this name, or the one in this TOML file.

    Raises `BadFile` naming the key that cannot be used, `Misuse` where there is no such mapping.
    """
    if str(mapping) in SHIPPED():
        return _shipped(str(mapping))
    file = Path(mapping)
    if not file.is_file():
        near = difflib.get_close_matches(str(mapping), SHIPPED(), 1)
        meant = f" ({near[0]} is meant?)" if near else ""
        raise Misuse(f"no mapping {str(mapping)!r}{meant}: give a TOML file, or one of {', '.join(SHIPPED())}")
    try:
        tables = read_toml(file)
    except BadFile as error:
        remedy = 'texts stand in quotes, and so do names other than of plain letters: "题型" = "单选"'
        raise BadFile(f"{error}; {remedy}") from error
    return spec_of(tables, file.stem, str(file))


@cache
def SHIPPED() -> tuple[str, ...]:  # noqa: N802 (a constant that is read from disk when first needed)
    """Names of the mappings that come with keju."""
    return tuple(sorted(file.stem for file in _folder().glob("*.toml")))


def spec_of(table: Mapping[str, Any], name: str, place: str) -> Spec:
    """The mapping in a TOML table. Raises `BadFile` naming `place` and key."""
    keys = [each.name for each in fields(Spec) if each.name != "name"]
    for key in table:
        if key not in keys:
            near = difflib.get_close_matches(key, keys, 1)
            meant = f"; `{near[0]}` is meant?" if near else ""
            raise BadFile(f"{place}: unknown key `{key}`{meant} There are {', '.join(keys)}")
    if "question" not in table:
        raise BadFile(f'{place}: `question` is missing: name its column in braces, as in question = "{{question}}"')
    return Spec(name, **{key: _meaning(key)(key, value, place) for key, value in table.items()})


def _meaning(key: str) -> Callable[[str, Any, str], Any]:
    return _MEANING.get(key, _text)


def _by_language(key: str, value: Any, place: str) -> dict[str, Templates]:
    by_language = value if isinstance(value, dict) else {"": value}
    return {tag: _templates(key, each, place) for tag, each in by_language.items()}


def _templates(key: str, value: Any, place: str) -> Templates:
    if key == "options" and isinstance(value, list):
        return tuple(_template(key, each, place) for each in value)
    return _template(key, value, place)


def _template(key: str, value: Any, place: str) -> Template:
    template = Template.of(_text(key, value, place))
    if not template.places:
        raise BadFile(f'{place}: `{key}` = {value!r} names no column; put it in braces: "{{{value}}}"')
    return template


def _cells(key: str, value: Any, place: str) -> tuple[Template, ...]:
    return tuple(_template(key, each, place) for each in (value if isinstance(value, list) else [value]))


def _said(key: str, value: Any, place: str) -> Template:
    """A text that may well hold no column: `language = "zh-Hant"`."""
    return Template.of(_text(key, value, place))


def _named(key: str, value: Any, place: str) -> dict[str, Template]:
    if isinstance(value, list):
        value = {each: f"{{{each}}}" for each in _texts(key, value, place)}
    named = _table(key, value, place)
    return {name: _said(f"{key}.{name}", each, place) for name, each in named.items()}


def _patterns(key: str, value: Any, place: str) -> dict[str, re.Pattern[str]]:
    return {column: _pattern(f"{key}.{column}", each, place) for column, each in _table(key, value, place).items()}


def _pattern(key: str, value: Any, place: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(_text(key, value, place), re.DOTALL)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadFile(f"{place}: `{key}` is no regular expression: {error}") from error
    if not pattern.groupindex:
        raise BadFile(f"{place}: `{key}` has no named group, as (?P<subject>.+), that would be a column")
    return pattern


def _conditions(key: str, value: Any, place: str) -> dict[str, tuple[str, ...]]:
    return {column: _texts(f"{key}.{column}", each, place) for column, each in _table(key, value, place).items()}


def _places(key: str, value: Any, place: str) -> tuple[Place, ...]:
    return tuple(Template.of(f"{{{each}}}").places[0] for each in _texts(key, value, place))


def _form(key: str, value: Any, place: str) -> str:
    if not isinstance(value, str) or value not in ANSWERS:
        raise BadFile(f"{place}: `{key}` is one of {', '.join(map(repr, ANSWERS))}, not {value!r}")
    return value


def _table(key: str, value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadFile(f'{place}: `{key}` must be a table, as {key} = {{ name = "…" }}, not {value!r}')
    return value


def _texts(key: str, value: Any, place: str) -> tuple[str, ...]:
    return tuple(_text(key, each, place) for each in (value if isinstance(value, list) else [value]))


def _text(key: str, value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise BadFile(f"{place}: `{key}` must be a text in quotes, not {value!r}")
    return value


_MEANING: Mapping[str, Callable[[str, Any, str], Any]] = {
    **dict.fromkeys(("question", "options", "instruction"), _by_language),
    **dict.fromkeys(("id", "answer"), _template),
    **dict.fromkeys(("image", "audio"), _cells),
    **dict.fromkeys(("language", "split"), _said),
    **dict.fromkeys(("labels", "extra"), _named),
    **dict.fromkeys(("files", "media_folders", "hidden"), _texts),
    "extract": _patterns,
    "where": _conditions,
    "known_by": _places,
    "answer_is": _form,
}
"""Key → what reads its value; the others are texts."""


@cache
def _shipped(name: str) -> Spec:
    file = _folder() / f"{name}.toml"
    return spec_of(read_toml(file), name, str(file))


def _folder() -> Path:
    return Path(str(files("keju"))) / "formats" / "mappings"
