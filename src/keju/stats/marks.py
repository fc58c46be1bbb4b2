"""What enters this floor, checked at the door: marks (right or wrong) and finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse


def as_marks(values: ArrayLike, name: str = "marks", *, dimensions: int = 1) -> NDArray[np.bool_]:
    """`values` as booleans; True is right. Takes True and False, or 1 and 0.

    Raises `Misuse` for an empty array, another number of `dimensions`, or a value that is neither (NaN, None, 0.5).
    """
    array = _array(values, name, dimensions)
    neither = [value not in (0, 1) for value in array.ravel().tolist()] if array.dtype != bool else []
    if any(neither):
        at = neither.index(True)
        raise Misuse(
            f"{name}: value {array.ravel().tolist()[at]!r} at position {at} is neither right (1) nor wrong (0)"
        )
    return array.astype(bool)


def as_numbers(values: ArrayLike, name: str, *, dimensions: int = 1) -> NDArray[np.float64]:
    """`values` as finite floats. Raises `Misuse` for an empty array, NaN, infinity, None or text."""
    array = _array(values, name, dimensions)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise Misuse(f"{name} holds something that is not a number") from None
    if not np.isfinite(numbers).all():
        at = int(np.flatnonzero(~np.isfinite(numbers.ravel()))[0])
        raise Misuse(f"{name}: value {array.ravel().tolist()[at]!r} at position {at} is not a finite number")
    return numbers


def same_length(first: NDArray[Any], second: NDArray[Any]) -> None:
    """Raises `Misuse` where two arrays cannot be paired."""
    if len(first) != len(second):
        raise Misuse(f"paired values must be equally many; here are {len(first)} and {len(second)}")


def _array(values: ArrayLike, name: str, dimensions: int) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise Misuse(f"{name}: the rows are not equally long") from None
    if array.ndim != dimensions:
        raise Misuse(f"{name} must have {dimensions} dimension(s), not {array.ndim}")
    if array.size == 0:
        raise Misuse(f"{name} is empty: there is nothing to measure")
    return array
