"""The quality files of a release: agreement, ratings, disputes and human baseline, under pseudonyms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from keju.checks import Finding
from keju.errors import BadFile, Misuse
from keju.formats.json_text import parse_json
from keju.phrase import Phrase
from keju.release.obstacle import obstacle
from keju.release.paths import QUALITY
from keju.release.settings import Settings

_ANALYSIS = "annotation_analysis"
_EMAIL = re.compile(rb"[\w.+-]+@[\w-]+\.[\w.-]+")


def quality_files(settings: Settings, given: Mapping[str, bytes | Path]) -> dict[str, bytes]:
    """Name → bytes of the quality files that settings and caller name. Raises `BadFile` or `Misuse`."""
    named: dict[str, bytes | Path] = {name: settings.folder / path for name, path in settings.quality.items() if path}
    named |= given
    if strange := sorted(set(named) - set(QUALITY)):
        raise Misuse(f"no quality file is called {strange[0]!r}; there are {', '.join(QUALITY)}")
    try:
        return {name: value if isinstance(value, bytes) else value.read_bytes() for name, value in named.items()}
    except OSError as error:
        raise BadFile(f"{error.filename}: cannot be read: {error.strerror or error}") from error


def with_analysis(settings: Settings, quality: Mapping[str, bytes]) -> Settings:
    """The settings with the figures of `agreement` as the datasheet's analysis, where the authors wrote none."""
    if "agreement" not in quality or settings.datasheet.get(_ANALYSIS):
        return settings
    told = parse_json(quality["agreement"].decode("utf-8", "replace"), QUALITY["agreement"])
    plain = told.items() if isinstance(told, Mapping) else ()
    figures = [f"{name} {value}" for name, value in plain if isinstance(value, str | int | float)]
    text = f"{', '.join(figures) or 'See'} ({QUALITY['agreement']})"
    return replace(settings, datasheet={**settings.datasheet, _ANALYSIS: text})


def personal(quality: Mapping[str, bytes]) -> Iterator[Finding]:
    """What would tell who a person is. Names cannot be known; addresses can."""
    for name, data in quality.items():
        if found := _EMAIL.search(data):
            address = found[0].decode("utf-8", "replace")
            yield obstacle(
                "R302",
                Phrase(f"an e-mail address stands in it: {address}", f"含有电子邮件地址：{address}"),
                Phrase("put pseudonyms in place of people", "请用化名代替人员信息"),
                QUALITY.get(name, name),
            )
