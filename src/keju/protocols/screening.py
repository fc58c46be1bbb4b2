"""What can be told of a reply without its parser: a million replies are too many to read one by one.

A run of a million items repeats itself: most replies are a bare letter, and most of the others cannot give a label
under a rule that looks for little. What is told here is what the parser would say, never a guess; the rest goes to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

READS_OPTIONS = frozenset({"robust"})
"""Parsers that compare a reply with the options' texts; the others look at the labels alone."""

SHORT = 24
"""Characters of a reply that is looked at as one label with its decoration: `**(B)**。` has nine."""

_SPACE = r"[\s\x1c-\x1f]"  # what `str.strip` drops: Python counts four separators that the Unicode property leaves out
_LONE = rf"\A{_SPACE}*\S[.。]?{_SPACE}*\z"
_ANCHORED = r"[aA][nN][sSſ][wW][eE][rR]|[pP][rR][eE][dD][iİıI][cC][tT][iİıI][oO][nN]"  # as `re.IGNORECASE` reads them
_WRAPPED = r"[<◁{*\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
"""What a parser takes off or splits at: reasoning, JSON, bold marks, line ends."""

MAY_GIVE: Mapping[str, str] = MappingProxyType({"strict": _LONE, "anchored": f"{_LONE}|{_ANCHORED}|{_WRAPPED}"})
"""Parser → pattern without which a reply gives no label, nor names what is not an option, where every label of the item
is one capital letter. In the syntax of Rust's `regex`, which also writes the end of the text `\\z`."""
