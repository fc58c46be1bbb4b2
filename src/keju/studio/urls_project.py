"""Addresses of a project itself: settings, people, vocabulary, sources, pictures and clips, screening."""

from __future__ import annotations

from django.urls import path

from keju.studio.views import assets, media, people, project_settings, projects, screening, sources, vocabulary

urlpatterns = [
    path("new-project", projects.new, name="project-new"),
    path("projects/<slug:slug>/", projects.overview, name="project"),
    path("projects/<slug:slug>/settings", project_settings.settings, name="settings"),
    path("projects/<slug:slug>/people", people.members, name="members"),
    path("projects/<slug:slug>/people/invite", people.invite, name="member-invite"),
    path("projects/<slug:slug>/people/<int:pk>", people.member, name="member"),
    path("projects/<slug:slug>/people/<int:pk>/link", people.link, name="member-link"),
    path("projects/<slug:slug>/people/<int:pk>/leave", people.leave, name="member-leave"),
    path("projects/<slug:slug>/vocabulary", vocabulary.terms, name="terms"),
    path("projects/<slug:slug>/vocabulary/<slug:kind>", vocabulary.kind, name="terms-kind"),
    path("projects/<slug:slug>/sources", sources.sources, name="sources"),
    path("projects/<slug:slug>/sources/new", sources.new, name="source-new"),
    path("projects/<slug:slug>/sources/<int:pk>", sources.source, name="source"),
    path("projects/<slug:slug>/sources/<int:pk>/consent", sources.consent, name="source-consent"),
    path("projects/<slug:slug>/assets", assets.assets, name="assets"),
    path("projects/<slug:slug>/assets/upload", assets.upload, name="asset-upload"),
    path("projects/<slug:slug>/assets/<int:pk>", assets.asset, name="asset"),
    path("projects/<slug:slug>/assets/<int:pk>/state", assets.choose, name="asset-state"),
    path("projects/<slug:slug>/assets/<int:pk>/findings/<int:finding>", assets.waive, name="asset-waive"),
    path("projects/<slug:slug>/media/<str:sha256>", media.media, name="media"),
    path("projects/<slug:slug>/media/<str:sha256>/small", media.thumbnail, name="thumbnail"),
    path("projects/<slug:slug>/screening", screening.rounds, name="screening"),
    path("projects/<slug:slug>/screening/<int:pk>", screening.report, name="screening-round"),
    path("projects/<slug:slug>/screening/<int:pk>/close", screening.close, name="screening-close"),
    path("projects/<slug:slug>/screening/<int:pk>/settle/<int:asset>", screening.settle, name="screening-settle"),
    path("projects/<slug:slug>/screening/<int:pk>/vote", screening.vote, name="screen"),
    path("projects/<slug:slug>/screening/<int:pk>/vote/<int:assignment>", screening.revote, name="screen-again"),
]
