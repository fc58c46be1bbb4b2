"""Access to pages: every project view is made with `page`, which signs in, finds the project and asks the policy."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext, gettext_noop

from keju.studio.models import Asset, Item, Project, Role
from keju.studio.policy import Past, Verb, Verdict, may
from keju.studio.standing import Settings, past_of, past_with_asset, roles_of, settings_of

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Entry:
    """One link of the navigation."""

    title: str
    url: str
    current: bool


NAVIGATION: list[tuple[str, str, Verb]] = [
    ("items", gettext_noop("Items"), Verb.SEE_PROJECT),
    ("assets", gettext_noop("Pictures and clips"), Verb.SEE_ASSETS),
    ("work", gettext_noop("My work"), Verb.SEE_PROJECT),
    ("disputes", gettext_noop("Disputes"), Verb.SEE_PROJECT),
    ("dashboard", gettext_noop("Progress"), Verb.SEE_PROJECT),
    ("screening", gettext_noop("Screening"), Verb.MANAGE),
    ("batches", gettext_noop("Rounds of work"), Verb.MANAGE),
    ("sittings", gettext_noop("Human baseline"), Verb.MANAGE),
    ("sources", gettext_noop("Sources"), Verb.SEE_ASSETS),
    ("members", gettext_noop("People"), Verb.MANAGE),
    ("terms", gettext_noop("Vocabulary"), Verb.MANAGE),
    ("settings", gettext_noop("Settings"), Verb.MANAGE),
    ("import", gettext_noop("Import"), Verb.MANAGE),
    ("models", gettext_noop("Models"), Verb.MANAGE),
    ("releases", gettext_noop("Releases"), Verb.MANAGE),
    ("audit", gettext_noop("Log"), Verb.MANAGE),
]
"""Name of the URL, title, what one needs to be allowed to open it."""


def entries(desk: Desk) -> list[Entry]:
    """The navigation as this person sees it."""
    made = []
    for name, title, verb in NAVIGATION:
        with suppress(NoReverseMatch):  # a part that is not there
            url = reverse(name, args=[desk.project.slug])
            if desk.may(verb):
                made.append(Entry(gettext(title), url, desk.request.path.startswith(url)))
    return made


@dataclass(frozen=True, slots=True)
class Desk:
    """Who asks, in which project, with what rights: the first argument of every project view."""

    request: HttpRequest
    user: User
    project: Project
    roles: frozenset[Role]
    settings: Settings

    def may(self, verb: Verb, target: Item | Asset | None = None) -> Verdict:
        past = None if target is None else self.past(target)
        return may(verb, self.roles, past, single_user=self.settings.single_user)

    @property
    def navigation(self) -> list[Entry]:
        """The pages of the project that this person may open."""
        return entries(self)

    def past(self, target: Item | Asset) -> Past:
        return past_of(self.user, target) if isinstance(target, Item) else past_with_asset(self.user, target)

    def must(self, verb: Verb, target: Item | Asset | None = None) -> Verdict:
        """Raises `PermissionDenied` with the reason, which the 403 page shows."""
        verdict = self.may(verb, target)
        if not verdict:
            raise PermissionDenied(str(verdict.reason))
        return verdict


def person(request: HttpRequest) -> User:
    """Who is signed in. For views that `login_required` guards."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def desk_of(request: HttpRequest, slug: str) -> Desk:
    """The desk of whoever is signed in. Raises `Http404` to people outside the project."""
    project = get_object_or_404(Project, slug=slug)
    roles = roles_of(request.user, project)
    if not roles:
        raise Http404
    return Desk(request, person(request), project, roles, settings_of(project))


def page(
    verb: Verb,
) -> Callable[[Callable[Concatenate[Desk, P], HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Decorator: the view takes a `Desk`; the path has `slug`. People outside the project are told it is not there."""

    def decorate(view: Callable[Concatenate[Desk, P], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @login_required
        @wraps(view)
        def wrapped(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            desk = desk_of(request, slug)
            desk.must(verb)
            return view(desk, *args, **kwargs)

        wrapped.verb = verb  # type: ignore[attr-defined] # the test of every URL × role reads it
        return wrapped

    return decorate
