"""Models: anything that answers a prompt, behind the one seam `Model`.

`open_model` turns what a user names into a model; `providers` and `presets` list what can be named. Endpoints live
in `openai_compatible` (wire forms in `dialects`, errors in `refusals`, options scored in `server_scores`), models of
Transformers in `local`, models that need no world in `baselines` and `replay`, perception before a model in `cascade`,
small models that come as packages in `embedded`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from keju.models.model import Fake, Model

if TYPE_CHECKING:
    from keju.models.arrival import arrival_warning, check_arrival, without_media
    from keju.models.baselines import Baseline
    from keju.models.catalogue import Preset, Provider, presets, providers
    from keju.models.openai_compatible import OpenAICompatible
    from keju.models.options import Options
    from keju.models.registry import open_model

__all__ = [
    "Baseline",
    "Fake",
    "Model",
    "OpenAICompatible",
    "Options",
    "Preset",
    "Provider",
    "arrival_warning",
    "check_arrival",
    "open_model",
    "presets",
    "providers",
    "without_media",
]

_HOMES = {
    "Baseline": "baselines",
    "OpenAICompatible": "openai_compatible",
    "Options": "options",
    "Preset": "catalogue",
    "Provider": "catalogue",
    "arrival_warning": "arrival",
    "check_arrival": "arrival",
    "open_model": "registry",
    "presets": "catalogue",
    "providers": "catalogue",
    "without_media": "arrival",
}
"""Name → module that is imported when the name is first asked for; aiohttp alone costs 0.2 s."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
