"""Transcripts as tables: what each clip cost and, against reference transcripts, how many characters are wrong.

Before counting, both texts are folded: width, letter case and script (Traditional and Simplified are one), without
punctuation and spaces. Numbers are not: 三百 and 300 differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.models.perception.given import transcript_rows
from keju.phrase import Phrase, listed
from keju.results.table import Column, Table
from keju.runs.transcribing import Transcript
from keju.script import HAN, fold
from keju.stats.edit_distance import FEWEST, ErrorRate, error_interval, error_rate

_UNSPACED = re.compile(f"[{HAN}\u3040-\u30ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Han, kana, Thai, Lao, Burmese, Khmer: no spaces between words, so no words to count."""

CER = Column("cer", "CER", "share", "字错误率")
WER = Column("wer", "WER", "share", "词错误率")
CLIP_S = Column("clip_s", "Clip", "seconds", "时长")
SECONDS = Column("seconds", "Transcribing", "seconds", "转写用时")
SPEED = Column("clip_s_per_s", "Clip s per s", "number", "每秒处理时长（秒）")
FAILED = Column("failed", "Failed", "count", "失败", hide_zero=True)


def characters(text: str) -> str:
    """The characters of `text` that count: folded, without punctuation, spaces and controls."""
    return "".join(c for c in fold(text).casefold() if unicodedata.category(c)[0] not in "PZC")


def words(text: str) -> list[str] | None:
    """The words of `text`, folded, without punctuation; None where its script puts no spaces between words."""
    if _UNSPACED.search(text):
        return None
    bare = fold(text).casefold().replace("'", "").replace("’", "")  # don't is one word, well-known two
    return "".join(" " if unicodedata.category(c)[0] in "PZC" else c for c in bare).split()


def own_references(benchmark: Benchmark, clips: Sequence[Transcript]) -> list[str | None]:
    """For each clip the `transcript` of the items that play it alone; None where none has one.

    Raises `Misuse` where two items say different things of one clip, or no item has a transcript.
    """
    references = [_own(benchmark, clip) for clip in clips]
    if not any(references):
        raise Misuse(
            f"no item of {benchmark.name} has a `transcript`; add that field, or name a file: --reference FILE.jsonl"
        )
    return references


def _own(benchmark: Benchmark, clip: Transcript) -> str | None:
    said: dict[str, str] = {}
    for item_id in clip.items:
        item = benchmark[item_id]
        text = item.extra.get("transcript")
        if isinstance(text, str) and text.strip() and sum(m.kind == "audio" for m in item.media) == 1:
            said.setdefault(characters(text), item_id)
    if len(said) > 1:
        raise Misuse(
            f"{clip.medium.name}: its items have different transcripts ({', '.join(said.values())}); make them one"
        )
    return str(benchmark[next(iter(said.values()))].extra["transcript"]) if said else None


def given_references(path: Path, clips: Sequence[Transcript]) -> list[str | None]:
    """For each clip what `path` says of it, by `sha256`, by `name` or by the `id` of an item that plays it.

    Raises `BadFile` where the file cannot be read or speaks of none of the clips.
    """
    known: dict[tuple[str, str], str] = {}
    for row in transcript_rows(path):
        known |= {(key, str(row[key])): row["text"] for key in ("sha256", "name", "id") if key in row}
    references = []
    for clip in clips:
        keys = [("name", clip.medium.name), *(("id", item) for item in clip.items)]
        if clip.medium.exists:
            keys.insert(0, ("sha256", clip.medium.sha256))
        references.append(next((known[key] for key in keys if key in known), None))
    if not any(references):
        raise BadFile(f"{path} speaks of none of these clips; a line needs their `sha256`, `name`, or an item's `id`")
    return references


def transcript_tables(
    clips: Sequence[Transcript], lengths: Sequence[float | None], references: Sequence[str | None] | None = None
) -> tuple[Table, Table]:
    """One row a clip, and all of them together. `lengths` are the clips' seconds; `references` what was really said.

    Error rates over all clips are errors over characters, so that a long clip counts for more than a short one.
    A clip that failed has no rate and is counted as failed.
    """
    said = references or [None] * len(clips)
    rates = [
        _rates(clip.text, reference) if reference is not None and clip.text is not None else {}
        for clip, reference in zip(clips, said, strict=True)
    ]
    measured = (CER, WER) if any("wer" in one for one in rates) else (CER,)
    columns = (
        Column("clip", "Clip", "text", "音频"),
        CLIP_S,
        SECONDS,
        SPEED,
        Column("cached", "From", "text", "来源"),
        *(measured if references else ()),
        Column("text", "Transcript", "text", "转写文本"),
        Column("doubts", "Doubts", "text", "存疑"),
    )
    rows = tuple(_row(clip, length, one) for clip, length, one in zip(clips, lengths, rates, strict=True))
    each = Table("transcripts", "Transcripts", columns, rows, (), "转写")
    return each, _overall(clips, lengths, rates, measured if references else ())


def _rates(text: str, reference: str) -> dict[str, ErrorRate]:
    """Character error rate, and word error rate where the reference has words. Nothing for an empty reference."""
    if not characters(reference):
        return {}
    rates = {"cer": error_rate([(characters(reference), characters(text))])}
    if spaced := words(reference):
        rates["wer"] = error_rate([(spaced, words(text) or list(characters(text)))])
    return rates


def _row(clip: Transcript, length: float | None, rates: Mapping[str, ErrorRate]) -> dict[str, Any]:
    if clip.error:
        failed = Phrase(f"failed: {clip.error['message']}", f"失败：{clip.error['message']}")
        return {"clip": clip.medium.name, "clip_s": length, "doubts": failed}
    source = Phrase("cache", "缓存") if clip.cached else Phrase("now", "本次")
    return {
        "clip": clip.medium.name,
        "clip_s": length,
        "seconds": clip.seconds or None,  # transcripts from a file were not timed
        "clip_s_per_s": length / clip.seconds if length and clip.seconds else None,
        "cached": source,
        "text": clip.text,
        "doubts": "; ".join(clip.warnings) or None,
        **{name: one.rate for name, one in rates.items()},
    }


def _overall(
    clips: Sequence[Transcript],
    lengths: Sequence[float | None],
    rates: Sequence[Mapping[str, ErrorRate]],
    measured: Sequence[Column],
) -> Table:
    timed = [(n, clip.seconds) for clip, n in zip(clips, lengths, strict=True) if n and clip.seconds]
    played, spent = sum(n for n, _ in timed), sum(seconds for _, seconds in timed)
    row: dict[str, Any] = {
        "clips": len(clips),
        "failed": sum(bool(clip.error) for clip in clips),
        "cached": sum(clip.cached for clip in clips),
        "clip_s": sum(n for n in lengths if n) or None,
        "seconds": sum(clip.seconds or 0.0 for clip in clips) or None,
        "clip_s_per_s": played / spent if spent else None,
        "compared": sum("cer" in one for one in rates),
    }
    columns = [
        Column("clips", "Clips", "count", "音频数"),
        FAILED,
        Column("cached", "From the cache", "count", "取自缓存"),
        CLIP_S,
        SECONDS,
        SPEED,
    ]
    if measured:
        columns.append(Column("compared", "Compared", "count", "已比对"))
    for column in measured:
        columns += [column, *_spread(column)]
        row |= _together([one[column.key] for one in rates if column.key in one], column.key)
    notes = _notes(clips, row, measured)
    return Table("transcripts_overall", "All clips", tuple(columns), (row,), notes, "全部音频")


def _spread(column: Column) -> tuple[Column, ...]:
    what, what_zh = ("Characters", "字数") if column is CER else ("Words", "词数")
    return (
        Column(f"{column.key}_interval", "95 % CI", "interval", "95 % 置信区间"),
        Column(f"{column.key}_edits", "Edits", "count", "编辑数"),
        Column(f"{column.key}_length", what, "count", what_zh),
    )


def _together(each: Sequence[ErrorRate], key: str) -> dict[str, Any]:
    all_of_them = ErrorRate(sum(one.edits for one in each), sum(one.length for one in each))
    interval = error_interval(each)
    return {
        key: all_of_them.rate,
        f"{key}_interval": interval.pair if interval else None,
        f"{key}_edits": all_of_them.edits,
        f"{key}_length": all_of_them.length,
    }


def _notes(clips: Sequence[Transcript], row: Mapping[str, Any], measured: Sequence[Column]) -> tuple[Phrase, ...]:
    notes = []
    if row["cached"]:
        notes.append(
            Phrase(
                "Seconds of transcripts from the cache are those of the day they were made.",
                "取自缓存的转写，其用时为当时所测。",
            )
        )
    if measured:
        notes.append(
            Phrase(
                "Error rates are edits over characters (words) of all compared clips, without punctuation and spaces; "
                "case, width, and Traditional or Simplified script do not count, written-out numbers do. The interval "
                f"resamples clips, from {FEWEST} of them on.",
                "错误率为全部已比对音频的编辑数除以字数（词数）；标点和空格不计，大小写、全半角、繁简不分，"
                f"数字写法不同算错。区间按音频重抽样，不足 {FEWEST} 段时不给出。",
            )
        )
        if left_out := len(clips) - row["compared"]:
            notes.append(
                Phrase(
                    f"{left_out} of {len(clips)} clips failed or have no reference, and are in no rate.",
                    f"{len(clips)} 段音频中有 {left_out} 段失败或无参考文本，不计入错误率。",
                )
            )
    if kinds := Counter(clip.error["kind"] for clip in clips if clip.error):
        told = listed(f"{n} {kind}" for kind, n in sorted(kinds.items()))
        notes.append(Phrase(f"Failed: {told}.", f"失败：{told.zh}。"))
    return tuple(notes)
