"""Standard output and errors, on which what others wrote commands nothing: names, labels, replies, paths."""

from __future__ import annotations

from typing import Any, TextIO

from keju.printable import printable


class Shown:
    """A stream for people: each control character that is written to it becomes U+FFFD.

    Rich, which colours and draws by such characters, writes past it: what it draws has been made printable before.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream
        """The stream itself, under the name by which Rich asks for it."""
        self.exact = False
        """Whether all is written as it is: a document for a program."""

    def write(self, text: str) -> int:
        if not self.exact:
            begin = "\r" if text.startswith("\r") else ""  # a count that is written over itself
            text = begin + printable(text.removeprefix("\r"))
        return self.rich_proxied_file.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def bare(stream: TextIO) -> TextIO:
    """The stream behind a `Shown`, for a console of Rich that takes its place while it draws."""
    found: TextIO = getattr(stream, "rich_proxied_file", stream)
    return found
