"""Models of Transformers in this process: `hf/NAME`, extra `local`.

settings     what can be said after the name
checkpoint   configuration, processor and class of a checkpoint; its weights
hardware     device, number format, clock
media, rows  a prompt's media decoded, and the sequences that it needs
inputs       sequences → tensors, by the family's chat template and processor
passes       tensors → replies
batching     gathers what waits into batches (`sizes`: how large)
model        all of it behind the seam `Model`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keju.models.local.model import Local, open_local
    from keju.models.local.settings import Settings

__all__ = ["Local", "Settings", "open_local"]

_HOMES = {"Local": "model", "Settings": "settings", "open_local": "model"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
