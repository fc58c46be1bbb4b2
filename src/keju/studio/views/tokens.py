"""One's tokens for programs that use the API."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from keju.studio.access import person
from keju.studio.models import ApiToken
from keju.studio.tokens import new_token


class TokenForm(forms.ModelForm):  # type: ignore[type-arg] # Django has no generic forms at run time
    class Meta:
        model = ApiToken
        fields = ("name",)


@require_http_methods(["GET", "POST"])
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """The list, and a new token, which is shown this once."""
    user = person(request)
    form = TokenForm(request.POST or None)
    made = new_token(user, form.cleaned_data["name"]) if form.is_valid() else ""
    context = {"tokens": ApiToken.objects.filter(user=user), "form": TokenForm() if made else form, "made": made}
    response = render(request, "studio/tokens/tokens.html", context, status=422 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@login_required
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    get_object_or_404(ApiToken, user=person(request), pk=pk).delete()
    messages.success(request, _("The token opens nothing any more."))
    return redirect("tokens")
