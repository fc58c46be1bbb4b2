"""Lets torchvision be imported beside a PyTorch that its compiled part was not built for.

Image and video processors need none of that part; only the two operators that torchvision describes to PyTorch on
import must exist. Where the two fit, this does nothing.
"""

from __future__ import annotations

import sys

import pytest

_KEPT = []  # a library of operators is undone when it is collected


def make_importable() -> None:
    """Import torchvision, one way or the other. Skips the calling module where torch or torchvision is absent."""
    torch = pytest.importorskip("torch", reason="the extra `local` is not installed")
    try:
        import torchvision
    except ModuleNotFoundError:
        pytest.skip("torchvision is not installed", allow_module_level=True)
    except RuntimeError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        _KEPT.append(library := torch.library.Library("torchvision", "FRAGMENT"))
        for operator in ("nms", "qnms"):
            library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision  # noqa: F401
