"""How a local model is opened: what can be said after its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from keju.errors import Misuse
from keju.models.options import did_you_mean

DTYPES = ("auto", "float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of `hf/`. Only `workers` and `batch_size` leave the answers as they are, up to rounding."""

    batch_size: int | Literal["auto"] = "auto"
    """Rows in one forward pass; `auto` doubles it while the memory suffices."""
    device: str = "auto"
    """`cuda`, `cuda:1`, `mps`, `cpu`; `spread` over all GPUs; `auto`: the first of these that there is."""
    dtype: str = "auto"
    """One of `DTYPES`; `auto`: the checkpoint's own on a GPU, float32 on a processor."""
    attention: str = "auto"
    """Attention kernel as Transformers calls it (`eager`, `sdpa`, `flash_attention_2`); `auto`: the best of the
    first two that each part of the model has. Which it was is recorded."""
    revision: str | None = None
    """Branch, tag or commit on the model hub."""
    trust_remote_code: str | None = None
    """The model's own name, where code that comes with the checkpoint may run on this machine."""
    workers: int = 4
    """Threads that decode media."""


def settings_of(name: str, given: Mapping[str, Any]) -> Settings:
    """The settings in `given` for the model `name` (without `hf/`). Raises `Misuse` where one is unknown or unfit."""
    known = [field.name for field in fields(Settings)]
    for option, value in given.items():
        if option not in known:
            near = did_you_mean(option, known)
            raise Misuse(f"hf/{name}: no option {option!r}{near}; there are {', '.join(known)}")
        if complaint := _complaint(option, value, name):
            raise Misuse(f"hf/{name}: {option} must be {complaint}, not {value!r}")
    return Settings(**given)


def _complaint(option: str, value: Any, name: str) -> str | None:
    """What `value` should be instead; None where it is fit."""
    number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if option == "trust_remote_code":
        return None if value in (None, name) else f"the model's own name, {name!r}, to let its code run here"
    if option == "batch_size":
        return None if number or value == "auto" else "a whole number from 1, or auto"
    if option == "workers":
        return None if number else "a whole number from 1"
    if option == "dtype":
        return None if value in DTYPES else f"one of {', '.join(DTYPES)}"
    return None if isinstance(value, str) or (value is None and option == "revision") else "a text"
