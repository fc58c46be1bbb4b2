"""A text in both languages: notes of tables, and cells that hold words of ours rather than of the data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self


class Phrase(str):
    """An English text that carries its Chinese (Simplified), so that neither can be forgotten.

    It is the English `str` to programs, JSON and CSV. Formatting or joining gives plain English: a sentence made of
    phrases is a new `Phrase`, composed in both languages.
    """

    __slots__ = ("zh",)
    zh: str

    def __new__(cls, english: str, zh: str) -> Self:
        phrase = super().__new__(cls, english)
        phrase.zh = zh
        return phrase

    def filled(self, **values: Any) -> Phrase:
        """The phrase with its `{}` fields filled in, in both languages; values that are phrases give their own."""
        zh = {name: in_chinese(value) if isinstance(value, str) else value for name, value in values.items()}
        return Phrase(self.format(**values), self.zh.format(**zh))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.zh)


def in_chinese(text: str) -> str:
    """The Chinese of a phrase; any other text, such as a name or a reply, as it is."""
    return text.zh if isinstance(text, Phrase) else text


def listed(texts: Iterable[str], most: int | None = None, *, between: tuple[str, str] = (", ", "、")) -> Phrase:
    """Names or phrases in a row, `between` them its English or Chinese member; beyond `most` they are only counted."""
    every = list(texts)
    shown, more = every[:most], len(every[most:]) if most is not None else 0
    english, zh = between[0].join(shown), between[1].join(map(in_chinese, shown))
    return Phrase(f"{english} and {more} more", f"{zh}等，另有 {more} 个") if more else Phrase(english, zh)
