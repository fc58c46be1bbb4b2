"""Do raters give the same scores? The six intraclass correlations as a table, each named in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keju.phrase import Phrase
from keju.results.figures import p_equals, percent
from keju.results.judged import Judged
from keju.results.table import Column, Table
from keju.stats import Interval, Reliability, icc

VALUE = Column("value", "Value", "number", "值")
LOW = Column("low", "95 % CI, low", "number", "95 % 置信区间下限")
HIGH = Column("high", "95 % CI, high", "number", "95 % 置信区间上限")
FIRST = Phrase("suits best", "最适用")


def reliability(data: Judged) -> Table:
    """The six intraclass correlations, each named in full."""
    full = [row for row in data.rows if None not in row]
    notes: list[Phrase] = []
    if len(full) < len(data.rows):
        notes.append(
            Phrase(
                f"An ICC needs every rating of an item: {len(full)} of {len(data.rows)} items have them all.",
                f"ICC 要求每题评分齐全：{len(data.rows)} 题中 {len(full)} 题齐全。",
            )
        )
    rows: tuple[dict[str, Any], ...] = ()
    if len(full) > 1:
        found = icc(full)
        rows = tuple(
            {
                "form": form,
                "meaning": _FORMS[form],
                "value": one.value,
                **ends(one.interval),
                "use": FIRST if form in ("ICC(2,1)", "ICC(2,k)") else None,
            }
            for form, one in found.forms.items()
        )
        notes += _reliability_notes(found)
    columns = (
        Column("form", "Form", "text", "形式"),
        Column("meaning", "What it is", "text", "含义"),
        *(VALUE, LOW, HIGH),
        Column("use", "Use", "text", "建议"),
    )
    title, title_zh = "Intraclass correlation", "组内相关系数"
    return Table(*named("icc", title, data), columns, rows, tuple(notes), named_zh(title_zh, data))


def ends(interval: Interval | None) -> dict[str, Any]:
    """The ends of an interval as cells; coefficients are no shares and are not drawn in percent."""
    if interval is None:
        return {"low": None, "high": None, "interval_method": None}
    method = {"bootstrap": Phrase("bootstrap", "自助法"), "wilson": Phrase("wilson", "Wilson 法")}
    return {"low": interval.low, "high": interval.high, "interval_method": method.get(interval.method, interval.method)}


def named(name: str, title: str, data: Judged) -> tuple[str, str]:
    """Name and title of a table, with the question that raters were asked, where there are several."""
    measure = data.ratings.measure
    return (f"{name}_{measure}", f"{title}: {measure}") if measure else (name, title)


def named_zh(title: str, data: Judged) -> str:
    """The Chinese title."""
    return f"{title}：{data.ratings.measure}" if data.ratings.measure else title


_FORMS: Mapping[str, Phrase] = {
    "ICC(1,1)": Phrase("one rater, raters differ by item", "单个评分者；每题评分者不同"),
    "ICC(2,1)": Phrase("one rater, absolute agreement: ICC(A,1)", "单个评分者；绝对一致：ICC(A,1)"),
    "ICC(3,1)": Phrase("one rater, consistency: ICC(C,1)", "单个评分者；相对一致：ICC(C,1)"),
    "ICC(1,k)": Phrase("mean of all raters, raters differ by item", "全体均值；每题评分者不同"),
    "ICC(2,k)": Phrase("mean of all raters, absolute agreement: ICC(A,k)", "全体均值；绝对一致：ICC(A,k)"),
    "ICC(3,k)": Phrase("mean of all raters, consistency: ICC(C,k)", "全体均值；相对一致：ICC(C,k)"),
}


def _reliability_notes(found: Reliability) -> Iterable[Phrase]:
    values = [f"{value:.4g}" for value in found.mean_squares.values()]
    squares = "items {}, raters {}, error {}, within items {}".format(*values)
    squares_zh = "题目 {}，评分者 {}，误差 {}，题内 {}".format(*values)
    if found.f is not None and found.p is not None:
        test, test_zh = (
            f"F = {found.f:.2f}{mark}{p_equals(found.p)}{end}" for mark, end in ((", ", "; "), ("，", "；"))
        )
    else:
        test = test_zh = ""
    yield Phrase(
        f"Items {found.items}, raters k = {found.raters}; {test}mean squares: {squares}.",
        f"题数 {found.items}，评分者 k = {found.raters}；{test_zh}均方：{squares_zh}。",
    )
    yield Phrase(
        f"All raters gave the same score: {percent(found.identical)} of items; at most one point apart: "
        f"{percent(found.within_one)}.",
        f"评分完全相同的题：{percent(found.identical)}；相差不超过 1 分：{percent(found.within_one)}。",
    )
    yield Phrase(
        "Agreement, ICC(2,·), counts a rater who is always a point lower; consistency, ICC(3,·), forgives it. "
        "Intervals: F-based (Shrout & Fleiss 1979, McGraw & Wong 1996).",
        "绝对一致 ICC(2,·) 计入总是低一分的评分者，相对一致 ICC(3,·) 不计。区间基于 F 分布（Shrout & Fleiss 1979，"
        "McGraw & Wong 1996）。",
    )
    if found.note:
        yield Phrase(f"ICC: {found.note}.", f"ICC：{_NOTES.get(found.note, found.note)}。")


_NOTES = {
    "undefined: no variance, all scores are the same": "无定义：全部分数相同，没有变异",
    "the items hardly differ (ceiling): read the share of identical scores, not the ICC": (
        "各题几乎没有差别（天花板效应）：请看评分完全相同的比例，不要看 ICC"
    ),
    "items differ less than raters do within an item; the ICC is not above zero": (
        "题间差异小于题内评分差异，ICC 不大于 0"
    ),
}
