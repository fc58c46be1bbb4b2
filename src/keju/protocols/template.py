"""The text of a prompt in one language: a small template that is checked when it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Formatter

from keju.errors import Misuse
from keju.items import Wording

FIELDS = ("instruction", "question", "options", "labels")
"""What a template's text may name: the exam's own instruction, the stem, the block of options, the list of labels."""
OPTION_FIELDS = ("label", "text")
"""What the pattern of one option may name."""


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's text with its fields. Braces of a question or an option are ordinary text; `{{` writes a brace."""

    text: str
    """Fields as in `FIELDS`. A line all of whose fields are empty is left out (see `empty_lines`)."""
    option: str = "{label}: {text}"
    """One option. Where an option has no text, the space after its label is dropped."""
    separator: str = "\n"
    """Between options."""
    as_written: bool = False
    """Use the options' original lines, where the item has them, in place of `option`."""
    comma: str = ", "
    """Between labels in `{labels}`."""
    last_comma: str = " or "
    """Before the last of them."""
    empty_lines: bool = False
    """Keep lines all of whose fields are empty."""

    def __post_init__(self) -> None:
        """Raises `Misuse` where a field is unknown or a brace is not closed."""
        if "question" not in _fields("text", self.text, FIELDS):
            raise Misuse("key `text` does not name {question}; a prompt without its question asks nothing")
        _fields("option", self.option, OPTION_FIELDS)

    def fill(self, wording: Wording) -> str:
        """The text for one item's wording."""
        values = {
            "instruction": wording.instruction,
            "question": wording.question,
            "options": self._options(wording),
            "labels": self._labels(list(wording.options)),
        }
        lines = (_filled(line, values) for line in self.text.split("\n"))
        return "\n".join(line for line, empty in lines if self.empty_lines or not empty)

    def _options(self, wording: Wording) -> str:
        if self.as_written and wording.as_written:
            return self.separator.join(wording.as_written)
        options = wording.options.items()
        written = (_filled(self.option, {"label": label, "text": text})[0] for label, text in options)
        return self.separator.join(
            line if text else line.rstrip() for line, (_, text) in zip(written, options, strict=True)
        )

    def _labels(self, labels: list[str]) -> str:
        if len(labels) < 2:
            return "".join(labels)
        return self.comma.join(labels[:-1]) + self.last_comma + labels[-1]


def _fields(key: str, text: str, known: Iterable[str]) -> set[str]:
    """The fields that a template's text names, line by line."""
    found = set()
    for line in text.split("\n"):
        try:
            parts = list(Formatter().parse(line))
        except ValueError as error:
            raise Misuse(f"key `{key}`: {error} in {line!r}; write {{{{ for a brace that is text") from None
        for _, name, spec, conversion in parts:
            if name is None:
                continue
            if name not in known or spec or conversion:
                asked = "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
                there = ", ".join("{" + field + "}" for field in known)
                raise Misuse(f"key `{key}`: there is no field {asked}; there are {there}")
            found.add(name)
    return found


def _filled(line: str, values: Mapping[str, str]) -> tuple[str, bool]:
    """A line with its fields filled in, and whether it has fields and all of them are empty."""
    parts = [(literal, None if name is None else values[name]) for literal, name, _, _ in Formatter().parse(line)]
    given = [value for _, value in parts if value is not None]
    return "".join(literal + (value or "") for literal, value in parts), bool(given) and not any(given)
