"""Answer sheets laid against the items of a project: which key each row would set, or why it sets none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from keju.items import LABELS
from keju.studio.models import Item
from keju.studio.pasting import SheetRow
from keju.studio.wording import in_a_row


@dataclass(frozen=True, slots=True)
class Match:
    """One row of a sheet, and what it means."""

    row: SheetRow
    item: Item | None = None
    before: str = ""
    """The label that is the key now."""
    trouble: str = ""
    """Why it sets no key, for people."""

    @property
    def changes(self) -> bool:
        return self.item is not None and not self.trouble and self.before != self.row.label


def lay(rows: Sequence[SheetRow], items: Iterable[Item]) -> list[Match]:
    """Each row with the item that it names: by id, or by a number that is the last of one id only."""
    by_code: dict[str, Item] = {}
    by_number: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_code[item.code.casefold()] = item
        if found := re.search(r"(\d+)\D*$", item.code):
            by_number[int(found[1])].append(item)
    seen: set[int] = set()
    matches = []
    for row in rows:
        match = _match(row, by_code, by_number)
        if match.item is not None and match.item.pk in seen:
            match = Match(row, match.item, match.before, _("The sheet names this item twice."))
        elif match.item is not None:
            seen.add(match.item.pk)
        matches.append(match)
    return matches


def _match(row: SheetRow, by_code: dict[str, Item], by_number: dict[int, list[Item]]) -> Match:
    item = by_code.get(row.name.casefold())
    if item is None and row.name.isdecimal():
        numbered = by_number.get(int(row.name), [])
        if len(numbered) > 1:
            codes = in_a_row(item.code for item in numbered[:5])
            return Match(row, trouble=_("Several items end with this number: %(ids)s.") % {"ids": codes})
        item = numbered[0] if numbered else None
    if item is None or item.current is None:
        return Match(row, trouble=_("No item that you can change has this id."))
    content = item.current.content
    before = "" if content.key is None else LABELS[content.key]
    if row.label not in LABELS[: len(content.options)] or len(row.label) != 1:
        return Match(row, item, before, _("The item has no option %(label)s.") % {"label": row.label})
    return Match(row, item, before)
