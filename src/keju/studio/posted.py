"""What forms send, where no form of Django's reads it."""

from __future__ import annotations

from django.http import HttpRequest


def number(request: HttpRequest, name: str) -> int:
    """A field that holds a number from 0; 0 where it does not."""
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 19 else 0  # as many digits as a primary key has
