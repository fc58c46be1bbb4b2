"""Items, their revisions (never changed, never deleted), drafts and comments."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from keju.studio.content import Content
from keju.studio.models.media import Asset
from keju.studio.models.projects import Project, Term

MOST_SPLIT = 30  # characters of a split's name


class Item(models.Model):
    """One question in the making. Everything to be counted or filtered is a column; its text is in revisions."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        IN_REVIEW = "in_review", _("in review")
        REVISE = "revise", _("to be revised")
        ACCEPTED = "accepted", _("accepted")
        DISPUTED = "disputed", _("disputed")
        EXCLUDED = "excluded", _("excluded")
        RELEASED = "released", _("released")

    project = models.ForeignKey(Project, models.CASCADE, related_name="items")
    code = models.CharField(_("id"), max_length=60)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.DRAFT)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="items")
    original_language = models.CharField(_("language of authoring"), max_length=20)
    locator = models.JSONField(_("place in the source"), default=dict, blank=True)
    """Fields of the id template: `{"volume": 1, "section": "L", "level": "A", "part": 1, "question": 1}`."""
    split = models.CharField(_("split"), max_length=MOST_SPLIT, blank=True)
    """The split in which it was imported; a release says in which it went out."""
    extra = models.JSONField(default=dict, blank=True)
    """Fields of the source that nobody here knows, kept as they came and released so."""
    genre = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    question_type = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    difficulty = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    dimension = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    instruction = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    image = models.ForeignKey(Asset, models.PROTECT, null=True, blank=True, related_name="items_seen")
    audio = models.ForeignKey(Asset, models.PROTECT, null=True, blank=True, related_name="items_heard")
    current = models.ForeignKey("Revision", models.PROTECT, null=True, blank=True, related_name="+")
    version = models.PositiveIntegerField(default=0)
    """Counts saves; a save names the version that it began from, and is refused where another came first."""
    reserve = models.BooleanField(_("reserve"), default=False)
    """Takes the place of an excluded item; released only when promoted."""
    excluded_reason = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("code",)
        constraints = (models.UniqueConstraint(fields=("project", "code"), name="item_code_unique"),)
        indexes = (models.Index(fields=("project", "state")),)

    def __str__(self) -> str:
        return self.code

    @property
    def assets(self) -> list[Asset]:
        """The picture and the clip, as far as there are."""
        return [asset for asset in (self.image, self.audio) if asset]


class Revision(models.Model):
    """A version of an item's text and media, as someone saved it. Append-only."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    body = models.JSONField()
    """`Content` as JSON."""
    sha256 = models.CharField(max_length=64)
    image = models.ForeignKey(Asset, models.PROTECT, null=True, blank=True, related_name="+")
    audio = models.ForeignKey(Asset, models.PROTECT, null=True, blank=True, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="revisions")
    at = models.DateTimeField(auto_now_add=True)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="children")

    class Meta:
        ordering = ("item", "number")
        constraints = (models.UniqueConstraint(fields=("item", "number"), name="revision_unique"),)

    def __str__(self) -> str:
        return f"{self.item} r{self.number}"

    @property
    def content(self) -> Content:
        return Content.model_validate(self.body)


class Draft(models.Model):
    """What someone has typed and not saved yet: one row a person and a target."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts")
    target = models.CharField(max_length=80)
    """`item:12`, `new:opera:TOKEN`, `assignment:7`, `dispute:3`."""
    base_version = models.PositiveIntegerField(default=0)
    body = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "target"), name="draft_unique"),)

    def __str__(self) -> str:
        return f"draft of {self.target}"


class Comment(models.Model):
    item = models.ForeignKey(Item, models.CASCADE, related_name="comments")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="comments")
    text = models.TextField(_("comment"))
    at = models.DateTimeField(auto_now_add=True)
    resolved = models.BooleanField(_("settled"), default=False)

    class Meta:
        ordering = ("at", "pk")

    def __str__(self) -> str:
        return self.text[:60]
