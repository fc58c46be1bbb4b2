"""The bytes of pictures and clips, to those who may have them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from keju.media_types import suffix_of
from keju.studio.access import desk_of
from keju.studio.models import Asset
from keju.studio.policy import Verb
from keju.studio.ranges import ranged
from keju.studio.store import place
from keju.studio.thumbnails import thumbnail as drawn


@require_safe
@login_required
def media(request: HttpRequest, slug: str, sha256: str) -> HttpResponseBase:
    """A picture or clip by its digest. Participants and re-annotators get what their tasks show, and nothing else."""
    asset = _allowed(request, slug, sha256)
    if request.headers.get("If-None-Match") == f'"{sha256}"':
        return _guarded(HttpResponse(status=304), sha256)
    response = _guarded(ranged(request, place(sha256), asset.mime), sha256)
    response["Content-Disposition"] = f'inline; filename="{sha256}{suffix_of(asset.mime)}"'
    return response


@require_safe
@login_required
def thumbnail(request: HttpRequest, slug: str, sha256: str) -> HttpResponseBase:
    """A small copy of a picture."""
    asset = _allowed(request, slug, sha256)
    if asset.kind != Asset.Kind.IMAGE:
        return HttpResponse(status=404)
    return _guarded(ranged(request, drawn(sha256), "image/webp"), f"{sha256}-small")


def _allowed(request: HttpRequest, slug: str, sha256: str) -> Asset:
    desk = desk_of(request, slug)
    asset = get_object_or_404(Asset, project=desk.project, sha256=sha256)
    desk.must(Verb.SEE_MEDIA, asset)
    return asset


def _guarded(response: HttpResponseBase, tag: str) -> HttpResponseBase:
    """Whatever a file turns out to be, it runs nothing here; and no cache between shows it to others."""
    response["Content-Security-Policy"] = "sandbox; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, max-age=86400, immutable"  # the address holds the digest
    response["ETag"] = f'"{tag}"'
    return response
