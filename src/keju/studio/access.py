"""Access to pages: every project view is made with `page`, which signs in, finds the project and asks the policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404

from keju.studio.models import Asset, Item, Job, Project, Role
from keju.studio.navigation import Navigation, navigation
from keju.studio.policy import Past, Verb, Verdict, may
from keju.studio.standing import Settings, past_of, past_with_asset, pasts_of, roles_of, settings_of

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)
Target = Item | Asset | Job


@dataclass(frozen=True, slots=True)
class Desk:
    """Who asks, in which project, with what rights: the first argument of every project view."""

    request: HttpRequest
    user: User
    project: Project
    roles: frozenset[Role]
    settings: Settings

    def may(self, verb: Verb, target: Target | None = None) -> Verdict:
        past = None if target is None else self.past(target)
        return may(verb, self.roles, past, single_user=self.settings.single_user)

    def may_each(self, verb: Verb, items: Sequence[Item]) -> set[int]:
        """Those of the items, by primary key, with which it is allowed: asked for many at once."""
        pasts = pasts_of(self.user, items)
        return {pk for pk, past in pasts.items() if may(verb, self.roles, past, single_user=self.settings.single_user)}

    @property
    def navigation(self) -> Navigation:
        """The pages of the project that this person may open."""
        return navigation(self)

    def past(self, target: Target) -> Past:
        if isinstance(target, Job):
            return Past(started=target.started_by_id == self.user.pk)
        return past_of(self.user, target) if isinstance(target, Item) else past_with_asset(self.user, target)

    def own(self, rows: type[Row] | QuerySet[Row], pk: int) -> Row:
        """The row of this project with the primary key. Raises `Http404`."""
        return get_object_or_404(rows, project=self.project, pk=pk)

    def must(self, verb: Verb, target: Target | None = None) -> Verdict:
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
