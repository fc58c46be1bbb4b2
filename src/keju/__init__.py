"""keju (科舉, the imperial examination): set, check, sit and mark multimodal multiple-choice exams for AI models.

    benchmark = keju.load("opera/")
    run = keju.run(benchmark, "openai/gpt-4o", protocol="tco", out="runs/")
    scores = keju.score(run)
    print(scores.accuracy, scores.interval)

Names are imported when they are first used, so that `import keju` costs milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keju import stats as stats
    from keju.api import check as check
    from keju.api import compare as compare
    from keju.api import convert as convert
    from keju.api import load as load
    from keju.api import open_run as open_run
    from keju.api import run as run
    from keju.api import score as score
    from keju.benchmark import Benchmark as Benchmark
    from keju.errors import KejuError as KejuError
    from keju.items import Item as Item
    from keju.items import Medium as Medium
    from keju.items import Wording as Wording
    from keju.protocols import extract as extract

__version__ = "0.1.0"

_HOME = {
    "Benchmark": "keju.benchmark",
    "Item": "keju.items",
    "KejuError": "keju.errors",
    "Medium": "keju.items",
    "Wording": "keju.items",
    "check": "keju.api",
    "compare": "keju.api",
    "convert": "keju.api",
    "extract": "keju.protocols",
    "load": "keju.api",
    "open_run": "keju.api",
    "run": "keju.api",
    "score": "keju.api",
}

__all__ = [
    "Benchmark",
    "Item",
    "KejuError",
    "Medium",
    "Wording",
    "check",
    "compare",
    "convert",
    "extract",
    "load",
    "open_run",
    "run",
    "score",
    "stats",
]


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("keju.stats")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'keju' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
