"""What people handed in: who answered how much, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from keju.people.sheets import Sheet
from keju.phrase import Phrase
from keju.results.humans import BLANK, BLANKS, GROUP, NO_GROUP, PERSON, UNREAD
from keju.results.scores import score
from keju.results.table import Column, Table
from keju.runs.run import Run

REASONS = {
    "several": Phrase("several options", "写了多个选项"),
    "not-an-option": Phrase("no option of this question", "不是本题的选项"),
    "no-label": Phrase("no letter of an option", "没有选项字母"),
}
FILE = Column("file", "File", "text", "文件")


def handed_in(runs: Sequence[Run], sheets: Sequence[Sheet]) -> Table:
    """A row a person: answers read, blanks, and what could not be read."""
    rows = []
    for run, sheet in zip(runs, sheets, strict=True):
        marks = score(run).items
        blank = sum(mark.reason in BLANKS for mark in marks)
        read = sum(mark.valid for mark in marks)
        rows.append(
            {
                "person": run.model,
                "group": run.info["group"] or NO_GROUP,
                "read": read,
                "blank": blank,
                "unread": len(marks) - read - blank,
                "file": sheet.file,
            }
        )
    columns = (PERSON, GROUP, Column("read", "Answers", "count", "答案"), BLANK, UNREAD, FILE)
    return Table("handed_in", "Answer sheets", columns, tuple(rows), (), "答题卡")


def unread(runs: Sequence[Run], sheets: Sequence[Sheet], items: Sequence[str]) -> Table:
    """A row for each answer that could not be read; `items` are the ids in the booklet's order."""
    rows = tuple(
        {
            "person": run.model,
            "no": items.index(mark.id) + 1,
            "written": mark.text,
            "why": REASONS[mark.reason],
            "file": f"{sheet.file}:{sheet.lines[mark.id]}",
        }
        for run, sheet in zip(runs, sheets, strict=True)
        for mark in score(run).items
        if mark.reason in REASONS
    )
    columns = (
        PERSON,
        Column("no", "No.", "count", "题号"),
        Column("written", "Written", "text", "所写内容"),
        Column("why", "Why not read", "text", "原因"),
        FILE,
    )
    note = Phrase(
        "These count as wrong until they are corrected in the sheet and read again with --replace.",
        "在答题卡中改正并用 --replace 重新读取之前，这些答案计为答错。",
    )
    return Table("unread", "Answers that could not be read", columns, rows, (note,), "无法辨认的答案")
