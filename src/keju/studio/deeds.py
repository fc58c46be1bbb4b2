"""The log in people's words: the data keep codes, and each reader has them in their language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from keju.studio.models import Asset, Batch, Dispute, Event, Item, Role, Term
from keju.studio.wording import in_a_row

Names = Mapping[str, str | Promise]

VERBS: Names = {
    # the project, its people and its words
    "found": _("founded the project"),
    "settings": _("changed the settings"),
    "languages": _("added languages"),
    "invite": _("invited"),
    "invite again": _("made a new link for a participant"),
    "member": _("changed roles or pseudonym"),
    "link": _("made a new sign-in link"),
    "leave": _("took out of the project"),
    "terms": _("changed the vocabulary"),
    "term": _("added a word to the vocabulary"),
    "source": _("changed a source"),
    "consent": _("consent"),
    # pictures and clips
    "upload": _("uploaded"),
    "describe": _("described"),
    "choose": _("selected or rejected"),
    "screen": _("opened a round of screening"),
    "screened include": _("was taken in screening"),
    "screened exclude": _("was rejected in screening"),
    "screened tie": _("is tied in screening"),
    # items
    "create": _("began an item"),
    "save": _("saved a version"),
    "submit": _("submitted for review"),
    "withdraw": _("withdrew from review"),
    "comment": _("commented"),
    "settle": _("settled a comment"),
    "unsettle": _("opened a comment again"),
    "waive": _("let a finding stand"),
    "void": _("judgements no longer count"),
    "ask_changes": _("changes were asked"),
    "pass_all": _("all have passed it"),
    "dispute": _("went into dispute"),
    "reopen": _("reopened for a correction"),
    # rounds, answers, disputes
    "freeze": _("drew and froze"),
    "draw": _("drew a sample of people's questions"),
    "answer": _("answered"),
    "close": _("closed"),
    "open dispute": _("a dispute was opened"),
    "decide": _("settled a dispute"),
    "keep": _("kept the item as it is"),
    "resume": _("sent the item back into review"),
    "rework": _("sent the item to be reworded"),
    "exclude": _("excluded the item"),
    "promote": _("took an item from the reserve"),
    # what goes out and comes in
    "prepare": _("prepared a release"),
    "build": _("built a release"),
    "discard": _("discarded a release"),
    "release": _("released the item"),
    "take keys": _("took the withheld keys"),
    "import": _("imported"),
    "forget": _("forgot a run"),
    "cancel": _("cancelled, before it was done, the import or building of"),
}
"""Every verb that is recorded. Of a freeze and a close, the object says what."""

KINDS: Names = {
    "asset": _("picture or clip"),
    "assignment": _("task"),
    "batch": _("round"),
    "benchmark": _("benchmark"),
    "dispute": _("dispute"),
    "finding": _("finding"),
    "item": _("item"),
    "project": _("project"),
    "release": _("release"),
    "run": _("run"),
    "runs": _("runs"),
    "source": _("source"),
    "term": _("word"),
    "terms": _("words"),
    "user": _("person"),
}
"""What stands before the colon of an object."""

DETAILS: Names = {
    "added": _("added"),
    "against": _("against"),
    "agreed": _("agreed"),
    "asset": _("picture or clip"),
    "assets": _("pictures and clips"),
    "batch": _("round"),
    "cause": _("cause"),
    "changed": _("changed"),
    "codes": _("words"),
    "comment": _("comment"),
    "conflict": _("against the rule"),
    "decision": _("decision"),
    "dispute": _("dispute"),
    "disputes": _("disputes"),
    "drawn": _("drawn"),
    "fields": _("fields"),
    "for": _("for"),
    "format": _("format"),
    "from": _("from"),
    "group": _("group"),
    "item": _("item"),
    "items": _("items"),
    "kind": _("kind"),
    "language": _("language"),
    "name": _("name"),
    "new": _("new"),
    "people": _("people"),
    "profile": _("profile"),
    "protocol": _("protocol"),
    "reason": _("reason"),
    "replaced_by": _("replaced by"),
    "revision": _("version"),
    "roles": _("roles"),
    "round": _("round"),
    "rule": _("rule"),
    "same": _("the same"),
    "seed": _("seed"),
    "step": _("step"),
    "steps": _("steps"),
    "stratify": _("labels in proportion"),
    "takes_the_place_of": _("takes the place of"),
    "to": _("to"),
    "troubles": _("not read"),
    "version": _("version"),
    "voided": _("no longer counted"),
    "votes": _("votes"),
}
GROUPS: Names = {"expert": _("expert"), "non-expert": _("non-expert")}
"""The groups of the human baseline that the studio offers; others are called as their owner called them."""
_STATES: Names = {**dict(Asset.State.choices), **dict(Item.State.choices)}
_VALUES: Mapping[str, Names] = {
    "cause": dict(Dispute.Cause.choices),
    "decision": dict(Dispute.Decision.choices),
    "from": _STATES,
    "group": GROUPS,
    "kind": {**dict(Batch.Kind.choices), **dict(Asset.Kind.choices)},
    "roles": dict(Role.choices),
    "rule": {"majority": _("majority"), "unanimous": _("unanimous")},
    "stratify": {kind.value: kind.label for kind in Term.Kind} | {"language": _("language")},
    "to": _STATES,
}


def verb_name(verb: str) -> str:
    return str(VERBS.get(verb, verb))


def group_name(group: str) -> str:
    return str(GROUPS.get(group, group))


def about(event: Event) -> str:
    """The object of a deed: `item:0012` as “item 0012”."""
    kind, _colon, name = event.object.partition(":")
    return f"{KINDS.get(kind, kind)} {name}"


def details(event: Event) -> list[tuple[str, str]]:
    """What else the deed says, without what it leaves open."""
    told: dict[str, Any] = event.data
    said = {name: value for name, value in told.items() if value not in ("", None, [])}
    return [(str(DETAILS.get(name, name)), _said(name, value)) for name, value in said.items()]


def _said(name: str, value: Any) -> str:
    words = _VALUES.get(name, {})
    values = value if isinstance(value, list) else [value]
    return in_a_row(str(words.get(str(one), one)) for one in values)
