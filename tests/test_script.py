"""Chinese script and width: converted, folded and told apart, for any text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.script import fold, fold_width, script_of, to_simplified, to_traditional

ANY_TEXT = st.text(st.characters(codec=None))


def test_traditional_is_taiwans_and_keeps_the_words() -> None:
    assert to_traditional("银行里的面条，软件") == "銀行裡的麵條，軟件"


def test_simplified_undoes_taiwans_forms() -> None:
    assert to_simplified("銀行裡的麵條，看著皇后") == "银行里的面条，看着皇后"


def test_a_form_feed_nul_or_lone_surrogate_does_not_stop_conversion() -> None:
    assert to_simplified("\0臺灣\0\ud800車站") == "\0台湾\0\ud800车站"


def test_only_width_variants_are_folded() -> None:
    assert fold_width("（Ｂ）：５　℃①ﬁ½") == "(B):5 ℃①ﬁ½"


def test_folding_makes_scripts_and_widths_compare_equal_and_keeps_case() -> None:
    assert fold("在圖書館，Ａb") == fold("在图书馆,Ab") == "在图书馆,Ab"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("他们在哪里？", "hans"),
        ("他們在哪裡？", "hant"),
        ("他們在哪里，图书", "both"),
        ("人在山上", None),
        ("台北的皇后", None),
        ("Where are they? ＡＢ", None),
        ("", None),
    ],
)
def test_script_of(text: str, script: str | None) -> None:
    assert script_of(text) == script


@given(ANY_TEXT)
def test_no_text_breaks_conversion(text: str) -> None:
    for change in (fold, to_simplified, to_traditional):
        assert isinstance(change(text), str)
    script_of(text)


@given(ANY_TEXT)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold_width(fold_width(text)) == fold_width(text)
    assert fold(fold(text)) == fold(text)


@pytest.mark.shared
def test_real_traditional_questions_are_told_and_a_slip_among_them_found(shared: Path) -> None:
    """One of the 396 has 帅 where 幼 is meant."""
    items = json.loads((shared / "data/multi-tw/items.json").read_text(encoding="utf-8"))
    found = {i["id"]: script_of(i["instruction"] + i["question"] + "".join(i["options"])) for i in items}
    assert {name: script for name, script in found.items() if script != "hant"} == {"03-R-B-P2-023": "both"}
