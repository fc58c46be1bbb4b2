"""The list of items: narrowing, searching and sorting it, as far as a person may see what is searched."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from keju.checks.similar import normalised
from keju.studio.models import Finding, Item, Project, Term

LABELS = ("genre", "question_type", "difficulty")
_SORTS = {
    "code": ("code",),
    "-code": ("-code",),
    "state": ("state", "code"),
    "type": ("question_type__order", "code"),
    "author": ("author__username", "code"),
    "-changed": ("-changed_at", "code"),
}
_FOUND = {"error": Q(errors__gt=0), "any": Q(found__gt=0), "none": Q(found=0), "comment": Q(remarks__gt=0)}


class Filter(forms.Form):
    """What the list is narrowed to; all in the address, so that a list can be sent to a colleague."""

    q = forms.CharField(label=_("Search"), required=False, max_length=200)
    state = forms.ChoiceField(label=_("State"), required=False)
    author = forms.ModelChoiceField(User.objects.none(), label=_("Author"), required=False, empty_label=_("all"))
    finding = forms.ChoiceField(
        label=_("Open points"),
        required=False,
        choices=[
            ("", _("all")),
            ("error", _("errors")),
            ("any", _("any finding")),
            ("none", _("no finding")),
            ("comment", _("comments")),
        ],
    )
    reserve = forms.ChoiceField(
        label=_("Reserve"), required=False, choices=[("", _("all")), ("no", _("no")), ("yes", _("yes"))]
    )
    sort = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[
            ("code", _("by id")),
            ("-code", _("by id, last first")),
            ("-changed", _("latest change first")),
            ("state", _("by state")),
            ("type", _("by type")),
            ("author", _("by author")),
        ],
    )

    def __init__(self, project: Project, data: Any, *, whole: bool) -> None:
        """`whole`: the person sees texts and labels of some items, and may search them."""
        super().__init__(data)
        fields: dict[str, Any] = self.fields
        fields["state"].choices = [("", _("all")), *Item.State.choices]
        if not whole:
            for name in ("author", "finding", "reserve"):
                del self.fields[name]
            return
        fields["author"].queryset = User.objects.filter(items__project=project).distinct().order_by("username")
        for name in LABELS:
            terms = project.terms.filter(kind=name)
            if terms:
                label = Term.Kind(name).label
                fields[name] = forms.ModelChoiceField(terms, label=label, required=False, empty_label=_("all"))
        self.order_fields(["q", "state", *LABELS, "author", "finding", "reserve", "sort"])

    def narrowed(self, named: QuerySet[Item], seen: QuerySet[Item]) -> QuerySet[Item]:
        """The items asked for. What is not told of an item to this person cannot be asked of it either."""
        told = self.cleaned_data if self.is_valid() else {}
        items = named
        if any(told.get(name) for name in (*LABELS, "author", "finding", "reserve")):
            items = counted(seen)
        for name in ("state", "author", *LABELS):
            if told.get(name):
                items = items.filter(**{name: told[name]})
        if told.get("finding"):
            items = items.filter(_FOUND[told["finding"]])
        if told.get("reserve"):
            items = items.filter(reserve=told["reserve"] == "yes")
        if told.get("q"):
            items = items.filter(pk__in=_matches(told["q"], items, seen))
        return items.order_by(*_SORTS.get(told.get("sort") or "code", ("code",)))


def counted(items: QuerySet[Item]) -> QuerySet[Item]:
    """With the numbers of open errors, findings and comments."""
    opened = Q(findings__state=Finding.State.OPEN)
    return items.annotate(
        errors=Count("findings", filter=opened & Q(findings__severity="error"), distinct=True),
        found=Count("findings", filter=opened & ~Q(findings__severity="note"), distinct=True),
        remarks=Count("comments", filter=Q(comments__resolved=False), distinct=True),
    )


def _matches(query: str, items: QuerySet[Item], seen: QuerySet[Item]) -> list[int]:
    """Items whose id holds the query, or whose text does in either script; text counts where it may be seen."""
    words = normalised(query)
    by_code = list(items.filter(code__icontains=query).values_list("pk", flat=True))
    if not words:
        return by_code
    bodies = seen.filter(pk__in=items.values("pk")).values_list("pk", "current__body")
    return [*by_code, *(pk for pk, body in bodies if body and words in normalised(_text_of(body)))]


def _text_of(body: dict[str, Any]) -> str:
    texts = [body.get("stem", {}), body.get("instruction", {}), *(o.get("text", {}) for o in body.get("options", []))]
    return "\n".join(words for text in texts for words in text.values())
