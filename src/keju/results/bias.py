"""Answers that do not come from the question: one letter again and again, or what stood there to be repeated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase, listed
from keju.results import columns as c
from keju.results.figures import percent
from keju.results.mark import Mark
from keju.results.replies import Echo, echo_of, excerpt
from keju.results.scores import FAINT, Scores
from keju.results.table import Column, Table
from keju.stats import above_chance, holm, marginal_homogeneity

ONE_LETTER = 0.8
"""Share of one letter from which a note says that a run gives hardly any other; paper 001, §4, saw 807 of 900."""

OPTIONS = Column("options", "Options", "text", "选项")
KEYED = Column("key_share", "As the key", "share", "作为答案")


def bias_tables(scores: Sequence[Scores]) -> list[Table]:
    """Letter bias, the letters themselves, and echoes, as far as there are any."""
    return [table for table in (letter_bias(scores), letters(scores), echoes(scores)) if table]


def letters(scores: Sequence[Scores]) -> Table:
    """How often each run gives each letter, beside how often it is the key of the same items; and how often the items
    with that key are answered right. Raises `Misuse` for no runs.

    Items of other option labels are other rows. Only letters that replies gave themselves count, and only items with a
    key.
    """
    if not scores:
        raise Misuse("letters are counted of at least one run")
    rows = tuple(row for s in scores for labels, marks in _told(s) for row in _letter_rows(s, labels, marks))
    columns = (
        c.MODEL,
        OPTIONS,
        Column("letter", "Letter", "text", "字母"),
        Column("chosen", "Given", "count", "作答次数"),
        Column("keyed", "Key", "count", "答案次数"),
        Column("chosen_share", "Share given", "share", "作答比例"),
        KEYED,
        Column("recall", "Right where it is the key", "share", "以其为答案时的正确率"),
    )
    notes = [
        Phrase(
            "Over items whose reply gave a letter; drawn letters do not count. `keju run --circular` shows whether "
            "the place is preferred or the content.",
            "只计回答给出字母的题，随机抽取的不计。偏好的是位置还是内容，可用 keju run --circular 查看。",
        )
    ]
    if few := sum(len(_sets(s)) - len(_told(s)) for s in scores):
        notes.append(
            Phrase(
                f"Left out: {few} sets of options with fewer than {FAINT} such items of a run.",
                f"未列出：{few} 组选项，其题数在该次运行中不足 {FAINT}。",
            )
        )
    return Table("letters", "Letters given and due", columns, rows, tuple(notes), "作答字母与答案字母")


def letter_bias(scores: Sequence[Scores]) -> Table:
    """One row a run: are its letters given as often as they are the key? Raises `Misuse` for no runs."""
    if not scores:
        raise Misuse("letters are counted of at least one run")
    rows = [_bias_row(s) for s in scores]
    family = holm([row.get("p") for row in rows])
    made = tuple(row | {"p_holm": p} for row, p in zip(rows, family.adjusted, strict=True))
    columns = (
        c.MODEL,
        Column("n", "Letters given", "count", "有字母的回答"),
        Column("most", "Most given", "text", "最多的字母"),
        Column("most_share", "Its share", "share", "其比例"),
        KEYED,
        Column("chi_square", "Chi-square", "number", "卡方"),
        Column("df", "df", "count", "自由度"),
        c.P,
        c.P_HOLM,
    )
    notes = [
        Phrase(
            "Chi-square: Stuart and Maxwell's test that each letter is given as often as it is the key, paired by "
            f"item, added over sets of options. p (Holm) is adjusted over {family.size} tests, one a run.",
            "卡方：Stuart–Maxwell 检验，检验各字母的作答次数是否等于其作为答案的次数，按题配对，各选项组合相加。"
            f"p（Holm 校正）按 {family.size} 个检验校正，每次运行一个。",
        ),
        *_rough(made),
        *(_one_letter(row) for row in made if row["n"] >= FAINT and row["most_share"] >= ONE_LETTER),
    ]
    return Table("letter_bias", "Letter bias", columns, made, tuple(notes), "字母偏好")


def echoes(scores: Sequence[Scores]) -> Table | None:
    """How many replies of each run only repeat the question or the options (paper 001, §4); None where none does."""
    rows = [_echo_row(s) for s in scores]
    if not any(row["echoes"] for row in rows):
        return None
    columns = (
        c.MODEL,
        Column("n", "Replies", "count", "回答数"),
        Column("echoes", "Repeat", "count", "复述"),
        Column("question", "The question", "count", "复述题干", hide_zero=True),
        Column("several", "Several options", "count", "复述多个选项", hide_zero=True),
        Column("one", "One option's text", "count", "复述一个选项"),
        Column("first", "The first option's", "count", "其中第一项"),
        Column("expected", "By chance", "number", "随机期望"),
        Column("p_chance", "p (more often the first)", "p", "p（偏好第一项）"),
        Column("example", "Example", "text", "示例"),
    )
    note = Phrase(
        "A reply repeats where it begins with the question, or with options, or is an option's text without its "
        "label; the last may be meant as an answer. By chance: the sum of 1 / options over replies that repeat one "
        "option; p: exact, one-sided.",
        "复述：回答以题干或选项开头，或只是某个选项的文字而没有标签（后者可能是在作答）。"
        "随机期望：复述一个选项的各题 1 / 选项数之和；p 为单侧精确检验。",
    )
    return Table("echoes", "Replies that repeat what was asked", columns, tuple(rows), (note,), "复述题目的回答")


def _sets(s: Scores) -> list[tuple[tuple[str, ...], list[Mark]]]:
    """The marks that count, by the labels of their options."""
    groups: dict[tuple[str, ...], list[Mark]] = {}
    for mark in s.items:
        if mark.valid and mark.label is not None and mark.answer is not None:
            groups.setdefault(tuple(mark.item.options), []).append(mark)
    return sorted(groups.items())


def _told(s: Scores) -> list[tuple[tuple[str, ...], list[Mark]]]:
    """The sets that say something: those of ten items and more, and the only one of a run however small."""
    sets = _sets(s)
    return [(labels, marks) for labels, marks in sets if len(marks) >= FAINT or len(sets) == 1]


def _letter_rows(s: Scores, labels: Sequence[str], marks: Sequence[Mark]) -> Iterable[dict[str, Any]]:
    given = Counter(mark.label for mark in marks)
    due = Counter(mark.answer for mark in marks)
    right = Counter(mark.answer for mark in marks if mark.correct)
    for label in labels:
        yield {
            "model": s.name,
            "options": "".join(labels) if max(map(len, labels)) == 1 else ", ".join(labels),
            "letter": label,
            "chosen": given[label],
            "keyed": due[label],
            "chosen_share": given[label] / len(marks),
            "key_share": due[label] / len(marks),
            "recall": right[label] / due[label] if due[label] else None,
            **({"_faint": True} if len(marks) < FAINT else {}),
        }


def _bias_row(s: Scores) -> dict[str, Any]:
    sets = _sets(s)
    marks = [mark for _, group in sets for mark in group]
    if not marks:
        return {"model": s.name, "n": 0}
    most, times = Counter(mark.label for mark in marks).most_common(1)[0]
    test = marginal_homogeneity([_table(labels, group) for labels, group in sets])
    return {
        "model": s.name,
        "n": len(marks),
        "most": most,
        "most_share": times / len(marks),
        "key_share": sum(mark.answer == most for mark in marks) / len(marks),
        "chi_square": test.statistic,
        "df": test.df,
        "p": test.p,
        "_rough": test.discordant < 5 * test.df,  # as five items are expected in a cell of a chi-square test
    }


def _table(labels: Sequence[str], marks: Sequence[Mark]) -> list[list[int]]:
    """Items by the letter given (row) and the letter due (column)."""
    counts = Counter((mark.label, mark.answer) for mark in marks)
    return [[counts[given, due] for due in labels] for given in labels]


def _rough(rows: Iterable[dict[str, Any]]) -> Iterable[Phrase]:
    if names := listed(row["model"] for row in rows if row.get("_rough")):
        yield Phrase(
            f"Rough, as few answers differ from the key: {names}.", f"与答案不同的作答很少，仅供参考：{names.zh}。"
        )


def _one_letter(row: dict[str, Any]) -> Phrase:
    share, due = percent(row["most_share"]), percent(row["key_share"])
    return Phrase(
        f"{row['model']} gives {row['most']} in {share} of its answers; it is the key in {due}.",
        f"{row['model']} 的作答中 {row['most']} 占 {share}，而作为答案只占 {due}。",
    )


def _echo_row(s: Scores) -> dict[str, Any]:
    found = [(mark, echo) for mark in s.items if mark.extraction is not None and (echo := echo_of(mark))]
    counts: Counter[Echo] = Counter(echo for _, echo in found)
    chances = [mark.item.chance for mark, echo in found if echo in ("first-option", "other-option")]
    example = next((mark for mark, echo in found if echo != "other-option"), found[0][0] if found else None)
    return {
        "model": s.name,
        "n": s.answered,
        "echoes": len(found),
        "question": counts["question"],
        "several": counts["options"],
        "one": len(chances),
        "first": counts["first-option"],
        "expected": sum(chances),
        "p_chance": above_chance(counts["first-option"], chances).p if chances else None,
        "example": f"{example.id}: {excerpt(example)}" if example else None,
    }
