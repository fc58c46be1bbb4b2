"""Protocols: the prompts they make, the files they come from, and what they make of an invalid answer."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import BadFile, Misuse
from keju.items import Item, Medium, Wording
from keju.protocols import Extraction, Protocol, Template, builtin_protocols, load_protocol
from keju.script import to_simplified

OPTIONS = {"A": "生", "B": "旦", "C": "净", "D": "丑"}
IMAGE = Medium("image", "0001.png", data=b"\x89PNG")


def item(language: str = "zh-Hans", question: str = "他是什么行当？", **changes: Any) -> Item:
    wording = Wording(language, question, OPTIONS)
    return Item(**({"id": "0001", "wordings": {language: wording}, "answer": "A", "media": (IMAGE,)} | changes))


def text_of(protocol: str, asked: Item, language: str | None = None) -> str:
    return load_protocol(protocol).prompt(asked, language).text


# Prompts


@pytest.mark.parametrize("name", ["tco", "tco-strict"])
def test_tco_asks_the_papers_words_then_shows_the_image(name: str) -> None:
    prompt = load_protocol(name).prompt(item())
    assert prompt.text == (
        "根据下面这张图片回答这个选择题:\n他是什么行当？\nA: 生\nB: 旦\nC: 净\nD: 丑\n"
        "请仅回答正确选项的字母(A、B、C 或 D), 不允许有其他任何内容。"
    )
    assert prompt.parts[1:] == (IMAGE,)
    assert (prompt.generation.max_tokens, prompt.generation.temperature) == (10, 0.0)
    assert prompt.scoring == "generate"


def test_tco_in_traditional_script_is_the_same_text() -> None:
    assert to_simplified(text_of("tco", item("zh-Hant", "他是什麼行當？"))) == text_of("tco", item())


@pytest.mark.parametrize(
    ("labels", "named"), [("ABC", "A、B 或 C"), ("ABCDE", "A、B、C、D 或 E"), ("BCD", "B、C 或 D"), ("AB", "A 或 B")]
)
def test_tco_names_the_labels_that_the_item_has(labels: str, named: str) -> None:
    wording = Wording("zh-Hans", "？", dict.fromkeys(labels, "生"))
    lines = text_of("tco", item(wordings={"zh-Hans": wording})).splitlines()
    assert lines[-1] == f"请仅回答正确选项的字母({named}), 不允许有其他任何内容。"
    assert [line[0] for line in lines[2:-1]] == list(labels)


def test_tco_in_english_asks_the_equivalent() -> None:
    asked = text_of("tco", item("en", "Which role is he?")).splitlines()
    assert asked[1] == "Which role is he?"
    assert asked[-1].startswith("Answer only with the letter of the correct option (A, B, C or D)")


def test_the_published_multi_tw_prompt_of_a_heard_question_keeps_its_empty_line() -> None:
    heard = Wording("zh-Hant", "", {"A": "", "B": ""}, "請選出回應。", ("（A）", "（B）"))
    assert text_of("multi-tw", item(wordings={"zh-Hant": heard})) == (
        "請選出回應。\n\n（A）（B）\n"
        "僅輸出正確答案的字母，格式必須為 'A', 'B', 'C', 'D'，輸出限制為單個字母，無需解釋。\n"
    )


def test_multi_tw_marks_options_that_came_without_marks() -> None:
    assert "\n（A）生（B）旦（C）净（D）丑\n" in text_of("multi-tw", item("en"))


@pytest.mark.shared
def test_multi_tw_prompts_equal_the_published_ones_byte_for_byte(shared: Path) -> None:
    folder = shared / "data/multi-tw"
    lines = (folder / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    published = {row["id"]: row["question"] for row in map(json.loads, lines)}
    rows = json.loads((folder / "items.json").read_text(encoding="utf-8"))
    protocol = load_protocol("multi-tw")
    for row in rows:
        options = {line[1]: line[3:] for line in row["options"]}
        wording = Wording("zh-Hant", row["question"], options, row["instruction"], tuple(row["options"]))
        built = protocol.prompt(Item(row["id"], {"zh-Hant": wording}, row["answer"])).text
        assert built.encode() == published[row["id"]].encode()
    assert len(rows) == 396


@pytest.mark.parametrize(
    ("language", "form"), [("zh-Hans", "“答案：X”"), ("zh-Hant", "「答案：X」"), ("en", '"Answer: X"')]
)
def test_robust_asks_in_the_items_language_for_its_labels_only(language: str, form: str) -> None:
    prompt = load_protocol("robust").prompt(item(language))
    assert form in prompt.text
    assert prompt.generation.max_tokens == 2048
    assert prompt.language == language


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh-Hans", "问题：{q}\n答案："),
        ("zh-Hant", "問題：{q}\n答案："),
        ("en", "Question: {q}\nAnswer:"),
    ],
)
def test_option_likelihood_leaves_the_option_to_be_scored(language: str, expected: str) -> None:
    protocol = load_protocol("option-likelihood")
    prompt = protocol.prompt(item(language, "谁？"))
    assert prompt.text == expected.format(q="谁？")
    assert (prompt.parts[0], prompt.scoring) == (IMAGE, "option-likelihood")
    assert prompt.options == OPTIONS
    assert protocol.prompt(item(language, "")).text == expected.splitlines()[1]


@pytest.mark.parametrize(
    ("tag", "question", "template"),
    [
        ("zh", "他们是谁？", "zh-Hans"),
        ("zh", "他們是誰？", "zh-Hant"),
        ("zh-TW", "他", "zh-Hant"),
        ("zh_HK", "他", "zh-Hant"),
        ("zh-CN", "他", "zh-Hans"),
        ("zh-Hant-TW", "他", "zh-Hant"),
        ("en-US", "He?", "en"),
    ],
)
def test_a_less_or_more_exact_tag_finds_its_template(tag: str, question: str, template: str) -> None:
    wording = Wording(tag, question, {"A": "1"})
    expected = load_protocol("tco").templates[template].fill(wording)
    assert text_of("tco", item(wordings={tag: wording})) == expected


def test_a_language_without_a_template_is_refused_by_name() -> None:
    with pytest.raises(Misuse, match=r"protocol tco has no template for language 'fr' \(it has zh-Hans"):
        text_of("tco", item("fr"))


def test_another_wording_can_be_asked() -> None:
    both = item(wordings={"zh-Hans": Wording("zh-Hans", "谁？", OPTIONS), "en": Wording("en", "Who?", {"A": "x"})})
    prompt = load_protocol("tco").prompt(both, "en")
    assert (prompt.question, dict(prompt.options), prompt.language) == ("Who?", {"A": "x"}, "en")
    with pytest.raises(Misuse, match="no wording in 'fr'"):
        load_protocol("tco").prompt(both, "fr")


def test_an_item_without_media_is_asked_in_text_alone() -> None:
    assert len(load_protocol("tco").prompt(item(media=())).parts) == 1


@given(st.text(st.characters(codec=None), min_size=1), st.text(st.characters(codec=None), min_size=1))
def test_braces_and_fields_in_a_question_are_text(question: str, option: str) -> None:
    wording = Wording("en", "{options} {0} {" + question, {"A": "{question}" + option})
    filled = Template("{question}\n{options}").fill(wording)
    assert filled == f"{wording.question}\nA: {wording.options['A']}"


def test_a_line_whose_fields_are_empty_is_left_out_unless_kept() -> None:
    empty = Wording("en", "", {"A": ""})
    text = "Read.\n{instruction}\nQ: {question}\n{options}\n\n{{ok}}"
    assert Template(text).fill(empty) == "Read.\nA:\n\n{ok}"
    assert Template(text, empty_lines=True).fill(empty) == "Read.\n\nQ: \nA:\n\n{ok}"


# Invalid answers


def test_multi_tw_draws_for_what_it_cannot_read_and_says_why() -> None:
    found = load_protocol("multi-tw").extract("無法判斷", OPTIONS, item_id="0001")
    assert found.drawn
    assert found.label in OPTIONS
    assert not found.valid
    assert found.reason == "refusal"


def test_tco_never_draws() -> None:
    assert load_protocol("tco").extract("?", OPTIONS, item_id="1") == Extraction(None, "no-label")


def test_nothing_is_drawn_for_a_reply_that_is_not_there() -> None:
    protocol = load_protocol("multi-tw")
    assert protocol.extract(None, OPTIONS, item_id="1") == Extraction(None, "empty")
    assert protocol.extract("", OPTIONS, item_id="1").drawn


def test_another_parser_takes_no_part_in_the_draw() -> None:
    protocol = load_protocol("multi-tw")
    assert protocol.extract("嗯", OPTIONS, item_id="1", parser="robust") == Extraction(None, "no-label")
    assert protocol.extract("嗯", OPTIONS, item_id="1", parser="first-letter").drawn


def test_the_seed_of_a_protocol_decides_its_draws() -> None:
    protocol = load_protocol("multi-tw")
    drawn = {replace(protocol, seed=seed).extract("嗯", OPTIONS, item_id="1").label for seed in range(40)}
    assert drawn == set(OPTIONS)


def test_likelihoods_reach_their_parser() -> None:
    protocol = load_protocol("option-likelihood")
    assert protocol.extract("", OPTIONS, item_id="1", scores={"A": -2.0, "C": -1.0}).label == "C"
    assert protocol.extract("", OPTIONS, item_id="1") == Extraction(None, "empty")


# Files

BUILTIN = ("choice", "multi-tw", "option-likelihood", "robust", "tco", "tco-strict")


def test_the_shipped_protocols() -> None:
    assert builtin_protocols() == BUILTIN


@pytest.mark.parametrize("name", BUILTIN)
def test_a_shipped_protocol_has_its_files_name_and_survives_json(name: str) -> None:
    protocol = load_protocol(name)
    assert protocol.name == name
    again = Protocol.from_json(json.loads(json.dumps(protocol.to_json(), ensure_ascii=False)))
    assert again == protocol
    assert again.digest == protocol.digest


@pytest.mark.parametrize("name", BUILTIN)
def test_a_shipped_protocol_reads_in_one_screen(name: str) -> None:
    text = (files("keju.protocols") / "builtin" / f"{name}.toml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 50
    assert tomllib.loads(text)["source"]


def test_tco_and_tco_strict_differ_in_the_parser_alone() -> None:
    tco, strict = load_protocol("tco").to_json(), load_protocol("tco-strict").to_json()
    assert {key for key in tco if tco[key] != strict[key]} == {"name", "title", "source", "parser"}


def test_the_digest_changes_with_any_part() -> None:
    tco = load_protocol("tco")
    changed = [
        replace(tco, seed=1),
        replace(tco, parser="strict"),
        replace(tco, generation=replace(tco.generation, max_tokens=11)),
        replace(tco, templates={**tco.templates, "en": replace(tco.templates["en"], option="{label}. {text}")}),
    ]
    digests = {protocol.digest for protocol in (tco, *changed)}
    assert len(digests) == 5
    assert all(len(digest) == 16 for digest in digests)


OWN = """
name = "own"
title = "Mine"
source = "a lab"
parser = "robust"
[generation]
max_tokens = 64
[templates.en]
text = "{question} {options}"
separator = " / "
"""


def test_a_users_own_file_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    protocol = load_protocol(path)
    assert protocol == load_protocol(str(path))
    assert protocol.prompt(item("en", "Who?")).text == "Who? A: 生 / B: 旦 / C: 净 / D: 丑"
    assert protocol.generation.temperature == 0.0


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "own"', 'nam = "own"', "there is no key `nam`; there are name, title"),
        ('name = "own"', "", "key `name` is missing"),
        ('title = "Mine"', "title = 3", "key `title` must be text, not 3"),
        ('parser = "robust"', 'parser = "robustt"', "key `parser` is 'robustt'; there are strict, anchored"),
        ('parser = "robust"', 'parser = "likelihood"', "goes with scoring `option-likelihood`"),
        ('source = "a lab"', 'source = "a"\ninvalid = "skip"', "`invalid` is 'skip'; there are incorrect, draw"),
        ('source = "a lab"', 'source = "a"\nseed = true', "key `seed` must be a whole number, not True"),
        ("max_tokens = 64", 'max_tokens = "many"', "table `generation`: key `max_tokens` must be a whole number"),
        ("max_tokens = 64", "max_tokens = 0", "`max_tokens` must be at least 1"),
        ("max_tokens = 64", "max_tokens = 4\ntemperature = -1.0", "`temperature` must be between 0 and 2"),
        ("max_tokens = 64", "max_tokens = 4\ntemperature = nan", "`temperature` must be between 0 and 2"),
        ("[generation]\nmax_tokens = 64", "generation = 3", "key `generation` must be a table"),
        ("{question} {options}", "{question} {option_A}", "there is no field {option_A}; there are {instruction}"),
        ("{question} {options}", "{question} {options!r}", "there is no field {options!r}"),
        ("{question} {options}", "{question} {", "write {{ for a brace that is text"),
        ("{question} {options}", "{options}", "does not name {question}"),
        ('separator = " / "', "separator = 1", "table `templates.en`: key `separator` must be text"),
        ("[templates.en]", "[templates]", "table `templates`: `text` must be a table"),
        ('name = "own"', "name = ", "not TOML: Invalid value (at line 2"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_place(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new), encoding="utf-8")
    with pytest.raises(BadFile) as error:
        load_protocol(str(path))
    assert str(error.value).startswith(str(path))
    assert complaint in str(error.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        load_protocol(str(tmp_path / "absent.toml"))
    latin = tmp_path / "latin.toml"
    latin.write_bytes("title = 'é'".encode("latin-1"))
    with pytest.raises(BadFile, match="byte 9 is not UTF-8"):
        load_protocol(str(latin))


@pytest.mark.parametrize("name", ["tc", "", "no/such/name", "\0"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(
        Misuse, match="there are choice, multi-tw, option-likelihood, robust, tco, tco-strict, or give the path"
    ):
        load_protocol(name)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(load_protocol("tco").to_json())), JSON)
def test_any_value_for_any_key_gives_a_protocol_or_a_named_mistake(key: str, value: Any) -> None:
    data = load_protocol("tco").to_json() | {key: value}
    try:
        protocol = Protocol.from_json(data)
    except BadFile:
        with pytest.raises(BadFile, match=key):
            Protocol.from_json(data)
    else:
        assert protocol.to_json()[key] == value
