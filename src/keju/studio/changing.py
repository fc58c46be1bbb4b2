"""Changing an item that others may have judged: the new revision, the reviews that it voids, the findings it leaves."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from keju.studio import findings
from keju.studio.editing import EDITABLE
from keju.studio.models import Item
from keju.studio.saving import Edit, save
from keju.studio.touching import void_touched
from keju.studio.workflow import NotAllowed


@transaction.atomic
def change(
    item: Item, user: User, edit: Edit, *, base_version: int, reason: str = "", typo: bool = False
) -> Item:  # fmt: skip
    """The item as it is after the change. Raises `Conflict`, and `NotAllowed` where it was moved on."""
    item = Item.objects.select_for_update(of=("self",)).select_related("project", "current").get(pk=item.pk)
    if item.state not in EDITABLE:
        raise NotAllowed(_("This item is “%(state)s”: it cannot be changed now.") % {"state": item.get_state_display()})
    before = item.current
    after = save(item, user, edit, base_version=base_version, reason=reason)
    if before and after.pk != before.pk:
        void_touched(item, before, after, user, typo=typo)
    item = Item.objects.select_related("project", "current").get(pk=item.pk)
    findings.refresh(item)
    return item
