"""Aids of the editor: small answers while one writes. They propose; a person decides."""

from __future__ import annotations

import json
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from keju.checks.similar import normalised
from keju.script import to_simplified, to_traditional
from keju.studio.access import Desk, page
from keju.studio.models import Asset, Project, Term
from keju.studio.numbering import code_of, fields_of
from keju.studio.pasting import read_block
from keju.studio.policy import Verb
from keju.studio.views.assets import sees_names

SCRIPTS = {"zh-Hant": to_traditional, "zh-Hans": to_simplified}
ALIKE = 0.8  # of the characters of two instructions; above, they are of one task type in the papers' exams
_PICTURES = 24  # shown at a time when one chooses


@require_GET
@page(Verb.WRITE)
def code(desk: Desk) -> HttpResponse:
    """The id of the place that is typed, and whether it is free."""
    locator = {
        field.name: desk.request.GET.get(f"locator_{field.name}", "") for field in fields_of(desk.project.id_template)
    }
    made = code_of(desk.project.id_template, locator)
    taken = desk.project.items.filter(code=made).first() if made else None
    return render(desk.request, "studio/items/code.html", {"code": made, "taken": taken, "desk": desk})


@require_POST
@page(Verb.WRITE)
def block(desk: Desk) -> HttpResponse:
    """A pasted question taken apart."""
    read = read_block(str(_sent(desk.request).get("text", "")))
    if read is None:
        return JsonResponse({"read": False})
    told = {"read": True, "stem": read.stem, "options": read.options, "key": read.key, "rest": read.rest}
    return JsonResponse(told)


@require_POST
@page(Verb.WRITE)
def script(desk: Desk) -> HttpResponse:
    """Texts in the other script: a draft that its author confirms, for characters with two forms need a reader."""
    sent = _sent(desk.request)
    convert = SCRIPTS.get(str(sent.get("to")))
    texts = sent.get("texts")
    if convert is None or not isinstance(texts, dict):
        raise SuspiciousOperation("no script to draft in")
    return JsonResponse({"texts": {name: convert(str(text)) for name, text in texts.items()}})


@require_GET
@page(Verb.WRITE)
def task_type(desk: Desk) -> HttpResponse:
    """The task type that earlier items with this instruction have, or with one nearly the same."""
    text = next(
        (value for name, value in desk.request.GET.dict().items() if name.startswith("instruction_") and value), ""
    )
    term = task_type_of(desk.project, str(text)) if text else None
    return render(desk.request, "studio/items/task_type.html", {"term": term})


def task_type_of(project: Project, instruction: str) -> Term | None:
    """The task type most often given to this instruction; else to the most similar one, where it is similar enough."""
    words = normalised(instruction)
    known: dict[str, Counter[int]] = {}
    rows = project.items.filter(instruction__isnull=False).values_list("instruction_id", "current__body__instruction")
    for term, texts in rows:
        for text in (texts or {}).values():
            known.setdefault(normalised(text), Counter())[term] += 1
    if words not in known:
        ratios = [(SequenceMatcher(None, words, other, autojunk=False).ratio(), other) for other in known]
        ratio, words = max(ratios, default=(0.0, ""))
        if ratio < ALIKE:
            return None
    return project.terms.filter(pk=known[words].most_common(1)[0][0]).first()


@require_GET
@page(Verb.WRITE)
def media(desk: Desk) -> HttpResponse:
    """Pictures or clips to choose from, newest first; taken in by screening before others.

    Names of files are shown, and looked in, only where the person may know them.
    """
    kind = "audio" if desk.request.GET.get("kind") == "audio" else "image"
    query = desk.request.GET.get("q", "")
    found = desk.project.assets.filter(kind=kind).exclude(state=Asset.State.REJECTED)
    names = sees_names(desk)
    if query:
        known = found if names else found.filter(uploaded_by=desk.user)
        found = known.filter(name__icontains=query)
    assets = found.order_by("-state", "-uploaded_at")[:_PICTURES]
    context = {"desk": desk, "kind": kind, "assets": assets, "names": names}
    return render(desk.request, "studio/items/media.html", context)


def _sent(request: HttpRequest) -> dict[str, Any]:
    try:
        sent = json.loads(request.body)
    except ValueError as error:
        raise SuspiciousOperation(_("This is not JSON.")) from error
    if not isinstance(sent, dict):
        raise SuspiciousOperation(_("This is not JSON."))
    return sent
