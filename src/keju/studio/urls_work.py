"""Addresses of work handed out: rounds and their figures, one's own work, disputes."""

from __future__ import annotations

from django.urls import path

from keju.studio.views import batches, disputes, work

_PROJECT = "projects/<slug:slug>"
urlpatterns = [
    path(f"{_PROJECT}/rounds", batches.batches, name="batches"),
    path(f"{_PROJECT}/rounds/new/<slug:kind>", batches.new, name="batch-new"),
    path(f"{_PROJECT}/rounds/<int:pk>", batches.batch, name="batch"),
    path(f"{_PROJECT}/rounds/<int:pk>/close", batches.close, name="batch-close"),
    path(f"{_PROJECT}/work", work.work, name="work"),
    path(f"{_PROJECT}/work/next/<int:pk>", work.take, name="work-next"),
    path(f"{_PROJECT}/work/<int:pk>", work.assignment, name="assignment"),
    path(f"{_PROJECT}/work/<int:pk>/draft", work.autosave, name="assignment-draft"),
    path(f"{_PROJECT}/disputes", disputes.disputes, name="disputes"),
    path(f"{_PROJECT}/disputes/<int:pk>", disputes.dispute, name="dispute"),
    path(f"{_PROJECT}/disputes/<int:pk>/draft", disputes.autosave, name="dispute-draft"),
]
