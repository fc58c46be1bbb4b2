"""Lists that may have thousands of rows, in pages: `studio/pages.html` leads from one to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Paged:
    """One page of a list: as a sequence its rows, and what the links to the others need."""

    at: Page[Any]
    name: str
    """Of the parameter that says which page: several lists may stand on one page."""
    query: str
    """What else the address asks for."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self.at.object_list)

    def __len__(self) -> int:
        return len(self.at.object_list)

    @property
    def count(self) -> int:
        """Rows of all pages."""
        return self.at.paginator.count


def paged(
    request: HttpRequest, rows: Sequence[Any] | QuerySet[Any], *, name: str = "page", per_page: int = PER_PAGE
) -> Paged:
    """The page that the address asks for; the nearest there is where it asks for another."""
    query = request.GET.copy()
    query.pop(name, None)
    return Paged(Paginator(rows, per_page).get_page(request.GET.get(name)), name, query.urlencode())
