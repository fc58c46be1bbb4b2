"""Vega in one script for pages: bundled once for a version, which takes seconds, and kept in the cache folder."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from keju.caches import cache_folder
from keju.formats.whole_files import write_whole
from keju.reports.charts.saving import converter

_LICENCE = "/* Vega, Vega-Lite, vega-embed: BSD-3-Clause, University of Washington Interactive Data Lab */\n"


@cache
def vega() -> str:
    """Vega, Vega-Lite and vega-embed, with their licence. Raises `MissingExtra` without the extra `charts`."""
    convert = converter()
    try:
        path = cache_folder() / "scripts" / f"vega-{convert.__version__}.js"
    except RuntimeError:  # the system knows no home of the user's
        return _LICENCE + str(convert.javascript_bundle())
    return _LICENCE + (_kept(path) or _bundled(path))


def _kept(path: Path) -> str | None:
    """The script as `_bundled` left it under its digest; None where it is not there or is damaged."""
    try:
        digest, _, script = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return script.decode("utf-8") if sha256(script).hexdigest().encode() == digest else None


def _bundled(path: Path) -> str:
    """The script, made and kept; a folder that cannot be written is done without."""
    script = str(converter().javascript_bundle())
    content = script.encode("utf-8")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, sha256(content).hexdigest().encode() + b"\n" + content)
    return script
