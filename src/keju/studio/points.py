"""Points of a checklist, and other short texts that a project gives in the languages of the interface."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from pydantic import BaseModel, model_validator

from keju.script import script_of
from keju.studio.wording import worded

LANGUAGES = {"en": "English", "zh-hans": "简体", "zh-hant": "繁體"}
"""Of the interface, in the order in which profiles give texts → what their fields are called."""
LONGEST = 200  # characters of one point
SPARE = 2  # empty lines below the points that are there


class Point(BaseModel):
    """One point. Answers keep its code, so that its wording may change and each reader has it in their language."""

    code: str
    label: dict[str, str] = {}
    """Language of the interface → text."""

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, told: Any) -> Any:
        """A bare text is a point that has that text in its own language, and as its code."""
        return {"code": told, "label": {language_of(told): told}} if isinstance(told, str) else told

    def __str__(self) -> str:
        return worded(self.label) or self.code


def language_of(text: str) -> str:
    """The language of the interface that a text is in, as far as its characters tell."""
    if script_of(text) == "hant":
        return "zh-hant"
    return "zh-hans" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"


def points_of(told: Iterable[Any]) -> list[Point]:
    return [Point.model_validate(one) for one in told]


def named(points: Iterable[Point], codes: Iterable[str]) -> list[str]:
    """The texts of these codes, in the language of the interface; a code that is no point's any more as it is."""
    texts = {point.code: str(point) for point in points}
    return [texts.get(code, code) for code in codes]


class _Rows(forms.Widget):
    """A line for each point, with a field for each language and the code unseen."""

    template_name = "studio/widgets/points.html"

    def __init__(self, spare: int) -> None:
        super().__init__()
        self.spare = spare

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        rows = [*(value or []), *({} for _ in range(self.spare if value else max(1, self.spare)))]
        context["rows"] = [(at, row.get("code", ""), _texts(row)) for at, row in enumerate(rows)]
        context["longest"] = LONGEST
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, Any]]:  # noqa: ARG002 - as Django calls it
        rows, at = [], 0
        while any(f"{name}-{at}-{tag}" in data for tag in LANGUAGES):
            label = {tag: str(data.get(f"{name}-{at}-{tag}", "")).strip() for tag in LANGUAGES}
            label = {tag: text for tag, text in label.items() if text}
            if label:
                rows.append({"code": str(data.get(f"{name}-{at}-code", "")), "label": label})
            at += 1
        return rows

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:  # noqa: ARG002 - as Django calls it
        return not any(f"{name}-0-{tag}" in data for tag in LANGUAGES)


def _texts(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(language, what its field is called, text) of one line."""
    label = row.get("label", {})
    return [(tag, title, label.get(tag, "")) for tag, title in LANGUAGES.items()]


class PointsField(forms.Field):
    """Points in three languages; a line that is emptied goes. Cleans to what `Project.settings` keeps."""

    def __init__(self, **named: Any) -> None:
        super().__init__(required=False, widget=_Rows(SPARE), **named)

    def prepare_value(self, value: Any) -> Any:
        return [point.model_dump() for point in points_of(value or [])]

    def clean(self, value: Any) -> list[dict[str, Any]]:
        rows = [{**row, "code": row["code"] or next(iter(row["label"].values()))} for row in value or []]
        if any(len(text) > LONGEST or "\0" in text for row in rows for text in [*row["label"].values(), row["code"]]):
            raise forms.ValidationError(_("A point has at most %(n)d characters.") % {"n": LONGEST})
        if len({row["code"] for row in rows}) < len(rows):
            raise forms.ValidationError(_("Two points are the same."))
        return rows

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != (data or []))


class WordedField(forms.Field):
    """One short text in three languages."""

    def __init__(self, **named: Any) -> None:
        super().__init__(required=False, widget=_Rows(0), **named)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):  # as it was posted
            return value
        return [{"label": value}] if value else []

    def clean(self, value: Any) -> dict[str, str]:
        label: dict[str, str] = value[0]["label"] if value else {}
        if any(len(text) > LONGEST or "\0" in text for text in label.values()):
            raise forms.ValidationError(_("A point has at most %(n)d characters.") % {"n": LONGEST})
        return label

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or {}) != (data[0]["label"] if data else {}))
