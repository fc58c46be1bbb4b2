"""Texts that are nearly the same, among thousands: an exact join on the Jaccard similarity of trigrams.

Two sets of similarity t or more share one of their rarest elements: of a set of n only the n - ceil(t n) + 1 rarest
need be indexed and looked up (the prefix filter of Chaudhuri, Ganti and Kaushik, 2006). Texts of one pattern share such
elements all the same; of these, bitmaps tell which cannot be similar (Sandes, Teodoro and Melo, 2020). No pair is
missed, and few are compared.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from keju.checks.alike import differing
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
    possible = _Possible(sets, rank, least)
    index: dict[str, list[int]] = defaultdict(list)
    by_size = sorted(range(len(sets)), key=lambda number: (len(sets[number]), number))
    for number in by_size:
        own = sets[number]
        prefix = sorted(own, key=rank.__getitem__)[: len(own) - math.ceil(least * len(own)) + 1] if own else []
        candidates = {other for trigram in prefix for other in index[trigram]}
        for other in possible(number, candidates):
            if len(sets[other]) < least * len(own):
                continue
            shared = len(own & sets[other])
            similarity = shared / (len(own) + len(sets[other]) - shared)
            if similarity >= least:
                yield min(number, other), max(number, other), similarity
        for trigram in prefix:
            index[trigram].append(number)


def similar_to(text: str, texts: Sequence[str], least: float) -> list[tuple[int, float]]:
    """(i, similarity) of those of `texts` that are so similar to `text`, as `similar_pairs` has them."""
    own = _trigrams(text)
    found = []
    for number, other in enumerate(map(_trigrams, texts)):
        if min(len(own), len(other)) < least * max(len(own), len(other), 1):
            continue
        shared = len(own & other)
        similarity = shared / (len(own) + len(other) - shared)
        if similarity >= least:
            found.append((max(len(own), len(other)), number, similarity))
    return [(number, similarity) for _, number, similarity in sorted(found)]


class _Possible:
    """Which of many sets can have a similarity of `least` with one, by a bitmap of each.

    An element flips one bit of its set's; so two sets differ in at least as many elements as their bitmaps in bits.
    """

    _FEW = 32  # fewer are compared as fast as sifted
    _BITS = 512  # of a bitmap: ten for each trigram of a usual question
    _ROWS = 4096  # bitmaps made at a time

    def __init__(self, sets: Sequence[set[str]], rank: Mapping[str, int], least: float) -> None:
        self._least = least - 1e-9  # what rounding may take
        if len(sets) > self._FEW:
            import numpy as np

            self._sizes = np.array([len(each) for each in sets], dtype=np.int64)
            starts = range(0, len(sets), self._ROWS)
            self._maps = np.concatenate([self._bitmaps(sets[start : start + self._ROWS], rank) for start in starts])

    def __call__(self, number: int, others: Collection[int]) -> list[int]:
        """Those of the sets `others`, in order, that can be similar to set `number`."""
        if len(others) < self._FEW:
            return sorted(others)
        import numpy as np

        there = np.sort(np.fromiter(others, np.int64, len(others)))
        apart = differing(self._maps[there] ^ self._maps[number]).sum(axis=1, dtype=np.int64)
        both = self._sizes[there] + self._sizes[number]
        shared = (both - apart) / 2  # at most
        kept: list[int] = there[shared >= self._least * (both - shared)].tolist()
        return kept

    def _bitmaps(self, sets: Sequence[set[str]], rank: Mapping[str, int]) -> Any:
        import numpy as np

        bits = [row * self._BITS + rank[trigram] % self._BITS for row, each in enumerate(sets) for trigram in each]
        odd = np.bincount(np.array(bits, dtype=np.int64), minlength=len(sets) * self._BITS) % 2
        return np.packbits(odd.astype(np.uint8).reshape(len(sets), self._BITS), axis=1).view(np.uint64)


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)} or ({text} if text else set())
