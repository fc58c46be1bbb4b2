"""Python files that are in no package, the project's tools and examples among them, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def loaded(path: str | Path) -> ModuleType:
    """The file at `path`, from the project's root, as a module."""
    spec = importlib.util.spec_from_file_location(f"loaded_{Path(path).stem}", ROOT / path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
