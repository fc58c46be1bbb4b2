"""Asking the studio for an address without a trace, and what must stay hidden from whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from worlds import World

from keju.studio.models import Item, Revision
from keju.studio.policy import Verb, may
from keju.studio.standing import past_of, roles_of


@dataclass(frozen=True)
class Seen:
    status: int
    location: str
    text: str
    written: list[str]


def ask(client: Client, method: str, path: str, data: Any = None, **how: Any) -> Seen:
    """What comes back, and what was written, all of which is undone."""
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        answer = getattr(client, method)(path, {} if data is None else data, **how)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    written = [q["sql"] for q in asked if re.match(r'(INSERT INTO|UPDATE|DELETE FROM) "studio_', q["sql"] or "")]
    return Seen(answer.status_code, answer.headers.get("Location", ""), body.decode("utf-8", "replace"), written)


def hidden_from(world: World, user: User) -> list[Item]:
    """Items whose key this person must not see; whoever settles a dispute sees that of its item."""
    roles = roles_of(user, world.project)
    others = [item for item in world.items.values() if not may(Verb.SEE_KEY, roles, past_of(user, item))]
    return [item for item in others if item != world.dispute.item or not may(Verb.ADJUDICATE, roles)]


def change_what_is_hidden(hidden: list[Item]) -> None:
    """Another key, rationale, strategy and reason: no byte that a person reads may tell the difference."""
    for item in hidden:
        revision = Revision.objects.get(item=item)
        body = revision.body | {"key": (revision.body["key"] + 1) % 4, "rationale": {"en": "RATIONALE-SECRET"}}
        body["options"] = [{**o, "strategy": "STRATEGY-SECRET"} for o in body["options"]]
        Revision.objects.filter(pk=revision.pk).update(body=body, sha256="0" * 64, reason="REASON-SECRET")
