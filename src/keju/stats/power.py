"""Before the run: which difference can N items show, and how many items does a difference need?

Both answer for McNemar's test of two candidates on the same items (Connor 1987, Biometrics 43:207). What counts is the
`discordant` share: items that exactly one of the two has right. Where it is not known, two candidates of accuracy p and
q that err independently have p(1 − q) + q(1 − p); real ones share their errors and need fewer items.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from keju.errors import Misuse


def detectable_difference(n: int, *, discordant: float, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Smallest difference of two accuracies that `n` items show with this power; None where no difference is enough.

    `alpha` is two-sided. Raises `Misuse` for shares outside 0..1 and n < 1.
    """
    if n < 1:
        raise Misuse(f"the number of items must be at least 1, not {n}")
    z, y = _quantiles(discordant, alpha, power)
    radicand = n - z**2 + y**2
    if radicand < 0:
        return None
    difference = math.sqrt(discordant) * (z * math.sqrt(n) + y * math.sqrt(radicand)) / (n + y**2)
    return difference if difference <= discordant else None


def items_needed(difference: float, *, discordant: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Fewest items with which a `difference` of two accuracies shows with this power.

    Raises `Misuse` where the difference is 0 or larger than the discordant share, which cannot be.
    """
    z, y = _quantiles(discordant, alpha, power)
    if not 0 < abs(difference) <= discordant:
        raise Misuse(f"a difference of {difference} cannot come from a discordant share of {discordant}")
    root = z * math.sqrt(discordant) + y * math.sqrt(discordant - difference**2)
    return math.ceil((root / difference) ** 2)


def _quantiles(discordant: float, alpha: float, power: float) -> tuple[float, float]:
    for name, value in (("discordant", discordant), ("alpha", alpha), ("power", power)):
        if not 0 < value < 1 and not (name == "discordant" and value == 1):
            raise Misuse(f"{name} must lie between 0 and 1, not {value}")
    return NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
