"""Doubts that a transcript raises by itself, whoever made it."""

from __future__ import annotations

import re
import zlib

from keju.script import HAN

LOOP = 2.4  # text that compresses better than this repeats itself (threshold of Whisper's own decoder)
LONG_ENOUGH = 60  # bytes; shorter texts compress by chance or not at all
FASTEST_HAN = 12.0  # Han characters a second; speech has 4 to 6, a fast newsreader 8
FASTEST = 40.0  # characters of any kind a second; fast English has about 20

REPEATS = "the transcript repeats itself, as recognisers do when they do not understand"

_HAN = re.compile(f"[{HAN}]")


def text_doubts(text: str, seconds: float | None = None) -> tuple[str, ...]:
    """What is odd about `text` as what was said in a clip of `seconds` (None: not known)."""
    doubts = []
    if repeats(text):
        doubts.append(REPEATS)
    if seconds and (rate := len(_HAN.findall(text)) / seconds) > FASTEST_HAN:
        doubts.append(f"{rate:.0f} characters a second are faster than anybody speaks")
    elif seconds and (rate := len(text) / seconds) > FASTEST:
        doubts.append(f"{rate:.0f} letters a second are faster than anybody speaks")
    return tuple(doubts)


def repeats(text: str) -> bool:
    """Whether `text` says the same again and again, by how well it compresses."""
    raw = text.encode("utf-8", "replace")
    return len(raw) >= LONG_ENOUGH and len(raw) / len(zlib.compress(raw)) > LOOP
