"""What every mock model answers: a reply planned for each item, found by the question and the options in the prompt.

Three items in ten get a wrong answer. Half of the replies think first and answer below a blank line, so that a tool
that ends replies there shows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from keju.benchmark import Benchmark
from keju.items import Item

WRONG = 3  # items in ten
THOUGHT = "我先看题目，再看选项。\n\n"


class Answers:
    """The planned replies of one benchmark."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._items = [
            (_squash(item.wording.question), list(map(_squash, item.options.values())), item) for item in benchmark
        ]

    def reply(self, asked: str, stop: Sequence[str] = ()) -> str:
        """The reply to a prompt, cut at `stop` as a server cuts it. Raises `LookupError` where no item is asked."""
        text = planned(self._asked(_squash(asked)))
        for end in stop:
            text = text.split(end)[0]
        return text

    def _asked(self, text: str) -> Item:
        """The item whose question and options stand in `text`; the longest question where one holds another."""
        found = [
            (len(question) + len("".join(options)), number)
            for number, (question, options, _) in enumerate(self._items)
            if question in text and all(option in text for option in options)
        ]
        if not found:
            raise LookupError(f"no item is asked in {text[:200]!r}")
        return self._items[max(found)[1]][2]


def planned(item: Item) -> str:
    """The reply to an item."""
    number = int.from_bytes(hashlib.sha256(item.id.encode()).digest()[:4])
    labels = list(item.options)
    right = labels.index(str(item.answer))
    label = labels[(right + (number % 10 < WRONG)) % len(labels)]
    return f"{THOUGHT if number % 2 else ''}ANSWER: {label}"


def _squash(text: str) -> str:
    return "".join(text.split())


def text_of(content: str | Iterable[dict[str, str]]) -> str:
    """All text of a message's content."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
