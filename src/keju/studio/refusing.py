"""What no column can hold, such as a number of thirty digits or a null character: it is refused, no fault of ours."""

from __future__ import annotations

from collections.abc import Callable

from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _


class Unholdable:
    """Middleware: forms refuse most of it beside the field; what is left, in addresses and lists, is refused here."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """400 where the data base could not take a value: SQLite says `OverflowError`, PostgreSQL `DataError`."""
        if isinstance(exception, OverflowError | DataError):
            text = _("Something that was sent cannot be stored: a number is too large, or a character is none.")
            if "text/html" in request.headers.get("Accept", ""):
                return render(request, "400.html", {"text": text}, status=400)
            return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")
        return None
