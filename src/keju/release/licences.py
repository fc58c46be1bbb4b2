"""Licences: what may be released under what, their texts, and what hubs and registers call them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

OWN = "own"
"""Licence of a source that the creators made themselves: they may release it as they like."""


@dataclass(frozen=True, slots=True)
class Licence:
    """What a licence asks of those who release material under it again, as part of something new."""

    title: str
    url: str
    credit: bool = False
    """The source must be named."""
    alike: bool = False
    """What is made of it stays under this licence."""
    noncommercial: bool = False
    closed: bool = False
    """Nothing may be made of it: no derivatives, or no public licence at all."""


def _cc(kind: str, version: str) -> Licence:
    parts = kind.split("-")
    names = {"BY": "Attribution", "SA": "ShareAlike", "NC": "NonCommercial", "ND": "NoDerivatives"}
    title = f"Creative Commons {'-'.join(names[part] for part in parts)} {version}"
    url = f"https://creativecommons.org/licenses/{kind.lower()}/{version}/"
    return Licence(title, url, True, "SA" in parts, "NC" in parts, "ND" in parts)


_SPDX = "https://spdx.org/licenses/{}.html"
LICENCES: Mapping[str, Licence] = {
    "CC0-1.0": Licence("CC0 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/"),
    **{
        f"CC-{kind}-{version}": _cc(kind, version)
        for kind in ("BY", "BY-SA", "BY-NC", "BY-NC-SA", "BY-ND", "BY-NC-ND")
        for version in ("4.0", "3.0")
    },
    **{
        name: Licence(title, _SPDX.format(name), credit=True)
        for name, title in {
            "MIT": "MIT License",
            "Apache-2.0": "Apache License 2.0",
            "BSD-2-Clause": 'BSD 2-Clause "Simplified" License',
            "BSD-3-Clause": 'BSD 3-Clause "New" or "Revised" License',
            "ODC-By-1.0": "Open Data Commons Attribution License 1.0",
        }.items()
    },
    "PDDL-1.0": Licence("Open Data Commons Public Domain Dedication 1.0", _SPDX.format("PDDL-1.0")),
}
"""By SPDX identifier. A licence that is not here is unknown, and blocks."""


def spelled(name: str) -> str:
    """The SPDX spelling of a licence, whatever the case: `cc-by-4.0` → `CC-BY-4.0`; other names as they are."""
    return next((spdx for spdx in LICENCES if spdx.casefold() == name.strip().casefold()), name.strip())


def known() -> list[str]:
    """Licences that a release may use or be made from."""
    return [name for name, licence in LICENCES.items() if not licence.closed]


def of_kind(kind: str) -> list[str]:
    """With `text`, the licences whose text keju brings."""
    return [name for name in LICENCES if kind == "text" and text_of(name)]


def text_of(name: str) -> str | None:
    """The text of a licence, where keju brings it. Creative Commons puts the texts of its licences under CC0."""
    file = files("keju.release") / "licence_texts" / f"{name}.txt"
    return file.read_text(encoding="utf-8") if name in LICENCES and file.is_file() else None


def may_become(source: str, release: str) -> bool:
    """Whether material under `source` may be released under `release`, both known; the source is named anyway."""
    if source == OWN:
        return True
    given, wanted = LICENCES[source], LICENCES[release]
    if given.closed or wanted.closed:
        return False
    if given.alike:
        return wanted.alike and wanted.noncommercial == given.noncommercial and release >= source
    return (wanted.credit or not given.credit) and (wanted.noncommercial or not given.noncommercial)
