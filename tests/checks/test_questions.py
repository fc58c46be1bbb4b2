"""Rules Q: what is wrong with a question is found and named, and what is right is left alone."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest
from text_items import EN, STEM, ZH, codes, findings, item, picture, speaks_both

from keju.benchmark import Benchmark
from keju.checks import RULES
from keju.checks.similar import normalised, similar_pairs
from keju.items import Item, Medium, Wording
from making import png

SPOKEN = (Medium("audio", "1.mp3"),)
FOUND: dict[str, tuple[str, list[Item], str | None]] = {
    "no question": ("Q101", [item(question=" ")], None),
    "three options in a TCO benchmark": ("Q102", [item(options={"A": "生角", "B": "旦角", "C": "净角"})], "tco"),
    "five options in a Multi-TW benchmark": ("Q103", [item(options=ZH | {"E": "武生"})], "multi-tw"),
    "one option": ("Q104", [item(options={"C": "老生"})], None),
    "labels with a gap": ("Q107", [item(options={"A": "青衣", "B": "花脸", "D": "文丑"}, answer="A")], None),
    "a number of an older paper": ("Q108", [item(question=f"12. {STEM}")], None),
    "a key is missing beside others": ("Q204", [item(answer=None), item("0002", "谁在唱？")], None),
    "the key twice": ("Q301", [item(options=ZH | {"D": "老生 "})], None),
    "an empty option": ("Q302", [item(options=ZH | {"B": " "})], None),
    "empty options without a picture": ("Q302", [item(options=dict.fromkeys("ABCD", ""))], None),
    "none of the above": ("Q303", [item(options=ZH | {"D": "以上都不对"})], None),
    "A and B": ("Q303", [item(options=ZH | {"D": "A和B都对"})], None),
    "the stem names the key": ("Q304", [item(question="图中老生手持折扇，他属于哪个行当？")], None),
    "a key in English in the stem": (
        "Q304",
        [item(question="Where is the waterfall heard?", options={"A": "Waterfall", "B": "Rain"}, answer="A")],
        None,
    ),
    "letters left in the options": ("Q305", [item(options={x: f"{x} {text}" for x, text in ZH.items()})], None),
    "marks left in two options": ("Q305", [item(options=ZH | {"A": "(A) 青衣", "B": "（B）花脸"})], None),
    "an option that is the question": ("Q306", [item(options=ZH | {"B": STEM})], None),
    "one text, one picture": ("Q501", [item("1", media=picture()), item("2", media=picture())], None),
    "nearly one text": (
        "Q502",
        [
            item("1", "剧照中站在舞台右侧手持马鞭的角色属于京剧的哪一个行当？"),
            item("2", "剧照中站在舞台右侧手持马鞭的那角色属于京剧的哪一个行当？"),
        ],
        None,
    ),
}
ALONE: dict[str, tuple[str, list[Item]]] = {
    "a recording asks": ("Q101", [item(question="", media=SPOKEN)]),
    "the instruction asks": ("Q101", [item(question="", instruction="選出與圖片相符的句子。", media=picture())]),
    "four options": ("Q104", [item()]),
    "labels A to E": ("Q107", [item(options=ZH | {"E": "武生"})]),
    "a list of statements": ("Q108", [item(question="1. 红脸忠\n2. 白脸奸\n哪些正确？")]),
    "a year at the start": ("Q108", [item(question="1790年进京的是哪个班社？")]),
    "a decimal at the start": ("Q108", [item(question="3.14 是什么数？")]),
    "options that differ by case": ("Q301", [item(options={"A": "f(x)", "B": "F(x)", "C": "g(x)", "D": "G(x)"})]),
    "options that differ by a sign": ("Q301", [item(options={"A": "x+1", "B": "x-1", "C": "1.5", "D": "15"})]),
    "options in the picture": ("Q302", [item(options=dict.fromkeys("ABC", ""), media=picture())]),
    "people called F and G": ("Q303", [item(options=ZH | {"D": "F和G同场"})]),
    "carbon": ("Q303", [item(options={"A": "C", "B": "H", "C": "N", "D": "O"})]),
    "a stem that names every option": ("Q304", [item(question="青衣、花脸、老生、文丑，图中是哪一个？")]),
    "a key of one character": ("Q304", [item(question="图中生角是谁？", options=ZH | {"C": "生"})]),
    "chords": ("Q305", [item(options={"A": "A minor", "B": "G major", "C": "C major", "D": "F major"})]),
    "one English article": ("Q305", [item(options={"A": "A man", "B": "One dog", "C": "Rain", "D": "Wind"})]),
    "one text, two pictures": ("Q501", [item("1", media=picture("1.png")), item("2", media=picture("2.png"))]),
    "one pattern, other figures": (
        "Q502",
        [
            item("1", f"{STEM}共有 3 人在场上作战，其中 2 人执刀"),
            item("2", f"{STEM}共有 4 人在场上作战，其中 2 人执刀"),
        ],
    ),
    "another decimal": ("Q501", [item("1", "半径 1.5 厘米的圆？"), item("2", "半径 15 厘米的圆？")]),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_faulty_question_is_found(name: str) -> None:
    code, items, profile = FOUND[name]
    found = findings(*items, card={"profile": profile} if profile else {})
    assert code in {finding.code for finding in found}, [str(finding.message) for finding in found]
    assert all(speaks_both(finding) for finding in found)
    assert all(finding.item for finding in found if finding.code == code)


@pytest.mark.parametrize("name", ALONE)
def test_a_sound_question_is_left_alone(name: str) -> None:
    code, items = ALONE[name]
    assert code not in codes(*items)


def test_every_rule_on_questions_is_tried() -> None:
    from_readers = {"Q105", "Q106", "Q201", "Q202", "Q203", "Q205"}  # tests/checks/test_structure.py
    on_sets = {"Q401", "Q402"}
    tried = {code for code, _, _ in FOUND.values()} | from_readers | on_sets
    assert tried == {code for code in RULES if code.startswith("Q")}


def test_house_rules_hold_for_their_profile_only() -> None:
    three = item(options={"A": "生角", "B": "旦角", "C": "净角"})
    assert codes(three) == []
    assert "Q102" in codes(three, card={"profile": "tco"})
    assert "Q103" not in codes(three, card={"profile": "multi-tw"})


def test_identical_options_are_graver_where_one_is_the_key() -> None:
    twice = ZH | {"D": ZH["C"]}
    (keyed,) = findings(item(options=twice, answer="C"))
    (other,) = findings(item(options=twice, answer="A"))
    assert (keyed.severity, other.severity) == ("error", "warning")
    assert "C and D" in keyed.message
    assert "key is C" in keyed.message


def test_a_split_without_any_key_is_a_note_and_one_missing_key_an_error() -> None:
    test_set = [item(str(n), f"第{'一二三'[n]}个人是谁？", answer=None, split="test") for n in range(3)]
    (withheld,) = [f for f in findings(*test_set, item("9", split="train")) if f.code == "Q204"]
    assert (withheld.severity, withheld.item) == ("note", None)


def test_the_language_of_a_fault_is_named_where_there_are_two() -> None:
    (found,) = findings(item(en=("Which role type is this?", EN | {"D": "old man"})))
    assert "in en" in found.message
    assert "（en）" in found.message.zh


def test_a_duplicate_in_another_split_or_with_another_key_is_an_error() -> None:
    same = [item("1", media=picture(), split="train"), item("2", media=picture(), split="test")]
    (leak,) = findings(*same)
    assert leak.severity == "error"
    assert "train" in leak.message
    (contradiction,) = findings(item("1"), item("2", answer="A"))
    assert contradiction.severity == "error"
    (plain,) = findings(item("1"), item("2"))
    assert plain.severity == "warning"
    assert plain.item == "2"


def test_the_order_of_options_does_not_hide_a_duplicate() -> None:
    turned = dict(zip("ABCD", reversed(ZH.values()), strict=True))
    assert "Q501" in codes(item("1", answer="C"), item("2", options=turned, answer="B"))


def test_the_same_picture_under_two_names_is_one_picture(tmp_path: Path) -> None:
    for name, seed in (("a.png", 1), ("b.png", 1), ("c.png", 2)):
        (tmp_path / name).write_bytes(png(seed))
    seen = [(Medium("image", name, tmp_path / name),) for name in ("a.png", "b.png", "c.png")]
    found = [f for f in findings(*(item(str(n), media=media) for n, media in enumerate(seen))) if f.code == "Q501"]
    assert [finding.item for finding in found] == ["1"]


def test_a_key_that_is_mostly_the_longest_option_is_told_with_its_probability() -> None:
    def exam(longest: int) -> list[Item]:
        return [
            item(
                f"{n:04d}",
                f"编号{n}是谁？",
                ZH | {("C" if n < longest else "A"): "穿着白色褶子的年轻书生"},
                split=str(n),
            )
            for n in range(60)
        ]

    (found,) = [finding for finding in findings(*exam(40)) if finding.code == "Q401"]
    assert found.measured["longest"] == 40
    assert found.measured["p"] < 1e-6
    assert found.item is None
    assert "40 of 60" in found.message
    assert not [finding for finding in findings(*exam(17)) if finding.code == "Q401"]


def test_letters_are_tested_among_items_with_the_same_options() -> None:
    even = [item(f"{n:04d}", f"编号{n}是谁？", answer="ABCD"[n % 4]) for n in range(200)]
    assert not [finding for finding in findings(*even) if finding.code == "Q402"]
    skewed = [item(f"{n:04d}", f"编号{n}是谁？", answer="ABCC"[n % 4]) for n in range(200)]
    (found,) = [finding for finding in findings(*skewed) if finding.code == "Q402"]
    assert found.measured["counts"] == {"A": 50, "B": 50, "C": 100, "D": 0}


def test_similar_pairs_are_those_that_comparing_each_with_each_finds() -> None:
    draw = random.Random(1)
    texts = ["".join(draw.choice("生旦净丑唱念做打") for _ in range(draw.randint(0, 12))) for _ in range(120)]
    texts += [text[:-1] + "戏" for text in texts if len(text) > 6] + ["", "生"]

    def grams(text: str) -> set[str]:
        return {text[i : i + 3] for i in range(len(text) - 2)} or ({text} if text else set())

    for least in (0.5, 0.7, 0.9, 1.0):
        each = {
            (i, j)
            for i, one in enumerate(texts)
            for j, other in enumerate(texts)
            if i < j and grams(one) and len(grams(one) & grams(other)) >= least * len(grams(one) | grams(other))
        }
        assert {(i, j) for i, j, _ in similar_pairs(texts, least)} == each


def test_texts_of_one_pattern_are_compared_in_seconds() -> None:
    """Their rarest words are shared as well, where few words are frequent: each is a candidate for thousands."""
    draw = random.Random(3)
    words = [
        "".join(chr(0x4E00 + draw.randrange(3000)) for _ in range(draw.choice((2, 2, 3, 4)))) for _ in range(20_000)
    ]

    def word() -> str:
        return words[min(int(draw.paretovariate(0.7)), len(words)) - 1]

    texts = [
        f"请看图片图中的{word()}演员属于哪个行当请根据服装脸谱和动作判断并说明与{word()}的关系"
        + "".join(word() for _ in range(4))
        for _ in range(10_000)
    ]
    began = time.process_time()
    pairs = list(similar_pairs(texts, 0.8))
    assert time.process_time() - began < 8  # 2.3 s; comparing all candidates takes twenty
    alike = sum(times * (times - 1) // 2 for times in Counter(texts).values())
    assert sum(texts[i] == texts[j] for i, j, similarity in pairs if similarity == 1) == alike > 100


def test_script_case_width_and_punctuation_do_not_count_in_a_comparison_and_signs_do() -> None:
    assert normalised("圖中（Ａ）是誰？") == normalised("图中(a)是谁")
    assert normalised("x-1") != normalised("x+1")
    assert normalised("1.5") != normalised("15")


def test_twenty_thousand_texts_are_compared_in_seconds() -> None:
    draw = random.Random(2)
    words = ["".join(chr(0x4E00 + draw.randrange(2000)) for _ in range(2)) for _ in range(5000)]
    drawn = [("".join(draw.choices(words, k=12)), {"A": draw.choice(words)}) for _ in range(20_000)]
    items = [Item(str(n), {"zh-Hans": Wording("zh-Hans", *texts)}, "A") for n, texts in enumerate(drawn)]
    twin = Item("twin", {"zh-Hans": Wording("zh-Hans", items[7].wording.question + "戏", items[7].options)}, "A")
    began = time.process_time()
    found = list(RULES["Q502"].look(Benchmark("many", (*items, twin)), RULES["Q502"]))
    assert [(finding.item, finding.measured["twin"]) for finding in found] == [("twin", "7")]
    assert time.process_time() - began < 20  # five times what it takes; comparing each with each takes hours
