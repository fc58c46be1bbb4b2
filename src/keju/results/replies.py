"""What a reply is beside its label: its language, and whether it only repeats what it was given."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from keju.formats.language import language_of
from keju.protocols.reply import plain, visible
from keju.results.mark import Mark

Echo = Literal["question", "options", "first-option", "other-option"]
"""What a reply repeats: `question` its beginning (or the instruction's) · `options` several options, one after the
other · `first-option`, `other-option` the text of one option without its label."""

SHORTEST = 6
"""Characters of a question that are no chance when a reply begins with them."""

ENOUGH = 20_000
"""Characters of a reply that are looked at: a model that never ends repeats itself, and megabytes tell no more."""

EXCERPT = 80
"""Characters of a reply that a table shows."""

_SIGNS = re.compile(r"[\W_]+")


def echo_of(mark: Mark) -> Echo | None:
    """What the reply repeats; None where it has words of its own, or there is no reply."""
    reply = _bare(_shown(mark))
    if not reply:
        return None
    wording = mark.item.wording
    if any(_repeats(reply, _known(text)) for text in (wording.question, wording.instruction)):
        return "question"
    options = [(_known(label), _known(text)) for label, text in wording.options.items()]
    if not all(text for _, text in options):
        return None  # the options are pictures or sounds: nothing to repeat
    texts = [text for _, text in options]
    if len(texts) > 1 and reply.startswith(("".join(texts[:2]), "".join(label + text for label, text in options[:2]))):
        return "options"
    repeated = [place for place, text in enumerate(texts) if reply == text or _repeats(reply, text)]
    if not repeated or reply in {label for label, _ in options}:
        return None
    longest = max(repeated, key=lambda place: len(texts[place]))
    return "first-option" if longest == 0 else "other-option"


def language_of_reply(mark: Mark) -> str | None:
    """BCP-47 tag of what the reply shows; None where it shows a lone letter or no letters at all."""
    shown = _shown(mark)
    if len(_bare(shown)) < 2:
        return None
    tag = language_of(shown)
    return None if tag == "und" else tag


def excerpt(mark: Mark) -> str:
    """The beginning of the raw reply on one line; `…` where it goes on."""
    text = " ".join((mark.text or "").split(maxsplit=EXCERPT))
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def _shown(mark: Mark) -> str:
    """The beginning of what the reply shows."""
    return visible(mark.text or "").lstrip()[:ENOUGH]


def _repeats(reply: str, text: str) -> bool:
    return len(text) >= SHORTEST and reply.startswith(text)


@lru_cache(maxsize=1 << 13)
def _known(text: str) -> str:
    """`_bare` of a text that many replies are compared with."""
    return _bare(text)


def _bare(text: str) -> str:
    """Letters and digits only, in one width, script and case."""
    return _SIGNS.sub("", plain(text).casefold())
