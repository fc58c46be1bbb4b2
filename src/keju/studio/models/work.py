"""Work handed out: a batch picks targets, an assignment is one person's share, a response is the answer."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from keju.studio.models.items import Item, Revision
from keju.studio.models.media import Asset
from keju.studio.models.projects import Project


class Batch(models.Model):
    """Targets that are worked through together. The drawn targets are frozen: a sample is never drawn anew."""

    class Kind(models.TextChoices):
        SCREEN = "screen", _("screening of pictures and clips")
        REVIEW = "review", _("review")
        EQUIVALENCE = "equivalence", _("equivalence of languages")
        REANNOTATE = "reannotate", _("blind re-annotation")
        RATE = "rate", _("quality rating")
        BASELINE = "baseline", _("human baseline")

    project = models.ForeignKey(Project, models.CASCADE, related_name="batches")
    kind = models.CharField(_("kind"), max_length=12, choices=Kind.choices)
    name = models.CharField(_("name"), max_length=100)
    seed = models.PositiveIntegerField(default=0)
    query = models.JSONField(default=dict, blank=True)
    """Which targets were drawn from: column → value."""
    stratify = models.JSONField(default=list, blank=True)
    size = models.PositiveIntegerField(null=True, blank=True)
    """Targets drawn; None takes all."""
    policy = models.JSONField(default=dict, blank=True)
    """Steps, rounds, people per target, rule of decision, minutes until an idle assignment is given to another."""
    targets = models.JSONField(default=list)
    """Primary keys of the items or assets drawn, in the order drawn."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-frozen_at",)

    def __str__(self) -> str:
        return self.name


class Assignment(models.Model):
    """One person, one target, one step. The queue from which `next` takes."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        TAKEN = "taken", _("begun")
        DONE = "done", _("done")
        VOID = "void", _("void")
        """Its revision was changed under it, or the time ran out."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="assignments")
    item = models.ForeignKey(Item, models.CASCADE, null=True, blank=True, related_name="assignments")
    asset = models.ForeignKey(Asset, models.CASCADE, null=True, blank=True, related_name="assignments")
    revision = models.ForeignKey(Revision, models.PROTECT, null=True, blank=True, related_name="assignments")
    """The revision that is judged: pinned when the assignment is made."""
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="assignments")
    """None while anyone fit may take it."""
    step = models.CharField(max_length=20, blank=True)
    round = models.PositiveSmallIntegerField(default=1)
    blind = models.BooleanField(default=False)
    named = models.BooleanField(default=False)
    """Made for this person: when it lies idle it stays theirs. Set by `queue.hand_out`."""
    order = models.PositiveIntegerField(default=0)
    """Place in this person's queue."""
    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    opened_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    visible_ms = models.PositiveIntegerField(null=True, blank=True)
    """Milliseconds that the page was in sight, by the browser's own clock."""
    media = models.JSONField(default=dict, blank=True)
    """Of a clip: `first_play_ms`, `plays`, `heard_s`, `ended`."""

    class Meta:
        ordering = ("batch", "order", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("batch", "item", "user", "step", "round"),
                condition=models.Q(item__isnull=False, user__isnull=False) & ~models.Q(state="void"),
                name="assignment_item_unique",
            ),
            models.UniqueConstraint(
                fields=("batch", "asset", "user", "step", "round"),
                condition=models.Q(asset__isnull=False, user__isnull=False) & ~models.Q(state="void"),
                name="assignment_asset_unique",
            ),
        )
        indexes = (models.Index(fields=("user", "state")), models.Index(fields=("batch", "state")))

    def __str__(self) -> str:
        return f"{self.batch}: {self.item or self.asset}"


class Response(models.Model):
    """An answer to an assignment. Append-only: a correction is a new row that supersedes the old."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="responses")
    data = models.JSONField()
    """Validated by the pydantic model of the batch's kind (`keju.studio.responses`)."""
    at = models.DateTimeField(auto_now_add=True)
    supersedes = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="superseded_by")
    idempotency_key = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ("at", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("assignment",), condition=models.Q(supersedes__isnull=True), name="response_first_unique"
            ),
        )

    def __str__(self) -> str:
        return f"response to {self.assignment}"
