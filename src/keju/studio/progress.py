"""How far a project is, as tables: states, weeks, balance, findings, people's load. Figures come from `keju.stats`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from statistics import median
from typing import Any

from django.utils import timezone

from keju.benchmark import Benchmark, label_of
from keju.phrase import Phrase
from keju.results.answers import answer_balance
from keju.results.breakdowns import UNLABELLED
from keju.results.columns import INTERVAL
from keju.results.counts import ITEMS, SHARE
from keju.results.figures import p_equals
from keju.results.labels import heading_of, named
from keju.results.reliability import HIGH, LOW, VALUE, ends
from keju.results.table import Column, Table
from keju.stats import uniformity
from keju.stats.intervals import wilson
from keju.studio import agreeing, rating, screening
from keju.studio.benchmarks import LABEL_COLUMNS, benchmark_of
from keju.studio.findings import title_of
from keju.studio.form_labels import language_name
from keju.studio.models import Assignment, Batch, Event, Finding, Item, Project
from keju.studio.wording import worded

LABELS = ("genre", "question_type", "difficulty", "dimension", "instruction", "language")
LIVE = [state for state in Item.State if state != Item.State.EXCLUDED]
WEEKS = 16  # the last so many: a term's work on one screen

STATES = {
    "draft": Phrase("draft", "草稿"),
    "in_review": Phrase("in review", "审核中"),
    "revise": Phrase("to be revised", "待修改"),
    "accepted": Phrase("accepted", "已通过"),
    "disputed": Phrase("disputed", "有争议"),
    "excluded": Phrase("excluded", "已剔除"),
    "released": Phrase("released", "已发布"),
}
SEVERITIES = {"error": Phrase("error", "错误"), "warning": Phrase("warning", "警告"), "info": Phrase("info", "提示")}
KINDS = {
    "screen": Phrase("screening", "筛选"),
    "review": Phrase("review", "审核"),
    "equivalence": Phrase("equivalence", "双语对等审核"),
    "reannotate": Phrase("re-annotation", "盲法复标"),
    "rate": Phrase("rating", "质量评分"),
}
PERSON = Column("person", "Person", "text", "人员")


def states(project: Project) -> Table:
    """Items in each state, and their share."""
    counts = Counter(project.items.filter(reserve=False).values_list("state", flat=True))
    total = counts.total()
    rows = [
        {"state": STATES[state], "n": counts[state], "share": counts[state] / total if total else None}
        for state in Item.State
    ]
    reserve = project.items.filter(reserve=True).count()
    note = Phrase(
        f"Items: {total:,}; in reserve: {reserve:,}, not counted above.",
        f"题目：{total:,}；备用：{reserve:,}，未计入上表。",
    )
    columns = (Column("state", "State", "text", "状态"), ITEMS, SHARE)
    return Table("states", "Items by state", columns, tuple(rows), (note,), "题目：按状态")


def authors(project: Project) -> Table:
    """Items of each author in each state."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    pairs = project.items.filter(reserve=False).values_list("author__profile__pseudonym", "state")
    for name, state in pairs:
        counts[name or "–"][state] += 1
    used = [state for state in Item.State if any(states[state] for states in counts.values())]
    rows = [
        {"author": name, **{str(state): told[state] for state in used}, "total": told.total()}
        for name, told in sorted(counts.items(), key=lambda pair: -pair[1].total())
    ]
    columns = (
        Column("author", "Author", "text", "作者"),
        *(Column(str(state), str(STATES[state]), "count", STATES[state].zh) for state in used),
        Column("total", "Total", "count", "合计"),
    )
    return Table("authors", "Items by author and state", columns, tuple(rows), (), "题目：按作者和状态")


def weeks(project: Project, *, last: int = WEEKS) -> Table:
    """Items begun, sent to review, accepted and excluded in each of the last weeks, by the log, from Monday."""
    verbs = {
        "create": "begun",
        "submit": "submitted",
        "pass_all": "accepted",
        "keep": "accepted",
        "exclude": "excluded",
    }
    told: dict[date, Counter[str]] = defaultdict(Counter)
    for at, verb in Event.objects.filter(project=project, verb__in=verbs).values_list("at", "verb"):
        day = timezone.localdate(at)
        told[date.fromordinal(day.toordinal() - day.weekday())][verbs[verb]] += 1
    first, now = min(told, default=None), timezone.localdate()
    days: Iterable[date] = ()
    if first:
        this = now.toordinal() - now.weekday()
        days = map(date.fromordinal, range(max(first.toordinal(), this - 7 * (last - 1)), this + 1, 7))
    rows = [{"week": day.isoformat(), **{name: told[day][name] for name in verbs.values()}} for day in days]
    columns = (
        Column("week", "Week from", "text", "周（起）"),
        Column("begun", "Begun", "count", "新建"),
        Column("submitted", "Sent to review", "count", "送审"),
        Column("accepted", "Accepted", "count", "通过"),
        Column("excluded", "Excluded", "count", "剔除"),
    )
    return Table("weeks", "By week", columns, tuple(rows), (), "按周")


def live(project: Project) -> Benchmark:
    """Every item that is not excluded or in reserve, as it stands."""
    items = project.items.filter(state__in=LIVE, reserve=False, current__isnull=False)
    items = items.select_related("current__image", "current__audio", *LABEL_COLUMNS)
    return benchmark_of(project, [(item, item.current) for item in items if item.current])


def balances(project: Project, benchmark: Benchmark) -> list[Table]:
    """For each label that is used, the share of each value with its interval, and a test of equal shares."""
    terms: dict[tuple[str, str], Mapping[str, str]] = {(t.kind, t.code): t.label for t in project.terms.all()}
    used = [label for label in LABELS if any(label_of(item, label) for item in benchmark)]
    return [_balance(benchmark, label, terms) for label in used]


def keys(benchmark: Benchmark) -> Table | None:
    """How often each letter is the key, with the chi-square test; None where no item has a key."""
    return answer_balance(benchmark)


def findings(project: Project) -> Table:
    """Findings of each rule: open, mended, waived."""
    told = Counter(project.findings.values_list("rule", "severity", "state"))
    order = list(SEVERITIES)
    rules = sorted({key[:2] for key in told}, key=lambda key: (order.index(key[1]) if key[1] in order else 9, key))
    rows = [
        {
            "title": title_of(rule),
            "rule": rule,
            "severity": SEVERITIES.get(severity, severity),
            **{str(state): told[rule, severity, state] for state in Finding.State},
        }
        for rule, severity in rules
    ]
    columns = (
        Column("title", "What is found", "text", "检查内容"),
        Column("rule", "Rule", "text", "规则"),
        Column("severity", "Severity", "text", "级别"),
        Column("open", "Open", "count", "未处理"),
        Column("fixed", "Mended", "count", "已修复"),
        Column("waived", "Waived", "count", "已豁免"),
    )
    return Table("findings", "Findings of checks", columns, tuple(rows), (), "检查结果")


def load(project: Project) -> Table:
    """What is on each person's desk, what they have done, and how long a task takes them. Participants are left out."""
    mine = Assignment.objects.filter(batch__project=project, user__isnull=False)
    mine = mine.exclude(state=Assignment.State.VOID).exclude(batch__kind=Batch.Kind.BASELINE)
    told: dict[tuple[str, str], list[Assignment]] = defaultdict(list)
    for assignment in mine.select_related("user__profile", "batch"):
        told[_pseudonym(assignment), assignment.batch.kind].append(assignment)
    rows = [_load_row(name, kind, told[name, kind]) for name, kind in sorted(told)]
    columns = (
        PERSON,
        Column("kind", "Work", "text", "工作"),
        Column("waiting", "Waiting", "count", "待办"),
        Column("begun", "Begun", "count", "进行中"),
        Column("done", "Done", "count", "已完成"),
        Column("visible_s", "Time a task, median", "seconds", "单项用时中位数"),
    )
    return Table("load", "People's work", columns, tuple(rows), (), "人员工作量")


def agreements(project: Project) -> list[Table]:
    """The first figures of every round that has answers: raw agreement beside κ, means beside ICC."""
    made = {
        Batch.Kind.SCREEN: _screening,
        Batch.Kind.REANNOTATE: agreeing.tables_of,
        Batch.Kind.RATE: rating.tables_of,
    }
    rounds = project.batches.filter(kind__in=made).select_related("project").order_by("frozen_at")
    first = [(batch, tables[0]) for batch in rounds if (tables := made[Batch.Kind(batch.kind)](batch))]
    return [
        replace(
            table,
            name=f"{table.name}-{batch.pk}",
            title=f"{table.title}: {batch.name}",
            title_zh=f"{table.title_zh}：{batch.name}",
        )
        for batch, table in first
    ]


def _screening(batch: Batch) -> list[Table]:
    """Raw agreement of the screeners beside Fleiss' κ; none where no picture or clip has two votes."""
    found = screening.agreement(screening.tallies(batch))
    if found is None:
        return []
    row = {
        "coefficient": Phrase(found.coefficient, "Fleiss κ"),
        "observed": found.observed,
        "n": found.items,
        "value": found.value,
        **ends(found.interval),
        "note": found.undefined and Phrase("undefined: every vote is the same", "无定义：所有票都相同"),
    }
    columns = (
        Column("coefficient", "Coefficient", "text", "系数"),
        Column("observed", "Raw agreement", "share", "原始一致率"),
        Column("n", "Pictures and clips", "count", "图片和音频"),
        *(VALUE, LOW, HIGH),
        Column("note", "Remark", "text", "备注"),
    )
    return [Table("screening", "Agreement of screeners", columns, (row,), (), "筛选一致性")]


def _load_row(name: str, kind: str, mine: Sequence[Assignment]) -> dict[str, Any]:
    states = Counter(assignment.state for assignment in mine)
    seen = [assignment.visible_ms / 1000 for assignment in mine if assignment.visible_ms]
    return {
        "person": name,
        "kind": KINDS.get(kind, kind),
        "waiting": states[Assignment.State.OPEN],
        "begun": states[Assignment.State.TAKEN],
        "done": states[Assignment.State.DONE],
        "visible_s": median(seen) if seen else None,
    }


def _pseudonym(assignment: Assignment) -> str:
    return assignment.user.profile.pseudonym if assignment.user else "–"


def _balance(benchmark: Benchmark, label: str, terms: Mapping[tuple[str, str], Mapping[str, str]]) -> Table:
    counts = Counter(label_of(item, label) for item in benchmark)
    n = len(benchmark)
    rows = [
        {
            "value": _value(label, value, terms),
            "n": count,
            "share": count / n,
            "interval": wilson(count, n).pair,
            "_expected": 1 / len(counts) if value is not None else None,
        }
        for value, count in sorted(counts.items(), key=lambda pair: (pair[0] is None, -pair[1], pair[0] or ""))
    ]
    head = heading_of(label)
    notes = [Phrase("95 % CI: Wilson. The tick is an equal share.", "95 % 置信区间：Wilson 法。刻度线为均等份额。")]
    if test := _equal([count for value, count in counts.items() if value is not None]):
        notes.append(test)
    columns = (Column("value", head, "text", head.zh), ITEMS, SHARE, INTERVAL)
    return Table(f"by_{label}", f"Items by {head.lower()}", columns, tuple(rows), tuple(notes), f"题目：按{head.zh}")


def _equal(counts: Sequence[int]) -> Phrase | None:
    if len(counts) < 2:
        return None
    test = uniformity([counts])
    told = f"χ² = {test.statistic:.2f}, df = {test.df}, {p_equals(test.p)}"
    rough = test.smallest_expected < 5  # Cochran 1954
    return Phrase(
        f"Equal shares? {told}." + (" Few items: the p-value is rough." if rough else ""),
        f"份额是否均等：{told}。" + ("题数少，p 值仅供参考。" if rough else ""),
    )


def _value(label: str, value: str | None, terms: Mapping[tuple[str, str], Mapping[str, str]]) -> str:
    if value is None:
        return UNLABELLED
    if label == "language":
        return language_name(value)
    text = terms.get((label, value))
    return worded(text) if text else named(label, value)
