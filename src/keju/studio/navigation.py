"""The navigation of a project: pages in groups, of which a person sees what they may open."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext, gettext_noop

from keju.studio.policy import Verb

if TYPE_CHECKING:
    from keju.studio.access import Desk

FEW = 5
"""So many pages stand in one line without groups."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One link."""

    title: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class Navigation:
    top: list[Entry]
    """Groups, each a link to its first page; or the pages themselves where there are few."""
    below: list[Entry]
    """The pages of the group that is open, where it has several."""

    @property
    def opened(self) -> str:
        """What the group that is open is called."""
        return next((entry.title for entry in self.top if entry.current), "")


GROUPS: dict[str, list[tuple[str, str, Verb]]] = {
    gettext_noop("Items"): [
        ("items", gettext_noop("Items"), Verb.SEE_PROJECT),
        ("assets", gettext_noop("Pictures and clips"), Verb.SEE_ASSETS),
        ("sources", gettext_noop("Sources"), Verb.SEE_ASSETS),
        ("import", gettext_noop("Import"), Verb.MANAGE),
    ],
    gettext_noop("Work"): [
        ("work", gettext_noop("My work"), Verb.SEE_PROJECT),
        ("screening", gettext_noop("Screening"), Verb.MANAGE),
        ("batches", gettext_noop("Rounds of work"), Verb.MANAGE),
        ("disputes", gettext_noop("Disputes"), Verb.SEE_PROJECT),
    ],
    gettext_noop("Results"): [
        ("dashboard", gettext_noop("Progress"), Verb.SEE_PROJECT),
        ("sittings", gettext_noop("Human baseline"), Verb.MANAGE),
        ("models", gettext_noop("Models"), Verb.MANAGE),
    ],
    gettext_noop("Release"): [("releases", gettext_noop("Releases"), Verb.MANAGE)],
    gettext_noop("Project"): [
        ("members", gettext_noop("People"), Verb.MANAGE),
        ("terms", gettext_noop("Vocabulary"), Verb.MANAGE),
        ("settings", gettext_noop("Settings"), Verb.MANAGE),
        ("audit", gettext_noop("Log"), Verb.MANAGE),
    ],
}
"""Group → name of the URL, title, what one needs to be allowed to open it."""


def navigation(desk: Desk) -> Navigation:
    """As this person sees it."""
    groups = {name: list(_entries(desk, pages)) for name, pages in GROUPS.items()}
    every = [entry for entries in groups.values() for entry in entries]
    if len(every) <= FEW:
        return Navigation(every, [])
    top = [_group(name, entries) for name, entries in groups.items() if entries]
    open_ = next((entries for entries in groups.values() if any(entry.current for entry in entries)), [])
    return Navigation(top, open_ if len(open_) > 1 else [])


def _entries(desk: Desk, pages: Iterable[tuple[str, str, Verb]]) -> Iterable[Entry]:
    for name, title, verb in pages:
        with suppress(NoReverseMatch):  # a part that is not there
            url = reverse(name, args=[desk.project.slug])
            if desk.may(verb):
                yield Entry(gettext(title), url, _here(desk.request.path, url))


def _group(name: str, entries: list[Entry]) -> Entry:
    """A group is called by its own name, or by that of its one page."""
    title = gettext(name) if len(entries) > 1 else entries[0].title
    return Entry(title, entries[0].url, any(entry.current for entry in entries))


def _here(path: str, url: str) -> bool:
    return path == url or path.startswith(f"{url}/")
