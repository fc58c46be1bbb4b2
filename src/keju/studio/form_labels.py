"""What the editor calls its fields, for people."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from keju.items import LABELS
from keju.studio.models import Term

LANGUAGE_NAMES = {
    "zh-Hans": gettext_lazy("Chinese, Simplified"),
    "zh-Hant": gettext_lazy("Chinese, Traditional"),
    "en": gettext_lazy("English"),
}
_OF_OPTIONS = {
    "option": gettext_lazy("Option"),
    "strategy": gettext_lazy("Strategy of option"),
    "asset": gettext_lazy("Picture of option"),
}
_TEXTS = {
    "stem": gettext_lazy("Question"),
    "instruction": gettext_lazy("Instruction of the exam"),
    "rationale": gettext_lazy("Why the key is right"),
}
_NAMES = {
    "key": gettext_lazy("Right option"),
    "count": gettext_lazy("Number of options"),
    "image": gettext_lazy("picture"),
    "audio": gettext_lazy("clip"),
    "reserve": gettext_lazy("reserve"),
    "original_language": gettext_lazy("Language of authoring"),
}
THRESHOLDS = {
    "brightest": gettext_lazy("mean grey at most, of 255"),
    "darkest": gettext_lazy("mean grey at least, of 255"),
    "degrees": gettext_lazy("degrees at most"),
    "deviation": gettext_lazy("spread of grey at least, of 255"),
    "dpi": gettext_lazy("dpi"),
    "kbits": gettext_lazy("kbit/s"),
    "long": gettext_lazy("longer side at least, pixels"),
    "peak_db": gettext_lazy("loudest sample at least, dB"),
    "seconds": gettext_lazy("seconds at least"),
    "share": gettext_lazy("share at most, 0 to 1"),
    "short": gettext_lazy("shorter side at least, pixels"),
    "tolerance": gettext_lazy("give or take"),
    "variance": gettext_lazy("sharpness at least"),
}
"""Thresholds of the rules on pictures and clips, as the settings ask for them."""
PLACE_NAMES: dict[str, Any] = {
    "seq": gettext_lazy("Number"),
    "volume": gettext_lazy("Volume"),
    "section": gettext_lazy("Section"),
    "level": gettext_lazy("Level"),
    "part": gettext_lazy("Part"),
    "question": gettext_lazy("Question number"),
}


def label_of(name: str) -> str:
    """A field's name for people: `option_1_en` is `Option B · English`."""
    if name in Term.Kind.values:
        return str(Term.Kind(name).label)
    if name in _NAMES:
        return str(_NAMES[name])
    kind, *rest = name.split("_")
    if kind in _OF_OPTIONS:
        return " · ".join([f"{_OF_OPTIONS[kind]} {LABELS[int(rest[0])]}", *map(language_name, rest[1:])])
    return " · ".join([str(_TEXTS.get(kind, kind)), *map(language_name, rest)])


def language_name(tag: str) -> str:
    """A language of items as the interface calls it; a tag that it does not know, as it is."""
    return str(LANGUAGE_NAMES.get(tag, tag))
