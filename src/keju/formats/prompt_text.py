"""A question as one finished text, for formats whose tools put the text to a model as it stands."""

from __future__ import annotations

from keju.items import Wording

_ASK = {
    "hans": "请只回答正确选项的字母（{labels}）。",
    "hant": "請只回答正確選項的字母（{labels}）。",
    "en": "Answer with the letter of the correct option only ({labels}).",
}


def prompt_text(wording: Wording) -> str:
    """Instruction, question, options one a line, and the demand for a letter; in English where not in Chinese."""
    options = (f"{label}. {text}".rstrip() for label, text in wording.options.items())
    ask = _ASK[written_in(wording.language)].format(labels=", ".join(wording.options))
    return "\n".join([stem_text(wording), *options, ask])


def stem_text(wording: Wording) -> str:
    """Instruction and question, whichever there are."""
    return "\n".join(text for text in (wording.instruction, wording.question) if text)


def written_in(language: str) -> str:
    """`hans`, `hant` or `en`: which of our texts goes with a wording in `language`."""
    tag = language.lower()
    if not tag.startswith("zh"):
        return "en"
    return "hant" if any(part in ("hant", "tw", "hk", "mo") for part in tag.split("-")) else "hans"
