"""What forms send, where no form of Django's reads it."""

from __future__ import annotations

from django.http import HttpRequest


def number_of(text: str) -> int | None:
    """The number from 0 that a text is, of as many digits as a primary key has; None of any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def number(request: HttpRequest, name: str) -> int:
    """A field that holds a number from 0; 0 where it does not."""
    return number_of(request.POST.get(name, "")) or 0
