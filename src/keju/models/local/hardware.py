"""Where a model runs: device, number format, and a clock that waits for the device."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keju.errors import Misuse
from keju.models.local.settings import Settings


@dataclass(frozen=True, slots=True)
class Hardware:
    """A device and the number format of the weights on it."""

    device: str
    """As PyTorch calls it, or `spread`: over all GPUs, as the weights fit."""
    dtype: str
    """Name of a PyTorch dtype."""

    @property
    def kind(self) -> str:
        """`cuda`, `mps` or `cpu`: what changes an answer; which of several like GPUs it is does not."""
        return "cuda" if self.device == "spread" else self.device.partition(":")[0]

    @property
    def most_rows(self) -> int:
        """Largest batch that is tried. Processors gain little beyond 8, and a machine that runs out of memory kills the
        process instead of refusing; beyond 32 the decoded pictures that wait would need gigabytes."""
        return 8 if self.kind == "cpu" else 32

    def clock(self) -> float:
        """Seconds, read when everything that was queued on the device is done."""
        import torch

        if self.kind == "cuda":
            for index in range(torch.cuda.device_count()) if self.device == "spread" else [self.device]:
                torch.cuda.synchronize(index)
        elif self.kind == "mps":
            torch.mps.synchronize()
        return time.perf_counter()

    def release(self) -> None:
        """Give back what is cached on the device. On a processor nothing is."""
        import torch

        if self.kind == "cpu":
            return
        gc.collect()
        if self.kind == "cuda":
            torch.cuda.empty_cache()
        else:
            torch.mps.empty_cache()

    def facts(self) -> Mapping[str, Any]:
        """What to write beside every latency: the device's own name, memory and driver."""
        import torch

        if self.kind != "cuda":
            return {"device": self.device, "threads": torch.get_num_threads()}
        indices = range(torch.cuda.device_count()) if self.device == "spread" else [self.device]
        found = [torch.cuda.get_device_properties(index) for index in indices]
        return {
            "device": [gpu.name for gpu in found],
            "memory_gb": [round(gpu.total_memory / 1e9, 1) for gpu in found],
            "cuda": torch.version.cuda,
        }


def choose_hardware(settings: Settings, own: Any) -> Hardware:
    """The hardware that `settings` ask for; `own` is the checkpoint's dtype, or None where it does not say.

    Raises `Misuse` where there is no such device here.
    """
    device = _device(settings.device)
    if settings.dtype != "auto":
        return Hardware(device, settings.dtype)
    return Hardware(device, _dtype(device, str(own).removeprefix("torch.")))


def _device(asked: str) -> str:
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    mps = torch.backends.mps.is_available()
    if asked == "auto":
        return "cuda" if gpus else "mps" if mps else "cpu"
    there = ["cpu", *(["mps"] if mps else []), *(["cuda", "spread"] if gpus else [])]
    there += [f"cuda:{index}" for index in range(gpus)]
    if asked not in there:
        raise Misuse(f"there is no device {asked!r} here; there are {', '.join(there)}")
    return asked


def _dtype(device: str, own: str) -> str:
    import torch

    if device == "cpu" or own not in ("bfloat16", "float16"):
        return "float32"  # on most processors half precision is slower than float32, not faster
    if own == "bfloat16" and device != "mps" and not torch.cuda.is_bf16_supported(including_emulation=False):
        return "float16"  # GPUs before Ampere
    return own
