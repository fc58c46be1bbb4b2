"""The REST API: what the pages show, for programs. The same policy, the same `present`, the same saving.

Sign in with a token (`Authorization: Bearer …`), or with the browser's session, which then needs its CSRF token.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import File, NinjaAPI
from ninja.errors import HttpError
from ninja.files import UploadedFile
from ninja.responses import Status
from ninja.security import HttpBearer, django_auth

from keju.studio import changing, findings
from keju.studio.access import Desk, desk_of, person
from keju.studio.api_shapes import (
    LABELS,
    AssetOut,
    ChangeIn,
    ItemIn,
    ItemOut,
    ItemsOut,
    NewItemIn,
    Problem,
    ProjectOut,
    ReleaseOut,
    TaskOut,
    TermOut,
)
from keju.studio.intake import Refused, take_in
from keju.studio.models import Asset, Assignment, Batch, Item, Membership, Release
from keju.studio.numbering import code_of, next_place
from keju.studio.policy import Verb
from keju.studio.presenting import Audience
from keju.studio.ranges import ranged
from keju.studio.release_builder import folder_of
from keju.studio.saving import Conflict, Edit, create
from keju.studio.seeing import named, seen
from keju.studio.tasks import audience_of
from keju.studio.tokens import user_of
from keju.studio.views.media import media as media_view
from keju.studio.workflow import NotAllowed, transition

MOST = 200  # items an answer


class Token(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> Any:
        user = user_of(token)
        if user is not None:
            request.user = user
        return user


api = NinjaAPI(
    title="keju studio",
    version="1",
    auth=[Token(), django_auth],
    docs_url=None,  # its page takes scripts from elsewhere, which the studio never does
    urls_namespace="studio-api",
)


@api.exception_handler(PermissionDenied)
def _denied(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return api.create_response(request, {"detail": str(error) or _("You may not do this.")}, status=403)


@api.exception_handler(NotAllowed)
def _not_allowed(request: HttpRequest, error: NotAllowed) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=409)


@api.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return api.create_response(request, {"detail": str(error)}, status=422)


@api.get("/projects", response=list[ProjectOut])
def projects(request: HttpRequest) -> list[ProjectOut]:
    """The projects that you belong to."""
    mine = Membership.objects.filter(user=person(request)).select_related("project").order_by("project__slug")
    return [ProjectOut.of(membership.project, membership.roles) for membership in mine]


@api.get("/projects/{slug}/items", response=ItemsOut)
def items(request: HttpRequest, slug: str, state: str = "", limit: int = 50, offset: int = 0) -> ItemsOut:
    """Items by id; whole where you may see the key, else id and state."""
    desk = _desk(request, slug, Verb.SEE_PROJECT)
    found = named(desk.project, desk.user).order_by("code")
    found = found.filter(state=state) if state else found
    page = list(found[max(0, offset) : max(0, offset) + min(max(1, limit), MOST)])
    whole = _related(seen(desk.project, desk.user, desk.roles).filter(pk__in=[item.pk for item in page]))
    full = {item.pk: item for item in whole}
    rows = [
        ItemOut.whole(full[item.pk], _audience(desk, item)) if item.pk in full else ItemOut.bare(item) for item in page
    ]
    return ItemsOut(count=found.count(), items=rows)


@api.get("/projects/{slug}/items/{code}", response=ItemOut)
def item(request: HttpRequest, slug: str, code: str) -> ItemOut:
    """One item, where you may see its key."""
    desk = _desk(request, slug, Verb.SEE_PROJECT)
    found = _item(desk, code)
    desk.must(Verb.SEE_KEY, found)
    return ItemOut.whole(found, _audience(desk, found))


@api.post("/projects/{slug}/items", response={201: ItemOut, 409: Problem})
def begin(request: HttpRequest, slug: str, body: NewItemIn) -> Status[Any]:
    """A new item."""
    desk = _desk(request, slug, Verb.WRITE)
    locator = body.locator or next_place(desk.project, {})
    code = code_of(desk.project.id_template, locator)
    if code is None:
        raise HttpError(422, _("The id cannot be made; fill in its parts."))
    edit = _edit(desk, body, {"locator": locator})
    try:
        made = create(desk.project, code, desk.user, edit, reason=body.reason)
    except IntegrityError:
        detail = _("The id %(code)s is taken. Choose another number.") % {"code": code}
        return Status(409, Problem(detail=detail))
    made = _item(desk, made.code)
    findings.refresh(made)
    return Status(201, ItemOut.whole(made, Audience.AUTHOR))


@api.put("/projects/{slug}/items/{code}", response={200: ItemOut, 409: Problem})
def change(request: HttpRequest, slug: str, code: str, body: ChangeIn) -> Status[Any]:
    """A new revision. 409 where somebody saved since the version that you name; nothing is written then."""
    desk = _desk(request, slug, Verb.WRITE)
    found = _item(desk, code)
    desk.must(Verb.WRITE, found)
    edit = _edit(desk, body, {})
    version = body.base_version
    try:
        changing.change(found, desk.user, edit, base_version=version, reason=body.reason, typo=body.typo)
    except Conflict as conflict:
        theirs = ItemOut.whole(_item(desk, code), _audience(desk, found)).question
        detail = _("Somebody saved since you read this item; nothing was written.")
        return Status(409, Problem(detail=detail, version=conflict.version, question=theirs))
    after = _item(desk, code)
    return Status(200, ItemOut.whole(after, _audience(desk, after)))


@api.post("/projects/{slug}/items/{code}/submit", response={200: ItemOut, 409: Problem})
def submit(request: HttpRequest, slug: str, code: str) -> ItemOut:
    """Hand an item in for review."""
    desk = _desk(request, slug, Verb.SUBMIT)
    found = _item(desk, code)
    desk.must(Verb.SUBMIT, found)
    findings.refresh(found)  # twins may have changed since its last save
    transition(found, "submit", desk.user)
    return ItemOut.whole(_item(desk, code), _audience(desk, found))


@api.get("/projects/{slug}/work", response=list[TaskOut])
def work(request: HttpRequest, slug: str) -> list[TaskOut]:
    """The tasks that you have begun. Sittings of the human baseline are for the browser alone."""
    desk = _desk(request, slug, Verb.SEE_PROJECT)
    return [TaskOut.of(one) for one in _begun(desk)]


@api.get("/projects/{slug}/work/{number}", response=TaskOut)
def task(request: HttpRequest, slug: str, number: int) -> TaskOut:
    """A task that you have begun, with its item as the task shows it."""
    desk = _desk(request, slug, Verb.SEE_PROJECT)
    whole = _begun(desk).select_related("batch__project", "revision__item", "revision__image", "revision__audio")
    found = get_object_or_404(whole, pk=number)
    return TaskOut.of(found, audience_of(found))


@api.get("/projects/{slug}/terms", response=list[TermOut])
def terms(request: HttpRequest, slug: str) -> list[TermOut]:
    """The project's vocabulary."""
    desk = _desk(request, slug, Verb.SEE_PROJECT)
    return [TermOut(kind=t.kind, code=t.code, label=t.label, active=t.active) for t in desk.project.terms.all()]


@api.get("/projects/{slug}/assets", response=list[AssetOut])
def assets(request: HttpRequest, slug: str, limit: int = 50, offset: int = 0) -> list[AssetOut]:
    """Pictures and clips, latest first."""
    desk = _desk(request, slug, Verb.SEE_ASSETS)
    found = Asset.objects.filter(project=desk.project)
    page = found[max(0, offset) : max(0, offset) + min(max(1, limit), MOST)]
    return [AssetOut.of(asset) for asset in page if desk.may(Verb.SEE_ASSETS, asset)]


@api.post("/projects/{slug}/assets", response={201: AssetOut, 422: Problem})
def upload(request: HttpRequest, slug: str, file: File[UploadedFile], source: int | None = None) -> Status[AssetOut]:
    """A new picture or clip; the same bytes again give the one that is there."""
    desk = _desk(request, slug, Verb.UPLOAD)
    origin = get_object_or_404(desk.project.sources, pk=source) if source is not None else None
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "upload"
        with kept.open("wb") as opened:
            for chunk in file.chunks():
                opened.write(chunk)
        taken = take_in(desk.project, desk.user, kept, file.name or "upload", source=origin)
    return Status(201, AssetOut.of(taken.asset, new=taken.new, warnings=taken.warnings))


@api.get("/projects/{slug}/media/{sha256}")
def media(request: HttpRequest, slug: str, sha256: str) -> HttpResponseBase:
    """The bytes of a picture or clip."""
    return media_view(request, slug, sha256)


@api.get("/projects/{slug}/releases", response=list[ReleaseOut])
def releases(request: HttpRequest, slug: str) -> list[ReleaseOut]:
    desk = _desk(request, slug, Verb.MANAGE)
    return [ReleaseOut.of(release) for release in desk.project.releases.all()]


@api.get("/projects/{slug}/releases/{version}/zip")
def release(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """A release as a zip."""
    desk = _desk(request, slug, Verb.MANAGE)
    file = folder_of(get_object_or_404(Release, project=desk.project, version=version)) / "release.zip"
    if not file.is_file():
        raise Http404
    return ranged(request, file, "application/zip")


def _desk(request: HttpRequest, slug: str, verb: Verb) -> Desk:
    desk = desk_of(request, slug)
    desk.must(verb)
    return desk


def _related(items: QuerySet[Item]) -> QuerySet[Item]:
    return items.select_related("project", "author", "current__image", "current__audio", "current__item", *LABELS)


def _item(desk: Desk, code: str) -> Item:
    """An item that this person may know of."""
    return get_object_or_404(_related(named(desk.project, desk.user)), code=code)


def _audience(desk: Desk, item: Item) -> Audience:
    return Audience.AUTHOR if item.author_id == desk.user.pk else Audience.REVIEWER


def _begun(desk: Desk) -> QuerySet[Assignment]:
    """Tasks that this person has opened; the sittings, which go one way only, are not among them."""
    mine = Assignment.objects.filter(batch__project=desk.project, batch__closed_at=None, user=desk.user)
    return mine.filter(state=Assignment.State.TAKEN).exclude(batch__kind=Batch.Kind.BASELINE).select_related("batch")


def _edit(desk: Desk, body: ItemIn, columns: dict[str, Any]) -> Edit:
    """What was sent, with media and terms found in the project. 422 where they are not there."""
    for kind, code in body.labels.items():
        if kind not in LABELS:
            raise HttpError(422, _("There is no label “%(kind)s”.") % {"kind": kind})
        term = desk.project.terms.filter(kind=kind, code=code).first()
        if code is not None and term is None:
            raise HttpError(422, _("The vocabulary has no %(kind)s “%(code)s”.") % {"kind": kind, "code": code})
        columns[kind] = term
    for name in ("original_language", "reserve"):
        if (value := getattr(body, name)) is not None:
            columns[name] = value
    content = body.content
    if content.key is not None and not 0 <= content.key < len(content.options):
        raise HttpError(422, _("The right option is one that is not there."))
    for option in content.options:
        if option.asset is not None:
            _medium(desk, option.asset, Asset.Kind.IMAGE)
    image, audio = _medium(desk, body.image, Asset.Kind.IMAGE), _medium(desk, body.audio, Asset.Kind.AUDIO)
    return Edit(content, image, audio, columns)


def _medium(desk: Desk, sha256: str | None, kind: str) -> Asset | None:
    if sha256 is None:
        return None
    found = desk.project.assets.filter(sha256=sha256).exclude(state=Asset.State.REJECTED).first()
    if found is None or kind != found.kind:
        raise HttpError(422, _("The project has no such picture or clip: %(digest)s") % {"digest": sha256[:64]})
    return found
