"""The data of the item browser: entries as plain values for JSON, replies cut only where they would not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keju.items import Wording
from keju.phrase import Phrase, in_chinese
from keju.printable import printable
from keju.reports.item_browser.entries import Entry, Form, MediumKey
from keju.results.labels import heading_of, named
from keju.results.mark import Mark
from keju.results.scores import Scores

REPLIES = 12_000_000
"""Bytes of replies in one page before they are packed, to a third or less. 9,000 chains of thought come to about that;
9,000 answers of one letter to nothing."""

MOST_VALUES = 60
"""Values of a label that a filter lists; with more it names items rather than groups them."""


def contents(scores: Sequence[Scores], found: Sequence[Entry], media: Mapping[MediumKey, int]) -> dict[str, Any]:
    """Runs, labels, items, and the texts to which answers point; `media` is each medium's place in the page's list."""
    texts = Texts(_longest(len(_bytes(mark.text or "")) for entry in found for _, _, mark in entry.marks))
    items = [_entry(entry, texts, media) for entry in found]
    benchmarks = dict.fromkeys(entry.benchmark for entry in found)
    return {
        "runs": [{"name": s.name, "protocol": s.protocol, "parser": s.parser, "n": s.n} for s in scores],
        "labels": _labels(found, several=len(benchmarks) > 1),
        "items": items,
        "texts": list(texts.places),
    }


@dataclass(slots=True)
class Texts:
    """What models said and were told, each once: most replies are one of four letters."""

    most: int
    """Bytes above which a reply is cut."""
    places: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


def _entry(entry: Entry, texts: Texts, media: Mapping[MediumKey, int]) -> dict[str, Any]:
    return {
        "id": entry.name,
        "labels": _labels_of(entry),
        "media": list(dict.fromkeys(media[key] for key, *_ in entry.media)),
        "forms": [_form(form) for form in entry.forms],
        "answers": [_answer(run, form, mark, texts) for run, form, mark in entry.marks],
    }


def _form(form: Form) -> dict[str, Any]:
    return {"key": form.item.answer, "wordings": [_wording(wording) for wording in form.wordings]}


def _wording(wording: Wording) -> dict[str, Any]:
    options = [[printable(label), printable(text)] for label, text in wording.options.items()]
    texts = {"instruction": printable(wording.instruction), "question": printable(wording.question)}
    return {"lang": printable(wording.language), "options": options} | _told(texts)


def _answer(run: int, form: int, mark: Mark, texts: Texts) -> dict[str, Any]:
    """What is not there is not written: most answers are whole, valid and of the first form."""
    text, left_out = _cut(printable(mark.text), texts.most) if mark.text is not None else (None, 0)
    error = (mark.record.error if mark.record else None) or {}
    perceived = (mark.record.perceived if mark.record else None) or {}
    return (
        {"run": run}
        | _told(
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
                "saw": [[name, texts.place(printable(said))] for name, said in perceived.items()],
            }
        )
        | ({} if text is None else {"text": texts.place(text)})
    )


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
    """The length above which replies are cut, so that all together have `REPLIES` bytes at most."""
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
    size = len(_bytes(text))
    if size <= most:
        return text, 0
    kept = len(text) * most // size
    head = kept // 3
    return f"{text[:head]}\n[…]\n{text[len(text) - (kept - head) :]}", len(text) - kept


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def phrases(words: Mapping[Any, Phrase]) -> dict[str, list[str]]:
    """Phrases by key, each as its English and its Chinese."""
    return {str(key): _pair(phrase) for key, phrase in words.items()}
