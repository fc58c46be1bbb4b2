"""Are labels given as often as they are due? Both stand on the same items, so that the two counts hang together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.marks import as_numbers


@dataclass(frozen=True, slots=True)
class MarginalHomogeneity:
    statistic: float
    """Chi-square on `df` degrees of freedom, added over the groups; 0 where given and due never differ."""
    df: int
    p: float
    discordant: int
    """Items whose two labels differ: all that the test rests on."""


def marginal_homogeneity(groups: Sequence[ArrayLike]) -> MarginalHomogeneity:
    """Stuart and Maxwell's test (1955, Biometrika 42:412; 1970, Br. J. Psychiatry 116:651) that rows and columns of a
    square table of counts have the same totals: row the label given, column the label due.

    `groups` are such tables, one for each set of labels; their statistics and degrees of freedom add up. A label that
    neither gives nor receives an item counts for no degree of freedom. Raises `Misuse` for a table that is not square,
    negative counts, or no table.
    """
    from scipy.special import chdtrc

    tables = [as_numbers(group, "counts", dimensions=2) for group in groups]
    if not tables or any(table.shape[0] != table.shape[1] or (table < 0).any() for table in tables):
        raise Misuse("each group needs a square table of counts, none negative")
    parts = [_part(table) for table in tables]
    statistic, df = sum(s for s, _ in parts), sum(d for _, d in parts)
    discordant = int(sum(table.sum() - np.trace(table) for table in tables))
    return MarginalHomogeneity(statistic, df, float(chdtrc(df, statistic)) if df else 1.0, discordant)


def _part(table: NDArray[np.float64]) -> tuple[float, int]:
    """Statistic and degrees of freedom of one table: d' S⁺ d, and the rank of S."""
    difference = table.sum(axis=1) - table.sum(axis=0)
    spread = np.diag(table.sum(axis=1) + table.sum(axis=0)) - table - table.T
    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    return (float(difference @ np.linalg.pinv(spread, hermitian=True) @ difference), rank) if rank else (0.0, 0)
