"""Where the time went: seconds by stage, and the layout of paper 001's Tables 3 and 4.

Three things are kept apart: the sum of what single calls took, the wall time that passed (less, with calls in flight
together), and cascades whose transcripts came from a cache (their perception cost nothing this time).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from keju.errors import Misuse
from keju.phrase import Phrase, in_chinese, listed
from keju.records import STAGES, Record
from keju.results import columns as c
from keju.results.labels import named
from keju.results.mark import LATENCY_STAGES, Mark
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import Durations, durations

Perception = Literal["none", "measured", "cached", "mixed"]

STAGE_NAMES = {
    stage: Phrase(stage, zh)
    for stage, zh in zip(STAGES, ("读取", "预处理", "转写", "识字", "排队", "推理", "首个词元"), strict=True)
}
_PERCEPTION: dict[Perception, Phrase] = {
    "none": Phrase("none", "无"),
    "measured": Phrase("measured", "实测"),
    "cached": Phrase("cached", "缓存"),
    "mixed": Phrase("mixed", "混合"),
}
TOTAL = Phrase("inference time", "推理时间")
"""Name of the row that adds up `LATENCY_STAGES` call by call."""


def latency_by_stage(scores: Sequence[Scores]) -> Table:
    """Median, p90, p95, p99, mean and sum of seconds by stage, for the calls that were timed.

    Replies that were not timed (replayed, imported) are counted, never timed as 0 s. Cascades are reported apart for
    items whose perception was measured and for items whose transcript or text came from the cache.
    Raises `Misuse` where no run holds a timed call.
    """
    rows = [row for s in scores for row in _stage_rows(s)]
    if not rows:
        raise Misuse("no call of these runs was timed: there is no latency to report")
    figures = (
        ("median_s", "Median", "中位数"),
        ("p90_s", "p90", "p90"),
        ("p95_s", "p95", "p95"),
        ("p99_s", "p99", "p99"),
    )
    columns = (
        c.MODEL,
        Column("perception", "Perception", "text", "感知"),
        Column("stage", "Stage", "text", "阶段"),
        Column("timed", "Timed", "count", "计时数"),
        *(Column(key, title, "seconds", zh) for key, title, zh in figures),
        Column("mean_s", "Mean", "seconds", "均值"),
        Column("sum_s", "Sum of calls", "seconds", "各次之和"),
    )
    notes = (*_notes(scores), *(sentence for s in scores for sentence in _wall(s)))
    return Table("latency", "Latency by stage", columns, tuple(rows), notes, "各阶段耗时")


def latency_by_modality(scores: Sequence[Scores]) -> Table:
    """Overall, image and audio accuracy with total inference time: the layout of paper 001, Tables 3 and 4.

    Inference time is the sum over items of preprocessing, perception and inference; None where not every reply was
    timed, since a part is not comparable with a whole. Raises `Misuse` for no runs.
    """
    if not scores:
        raise Misuse("a latency table needs at least one run")
    ranked = sorted(scores, key=lambda s: (not s.settled, -(s.accuracy or 0.0)))
    modalities = list(dict.fromkeys(mark.modality for s in scores for mark in s.items))
    columns = (
        c.MODEL,
        Column("accuracy", "Overall accuracy", "share", "总准确率"),
        *map(_accuracy_of, modalities),
        Column("inference_s", "Inference time", "seconds", "推理时间"),
        Column("wall_s", "Wall time", "seconds", "实际用时"),
        Column("perception", "Perception", "text", "感知"),
        c.N,
        Column("timed", "Timed", "count", "计时数"),
    )
    rows = tuple(_modality_row(s) for s in ranked)
    return Table(
        "latency_by_modality", "Accuracy and inference time", columns, rows, _notes(scores), "准确率与推理时间"
    )


def _accuracy_of(modality: str) -> Column:
    zh = in_chinese(named("modality", modality))
    return Column(f"accuracy_{_key(modality)}", f"{modality.capitalize()} accuracy", "share", f"{zh}准确率")


def perception(record: Record) -> Perception:
    """Whether a model saw text in place of media, and whether making it was part of this call."""
    if not record.perceived:
        return "none"
    return "measured" if record.stages.keys() & {"transcribe", "read"} else "cached"


def _stage_rows(s: Scores) -> Iterable[dict[str, Any]]:
    timed = [mark.record for mark in s.items if mark.record is not None and mark.latency is not None]
    for kind in ("none", "measured", "cached"):
        records = [record for record in timed if perception(record) == kind]
        for stage in STAGES:
            seconds = [record.stages[stage] for record in records if stage in record.stages]
            if seconds:
                yield _row(s, kind, STAGE_NAMES[stage], durations(seconds))
        if records:
            sums = [sum(record.stages.get(stage, 0.0) for stage in LATENCY_STAGES) for record in records]
            yield _row(s, kind, TOTAL, durations(sums))


def _row(s: Scores, kind: Perception, stage: Phrase, d: Durations) -> dict[str, Any]:
    return {
        "model": s.name,
        "perception": _PERCEPTION[kind],
        "stage": stage,
        "timed": d.n,
        "median_s": d.median,
        "p90_s": d.p90,
        "p95_s": d.p95,
        "p99_s": d.p99,
        "mean_s": d.mean,
        "sum_s": d.total,
    }


def _modality_row(s: Scores) -> dict[str, Any]:
    times = [mark.latency for mark in s.items if mark.latency is not None]
    row: dict[str, Any] = {
        "model": s.name,
        "accuracy": s.accuracy,
        "inference_s": sum(times) if len(times) == s.n else None,
        "wall_s": s.wall,
        "perception": _PERCEPTION[_kind(s.items)],
        "n": s.n,
        "timed": len(times),
    }
    return row | {f"accuracy_{_key(cell.value or 'none')}": cell.accuracy for cell in s.by("modality")}


def _kind(marks: Sequence[Mark]) -> Perception:
    """What the sum over `marks` holds. A medium that several items share is perceived once, and its cost is in the sum:
    for the others it was cached, for the run it was measured."""
    records = [mark.record for mark in marks if mark.record is not None]
    paid = {name for record in records if perception(record) == "measured" for name in _names(record)}
    unpaid = [record for record in records if perception(record) == "cached" and not _names(record) <= paid]
    if unpaid:
        return "mixed" if paid else "cached"
    return "measured" if paid else "none"


def _names(record: Record) -> set[str]:
    return set(record.perceived or ())


def _notes(scores: Sequence[Scores]) -> tuple[Phrase, ...]:
    return (
        Phrase(
            "Inference time is preprocessing, perception and inference; loading and queueing are not part of it.",
            "推理时间 = 预处理 + 感知 + 推理；读取和排队不计入。",
        ),
        Phrase(
            "Sums add up single calls; wall time is what passed, less where calls were in flight together.",
            "各次之和由单次调用相加而得；实际用时是真正经过的时间，多个调用同时进行时小于前者。",
        ),
        Phrase(
            'Perception "cached": transcripts or texts came from the cache and cost no time here; not comparable.',
            "感知为“缓存”：转写或识字的文本取自缓存，本次未耗时，不可比较。",
        ),
        Phrase(
            "A clip or picture that several items share is perceived once; the first of them bears its time.",
            "多道题共用的音频或图片只感知一次，用时计入其中最先作答的题。",
        ),
        Phrase(
            "Latencies of endpoints include the network and are not comparable with those of local models.",
            "远程接口的耗时含网络时间，不可与本地模型比较。",
        ),
        *_untimed_note(scores),
    )


def _untimed_note(scores: Sequence[Scores]) -> Iterable[Phrase]:
    counts = [(s, n) for s in scores if (n := _untimed(s))]
    if counts:
        each = (Phrase(f"{s.name}: {n} of {s.answered}", f"{s.name}，{s.answered} 个中的 {n} 个") for s, n in counts)
        untimed = listed(each, between=("; ", "；"))
        yield Phrase(
            f"Replies that were not timed (replayed or imported), left out: {untimed}.",
            f"未计时的回答（重放或导入）不计入：{untimed.zh}。",
        )


def _untimed(s: Scores) -> int:
    return sum(mark.extraction is not None and mark.latency is None for mark in s.items)


def _wall(s: Scores) -> Iterable[Phrase]:
    if s.wall:
        speed = f"{s.answered / s.wall:.2f}"
        yield Phrase(
            f"{s.name}: {s.wall:,.1f} s of wall time in all sessions, {speed} items per second.",
            f"{s.name}：各次会话实际用时共 {s.wall:,.1f} s，每秒 {speed} 题。",
        )


def _key(modality: str) -> str:
    return modality.replace("+", "_")
