"""The controlled measurement as tables: throughput and response by level, and each stage of the calls.

What goes over a network and what runs in this process, cold and warm cascades, are rows of their own and are ranked
among themselves only, and only as far as their repeats lie apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb
from statistics import median
from typing import Any

from keju.errors import RunStopped
from keju.phrase import Phrase, listed
from keju.records import STAGES
from keju.results import columns as c
from keju.results.figures import percent
from keju.results.latency import STAGE_NAMES, TOTAL
from keju.results.latency_cells import Cell, cells_of, comparable, latency_of, rank, response_of
from keju.results.table import Column, Table
from keju.runs.offering import Level
from keju.runs.sweep import Condition, Design, Series
from keju.stats import Durations, durations

CONDITIONS: Mapping[Condition, Phrase | None] = {
    "plain": None,
    "cold": Phrase("cold", "冷（重新感知）"),
    "warm": Phrase("warm", "热（取自缓存）"),
}
RESPONSE = Phrase("response", "响应时间")
"""All that a caller waits for: every stage, queueing too."""

_HERE = Phrase("this process", "本进程")

WHERE = Column("where", "Where", "text", "位置")
CONDITION = Column("perception", "Perception", "text", "感知")
LOAD = Column("load", "Load", "text", "负载")


def latency_levels(
    found: Sequence[Series],
    plan: Design,
    *,
    environment: Mapping[str, Any],
    clip_seconds: Mapping[str, float],
) -> tuple[Table, Table]:
    """Throughput by level, and the percentiles of every stage. `clip_seconds`: item id → length of its clips.

    Raises `RunStopped` where nothing was measured.
    """
    cells = [cell for series in found for cell in cells_of(series)]
    if not cells:
        why = next((series.stopped for series in found if series.stopped), "none was given")
        raise RunStopped(f"no model could be measured: {why}")
    columns = (
        c.MODEL,
        WHERE,
        CONDITION,
        LOAD,
        Column("calls", "Calls", "count", "调用数"),
        Column("errors", "Errors", "count", "错误", hide_zero=True),
        Column("items_per_s", "Items/s", "number", "每秒题数"),
        Column("items_per_s_low", "Lowest", "number", "最低"),
        Column("items_per_s_high", "Highest", "number", "最高"),
        Column("rank", "Rank", "text", "名次"),
        Column("response_p50_s", "Response p50", "seconds", "响应 p50"),
        Column("response_p95_s", "p95", "seconds", "p95"),
        Column("first_token_p50_s", "First token p50", "seconds", "首个词元 p50"),
        Column("input_tokens_per_s", "Tokens in/s", "number", "每秒输入词元"),
        Column("output_tokens_per_s", "Tokens out/s", "number", "每秒输出词元"),
        Column("clip_s_per_s", "Clip s per s", "number", "每秒处理音频（秒）"),
    )
    rows = tuple(_level_row(cell, cells, clip_seconds) for cell in cells)
    used = tuple(column for column in columns if column.kind == "count" or any(_has(row, column) for row in rows))
    notes = (
        *_design_notes(plan, found),
        *_clip_notes(used),
        *_rank_notes(plan, cells),
        *_trouble_notes(found, cells),
        *_where(environment),
        *_formats(found),
    )
    levels = Table("latency_levels", "Latency by level", used, rows, notes, "各负载下的延迟")
    return levels, _stages(cells)


def _has(row: Mapping[str, Any], column: Column) -> bool:
    return row.get(column.key) is not None


def _names(cell: Cell) -> dict[str, Any]:
    return {
        "model": cell.series.model,
        "where": cell.series.endpoint or _HERE,
        "perception": CONDITIONS[cell.series.condition],
        "load": _told(cell.level),
    }


def _told(level: Level) -> Phrase:
    zh = f"并发 {level.in_flight}" if level.rate is None else f"每秒 {level.rate:g} 次"
    return Phrase(str(level), zh)


def _level_row(cell: Cell, cells: Sequence[Cell], clip_seconds: Mapping[str, float]) -> dict[str, Any]:
    wall = sum(one.wall_s for one in cell.passes)
    response = cell.seconds(response_of)
    first = [record.stages["first_token"] for record in cell.timed if "first_token" in record.stages]
    return _names(cell) | {
        "calls": len(cell.records),
        "errors": cell.errors,
        "items_per_s": median(cell.throughputs),
        "items_per_s_low": min(cell.throughputs),
        "items_per_s_high": max(cell.throughputs),
        "rank": rank(cell, cells),
        "response_p50_s": response and response.median,
        "response_p95_s": response and response.p95,
        "first_token_p50_s": median(first) if first else None,
        "input_tokens_per_s": _tokens(cell, "input_tokens", wall),
        "output_tokens_per_s": _tokens(cell, "output_tokens", wall),
        "clip_s_per_s": _clip_speed(cell, clip_seconds),
    }


def _tokens(cell: Cell, which: str, wall: float) -> float | None:
    """Tokens a second over all repeats; None where the server did not count those of every reply."""
    counts = [getattr(record.usage, which, None) for record in cell.records if record.has_reply]
    known = [count for count in counts if count is not None]
    return sum(known) / wall if known and len(known) == len(counts) else None


def _clip_speed(cell: Cell, clip_seconds: Mapping[str, float]) -> float | None:
    """Seconds of recording for one second of work: of the transcriber's in a cascade, else of the model's."""
    if not cell.series.hears:
        return None
    heard = [record for record in cell.timed if clip_seconds.get(record.id)]
    cold = cell.series.condition == "cold"
    spent = sum(record.stages.get("transcribe", 0.0) if cold else latency_of(record) for record in heard)
    return sum(clip_seconds[record.id] for record in heard) / spent if spent else None


def _stages(cells: Sequence[Cell]) -> Table:
    percentiles = ("p50", "p90", "p95", "p99")
    columns = (
        c.MODEL,
        CONDITION,
        LOAD,
        Column("stage", "Stage", "text", "阶段"),
        Column("timed", "Timed", "count", "计时数"),
        *(Column(f"{p}_s", p, "seconds", p) for p in percentiles),
        Column("mean_s", "Mean", "seconds", "均值"),
    )
    rows = tuple(row for cell in cells for row in _stage_rows(cell))
    used = tuple(column for column in columns if any(_has(row, column) for row in rows))
    notes = (
        Phrase(
            "Inference time is preprocessing, perception and inference, as in the Multi-TW paper; the response adds "
            "loading and queueing. All repeats together; of fewer than 100 calls, p99 is hardly more than the slowest.",
            "推理时间 = 预处理 + 感知 + 推理（同 Multi-TW 论文）；响应时间另含读取和排队。各次重复合并计算；"
            "调用不足 100 次时，p99 与最慢一次相差无几。",
        ),
    )
    return Table("latency_stages", "Stages by level", used, rows, notes, "各负载下各阶段耗时")


def _stage_rows(cell: Cell) -> Iterator[dict[str, Any]]:
    for stage in STAGES:
        if seconds := [record.stages[stage] for record in cell.timed if stage in record.stages]:
            yield _stage_row(cell, STAGE_NAMES[stage], durations(seconds))
    for name, of in ((TOTAL, latency_of), (RESPONSE, response_of)):
        if summary := cell.seconds(of):
            yield _stage_row(cell, name, summary)


def _stage_row(cell: Cell, stage: Phrase, d: Durations) -> dict[str, Any]:
    figures = {"p50_s": d.median, "p90_s": d.p90, "p95_s": d.p95, "p99_s": d.p99, "mean_s": d.mean}
    return {**_names(cell), "stage": stage, "timed": d.n, **figures}


def _design_notes(plan: Design, found: Sequence[Series]) -> Iterator[Phrase]:
    items, warm, tokens = len(plan.items), len(plan.warm_up), plan.new_tokens
    yield Phrase(
        f"{items} items, the same at every level, {plan.repeats} times; before each level {warm} more to warm up, "
        f"not counted. New tokens: {tokens}. No call is tried again.",
        f"每个负载均为相同的 {items} 题，重复 {plan.repeats} 次；每个负载之前另有 {warm} 题预热，不计入。"
        f"新词元上限：{tokens}。失败不重试。",
    )
    if any(series.protocol.scoring == "option-likelihood" for series in found):
        yield Phrase(
            "Under option-likelihood no token is written: the options' texts are scored.",
            "option-likelihood 协议不生成词元，而是为各选项文本打分。",
        )
    if any(series.condition != "plain" for series in found):
        yield Phrase(
            "Cold: every clip and picture is perceived anew for each call. Warm: taken from the cache; the same model "
            "without the cost of perception. The two are never compared.",
            "冷：每次调用都重新转写、识字；热：取自缓存，即不含感知开销的同一模型。两者不作比较。",
        )
    if crowded := [level for level in plan.levels if (level.in_flight or 0) * 2 > items]:
        told = listed(map(_told, crowded))
        yield Phrase(
            f"Too few items for a steady load at {told}: most of a pass is its beginning and end. Take more items.",
            f"题数太少，以下负载达不到稳态：{told.zh}。请增加题数。",
        )


def _clip_notes(columns: Sequence[Column]) -> Iterator[Phrase]:
    if any(column.key == "clip_s_per_s" for column in columns):
        yield Phrase(
            "Clip s per s: seconds of recording heard in one second of transcribing (cold cascades) or of inference; "
            "below 1 is slower than listening.",
            "每秒处理音频：转写（冷级联）或推理每用一秒所处理的录音秒数；小于 1 即慢于实时。",
        )


def _rank_notes(plan: Design, cells: Sequence[Cell]) -> Iterator[Phrase]:
    if any(cell.series.endpoint for cell in cells):
        yield Phrase(
            "Endpoints: the network and other users' load are part of every figure. They are never ranked with what "
            "runs in this process.",
            "远程接口：所有数字都含网络时间和他人负载的影响，不与本进程内的模型排名。",
        )
    if not any(comparable(a, b) for a in cells for b in cells if a is not b):
        return
    if plan.repeats < 2:
        yield Phrase("Not ranked: one repeat says nothing of the spread.", "未排名：只测一次无从得知波动。")
        return
    by_chance = 2 / comb(2 * plan.repeats, plan.repeats)
    yield Phrase(
        "Ranked at each level by items per second (in open loop by the response's p95), only as far as all repeats of "
        f"one are better than all of the other; between equals that happens in {percent(by_chance)} of pairs. A rank "
        "such as 1–2 says that the spread is too wide to tell.",
        "各负载按每秒题数（开环按响应 p95）排名，仅当一方的各次重复全部优于另一方时才分先后；两者相同时，"
        f"偶然如此的概率为 {percent(by_chance)}。名次如 1–2 表示波动太大，无法分出先后。",
    )


def _trouble_notes(found: Sequence[Series], cells: Sequence[Cell]) -> Iterator[Phrase]:
    for cell in cells:
        told = _told(cell.level)
        who = Phrase(f"{cell.series.model}, {told}", f"{cell.series.model}，{told.zh}")
        kinds = Counter(
            (record.error or {}).get("kind", record.status) for record in cell.records if not record.has_reply
        )
        if kinds:
            failed = listed(f"{n} {kind}" for kind, n in sorted(kinds.items()))
            yield Phrase(f"{who}: {failed}; not ranked.", f"{who.zh}：{failed.zh}；不排名。")
        if strangers := len(cell.records) - cell.errors - len(cell.timed):
            yield Phrase(
                f"{who}: {strangers} replies were not timed, or perceived against the row's condition; left out.",
                f"{who.zh}：{strangers} 个回答未计时或感知方式与该行不符，不计入。",
            )
    for series in found:
        if series.stopped:
            yield Phrase(
                f"{series.model} stopped early: {series.stopped}", f"{series.model} 提前中止：{series.stopped}"
            )


def _where(environment: Mapping[str, Any]) -> Iterator[Phrase]:
    cpus, load = environment["cpus"] or 1, environment["load"]
    cards = listed(f"{gpu['name']} (driver {gpu['driver']})" for gpu in environment["gpus"])
    cpu, system = f"{environment['cpu']}, {cpus} × CPU", environment["system"]
    yield Phrase(
        f"Measured on {cpu}; {cards or 'no GPU'}; {system}.", f"测量环境：{cpu}；{cards.zh or '无 GPU'}；{system}。"
    )
    if load is not None and load > cpus / 2:
        yield Phrase(
            f"The machine was busy when this began (load {load:.1f} on {cpus} processors): measure again when it is "
            "idle before you trust a figure.",
            f"开始测量时机器繁忙（{cpus} 个处理器，负载 {load:.1f}）：请在空闲时重测。",
        )


def _formats(found: Sequence[Series]) -> Iterator[Phrase]:
    """What a local model was run as, where it says so."""
    for series in found:
        said = {**series.settings, **series.discovered}
        facts = listed(f"{name} {said[name]}" for name in ("device", "dtype", "attention") if name in said)
        if facts:
            yield Phrase(f"{series.model}: {facts}.", f"{series.model}：{facts.zh}。")
