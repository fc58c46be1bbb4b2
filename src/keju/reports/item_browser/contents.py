"""The data of the item browser: entries as plain values for JSON, replies cut only where they would not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keju.items import Wording
from keju.phrase import Phrase, in_chinese
from keju.reports.item_browser.entries import Entry, Form, MediumKey
from keju.reports.numbers import printable
from keju.results.labels import heading_of, named
from keju.results.mark import Mark
from keju.results.scores import Scores

REPLIES = 5_000_000
"""Characters of replies in one page; 9,000 of Multi-TW's length are 20,000, of chains of thought 10 million."""

MOST_VALUES = 60
"""Values of a label that a filter lists; with more it names items rather than groups them."""


def contents(scores: Sequence[Scores], found: Sequence[Entry], media: Mapping[MediumKey, int]) -> dict[str, Any]:
    """Runs, labels and items; `media` is the place of each medium in the page's list of them."""
    most = _longest(len(mark.text or "") for entry in found for _, _, mark in entry.marks)
    texts: dict[str, int] = {}
    items = [_entry(entry, most, texts, media) for entry in found]
    benchmarks = dict.fromkeys(entry.benchmark for entry in found)
    return {
        "runs": [{"name": s.name, "protocol": s.protocol, "parser": s.parser, "n": s.n} for s in scores],
        "labels": _labels(found, several=len(benchmarks) > 1),
        "texts": list(texts),
        "items": items,
    }


def _entry(entry: Entry, most: int, texts: dict[str, int], media: Mapping[MediumKey, int]) -> dict[str, Any]:
    return {
        "id": entry.name,
        "labels": _labels_of(entry),
        "media": list(dict.fromkeys(media[key] for key, *_ in entry.media)),
        "forms": [_form(form) for form in entry.forms],
        "answers": [_answer(run, form, mark, most, texts) for run, form, mark in entry.marks],
    }


def _form(form: Form) -> dict[str, Any]:
    return {"key": form.item.answer, "wordings": [_wording(wording) for wording in form.wordings]}


def _wording(wording: Wording) -> dict[str, Any]:
    options = [[printable(label), printable(text)] for label, text in wording.options.items()]
    texts = {"instruction": printable(wording.instruction), "question": printable(wording.question)}
    return {"lang": printable(wording.language), "options": options} | _told(texts)


def _answer(run: int, form: int, mark: Mark, most: int, texts: dict[str, int]) -> dict[str, Any]:
    """What is not there is not written: most answers are whole, valid and of the first form."""
    text, left_out = _cut(printable(mark.text), most) if mark.text is not None else (None, 0)
    error = (mark.record.error if mark.record else None) or {}
    perceived = (mark.record.perceived if mark.record else None) or {}
    return {"run": run} | _told(
        {
            "form": form,
            "outcome": mark.status if mark.status != "answered" else None,
            "right": mark.correct,
            "label": mark.label,
            "reason": mark.reason,
            "invalid": mark.extraction is not None and not mark.valid,
            "drawn": mark.drawn,
            "seconds": round(mark.latency, 4) if mark.latency is not None else None,
            "error": printable(str(error["message"])) if error.get("message") else None,
            "left_out": left_out,
            "saw": [[name, texts.setdefault(printable(said), len(texts))] for name, said in perceived.items()],
        }
    ) | ({} if text is None else {"text": text})


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value or (value == 0 and name == "seconds")}


def _labels_of(entry: Entry) -> dict[str, str]:
    item = entry.forms[0].item
    more = {"modality": item.modality, "split": item.split, "benchmark": entry.benchmark}
    return {name: printable(value) for name, value in {**more, **item.labels}.items() if value}


def _labels(found: Sequence[Entry], *, several: bool) -> list[dict[str, Any]]:
    """Every label with its name and its values in both languages; `filter` where it tells groups apart."""
    values: dict[str, dict[str, None]] = {}
    for entry in found:
        for name, value in _labels_of(entry).items():
            values.setdefault(name, {})[value] = None
    if not several:
        values.pop("benchmark", None)
    return [
        {
            "name": name,
            "title": _pair(heading_of(name)),
            "filter": 1 < len(there) <= MOST_VALUES,
            "values": {value: _pair(named(name, value)) for value in there} if len(there) <= MOST_VALUES else {},
        }
        for name, there in values.items()
    ]


def _pair(phrase: str) -> list[str]:
    return [str(phrase), in_chinese(phrase)]


def _longest(lengths: Iterable[int]) -> int:
    """The length above which replies are cut, so that all together have `REPLIES` characters at most."""
    rising = sorted(lengths)
    room = REPLIES
    for position, length in enumerate(rising):
        share = room // (len(rising) - position)
        if length > share:
            return share
        room -= length
    return rising[-1] if rising else 0


def _cut(text: str, most: int) -> tuple[str, int]:
    """The beginning and the end, where answers stand, and how many characters between them are left out."""
    if len(text) <= most:
        return text, 0
    head = most // 3
    return f"{text[:head]}\n[…]\n{text[len(text) - (most - head) :]}", len(text) - most


def phrases(words: Mapping[Any, Phrase]) -> dict[str, list[str]]:
    """Phrases by key, each as its English and its Chinese."""
    return {str(key): _pair(phrase) for key, phrase in words.items()}
