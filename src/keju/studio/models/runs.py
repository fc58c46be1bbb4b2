"""Runs of models over a project's items, taken in to see which items models find impossible."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from keju.studio.models.items import Item
from keju.studio.models.projects import Project


class ModelRun(models.Model):
    """One model, asked one way. Taken in again, it takes the place of what was there."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="runs")
    model = models.CharField(max_length=200)
    """With its variant, as tables name it: `openai/gpt-4o [language=en]`."""
    protocol = models.CharField(max_length=60)
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    taken_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("model", "protocol")
        constraints = (models.UniqueConstraint(fields=("project", "model", "protocol"), name="model_run_unique"),)

    def __str__(self) -> str:
        return self.model


class ModelMark(models.Model):
    """What a model made of one item."""

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="marks")
    item = models.ForeignKey(Item, models.CASCADE, related_name="marks")
    label = models.CharField(max_length=4, blank=True)
    """The option that it chose; empty where its reply gave none."""
    correct = models.BooleanField()

    class Meta:
        ordering = ("item__code",)
        constraints = (models.UniqueConstraint(fields=("run", "item"), name="model_mark_unique"),)

    def __str__(self) -> str:
        return f"{self.run}: {self.item}"
