"""How every form looks: labels without a colon, a box to tick before its label, help and errors beneath the field."""

from __future__ import annotations

from typing import Any

from django.forms.boundfield import BoundField
from django.forms.renderers import DjangoTemplates


class Labelled(BoundField):
    """A field whose label is its words alone: which colon there would be depends on the language."""

    def label_tag(self, contents: Any = None, attrs: Any = None, label_suffix: Any = "", tag: Any = None) -> Any:
        return super().label_tag(contents, attrs, label_suffix or "", tag)


class Looks(DjangoTemplates):
    field_template_name = "studio/widgets/field.html"
    bound_field_class = Labelled
