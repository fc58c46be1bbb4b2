"""Copied into an environment where torchvision was built for another PyTorch: declares what its import looks for.

Pictures are handled without its compiled part; only the two operators that it describes to PyTorch must exist.
"""

import sys

_KEPT = []  # a library of operators is undone when it is collected


class _BeforeTorchvision:
    """Acts when torchvision is first looked for, so that other programs of the environment import no PyTorch."""

    def find_spec(self, name, *_):
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            _KEPT.append(library := torch.library.Library("torchvision", "FRAGMENT"))
            for operator in ("nms", "qnms"):
                library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


sys.meta_path.insert(0, _BeforeTorchvision())
