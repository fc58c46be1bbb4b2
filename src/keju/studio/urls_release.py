"""Addresses of releases, of imports, of the jobs that both are, and of the API with its tokens."""

from __future__ import annotations

from django.urls import path

from keju.studio.views import imports, jobs, releases, tokens
from keju.studio.views.api import api

urlpatterns = [
    path("projects/<slug:slug>/releases", releases.releases, name="releases"),
    path("projects/<slug:slug>/releases/new", releases.prepare, name="release-new"),
    path("projects/<slug:slug>/releases/<int:pk>", releases.release, name="release"),
    path("projects/<slug:slug>/releases/<int:pk>/out", releases.freeze, name="release-freeze"),
    path("projects/<slug:slug>/releases/<int:pk>/discard", releases.discard, name="release-discard"),
    path("projects/<slug:slug>/releases/<int:pk>/zip", releases.download, name="release-zip"),
    path("projects/<slug:slug>/releases/<int:pk>/keys", releases.keys, name="release-keys"),
    path("projects/<slug:slug>/jobs/<int:pk>", jobs.job, name="job"),
    path("projects/<slug:slug>/jobs/<int:pk>/cancel", jobs.cancel, name="job-cancel"),
    path("projects/<slug:slug>/jobs/<int:pk>/again", jobs.again, name="job-again"),
    path("projects/<slug:slug>/jobs/<int:pk>/dismiss", jobs.dismiss, name="job-dismiss"),
    path("projects/<slug:slug>/import", imports.imports, name="import"),
    path("projects/<slug:slug>/models", imports.models, name="models"),
    path("projects/<slug:slug>/models/<int:pk>/forget", imports.forget, name="model-forget"),
    path("tokens", tokens.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke", tokens.revoke, name="token-revoke"),
    path("api/", api.urls),
]
