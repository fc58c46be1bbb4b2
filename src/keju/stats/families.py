"""Many tests at once: what a p-value is worth when it is one of a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keju.errors import Misuse


@dataclass(frozen=True, slots=True)
class Family:
    adjusted: tuple[float | None, ...]
    """In the order of the input; None where no test could be made."""
    size: int
    """Number of tests made, which is what the correction counts."""


def holm(ps: Sequence[float | None]) -> Family:
    """Holm's step-down adjustment (1979, Scand. J. Stat. 6:65) of one family of p-values.

    None stands for a comparison that could not be made: it is kept in its place and does not count.
    Raises `Misuse` for a NaN or a value outside 0..1.
    """
    for at, p in enumerate(ps):
        if p is not None and not 0 <= p <= 1:
            raise Misuse(f"p-value {p} at position {at} does not lie in 0..1; a test that was not made is None")
    made = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    carried = 0.0
    for rank, (p, at) in enumerate(made):
        carried = max(carried, min(1.0, (len(made) - rank) * p))
        adjusted[at] = carried
    return Family(tuple(adjusted), len(made))
