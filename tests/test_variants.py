"""Variants: items put differently under the same ids, and nothing lost without a word."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.items import Item, Medium, Wording
from keju.script import script_of
from keju.variants import apply, describe, parse_variants
from real_failures import bug_cases

HANS = Wording("zh-Hans", "他们是谁？", {"A": "老生", "B": "花旦", "C": "净角", "D": "丑角"})
EN = Wording("en", "Who are they?", {"A": "Sheng", "B": "Dan", "C": "Jing", "D": "Chou"})
IMAGE, AUDIO = Medium("image", "1.png", data=b"i"), Medium("audio", "1.mp3", data=b"a")


def item(name: str = "1", *wordings: Wording, **changes: Any) -> Item:
    given = {wording.language: wording for wording in wordings or (HANS, EN)}
    return Item(**({"id": name, "wordings": given, "answer": "B", "media": (IMAGE,)} | changes))


def varied(items: list[Item], *variants: str) -> Benchmark:
    return apply(Benchmark("exam", tuple(items)), parse_variants(variants))


def one(asked: Item, *variants: str) -> Item:
    return varied([asked], *variants).items[0]


def codes(benchmark: Benchmark) -> list[tuple[str | None, str, bool]]:
    return [(problem.item, problem.code, problem.left_out) for problem in benchmark.problems]


# Language and script


def test_another_language_is_asked_first_and_the_rest_is_kept() -> None:
    asked = one(item(), "language=en")
    assert asked.wording == EN
    assert set(asked.wordings) == {"en", "zh-Hans"}
    assert (asked.id, asked.answer, asked.media) == ("1", "B", (IMAGE,))


def test_items_without_the_language_are_left_out_and_listed() -> None:
    asked = varied([item("1"), item("2", HANS)], "language=en")
    assert [i.id for i in asked] == ["1"]
    assert codes(asked) == [("2", "no_wording", True)]


def test_a_language_that_no_item_has_is_refused() -> None:
    with pytest.raises(Misuse, match=r"variant language=fr leaves no item of exam: item 1: .*it has zh-Hans, en"):
        one(item(), "language=fr")


def test_a_script_is_converted_once_noted_for_review() -> None:
    asked = varied([item("1"), item("2")], "script=hant")
    wording = asked["1"].wording
    assert (wording.language, wording.question) == ("zh-Hant", "他們是誰？")
    assert wording.options["C"] == "淨角"
    assert set(asked["1"].wordings) == {"zh-Hant", "en"}
    assert codes(asked) == [(None, "script_converted", False)]
    assert "needs review" in asked.problems[0].message


def test_an_authors_own_wording_in_the_script_is_taken_before_conversion() -> None:
    authored = Wording("zh-Hant", "他們是什麼人？", HANS.options)
    asked = varied([item("1", EN, HANS, authored)], "script=hant")
    assert asked["1"].wording == authored
    assert asked.problems == ()


@pytest.mark.parametrize("tag", ["zh", "zh-CN"])
def test_the_script_of_a_loose_tag_is_known(tag: str) -> None:
    loose = Wording(tag, HANS.question, HANS.options)
    assert one(item("1", loose), "script=hans").wording == loose
    assert one(item("1", loose), "script=hant").wording.question == "他們是誰？"


def test_an_item_without_chinese_has_no_script() -> None:
    assert codes(varied([item("1"), item("2", EN)], "script=hans")) == [("2", "no_wording", True)]


# Order of options


def test_rotation_moves_options_wordings_marks_and_key_together() -> None:
    marked = Wording(
        "zh-Hant", "", {"A": "車站", "B": "郵局", "C": "銀行"}, "請選。", ("（A）車站", "（B）郵局", "（C）銀行")
    )
    translated = Wording("en", "", {"A": "station", "B": "post office", "C": "bank"})
    asked = one(item("1", marked, translated), "rotate=1")
    assert asked.options == {"A": "銀行", "B": "車站", "C": "郵局"}
    assert asked.wordings["en"].options == {"A": "bank", "B": "station", "C": "post office"}
    assert asked.wording.as_written == ("（A）銀行", "（B）車站", "（C）郵局")
    assert asked.answer == "C"
    assert asked.wording.instruction == "請選。"


OPTION_TEXT = st.text(st.characters(codec="utf-8", categories=["Lo"]), min_size=2, max_size=4)


@st.composite
def benchmarks(draw: st.DrawFn) -> Item:
    labels = "ABCDEF"[: draw(st.integers(2, 6))]
    texts = draw(st.lists(OPTION_TEXT, min_size=len(labels), max_size=len(labels), unique=True))
    options = dict(zip(labels, texts, strict=True))
    lines = tuple(f"（{label}）{text}" for label, text in options.items())
    english = {label: f"text {number}" for number, label in enumerate(labels)}
    wordings = (Wording("zh", "？", options, "", lines), Wording("en", "?", english))
    return item(draw(st.text(max_size=4)), *wordings, answer=draw(st.sampled_from([*labels, None])))


@given(benchmarks())
def test_rotating_by_the_number_of_options_is_the_identity(asked: Item) -> None:
    assert one(asked, f"rotate={len(asked.options)}") == asked
    assert one(one(asked, "rotate=2"), "rotate=-2") == asked


@given(benchmarks(), st.sampled_from(["shuffle", "rotate"]), st.integers(-99, 99))
def test_the_keys_text_and_the_labels_stay_in_every_wording(asked: Item, variant: str, by: int) -> None:
    moved = one(asked, f"{variant}={by}")
    assert moved.id == asked.id
    for tag, wording in asked.wordings.items():
        new = moved.wordings[tag]
        assert list(new.options) == list(wording.options)
        assert sorted(new.options.values()) == sorted(wording.options.values())
        if asked.answer is None:
            assert moved.answer is None
        else:
            assert new.options[moved.answer] == wording.options[asked.answer]
        if wording.as_written:
            assert new.as_written == tuple(f"（{label}）{text}" for label, text in new.options.items())


def test_shuffles_are_uniform_over_orders_and_do_not_depend_on_the_other_items() -> None:
    three = Wording("en", "?", {"A": "x1", "B": "x2", "C": "x3"})
    items = [item(str(number), three) for number in range(3000)]
    shuffled = varied(items, "shuffle=7")
    orders = Counter(tuple(i.options.values()) for i in shuffled)
    assert len(orders) == 6
    assert chisquare(list(orders.values())).pvalue > 0.001
    assert one(items[17], "shuffle=7") == shuffled["17"]
    assert varied(items, "shuffle=8").items != shuffled.items


@pytest.mark.parametrize(
    "text",
    [
        "以上都不对",
        "以上皆非",
        "以上答案都對",
        "A和B都对",
        "Ａ、B",
        "A and C",
        "Both A and B",
        "neither B nor C",
        "all of the above",
        "None of these",
        "None of the options",
        "都不正確",
        "两者都是",
        "选项A的反面",
        "C",
        "（A）",
        "",
        " ",
    ],
)
@pytest.mark.parametrize("variant", ["shuffle=1", "rotate=1"])
def test_options_that_name_others_keep_the_whole_item_as_it_is(text: str, variant: str) -> None:
    meta = item("1", Wording("zh", "？", {"A": "红脸", "B": "白脸", "C": text}))
    asked = varied([meta], variant)
    assert asked.items == (meta,)
    assert codes(asked) == [("1", "meta_option", False)]


@pytest.mark.parametrize(
    "text",
    [
        "十八歲以上",
        "他們都是學生",
        "都是免費的",
        "兩者都會動",
        "A型血",
        "a and b",
        "I am above it",
        "none of his friends",
        "Plan B",
        "维生素C",
    ],
)
def test_ordinary_options_are_moved(text: str) -> None:
    asked = varied([item("1", Wording("zh", "？", {"A": text, "B": "白脸"}))], "rotate=1")
    assert asked.items[0].options["B"] == text
    assert asked.problems == ()


@pytest.mark.shared
@pytest.mark.parametrize("case", [case for case in bug_cases("4-text") if case.id == "TX-29"])
def test_the_reported_meta_options_are_kept_and_listed(case: dict[str, Any]) -> None:
    meta = item("1", Wording("zh-Hans", "？", case["input"]["options"]))
    asked = varied([meta], f"{case['input']['operation']}=3")
    assert (asked.items, asked.problems[0].code) == ((meta,), case["expected"]["code"])


def test_wordings_with_different_labels_are_not_reordered() -> None:
    odd = item("1", HANS, Wording("en", "?", {"A": "one", "B": "two"}))
    asked = varied([odd], "shuffle=1")
    assert (asked.items, codes(asked)) == ((odd,), [("1", "meta_option", False)])


def test_original_lines_that_do_not_hold_their_text_are_given_up() -> None:
    marked = Wording("zh", "？", {"A": "红脸", "B": "白脸"}, "", ("（A）红 脸", "（B）白 脸"))
    assert one(item("1", marked), "rotate=1").wording.as_written == ()


@pytest.mark.shared
def test_real_items_whose_options_are_pictures_stay_and_the_others_move(shared: Path) -> None:
    rows = json.loads((shared / "data/multi-tw/items.json").read_text(encoding="utf-8"))
    items = []
    for row in rows:
        options = {line[1]: line[3:] for line in row["options"]}
        wording = Wording("zh-Hant", row["question"], options, row["instruction"], tuple(row["options"]))
        items.append(item(row["id"], wording, answer=row["answer"]))
    asked = varied(items, "rotate=1")
    assert len(asked) == 396
    assert len(asked.problems) == sum(not all(i.options.values()) for i in items)
    assert {p.item for p in asked.problems} == {i.id for i in items if asked[i.id] == i}


# Media


def test_blind_items_keep_everything_but_their_media() -> None:
    asked = one(item(media=(IMAGE, AUDIO)), "media=none")
    assert (asked.media, asked.modality, asked.wording) == ((), "text", HANS)


def test_a_transcript_takes_the_place_of_audio_before_the_question() -> None:
    heard = item("1", HANS, EN, media=(IMAGE, AUDIO), extra={"transcript": " 咿呀 "})
    asked = one(heard, "media=transcript")
    assert asked.media == (IMAGE,)
    assert asked.wording.question == "录音文字：咿呀\n他们是谁？"
    assert asked.wordings["en"].question == "Transcript: 咿呀\nWho are they?"


def test_a_heard_question_without_text_becomes_its_transcript() -> None:
    heard = item("1", Wording("zh-Hant", "", HANS.options), media=(AUDIO,), extra={"transcript": "誰"})
    assert one(heard, "media=transcript").wording.question == "錄音文字：誰"


@pytest.mark.parametrize("extra", [{}, {"transcript": " "}, {"transcript": 3}])
def test_audio_without_a_transcript_is_left_out_and_images_stay(extra: dict[str, Any]) -> None:
    asked = varied([item("1", media=(AUDIO,), extra=extra), item("2")], "media=transcript")
    assert asked.items == (item("2"),)
    assert codes(asked) == [("1", "no_transcript", True)]


# Names


def test_variants_are_applied_in_their_order_and_described() -> None:
    variants = parse_variants(["language=en", " shuffle = 7", "media=none"])
    assert describe(variants) == {"language": "en", "shuffle": "7", "media": "none"}
    asked = apply(Benchmark("exam", (item(),)), variants).items[0]
    assert (asked.wording.language, asked.media) == ("en", ())
    assert parse_variants(f"{name}={value}" for name, value in describe(variants).items()) == variants


def test_no_variant_is_the_benchmark_itself() -> None:
    benchmark = Benchmark("exam", (item(),))
    assert apply(benchmark, parse_variants([])) is benchmark


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["colour=red"], "there is no variant 'colour=red'; there are language=TAG .*shuffle=SEED"),
        (["shuffle"], "variant 'shuffle' is malformed; write shuffle=SEED"),
        (["shuffle=x"], "write shuffle=SEED"),
        (["rotate=1.5"], "write rotate=PLACES"),
        (["rotate=²"], "write rotate=PLACES"),
        (["language="], "write language=TAG"),
        (["script=zh"], r"write script=hans\|hant"),
        (["media=off"], r"write media=none\|transcript"),
        (["shuffle=1", "shuffle=2"], "variant shuffle is given twice"),
        (["language=en", "script=hant"], "script=hant asks in Chinese, language=en does not"),
    ],
)
def test_a_mistaken_variant_is_answered_with_what_there_is(given: list[str], complaint: str) -> None:
    with pytest.raises(Misuse, match=complaint):
        parse_variants(given)


@given(st.lists(st.text(max_size=12)))
def test_any_text_gives_variants_or_a_misuse(given: list[str]) -> None:
    with contextlib.suppress(Misuse):
        variants = parse_variants(given)
        assert parse_variants(f"{name}={value}" for name, value in describe(variants).items()) == variants


def test_script_and_language_of_chinese_go_together() -> None:
    asked = one(item("1", EN, HANS), "language=zh", "script=hant")
    assert script_of(asked.wording.question) == "hant"
