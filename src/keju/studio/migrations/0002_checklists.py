"""Checklists and criteria were texts in one language; they become points that are known by a code and told in three."""

import tomllib
from pathlib import Path
from typing import Any

from django.db import migrations

LANGUAGES = ("en", "zh-hans", "zh-hant")
PROFILES = Path(__file__).parents[1] / "profiles"


def told_in_three() -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """Every text of the profiles, in whichever language → the same in all."""
    found: dict[str, dict[str, str]] = {}
    steps: dict[str, dict[str, str]] = {}
    for file in PROFILES.glob("*.toml"):
        profile = tomllib.loads(file.read_text(encoding="utf-8"))
        lists = [profile["screening"]["include"], profile["screening"]["exclude"]]
        for step in profile["steps"]:
            steps[step["name"]] = dict(zip(LANGUAGES, step["label"], strict=True))
            lists.append(step["checklist"])
        for texts in (texts for each in lists for texts in each):
            found.update({text: dict(zip(LANGUAGES, texts, strict=True)) for text in texts})
    return found, steps


def to_points(apps: Any, _schema_editor: Any) -> None:
    """The old text is the code, by which the answers that are there already know it."""
    from keju.studio.points import Point

    texts, steps = told_in_three()

    def points(values: list[Any]) -> list[dict[str, Any]]:
        made = [Point.model_validate(value) for value in values]
        return [{"code": one.code, "label": texts.get(one.code, one.label)} for one in made]

    for project in apps.get_model("studio", "Project").objects.all():
        kept = project.settings or {}
        for name in {"include_if", "exclude_if"} & kept.keys():
            kept[name] = points(kept[name])
        for step in kept.get("steps", []):
            step["checklist"] = points(step.get("checklist", []))
            step.setdefault("label", steps.get(step["name"], {}))
        project.save(update_fields=("settings",))
    for batch in apps.get_model("studio", "Batch").objects.filter(kind="screen"):
        for name in {"include_if", "exclude_if"} & batch.policy.keys():
            batch.policy[name] = points(batch.policy[name])
        batch.save(update_fields=("policy",))


class Migration(migrations.Migration):
    dependencies = [("studio", "0001_first")]
    operations = [
        migrations.RunPython(to_points, migrations.RunPython.noop),
        migrations.RemoveField("asset", "rejected_for"),  # read from the votes, in the reader's language
    ]
