"""Answer sheets as people hand them in: XLSX or CSV, one row an item; or typed off paper, one column a person.

Columns go by their usual names in English and Chinese: the item's number in the booklet (or its id), and the answer;
or, without a column for the answer, one column a person. What was written is kept as it stands: reading it is marking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from keju.errors import BadFile
from keju.formats.names import folded
from keju.formats.tables import Row, Table, read_table

ROLES: Mapping[str, frozenset[str]] = {
    "number": frozenset(("no", "number", "#", "题号", "題號", "序号", "序號")),
    "item": frozenset(("item", "id", "itemid", "item_id", "编号", "編號", "题目编号", "題目編號")),
    "answer": frozenset(("answer", "answers", "response", "choice", "答案", "作答", "回答", "选择", "選擇")),
    "person": frozenset(
        (
            "person",
            "participant",
            "name",
            "code",
            "姓名",
            "代号",
            "代號",
            "被试",
            "受试者",
            "受試者",
            "参与者",
            "參與者",
        )
    ),
    "group": frozenset(("group", "组别", "組別", "组", "組", "分组", "分組")),
    "options": frozenset(("options", "option", "选项", "選項")),
}
"""What a column holds → words of which its heading has one."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one person wrote."""

    person: str
    group: str | None
    written: Mapping[str, str]
    """Item id → what was written, only where something was."""
    file: str
    lines: Mapping[str, int]
    """Item id → the row of the file where it stands."""


def read_sheets(path: Path, items: Sequence[str], encoding: str | None = None) -> list[Sheet]:
    """The sheets in a file, one a person. `items` are the ids in the booklet's order.

    Who does not say a name is called as the file is. Raises `BadFile` for a row whose item is none of these, two
    different answers of one person to one item, and a table that has no column for items or for answers.
    """
    table = read_table(path, encoding)
    roles = _roles(table, path)
    find = _finder(items)
    people: dict[str, _Filling] = {}
    person = group = ""
    for row in table.rows:
        item_id = _item(row, roles, find, path)
        if item_id is None:
            continue
        person = row.cells.get(roles.get("person", ""), person).strip() or person  # said once, it holds for the rest
        group = row.cells.get(roles.get("group", ""), group).strip() or group
        for name, written in _answers(row, roles, table):
            filling = people.setdefault(name or person or path.stem, _Filling(group or None, {}, {}))
            filling.add(item_id, written.strip(), f"{path}:{row.line}", row.line)
    if not people:
        raise BadFile(f"{path}: no row names an item of the booklet")
    return [Sheet(name, one.group, one.written, path.name, one.lines) for name, one in people.items()]


@dataclass(slots=True)
class _Filling:
    group: str | None
    written: dict[str, str]
    lines: dict[str, int]

    def add(self, item_id: str, written: str, place: str, line: int) -> None:
        if not any(char.isalnum() for char in written):
            return  # a blank, a dash, a question mark: no answer
        before = self.written.get(item_id)
        if before and before != written:
            raise BadFile(
                f"{place}: a second answer, {written!r}, to an item that line {self.lines[item_id]} answers "
                f"{before!r}; keep one"
            )
        self.written[item_id] = written
        self.lines[item_id] = line


def _roles(table: Table, path: Path) -> dict[str, str]:
    """Role → column."""
    roles: dict[str, str] = {}
    for column in table.columns:
        words = {word.strip(".:：#") or word for word in re.split(r"[\s·/|,，、()（）]+", folded(column).lower())}
        if role := next((role for role, names in ROLES.items() if words & names), None):
            roles.setdefault(role, column)
    if not roles.keys() & {"number", "item"}:
        raise BadFile(
            f"{path}: no column holds the items; call it `No.` (the number in the booklet) or `item` (the id). "
            f"There are {', '.join(table.columns)}"
        )
    if "answer" not in roles and not [name for name in table.columns if name and name not in roles.values()]:
        raise BadFile(f"{path}: no column holds answers; call it `answer`, or give each person a column")
    return roles


def _answers(row: Row, roles: Mapping[str, str], table: Table) -> Iterator[tuple[str, str]]:
    """(person, what was written) of a row; the person is empty where a column or the file says who it is."""
    if "answer" in roles:
        yield "", row.cells.get(roles["answer"], "")
        return
    for column in table.columns:
        if column and column not in roles.values():
            yield column, row.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class _Finder:
    items: Sequence[str]
    ids: Mapping[str, str]

    def number(self, text: str) -> str | None:
        found = re.fullmatch(r"\D*(\d+)\D*", folded(text))
        at = int(found[1]) if found else 0
        return self.items[at - 1] if 1 <= at <= len(self.items) else None

    def id(self, text: str) -> str | None:
        name = folded(text.strip())
        return self.ids.get(name) or self.ids.get(name.lstrip("0"))  # spreadsheets drop the zeros of 0001


def _finder(items: Sequence[str]) -> _Finder:
    ids: dict[str, str] = {}
    for item_id in items:
        ids.setdefault(folded(item_id).lstrip("0"), item_id)
    return _Finder(items, ids | {folded(item_id): item_id for item_id in items})


def _item(row: Row, roles: Mapping[str, str], find: _Finder, path: Path) -> str | None:
    """The item of a row; None for a row that names none, such as a line of thanks under the table."""
    for role, meant, right in (("number", find.number, f"1 to {len(find.items)}"), ("item", find.id, "ids")):
        if text := row.cells.get(roles.get(role, ""), "").strip():
            if found := meant(text):
                return found
            raise BadFile(f"{path}:{row.line}: {text!r} is no item of the booklet, which has {right}")
    return None
