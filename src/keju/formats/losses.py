"""What an export cannot hold of a benchmark, said before anything is written: refused by item, or listed."""

from __future__ import annotations

from collections.abc import Iterable

from keju.benchmark import Benchmark, Problem
from keju.errors import Misuse
from keju.items import LABELS, Item, MediaKind
from keju.phrase import Phrase, listed

_HAVE: dict[MediaKind, str] = {"image": "pictures", "audio": "clips"}
_NAMED = 8
"""Items that a message names; the rest are counted."""


def refuse(items: Iterable[Item], why: str, remedy: str) -> None:
    """Raises `Misuse` with the reason, the items by id and the remedy, where there are any items."""
    if ids := [item.id for item in items]:
        raise Misuse(f"{why}: {_named(ids)}; {remedy}")


def need_letters(benchmark: Benchmark, tool: str) -> None:
    """Refuse what a tool that letters the options itself and marks by letter would mark wrong."""
    unkeyed = (item for item in benchmark if item.answer is None)
    refuse(unkeyed, f"{tool} marks by the key, and these items have none", "add their keys, or leave them out")
    other = (item for item in benchmark if "".join(item.options) != LABELS[: len(item.options)])
    refuse(other, f"{tool} letters options A, B, C, … and these items label theirs otherwise", "relabel their options")


def need_media(benchmark: Benchmark, tool: str, kinds: Iterable[MediaKind]) -> None:
    """Refuse items whose media the tool cannot take, or that are not there to be written."""
    known = tuple(kinds)
    strange = (item for item in benchmark if any(medium.kind not in known for medium in item.media))
    have = " and ".join(_HAVE[kind] for kind in known) or "text"
    refuse(strange, f"{tool} holds {have} only, and these items have other media", f"choose items: {_choose(known)}")
    absent = (item for item in benchmark if not all(medium.exists for medium in item.media))
    refuse(
        absent, f"{tool} needs the media themselves, and these items lack theirs", "add the files, or leave them out"
    )


def first_wording_only(benchmark: Benchmark) -> list[Problem]:
    """What is lost where one wording an item is written, as a list of none or one."""
    more = [item for item in benchmark if len(item.wordings) > 1]
    tags = sorted({tag for item in more for tag in list(item.wordings)[1:]})
    message = Phrase(
        f"only the first wording of an item is written; {len(more)} items have others ({', '.join(tags)}): "
        "write these too with --variant language=…",
        f"每题只写出第一种语言；{len(more)} 题还有其他语言（{'、'.join(tags)}）：用 --variant language=… 另行写出",
    )
    return [Problem(None, "wordings_lost", message)] if more else []


def not_kept(items: Iterable[Item], what: Phrase) -> list[Problem]:
    """That `what` of the items is not written, as a list of none or one."""
    ids = [item.id for item in items]
    message = Phrase(f"{what} of {_named(ids)}: not written", f"{_named(ids)} 的{what.zh}没有写出")
    return [Problem(None, "not_kept", message)] if ids else []


def _named(ids: list[str]) -> str:
    count = f" ({len(ids)} items)" if len(ids) > 1 else ""
    return f"{listed(ids, _NAMED)}{count}"


def _choose(kinds: tuple[MediaKind, ...]) -> str:
    return " or ".join(f"--where modality={kind}" for kind in kinds) or "--where modality=text, or --variant media=none"
