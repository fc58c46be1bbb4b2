"""Texts that are nearly the same, among thousands: an exact join on the Jaccard similarity of trigrams.

Two sets of similarity t or more share one of their rarest elements: of a set of n only the n - ceil(t n) + 1 rarest
need be indexed and looked up (the prefix filter of Chaudhuri, Ganti and Kaushik, 2006). No pair is missed, and few are
compared.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from keju.script import fold

_PUNCTUATION = re.compile(r"[\s，。、；：？！“”‘’「」『』（）《》〈〉【】…—·,;:?!\"'()\[\]]|(?<!\d)\.|\.(?!\d)")
"""What does not count in a comparison. Signs of arithmetic and the decimal point do: 1.5 is not 15."""


@lru_cache(maxsize=1 << 16)
def normalised(text: str) -> str:
    """A text for comparison: without punctuation, blanks, case and width, Chinese in Simplified script."""
    return _PUNCTUATION.sub("", fold(unicodedata.normalize("NFKC", text))).casefold()


def similar_pairs(texts: Sequence[str], least: float) -> Iterator[tuple[int, int, float]]:
    """(i, j, similarity) of every two texts, i < j, whose trigrams have a Jaccard similarity of `least` or more."""
    sets = [_trigrams(text) for text in texts]
    frequency = Counter(trigram for each in sets for trigram in each)
    rank = {
        trigram: number for number, (trigram, _) in enumerate(sorted(frequency.items(), key=lambda t: (t[1], t[0])))
    }
    index: dict[str, list[int]] = defaultdict(list)
    by_size = sorted(range(len(sets)), key=lambda number: (len(sets[number]), number))
    for number in by_size:
        own = sets[number]
        prefix = sorted(own, key=rank.__getitem__)[: len(own) - math.ceil(least * len(own)) + 1] if own else []
        candidates = {other for trigram in prefix for other in index[trigram]}
        for other in sorted(candidates):
            if len(sets[other]) < least * len(own):
                continue
            shared = len(own & sets[other])
            similarity = shared / (len(own) + len(sets[other]) - shared)
            if similarity >= least:
                yield min(number, other), max(number, other), similarity
        for trigram in prefix:
            index[trigram].append(number)


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)} or ({text} if text else set())
