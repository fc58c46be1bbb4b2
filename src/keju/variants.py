"""The same items, put differently: another language or script, another order of options, other media.

A variant maps item to item and keeps the id, so that two runs over variants of one benchmark are paired. An item that
cannot be varied is left out and listed in the benchmark's problems; one whose options may not be reordered stays as it
is and is listed too.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from keju.benchmark import Benchmark, Problem, Stream
from keju.errors import Misuse
from keju.formats.question_text import names_other_options
from keju.items import Item, Wording, same_language
from keju.script import script_of, to_simplified, to_traditional


class Variant(Protocol):
    """One way to put an item differently."""

    @property
    def name(self) -> str:
        """What is varied: `language`, `shuffle`, …"""

    @property
    def value(self) -> str:
        """How: `en`, `7`, …"""

    def vary(self, item: Item) -> tuple[Item | None, Problem | None]:
        """The item put differently, or None where it cannot be; and what is to be known of it."""


@dataclass(frozen=True, slots=True)
class Language:
    """The wording in one language comes first: it is the one that is asked."""

    value: str
    name = "language"

    def vary(self, item: Item) -> tuple[Item | None, Problem | None]:
        try:
            return _asked_in(item, item.in_language(self.value)), None
        except Misuse as error:
            return None, Problem(item.id, "no_wording", f"{error}; add one, or run without it", left_out=True)


@dataclass(frozen=True, slots=True)
class Script:
    """The Chinese wording in one script comes first: the item's own where it has one, else its other one converted."""

    value: Literal["hans", "hant"]
    name = "script"

    def vary(self, item: Item) -> tuple[Item | None, Problem | None]:
        chinese = [wording for wording in item.wordings.values() if same_language(wording.language, "zh")]
        for wording in chinese:
            if _script(wording) in (self.value, None):
                return _asked_in(item, wording), None
        if not chinese:
            have = ", ".join(item.wordings)
            message = f"the item has no Chinese wording (it has {have}), so it has no script to change"
            return None, Problem(item.id, "no_wording", message, left_out=True)
        tag = {"hans": "zh-Hans", "hant": "zh-Hant"}[self.value]
        converted = replace(_reworded(chinese[0], _CONVERT[self.value]), language=tag)
        others = {name: wording for name, wording in item.wordings.items() if wording is not chinese[0]}
        message = f"Chinese wordings were converted to {tag} by OpenCC; conversion needs review"
        return replace(item, wordings={tag: converted} | others), Problem(None, "script_converted", message)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Options in an order that a hash of (seed, item id) gives: every order is as likely as any other."""

    seed: int
    name = "shuffle"

    @property
    def value(self) -> str:
        return str(self.seed)

    def vary(self, item: Item) -> tuple[Item | None, Problem | None]:
        def rank(place: int) -> bytes:
            return hashlib.sha256(f"{self.seed}\0{item.id}\0{place}".encode(errors="surrogatepass")).digest()

        return _reordered(item, sorted(range(len(item.options)), key=rank))


@dataclass(frozen=True, slots=True)
class Rotate:
    """Options moved on by `by` places; the last ones come first."""

    by: int
    name = "rotate"

    @property
    def value(self) -> str:
        return str(self.by)

    def vary(self, item: Item) -> tuple[Item | None, Problem | None]:
        count = len(item.options)
        return _reordered(item, [(place - self.by) % count for place in range(count)])


@dataclass(frozen=True, slots=True)
class Media:
    """`none`: without any media (blind). `transcript`: the item's own transcript before its question, for its audio."""

    value: Literal["none", "transcript"]
    name = "media"

    def vary(self, item: Item) -> tuple[Item | None, Problem | None]:
        if self.value == "none":
            return replace(item, media=()), None
        if not any(medium.kind == "audio" for medium in item.media):
            return item, None
        transcript = item.extra.get("transcript")
        if not isinstance(transcript, str) or not transcript.strip():
            message = "the item has audio but no `transcript`; add that field, or run with a transcriber"
            return None, Problem(item.id, "no_transcript", message, left_out=True)
        wordings = {tag: _with_transcript(wording, transcript.strip()) for tag, wording in item.wordings.items()}
        return replace(item, wordings=wordings, media=tuple(m for m in item.media if m.kind != "audio")), None


def parse_variants(given: Iterable[str]) -> tuple[Variant, ...]:
    """The variants that texts such as `language=en` and `shuffle=7` name, in the order in which they are applied.

    Raises `Misuse` where one is unknown or malformed, or two do not go together.
    """
    variants = tuple(_parse(text) for text in given)
    twice = [name for name, count in Counter(variant.name for variant in variants).items() if count > 1]
    if twice:
        raise Misuse(f"variant {twice[0]} is given twice; give it once, and make a run for each of its values")
    values = describe(variants)
    if "script" in values and not same_language(values.get("language", "zh"), "zh"):
        raise Misuse(f"variant script={values['script']} asks in Chinese, language={values['language']} does not")
    return variants


def apply(benchmark: Benchmark, variants: Iterable[Variant]) -> Benchmark:
    """The benchmark with every item put differently, in the same order and with the same ids.

    What is left out or stays as it is stands in `problems`. Raises `Misuse` where a variant leaves no item.
    """
    for variant in variants:
        benchmark = _apply(benchmark, variant)
    return benchmark


def describe(variants: Iterable[Variant]) -> dict[str, str]:
    """Name → value, as a run stores it: `{"language": "en", "shuffle": "7"}`."""
    return {variant.name: variant.value for variant in variants}


def _apply(benchmark: Benchmark, variant: Variant) -> Benchmark:
    items: Sequence[Item]
    if isinstance(benchmark.items, Stream):
        items, problems = _streamed(benchmark.items, variant)
    else:
        varied = [variant.vary(item) for item in benchmark]
        items = tuple(item for item, _ in varied if item is not None)
        problems = tuple(dict.fromkeys(problem for _, problem in varied if problem is not None))
    if not items and problems:
        first = problems[0]
        asked = f"{variant.name}={variant.value}"
        raise Misuse(f"variant {asked} leaves no item of {benchmark.name}: item {first.item}: {first.message}")
    return replace(benchmark, items=items, problems=benchmark.problems + problems)


def _streamed(items: Stream, variant: Variant) -> tuple[Sequence[Item], tuple[Problem, ...]]:
    """The items that can be varied, each varied whenever it is read, and what is to be known of them."""
    problems: dict[Problem, None] = {}

    def varies(item: Item) -> bool:
        changed, problem = variant.vary(item)
        problems.update({problem: None} if problem else {})
        return changed is not None

    kept = items.where(varies)
    return kept.mapped(lambda item: variant.vary(item)[0] or item), tuple(problems)


_FORMS = {
    "language": "language=TAG (zh, zh-Hant, en, …)",
    "script": "script=hans|hant",
    "shuffle": "shuffle=SEED",
    "rotate": "rotate=PLACES",
    "media": "media=none|transcript",
}


def _parse(text: str) -> Variant:
    name, _, value = (part.strip() for part in text.partition("="))
    if name not in _FORMS:
        raise Misuse(f"there is no variant {text!r}; there are {', '.join(_FORMS.values())}")
    match name, value:
        case "language", tag if re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag):
            return Language(tag)
        case "script", "hans" | "hant" as script:
            return Script(script)
        case "shuffle", seed if re.fullmatch(r"-?[0-9]{1,18}", seed):
            return Shuffle(int(seed))
        case "rotate", places if re.fullmatch(r"-?[0-9]{1,18}", places):
            return Rotate(int(places))
        case "media", "none" | "transcript" as media:
            return Media(media)
    raise Misuse(f"variant {text!r} is malformed; write {_FORMS[name]}")


# Wordings

_CONVERT: Mapping[str, Callable[[str], str]] = {"hans": to_simplified, "hant": to_traditional}
_TRANSCRIPT = {"zh-hans": "录音文字：", "zh-hant": "錄音文字：", "zh": "錄音文字："}


def _asked_in(item: Item, wording: Wording) -> Item:
    """The item with `wording` first."""
    others = {tag: other for tag, other in item.wordings.items() if tag != wording.language}
    return replace(item, wordings={wording.language: wording} | others)


def _script(wording: Wording) -> str | None:
    """The script that the wording's tag names, else the one that its characters show; None where either would do."""
    for script, tags in (("hans", {"hans", "cn", "sg"}), ("hant", {"hant", "tw", "hk", "mo"})):
        if tags & set(wording.language.lower().split("-")):
            return script
    return script_of("".join((wording.instruction, wording.question, *wording.options.values())))


def _reworded(wording: Wording, change: Callable[[str], str]) -> Wording:
    return replace(
        wording,
        question=change(wording.question),
        instruction=change(wording.instruction),
        options={label: change(text) for label, text in wording.options.items()},
        as_written=tuple(map(change, wording.as_written)),
    )


def _with_transcript(wording: Wording, transcript: str) -> Wording:
    label = _TRANSCRIPT.get(wording.language.lower(), "Transcript: ")
    return replace(wording, question=f"{label}{transcript}\n{wording.question}".rstrip("\n"))


# Order of options

T = TypeVar("T")


def _reordered(item: Item, order: list[int]) -> tuple[Item, Problem | None]:
    """The item with the option at `order[place]` moved to `place`, in every wording; the key moves with its text."""
    if reason := _why_fixed(item):
        message = f"{reason}; its options keep their places"
        return item, Problem(item.id, "meta_option", message)
    labels = list(item.options)
    answer = item.answer
    if answer in labels:
        answer = labels[order.index(labels.index(answer))]
    wordings = {tag: _with_order(wording, order) for tag, wording in item.wordings.items()}
    return replace(item, wordings=wordings, answer=answer), None


def _why_fixed(item: Item) -> str | None:
    """Why the options may not change places; None where they may."""
    labels = list(item.options)
    for wording in item.wordings.values():
        if list(wording.options) != labels:
            return f"the options in {wording.language} have other labels than those in {item.wording.language}"
        for label, text in wording.options.items():
            if not text.strip():
                return f"option {label} has no text (a picture or the recording holds it)"
            if names_other_options(text):
                return f"option {label} ({text}) refers to other options"
    return None


def _with_order(wording: Wording, order: list[int]) -> Wording:
    labels, texts = list(wording.options), list(wording.options.values())
    return replace(
        wording,
        options=dict(zip(labels, _picked(texts, order), strict=True)),
        as_written=_lines_with_order(wording.as_written, texts, order),
    )


def _lines_with_order(lines: tuple[str, ...], texts: list[str], order: list[int]) -> tuple[str, ...]:
    """The options' original lines, each with its own mark and its new text; none where a line lacks its text."""
    if len(lines) != len(texts) or any(text not in line for line, text in zip(lines, texts, strict=True)):
        return ()
    marks = [line.rpartition(text) for line, text in zip(lines, texts, strict=True)]
    moved = zip(marks, _picked(texts, order), strict=True)
    return tuple(before + text + after for (before, _, after), text in moved)


def _picked(values: list[T], order: list[int]) -> list[T]:
    return [values[place] for place in order]
