"""One's own account: name and pseudonym, projects, tokens, and the password, which nobody needs."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from keju.studio.access import person
from keju.studio.models import Membership
from keju.studio.views.people import role_names

CAME_BY_LINK = "studio-came-by-link"
"""Key of the session of whoever came in by a link: it stands for the old password, which they may have lost."""


@require_GET
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Who one is here, and in which projects."""
    user = person(request)
    mine = Membership.objects.filter(user=user).select_related("project").order_by("project__title")
    rows = [(each.project, role_names(each.roles)) for each in mine]
    profile = getattr(user, "profile", None)
    return render(request, "studio/account/account.html", {"rows": rows, "profile": profile})


class Password(PasswordChangeView):
    """Set or change one's password. Other sessions of the same person end."""

    template_name = "studio/account/password.html"
    success_url = reverse_lazy("account")

    def get_form_class(self) -> type[Any]:
        return PasswordChangeForm if self.asks_for_the_old_one() else SetPasswordForm

    def asks_for_the_old_one(self) -> bool:
        user: User = person(self.request)
        return user.has_usable_password() and CAME_BY_LINK not in self.request.session

    def form_valid(self, form: Any) -> HttpResponse:
        self.request.session.pop(CAME_BY_LINK, None)
        messages.success(self.request, _("Your password is set. Sign in with your name and it."))
        return super().form_valid(form)
