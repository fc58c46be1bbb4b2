"""Rules S: the benchmark as a whole, and what runs tell of its items."""

from __future__ import annotations

import pytest
from text_items import EN, findings, item, picture, speaks_both

from keju.checks import RULES, Finding, Marks
from keju.items import Item


def exam(n: int = 40, **labels: str) -> list[Item]:
    return [
        item(f"{i:04d}", f"图中第{i}号角色是谁？", labels=labels, media=picture(f"{i}.png")) for i in range(1, n + 1)
    ]


def of(code: str, found: list[Finding]) -> list[Finding]:
    assert all(speaks_both(finding) for finding in found if finding.code == code)
    return [finding for finding in found if finding.code == code]


def relabelled(items: list[Item], *labels: dict[str, str]) -> list[Item]:
    """The items with these labels from the end."""
    changed = list(items)
    for place, each in enumerate(labels, len(items) - len(labels)):
        changed[place] = item(items[place].id, items[place].wording.question, labels=each)
    return changed


def test_counts_that_the_card_promises_are_compared_with_what_is_there() -> None:
    card = {"counts": {"items": 41, "genre": {"京剧": 40, "昆曲": 2}, "modality": {"image": 40}}}
    found = of("S101", findings(*exam(genre="京剧"), card=card))
    assert [(each.measured["told"], each.measured["found"]) for each in found] == [(41, 40), (2, 0)]
    assert not of("S101", findings(*exam(), card={"counts": {"items": 40}}))


def test_languages_of_the_card_are_those_of_the_items() -> None:
    said = lambda *tags: of("S102", findings(*exam(), card={"languages": list(tags)}))  # noqa: E731
    assert [found.measured["language"] for found in said("zh-Hans", "en")] == ["en"]
    assert [found.measured["language"] for found in said("en")] == ["en", "zh-Hans"]
    assert not said("zh")
    assert not said()


def test_a_label_that_few_items_lack_is_missing_there_and_one_for_a_part_of_them_is_meant() -> None:
    assert [found.item for found in of("S103", findings(*relabelled(exam(genre="京剧"), {})))] == ["0040"]
    half = exam(genre="京剧")[:20] + exam()[20:]
    assert not of("S103", findings(*half))


def test_two_spellings_of_a_label_are_told_with_the_usual_one() -> None:
    (found,) = of("S104", findings(*relabelled(exam(genre="Peking Opera"), {"genre": "peking-opera"})))
    assert (found.measured["value"], found.measured["usual"]) == ("peking-opera", "Peking Opera")
    assert "0040" in found.message


def test_small_and_overwhelming_categories_are_noted() -> None:
    found = findings(*relabelled(exam(genre="京剧"), {"genre": "昆曲"}, {"genre": "昆曲"}))
    assert of("S105", found)[0].measured["counts"] == {"昆曲": 2}
    assert of("S106", found)[0].measured["share"] == pytest.approx(0.95)
    assert {each.severity for each in found if each.code in ("S105", "S106")} == {"note"}
    assert not of("S106", findings(*exam(genre="京剧")))


def marks(right: dict[str, str], blind: str = "", choices: dict[str, str] | None = None) -> Marks:
    """Marks of runs: name → a `+` (right), `-` (wrong) or `?` (no label) for each item in turn."""

    def read(row: str) -> dict[str, bool | None]:
        return {f"{n:04d}": {"+": True, "-": False, "?": None}[mark] for n, mark in enumerate(row, 1)}

    chosen = {name: {f"{n:04d}": label for n, label in enumerate(row, 1)} for name, row in (choices or {}).items()}
    return Marks({name: read(row) for name, row in right.items()}, chosen, frozenset(blind.split()))


def test_an_item_that_blind_runs_answer_needs_no_medium() -> None:
    given = marks({"b1": "++-", "b2": "+-?", "b3": "++-"}, blind="b1 b2 b3")
    (found,) = of("S201", findings(*exam(3), marks=given))
    assert (found.item, found.measured["right"], found.measured["runs"]) == ("0001", 3, 3)
    two = marks({"b1": "+", "b2": "+"}, blind="b1 b2")
    assert not of("S201", findings(*exam(1), marks=two)), "two right by drawing happen in one item of sixteen"


def test_items_of_words_alone_need_no_medium_anyway() -> None:
    given = marks({"b1": "+", "b2": "+", "b3": "+"}, blind="b1 b2 b3")
    assert not of("S201", findings(item("0001", en=("Which role?", EN)), marks=given))


def test_a_blind_run_above_chance_is_told_with_the_gain_from_media() -> None:
    items = exam(100)
    given = marks({"sees": "+" * 70 + "-" * 30, "blind": "+" * 62 + "-" * 38}, blind="blind")
    (found,) = of("S202", findings(*items, marks=given))
    assert (found.measured["accuracy"], found.measured["best"]) == (0.62, 0.7)
    assert "0.25" in found.message
    at_chance = marks({"sees": "+" * 70 + "-" * 30, "blind": "+" * 28 + "-" * 72}, blind="blind")
    assert not of("S202", findings(*items, marks=at_chance))


def test_where_all_choose_another_option_the_key_is_doubted() -> None:
    names = ["m1", "m2", "m3", "m4", "m5"]
    given = marks(
        dict.fromkeys(names, "-+-"), choices=dict(zip(names, ["ACA", "ACB", "ACD", "ACB", "ACA"], strict=True))
    )
    agreed, spread = of("S203", findings(*exam(3), marks=given))
    assert (agreed.item, agreed.severity) == ("0001", "warning")
    assert "5 choose A, the key is C" in agreed.message
    assert (spread.item, spread.severity) == ("0003", "note")
    assert not of("S203", findings(*exam(1), marks=marks({"m1": "-", "m2": "-"}))), "two models are no evidence"


def test_an_item_that_everybody_answers_is_noted() -> None:
    given = marks(dict.fromkeys(["m1", "m2", "m3", "m4", "m5"], "+-"))
    (found,) = of("S204", findings(*exam(2), marks=given))
    assert (found.item, found.severity) == ("0001", "note")


def test_an_item_that_better_models_answer_worse_is_doubted() -> None:
    rows = {f"m{n}": ("+" if n < 3 else "-") + "+" * n + "-" * (8 - n) for n in range(1, 9)}
    (found,) = of("S205", findings(*exam(9), marks=marks(rows)))
    assert found.item == "0001"
    assert found.measured["correlation"] < -0.7
    few = {name: rows[name] for name in ("m1", "m2", "m7", "m8")}
    assert not of("S205", findings(*exam(9), marks=marks(few)))


def test_rules_on_runs_are_silent_without_runs() -> None:
    assert not [found for found in findings(*exam()) if found.code.startswith("S2")]


def test_every_rule_on_sets_is_tried() -> None:
    assert {code for code in RULES if code.startswith("S")} == {
        *("S101", "S102", "S103", "S104", "S105", "S106"),
        *("S201", "S202", "S203", "S204", "S205"),
    }
