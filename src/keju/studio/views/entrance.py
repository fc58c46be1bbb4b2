"""Coming in and going out, the list of one's projects, the choice of language."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from keju.studio.access import person
from keju.studio.models import Membership
from keju.studio.signing_in import redeem
from keju.studio.views.account import CAME_BY_LINK


class SignIn(LoginView):
    template_name = "studio/sign_in.html"


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("sign-in")


def by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Opening a link asks for a click, so that a mail program that looks ahead does not use it up."""
    if request.method != "POST":
        return render(request, "studio/by_link.html")
    link = redeem(token)
    if link is None:
        messages.error(request, _("This link was used already or is out of date. Ask for a new one."))
        return redirect("sign-in")
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    if link.batch:
        return redirect("sitting", link.batch.project.slug, link.batch_id)
    request.session[CAME_BY_LINK] = True
    return redirect("home")


@require_GET
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """One's projects."""
    memberships = Membership.objects.filter(user=person(request)).select_related("project").order_by("project__title")
    return render(request, "studio/home.html", {"memberships": memberships})
