"""How far a picture leans: the common angle of its straight edges, where they have one."""

from __future__ import annotations

from typing import Any

_SIDE = 320  # pixels to which the longer side is reduced at least; finer edges only add noise
_MOST = 20.0  # degrees; edges that lean more are taken for slanted things, not for a slanted camera
_BIN = 0.5  # degrees
_EDGES = 250  # fewest strong pixels of either direction on which an angle is told
_SHARE = 0.25  # of the strong edges within `_MOST` that must lie within 1.5° of the common angle; chance gives 0.075
_AGREE = 1.5  # degrees by which uprights and levels may differ; perspective spreads them more


def tilt(luma: Any) -> float | None:
    """Degrees, clockwise positive, by which uprights and levels lean alike; None where they are few or disagree.

    Edges are the strongest of the gradients. Those within 20° of upright and those within 20° of level each vote in a
    histogram of half degrees; both must have one clear peak, and the same. A picture of one performer on a dark stage
    has no such edges and gives None: silence is not proof that it is level.
    """
    import numpy as np

    small = np.asarray(luma.reduce(max(1, max(luma.size) // _SIDE)), dtype=np.float32)
    if min(small.shape) < 32:
        return None
    small = small[1:] + small[:-1]
    small = small[:, 1:] + small[:, :-1]
    across = _scharr(small[:, 2:] - small[:, :-2])
    down = _scharr((small[2:] - small[:-2]).T).T
    strength = np.abs(across) + np.abs(down)
    strong = strength > max(1280.0, 3 * float(strength.mean()))
    x, y = across[strong], down[strong]
    upright = np.abs(x) > np.abs(y)
    uprights = _peak(np.degrees(np.arctan(y[upright] / x[upright])))
    levels = _peak(np.degrees(np.arctan(-x[~upright] / y[~upright])))
    if uprights is None or levels is None or abs(uprights - levels) > _AGREE:
        return None
    return (uprights + levels) / 2


def _scharr(difference: Any) -> Any:
    """Smoothed along the edge with the weights 3, 10, 3, which keep angles truer than Sobel's."""
    return 3 * (difference[:-2] + difference[2:]) + 10 * difference[1:-1]


def _peak(angles: Any) -> float | None:
    """The angle at which most edges lie, or None where no angle has its share."""
    import numpy as np

    angles = angles[np.abs(angles) <= _MOST]
    if angles.size < _EDGES:
        return None
    votes, borders = np.histogram(angles, bins=int(2 * _MOST / _BIN), range=(-_MOST, _MOST))
    centre = float(borders[np.argmax(np.convolve(votes, np.ones(3), "same"))] + _BIN / 2)
    near = angles[np.abs(angles - centre) <= 1.5]
    return float(near.mean()) if near.size >= _SHARE * angles.size else None
