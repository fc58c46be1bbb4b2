"""Which steps of review a new revision touches: their passes no longer hold, the others' do (spec of the states).

Words touch language, equivalence and format; the key, the options' number or the media touch everything; a slip of the
pen that its author says is one touches format alone.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from keju.studio.content import Content, Option, Text
from keju.studio.journal import record
from keju.studio.models import Assignment, Batch, Item, Revision
from keju.studio.policy import Verb
from keju.studio.standing import settings_of

NOTHING: frozenset[Verb] = frozenset()
FORMAT = frozenset({Verb.REVIEW_FORMATTING})
WORDS = frozenset({Verb.REVIEW_LINGUISTIC, Verb.REVIEW_EQUIVALENCE, Verb.REVIEW_FORMATTING})
ALL = WORDS | {Verb.REVIEW_EXPERT}
TYPO = 0.2  # of a text's characters; a change of more is no slip of the pen


def touched(before: Revision, after: Revision, *, typo: bool = False) -> frozenset[Verb]:
    """The reviews whose passes `after` voids. `typo`: the author says that only a slip was corrected.

    It is believed where less than a fifth of every text changed.
    """
    old, new = before.content, after.content
    if (before.image_id, before.audio_id) != (after.image_id, after.audio_id) or _another_question(old, new):
        return ALL
    if _words(old) == _words(new):
        return NOTHING if _strategies(old) == _strategies(new) else frozenset({Verb.REVIEW_EXPERT})
    return FORMAT if typo and _is_slip(old, new) else WORDS


@transaction.atomic
def void_touched(item: Item, before: Revision, after: Revision, actor: User, *, typo: bool = False) -> int:
    """Void what was asked or passed of an older revision in the steps that `after` touches; returns how many.

    Answers are kept; they no longer count. Rounds that are closed stay as they are.
    """
    verbs = touched(before, after, typo=typo)
    steps = {step.name: step.verb for step in settings_of(item.project).steps}
    asked = item.assignments.filter(
        batch__kind__in=(Batch.Kind.REVIEW, Batch.Kind.EQUIVALENCE), batch__closed_at__isnull=True
    ).exclude(state=Assignment.State.VOID)
    gone = [
        assignment.pk
        for assignment in asked.select_related("batch")
        if (steps.get(assignment.step) if assignment.batch.kind == Batch.Kind.REVIEW else Verb.REVIEW_EQUIVALENCE)
        in verbs
    ]
    if gone:
        Assignment.objects.filter(pk__in=gone).update(state=Assignment.State.VOID)
        named = sorted(str(verb) for verb in verbs)
        record(item.project, actor, "void", f"item:{item.code}", revision=after.number, steps=named, voided=len(gone))
    return len(gone)


def _another_question(old: Content, new: Content) -> bool:
    """Whether another option is right, or there are other options: the key that moved with its option is the same."""
    if len(old.options) != len(new.options) or _media(old) != _media(new):
        return True
    if _keyed(old) == _keyed(new):
        return False
    return old.key != new.key or _texts(old) == _texts(new)  # the same options, of which another is right


def _texts(content: Content) -> list[list[tuple[str, str]]]:
    return sorted(sorted(option.text.items()) for option in content.options)


def _keyed(content: Content) -> Option | None:
    if content.key is None or content.key >= len(content.options):
        return None
    return content.options[content.key].model_copy(update={"strategy": None})


def _media(content: Content) -> list[str]:
    return sorted(option.asset or "" for option in content.options)


def _words(content: Content) -> list[Text]:
    return [content.stem, content.instruction, *(option.text for option in content.options)]


def _strategies(content: Content) -> list[str | None]:
    return [option.strategy for option in content.options]


def _is_slip(old: Content, new: Content) -> bool:
    from difflib import SequenceMatcher

    pairs = [
        (was.get(tag, ""), now.get(tag, ""))
        for was, now in zip(_words(old), _words(new), strict=True)
        for tag in was.keys() | now.keys()
    ]
    return all(SequenceMatcher(None, was, now, autojunk=False).ratio() > 1 - TYPO for was, now in pairs if was != now)
