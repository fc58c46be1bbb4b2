"""The people of a project: inviting by a one-time link, roles, pseudonyms, leaving."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.studio.access import Desk, page
from keju.studio.journal import record
from keju.studio.models import Membership, Profile, Role
from keju.studio.policy import Verb, fit_together
from keju.studio.signing_in import VALID_FOR, new_link, new_person

_LINK = "studio-new-link"
"""Key of the session under which a new link waits to be shown, once."""


_DOES = {
    Role.OWNER: gettext_lazy("people, settings, rounds and releases; sees every key"),
    Role.AUTHOR: gettext_lazy("uploads pictures and clips, writes items"),
    Role.EXPERT: gettext_lazy("writes as well; screens, and judges whether the key is right"),
    Role.LINGUIST: gettext_lazy("judges the wording, and whether both languages say the same"),
    Role.FORMATTER: gettext_lazy("screens; looks at files, form and completeness"),
    Role.ANNOTATOR: gettext_lazy("answers or rates items that are accepted, without seeing the key"),
    Role.ADJUDICATOR: gettext_lazy("settles disputes, as a third person"),
    Role.PARTICIPANT: gettext_lazy("sits the test and sees nothing else; has no other role"),
}


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        label=gettext_lazy("Roles"),
        choices=[(role.value, format_lazy("{} · {}", role.label, does)) for role, does in _DOES.items()],
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_roles(self) -> list[str]:
        roles = [Role(name) for name in self.cleaned_data["roles"]]
        verdict = fit_together(set(roles))
        if not verdict:
            raise forms.ValidationError(str(verdict.reason))
        return [str(role) for role in roles]


class InviteForm(RolesForm):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        help_text=gettext_lazy("Seen by the team only. Letters of any script, digits and . - _, no spaces."),
    )
    expertise = forms.CharField(label=gettext_lazy("Expertise"), max_length=200, required=False)
    languages = forms.CharField(label=gettext_lazy("Languages"), max_length=100, required=False)
    field_order = ("name", "roles", "expertise", "languages")


class MemberForm(RolesForm):
    pseudonym = forms.CharField(
        label=gettext_lazy("Pseudonym"),
        max_length=40,
        help_text=gettext_lazy("The only name under which this person appears in a release."),
    )
    expertise = forms.CharField(label=gettext_lazy("Expertise"), max_length=200, required=False)
    languages = forms.CharField(label=gettext_lazy("Languages"), max_length=100, required=False)
    field_order = ("roles", "pseudonym", "expertise", "languages")

    def __init__(self, desk: Desk, membership: Membership, posted: Any = None) -> None:
        self.desk, self.membership, self.profile = desk, membership, membership.user.profile
        told = {
            "roles": membership.roles,
            "pseudonym": self.profile.pseudonym,
            "expertise": self.profile.expertise,
            "languages": ", ".join(self.profile.languages),
        }
        super().__init__(posted, initial=told)

    def clean_roles(self) -> list[str]:
        roles = super().clean_roles()
        if Role.OWNER not in roles and is_last_owner(self.membership):
            raise forms.ValidationError(_("A project needs an owner; make someone else owner first."))
        return roles

    def clean_pseudonym(self) -> str:
        pseudonym = str(self.cleaned_data["pseudonym"])
        if Profile.objects.filter(pseudonym=pseudonym).exclude(pk=self.profile.pk).exists():
            raise forms.ValidationError(_("Someone else has this pseudonym."))
        return pseudonym

    @transaction.atomic
    def save(self) -> None:
        told = self.cleaned_data
        self.membership.roles = told["roles"]
        self.membership.save()
        self.profile.pseudonym, self.profile.expertise = told["pseudonym"], told["expertise"]
        self.profile.languages = _tags(told["languages"])
        self.profile.save()
        record(self.desk.project, self.desk.user, "member", f"user:{self.membership.user_id}", roles=told["roles"])


def role_names(roles: list[str]) -> list[str]:
    """Roles as this reader calls them."""
    return [str(Role(name).label) for name in roles]


def is_last_owner(membership: Membership) -> bool:
    others = Membership.objects.filter(project=membership.project).exclude(pk=membership.pk)
    return Role.OWNER in membership.roles and not any(Role.OWNER in other.roles for other in others)


@require_GET
@page(Verb.MANAGE)
def members(desk: Desk) -> HttpResponse:
    """Everyone in the project; and, right after an invitation, the link to copy."""
    found = Membership.objects.filter(project=desk.project).select_related("user__profile").order_by("user__username")
    shown = [(each, role_names(each.roles), each.user.last_login) for each in found]
    context = {"desk": desk, "members": shown, "form": InviteForm(), "new": desk.request.session.pop(_LINK, None)}
    response = render(desk.request, "studio/project/people.html", {**context, "days": VALID_FOR.days})
    response["Cache-Control"] = "no-store"  # the link is shown once
    return response


@require_POST
@page(Verb.MANAGE)
def invite(desk: Desk) -> HttpResponse:
    form = InviteForm(desk.request.POST)
    if not form.is_valid():
        found = Membership.objects.filter(project=desk.project).select_related("user__profile")
        shown = [(each, role_names(each.roles), each.user.last_login) for each in found]
        context = {"desk": desk, "members": shown, "form": form, "days": VALID_FOR.days}
        return render(desk.request, "studio/project/people.html", context, status=422)
    known = User.objects.filter(username=form.cleaned_data["name"]).first()
    if known and Membership.objects.filter(project=desk.project, user=known).exists():
        messages.error(desk.request, _("%(name)s is in this project already.") % {"name": known})
    elif known:
        _enrol(desk, known, form.cleaned_data["roles"])
        told = _("%(name)s has an account here already and finds the project after signing in.")
        messages.success(desk.request, told % {"name": known})
    else:
        _show_link(desk, _newcomer(desk, form.cleaned_data))
    return redirect("members", desk.project.slug)


@transaction.atomic
def _newcomer(desk: Desk, told: dict[str, Any]) -> User:
    kind = "participant" if Role.PARTICIPANT in told["roles"] else "annotator"
    user = new_person(told["name"], kind=kind)
    Profile.objects.filter(user=user).update(expertise=told["expertise"], languages=_tags(told["languages"]))
    _enrol(desk, user, told["roles"])
    return user


@transaction.atomic
def _enrol(desk: Desk, user: User, roles: list[str]) -> None:
    Membership.objects.create(project=desk.project, user=user, roles=roles)
    record(desk.project, desk.user, "invite", f"user:{user.pk}", roles=roles)


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def member(desk: Desk, pk: int) -> HttpResponse:
    """Roles, pseudonym and expertise of one person, and how the roles changed."""
    membership = _membership(desk, pk)
    form = MemberForm(desk, membership, desk.request.POST or None)
    if form.is_valid():
        form.save()
        messages.success(desk.request, _("Saved."))
        return redirect("members", desk.project.slug)
    context = {
        "desk": desk,
        "member": membership,
        "form": form,
        "history": [(row, role_names(row.roles)) for row in _changes(membership)],
        "may_link": _may_link(desk, membership.user),
        "may_leave": not is_last_owner(membership),
    }
    return render(desk.request, "studio/project/member.html", context, status=422 if form.errors else 200)


@require_POST
@page(Verb.MANAGE)
def link(desk: Desk, pk: int) -> HttpResponse:
    """A new one-time link for someone who lost theirs."""
    user = _membership(desk, pk).user
    if not _may_link(desk, user):
        raise PermissionDenied(_("This person works in other projects too; the administrator can make the link."))
    record(desk.project, desk.user, "link", f"user:{user.pk}")
    _show_link(desk, user)
    return redirect("members", desk.project.slug)


@require_POST
@page(Verb.MANAGE)
def leave(desk: Desk, pk: int) -> HttpResponse:
    """Take a person out of the project. What they wrote and judged stays."""
    membership = _membership(desk, pk)
    if is_last_owner(membership):
        raise PermissionDenied(_("A project needs an owner; make someone else owner first."))
    with transaction.atomic():
        membership.delete()
        record(desk.project, desk.user, "leave", f"user:{membership.user_id}")
    messages.success(desk.request, _("%(name)s has left the project.") % {"name": membership.user})
    return redirect("members", desk.project.slug)


def _changes(membership: Membership) -> list[Any]:
    """How the roles changed, latest first."""
    return list(membership.history.select_related("history_user").order_by("-history_date")[:20])


def _membership(desk: Desk, pk: int) -> Membership:
    return desk.own(Membership.objects.select_related("user__profile"), pk)


def _may_link(desk: Desk, user: User) -> bool:
    """A link signs in as the person everywhere: no owner makes one for an administrator or another project's people."""
    if desk.user.is_superuser or user == desk.user:
        return True
    elsewhere = Membership.objects.filter(user=user).exclude(project=desk.project).exists()
    return not user.is_superuser and not elsewhere


def _show_link(desk: Desk, user: User) -> None:
    address = desk.request.build_absolute_uri(reverse("by-link", args=[new_link(user)]))
    desk.request.session[_LINK] = {"name": user.get_username(), "address": address}


def _tags(text: str) -> list[str]:
    return [tag for tag in re.split(r"[\s,，、]+", text) if tag]
