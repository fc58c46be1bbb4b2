"""A project and its vocabulary."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from keju.studio.wording import worded


class Project(models.Model):
    """One benchmark in the making."""

    class Profile(models.TextChoices):
        TCO = "tco", _("TCO: pictures, Chinese and English, three rounds of expert review")
        MULTI_TW = "multi-tw", _("Multi-TW: pictures and audio, Traditional Chinese, second annotator")
        CUSTOM = "custom", _("Custom")

    slug = models.SlugField(_("short name"), unique=True)
    title = models.CharField(_("title"), max_length=200)
    profile = models.CharField(_("profile"), max_length=20, choices=Profile.choices, default=Profile.TCO)
    id_template = models.CharField(_("item id template"), max_length=100, default="{seq:04}")
    """Python format fields from an item's locator: `{volume:02}-{section}-{level}-P{part}-{question:03}`."""
    languages = models.JSONField(_("languages"), default=list)
    """BCP-47 tags in the order shown; the first is the usual language of authoring."""
    settings = models.JSONField(_("settings"), default=dict, blank=True)
    """Thresholds, review steps and rounds, option counts, single-user mode: see `keju.studio.standing.Settings`."""
    created_at = models.DateTimeField(auto_now_add=True)
    history = HistoricalRecords()

    def __str__(self) -> str:
        return self.title


class Term(models.Model):
    """One word of the project's vocabulary, such as a genre or a question type."""

    class Kind(models.TextChoices):
        GENRE = "genre", _("genre")
        QUESTION_TYPE = "question_type", _("question type")
        DIFFICULTY = "difficulty", _("difficulty")
        DIMENSION = "dimension", _("dimension")
        INSTRUCTION = "instruction", _("task type")
        STRATEGY = "strategy", _("distractor strategy")
        EXCLUSION_REASON = "exclusion_reason", _("reason of exclusion")
        DISPUTE_CATEGORY = "dispute_category", _("category of disagreement")
        EVIDENCE = "evidence", _("kind of evidence")

    project = models.ForeignKey(Project, models.CASCADE, related_name="terms")
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    code = models.CharField(_("code"), max_length=60)
    label = models.JSONField(_("label"), default=dict)
    """Interface language → text: `{"zh-hans": "京剧", "zh-hant": "京劇", "en": "Peking opera"}`."""
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="children")
    """Of a question type: the dimension that it fills in."""
    order = models.PositiveIntegerField(default=0)
    active = models.BooleanField(_("in use"), default=True)
    history = HistoricalRecords()

    class Meta:
        ordering = ("kind", "order", "code")
        constraints = (models.UniqueConstraint(fields=("project", "kind", "code"), name="term_unique"),)

    def __str__(self) -> str:
        return worded(self.label or {}) or self.code
