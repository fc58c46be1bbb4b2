"""Requests that are larger than an upload may be: answered in words before a byte of them is read."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

_FORM = 2**20  # bytes of a form around its file


def limit() -> int:
    """Bytes that a whole request may have."""
    return int(settings.UPLOAD_LIMIT) + _FORM


class Oversized:
    """Middleware: 413 with what to do, as a page for people and as JSON for programs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        length = str(request.META.get("CONTENT_LENGTH") or "0")
        if length.isdecimal() and int(length) > limit():
            return _refused(request)
        return self.get_response(request)


def _refused(request: HttpRequest) -> HttpResponse:
    text = _(
        "This is larger than %(most)s MB; nothing of it was kept. Cut a picture or clip down to what the question is "
        "about, or save it smaller. A larger benchmark goes into the server’s folder for imports: ask whoever runs it."
    ) % {"most": settings.UPLOAD_LIMIT // 2**20}
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": text}, status=413)
    if "text/html" not in request.headers.get("Accept", ""):
        return JsonResponse({"error": text}, status=413)
    return render(request, "413.html", {"text": text}, status=413)
