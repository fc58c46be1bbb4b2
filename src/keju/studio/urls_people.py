"""Addresses of the human baseline, the figures of progress, and the log."""

from __future__ import annotations

from django.urls import path

from keju.studio.views import audit, baselines, dashboards, sittings

urlpatterns = [
    path("projects/<slug:slug>/sittings", baselines.sittings, name="sittings"),
    path("projects/<slug:slug>/sittings/<int:pk>/results", baselines.results, name="sitting-results"),
    path("projects/<slug:slug>/sittings/<int:pk>/invite", baselines.invite, name="sitting-invite"),
    path("projects/<slug:slug>/sittings/<int:pk>/link/<int:participant>", baselines.link, name="sitting-link"),
    path("projects/<slug:slug>/sittings/<int:pk>/close", baselines.close, name="sitting-close"),
    path("projects/<slug:slug>/sittings/<int:pk>/answers.csv", baselines.answers, name="sitting-answers"),
    path("projects/<slug:slug>/sittings/<int:pk>", sittings.sitting, name="sitting"),
    path("projects/<slug:slug>/sittings/<int:pk>/consent", sittings.consent, name="sitting-consent"),
    path("projects/<slug:slug>/sittings/<int:pk>/choose", sittings.choose, name="sitting-choose"),
    path("projects/<slug:slug>/sittings/<int:pk>/answer", sittings.answer, name="sitting-answer"),
    path("projects/<slug:slug>/dashboard", dashboards.dashboard, name="dashboard"),
    path("projects/<slug:slug>/log", audit.log, name="audit"),
    path("projects/<slug:slug>/log.jsonl", audit.export, name="audit-export"),
]
