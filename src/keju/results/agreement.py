"""Do raters agree? Every coefficient that the data allow, which of them suits and why, and what lies behind them.

Raw agreement stands beside κ in one table, so that neither is taken for the other (paper 000 prints a κ of 0.87 beside
13 % of disagreements, which would be a κ of 0.83).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any, Literal

from keju.errors import Misuse
from keju.phrase import Phrase, in_chinese
from keju.results.coefficients import BRENNAN, CHINESE, COEFFICIENTS, first_choice
from keju.results.figures import percent
from keju.results.judged import MANY, Judged
from keju.results.labels import heading_of
from keju.results.reliability import FIRST, HIGH, LOW, VALUE, ends, named, named_zh, reliability
from keju.results.table import Column, Table
from keju.stats import Agreement, cohen_kappa
from keju.stats.intervals import wilson

SKEWED = 0.8
"""Share of the most frequent label from which κ is known to fall although raters agree (Feinstein & Cicchetti 1990)."""
PAIRS = 10
"""Raters up to which every pair is shown: 45 rows."""

COEFFICIENT = Column("coefficient", "Coefficient", "text", "系数")
METHOD = Column("interval_method", "CI by", "text", "区间方法")
OBSERVED = Column("observed", "Raw agreement", "share", "原始一致率")
EXPECTED = Column("expected", "By chance", "share", "随机一致率")
ITEMS = Column("items", "Items", "count", "题数")
RATER = Column("rater", "Rater", "text", "评分者")
NOTE = Column("note", "Remark", "text", "备注")
ALL = Phrase("all", "全体")


def agreement_tables(
    data: Judged, *, options: int | None = None, by: Sequence[str] = (), items: bool = False
) -> list[Table]:
    """Coefficients; ICC for scores; pairs of raters; raters; groups of items by the labels `by`; disagreements.

    `options`: how many labels could be given, where not all of them were. Raises `Misuse` for an unknown label.
    """
    tables = [coefficients(data, options)]
    if not data.labels:
        tables.append(reliability(data))
    if 2 < data.raters <= PAIRS:
        tables.append(rater_pairs(data))
    tables += [raters(data), *(by_label(data, label, options) for label in by)]
    if items:
        tables.append(disagreements(data))
    return tables


def coefficients(data: Judged, options: int | None = None) -> Table:
    """Raw agreement and every coefficient on labels that the data allow; the one that suits is marked."""
    rows = [_raw_row(data)]
    notes = [_choice(data), *_facts(data), *data.ratings.remarks]
    if data.distinct > MANY:
        many = Phrase(
            f"More than {MANY} different values: only the ICC is given; exact matches say nothing of such scores.",
            f"取值多于 {MANY} 种：只给出 ICC；这样的分数谈不上完全相同。",
        )
        return _table("agreement", "Agreement", "一致性", data, tuple(rows), (*notes, many))
    found = [(name, suits, compute(data, options)) for name, suits, compute in COEFFICIENTS if suits(data)]
    best = first_choice(data)
    rows += [_row(name, one, name == best) for name, _, one in found]
    methods = {one.interval.method for _, _, one in found if one.interval}
    return _table("agreement", "Agreement", "一致性", data, tuple(rows), (*notes, *_interval_notes(methods)))


def rater_pairs(data: Judged) -> Table:
    """Each pair of raters: κ of names, quadratically weighted κ of scores."""
    weights: Literal["quadratic"] | None = None if data.labels or data.distinct > MANY else "quadratic"
    rows = []
    for one, other in combinations(range(data.raters), 2):
        told = data.of_pair(one, other)
        row: dict[str, Any] = {
            "rater": data.ratings.raters[one],
            "other": data.ratings.raters[other],
            "items": len(told),
        }
        if told:
            found = cohen_kappa(*zip(*told, strict=True), weights=weights, categories=data.categories)
            row |= {"observed": found.observed, "value": found.value, **ends(found.interval), "note": _why(found)}
        else:
            row["note"] = Phrase("no item in common", "没有共同评的题")
        rows.append(row)
    kappa = (
        Phrase("Cohen's kappa, quadratic weights", "Cohen κ（平方加权）")
        if weights
        else Phrase("Cohen's kappa", "Cohen κ 系数")
    )
    columns = (
        RATER,
        Column("other", "Other rater", "text", "另一评分者"),
        *(ITEMS, OBSERVED),
        Column("value", kappa, "number", kappa.zh),
        *(LOW, HIGH, NOTE),
    )
    title, title_zh = "Pairs of raters", "两两评分者"
    return Table(*named("rater_pairs", title, data), columns, tuple(rows), (), named_zh(title_zh, data))


def raters(data: Judged) -> Table:
    """Each rater, and all together: how many ratings, and what they are like."""
    rows = []
    for name, values in [*zip(data.ratings.raters, zip(*data.rows, strict=True), strict=True), (ALL, None)]:
        told = [value for value in (values if values else sum(data.rows, ())) if value is not None]
        of = len(data.rows) * (1 if values else data.raters)
        rows.append({"rater": name, "n": len(told), "missing": of - len(told), **_described(told, data)})
    number, missing = Column("n", "Ratings", "count", "评分数"), Column("missing", "Missing", "count", "缺失")
    described = (
        (Column("labels", "Labels", "text", "标签"),)
        if data.labels
        else (Column("mean", "Mean", "number", "均值"), Column("sd", "SD", "number", "标准差"))
    )
    notes = () if data.labels else (Phrase("SD is that of a sample (n − 1).", "标准差为样本标准差（n − 1）。"),)
    title, title_zh = "Raters", "评分者"
    return Table(
        *named("raters", title, data),
        (RATER, number, missing, *described),
        tuple(rows),
        notes,
        named_zh(title_zh, data),
    )


def by_label(data: Judged, label: str, options: int | None = None) -> Table:
    """The coefficient that suits, for the items of each value of a label."""
    column = data.ratings.labels.get(label)
    if column is None:
        there = ", ".join(data.ratings.labels) or "none"
        raise Misuse(f"the file has no column {label!r} that says something of the items; there is {there}")
    best = first_choice(data)
    compute = next(compute for name, _, compute in COEFFICIENTS if name == best)
    rows = []
    for value in sorted(set(column), key=lambda text: (text is None, text or "")):
        part = data.of_items([at for at, told in enumerate(column) if told == value])
        row: dict[str, Any] = {"value_of": value, "items": part.both, "_faint": part.both < 10}
        if part.both:
            found = compute(part, options)
            row |= {"observed": found.observed, "value": found.value, **ends(found.interval), "note": _why(found)}
        rows.append(row)
    shown, heading = Phrase(best, CHINESE[best]), heading_of(label)
    columns = (
        Column("value_of", heading, "text", heading.zh),
        ITEMS,
        OBSERVED,
        Column("value", shown, "number", shown.zh),
        LOW,
        HIGH,
        NOTE,
    )
    title, title_zh = f"Agreement by {heading.lower()}", f"一致性：按{heading.zh}"
    return Table(*named(f"agreement_by_{label}", title, data), columns, tuple(rows), (), named_zh(title_zh, data))


def disagreements(data: Judged) -> Table:
    """The items on which not all raters agree, with what each gave."""
    keys = {name: f"rater:{name}" for name in data.ratings.raters}
    rows = tuple(
        {"item": item, **dict(zip(keys.values(), told, strict=True))}
        for item, told in zip(data.ratings.items, data.ratings.values, strict=True)
        if len(set(told) - {None}) > 1
    )
    columns = (Column("item", "Item", "text", "题目"), *(Column(key, name, "text", name) for name, key in keys.items()))
    title, title_zh = "Items on which raters differ", "评分不一致的题"
    return Table(*named("disagreements", title, data), columns, rows, (), named_zh(title_zh, data))


def _raw_row(data: Judged) -> dict[str, Any]:
    pairs = [[a == b for a, b in combinations([v for v in row if v is not None], 2)] for row in data.rows]
    shares = [fmean(told) for told in pairs if told]
    observed = fmean(shares)
    return {
        "coefficient": Phrase("Raw agreement (Po)", "原始一致率（Po）"),
        "value": observed,
        **ends(wilson(observed * len(shares), len(shares))),
        "items": len(shares),
        "note": Phrase("chance is in it", "含随机一致"),
    }


def _row(name: str, found: Agreement, best: bool) -> dict[str, Any]:
    pabak = (
        Phrase("two labels: this is PABAK", "只有两个标签：即 PABAK")
        if name == BRENNAN and found.expected == 0.5
        else None
    )
    return {
        "coefficient": Phrase(name, CHINESE[name]),
        "value": found.value,
        **ends(found.interval),
        "observed": found.observed,
        "expected": found.expected,
        "items": found.items,
        "se": found.se,
        "se_null": found.se_null,
        "use": FIRST if best else None,
        "note": _why(found) or pabak,
    }


def _why(found: Agreement) -> Phrase | None:
    """Why a value is undefined; None where it is not."""
    if found.value is not None:
        return None
    return Phrase("undefined: no variance, all ratings are the same", "无定义：全部评分相同，没有变异")


def _table(
    name: str, title: str, title_zh: str, data: Judged, rows: tuple[dict[str, Any], ...], notes: Iterable[Phrase]
) -> Table:
    columns = (
        *(COEFFICIENT, VALUE, LOW, HIGH, METHOD, OBSERVED, EXPECTED, ITEMS),
        Column("se", "SE", "number", "标准误", hidden=True),
        Column("se_null", "SE (κ = 0)", "number", "标准误（κ = 0）", hidden=True),
        Column("use", "Use", "text", "建议"),
        NOTE,
    )
    return Table(*named(name, title, data), columns, rows, tuple(notes), named_zh(title_zh, data))


def _choice(data: Judged) -> Phrase:
    """Which coefficient suits, and why."""
    best = first_choice(data)
    shown = Phrase(best, CHINESE[best])
    if not data.labels:
        text = Phrase(
            "{best} suits: scores have an order, and a near miss is no full disagreement. Beside it report ICC(2,1) of "
            "one rater and ICC(2,k) of the mean, named in full.",
            "适用 {best}：分数有次序，相近不算完全不一致。同时报告单个评分者的 ICC(2,1) 和均值的 ICC(2,k)，"
            "并写明形式。",
        )
    elif best == BRENNAN:
        text = Phrase(
            "{best} suits: items have different numbers of options, and chance is 1 / options of each.",
            "适用 {best}：各题选项数不同，随机水平为每题的 1 / 选项数。",
        )
    elif data.gaps:
        text = Phrase(
            "{best} suits: labels without order, and not every rater labelled every item.",
            "适用 {best}：标签无次序，且并非每人都评了每题。",
        )
    elif data.raters == 2:
        text = Phrase(
            "{best} suits: two raters, labels without order, none missing.", "适用 {best}：两人，标签无次序，无缺失。"
        )
    else:
        text = Phrase(
            "{best} suits: several raters, labels without order, none missing.",
            "适用 {best}：多人，标签无次序，无缺失。",
        )
    return text.filled(best=shown)


def _facts(data: Judged) -> Iterable[Phrase]:
    """What a reader must know of the data to read the coefficients."""
    yield Phrase(
        f"{data.raters} raters, {len(data.rows)} items, {data.both} of them with at least two ratings; missing "
        f"ratings: {data.gaps}.",
        f"{data.raters} 人，{len(data.rows)} 题，其中 {data.both} 题至少有两个评分；缺失 {data.gaps} 个。",
    )
    if nobody := sum(all(value is None for value in row) for row in data.rows):
        yield Phrase(f"Items that nobody rated: {nobody}.", f"无人评的题：{nobody}。")
    told = Counter(value for row in data.rows for value in row if value is not None)
    label, most = told.most_common(1)[0]
    share = most / told.total()
    if len(told) == 1:
        yield Phrase(
            "All ratings are the same: raw agreement is 1. κ and α, which learn chance from the ratings, are "
            "undefined, not 0 and not 1; Brennan-Prediger and AC1, which do not, are 1.",
            "全部评分相同：原始一致率为 1。κ 和 α 的随机水平取自评分本身，因此无定义，既不是 0 也不是 1；"
            "Brennan-Prediger 和 AC1 不取自评分，为 1。",
        )
    elif share >= SKEWED:
        shown = _shown(label)
        yield Phrase(
            f"{percent(share)} of all ratings are {shown}: then κ and α are low although raters agree; read AC1 beside "
            "them.",
            f"{percent(share)} 的评分为 {shown}：此时即使一致，κ 和 α 也偏低；请同时看 AC1。",
        )
    if data.scale == "ordinal" and data.numeric:
        yield Phrase(
            "The values are numbers and were read as scores; --scale nominal if they are names.",
            "取值是数字，按分数处理；如果只是名称，请用 --scale nominal。",
        )


def _interval_notes(methods: set[str]) -> Iterable[Phrase]:
    if "bootstrap" in methods:
        yield Phrase(
            "95 % CI: percentile bootstrap over items, all ratings of an item together, 2,000 resamples, seed 0.",
            "95 % 置信区间：对题目作百分位自助法（同一题的评分一起抽取），重抽样 2,000 次，随机种子 0。",
        )
    if "wilson" in methods:
        yield Phrase(
            "With fewer than 10 items on which raters differ, the interval is Wilson's of the raw agreement, carried "
            "to the coefficient's scale.",
            "评分不一致的题不足 10 道时，用原始一致率的 Wilson 区间换算。",
        )


def _described(values: Sequence[Any], data: Judged) -> dict[str, Any]:
    if data.labels:
        return {"labels": ", ".join(f"{label} {n}" for label, n in sorted(Counter(values).items())) or None}
    return {"mean": fmean(values) if values else None, "sd": stdev(values) if len(values) > 1 else None}


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else in_chinese(str(value))
