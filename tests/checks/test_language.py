"""Rules L: scripts, translations and characters."""

from __future__ import annotations

import pytest
from text_items import EN, STEM, ZH, codes, findings, item, speaks_both

from keju.checks import RULES
from keju.checks.numerals import may_say, numbers_in
from keju.items import Item

ASK = "Which role type is the character in the picture?"
HANT = {"A": "青衣", "B": "花臉", "C": "老生", "D": "文丑"}


def hant(question: str, **options: str) -> Item:
    return item(question=question, options=HANT | options, language="zh-Hant")


def both(zh: str = STEM, en: str = ASK, options: dict[str, str] | None = None, **more: dict[str, str]) -> Item:
    return item(question=zh, en=(en, options or EN), options=more.get("zh_options"))


FOUND: dict[str, tuple[str, list[Item]]] = {
    "simplified in Traditional text": (
        "L101",
        [item(question="圖中的人在哪裡说话？", options=HANT, language="zh-Hant")],
    ),
    "simplified option": ("L101", [hant("誰？", B="花脸")]),
    "Traditional in Simplified text": ("L102", [item(question="图中角色屬於哪个行当？")]),
    "an option that was not translated": ("L103", [both(options=EN | {"D": "文丑"})]),
    "an English question called Chinese": ("L103", [item(question="Which role type is this one?")]),
    "one item without the translation": (
        "L201",
        [item(str(n), f"{STEM}{n}", en=(f"{ASK} {n}", EN)) for n in range(9)] + [item("9")],
    ),
    "three options in English": ("L203", [both(options={"A": "lady", "B": "painted face", "C": "old man"})]),
    "a question copied, not translated": ("L204", [both(en=STEM)]),
    "another year": ("L205", [both("他生于1894年吗？", "Was he born in 1849?")]),
    "another number in an option": ("L205", [both(zh_options=ZH | {"A": "3把扇子"}, options=EN | {"A": "4 fans"})]),
    "another letter": ("L206", [both("图中A处是什么？", "What is at point B?")]),
    "full-width letters": ("L301", [item(question="图中Ａ处是谁？")]),
    "two widths of comma": ("L301", [item(question="看图,回答，他是谁？")]),
    "a zero-width space": ("L302", [item(options=ZH | {"B": "花\u200b脸"})]),
    "a private-use character": ("L304", [item(question="图中\ue815是谁？")]),
    "a control character": ("L305", [item(question="图中是谁？\x0c")]),
    "the replacement character": ("L306", [item(question="图中是\ufffd？")]),
    "UTF-8 read as GBK": ("L306", [item(question="图中是什么剧种？".encode().decode("gb18030"))]),
    "UTF-8 read as Latin": ("L306", [item(question="图中".encode().decode("latin-1"))]),
    "an accent read as Latin": ("L306", [both(options=EN | {"A": "caf\u00c3\u00a9"})]),
    "the ruin of GBK": ("L306", [item(question="锟斤拷锟斤拷")]),
    "a book title that does not close": ("L307", [item(question="《霸王别姬是哪个剧种？")]),
    "crossed brackets": ("L307", [item(question="（图【左）的人是谁？")]),
    "a quotation that opens twice": ("L307", [item(question="“药王“是谁？")]),
    "tags": ("L308", [item(question="水是H<sub>2</sub>O吗？")]),
    "entities": ("L308", [item(question="生&nbsp;旦&amp;净？")]),
}
ALONE: dict[str, tuple[str, list[Item]]] = {
    "Taiwan's forms": (
        "L101",
        [item(question="這裡的人為什麼戴著麵具？台北、公里、皇后、干涉。", options=HANT, language="zh-Hant")],
    ),
    "characters of both scripts": ("L102", [item(question="乾隆年间的著名於戏是哪一出？")]),
    "Simplified text": ("L102", [item()]),
    "a term explained": ("L103", [both(en="What does 旦 mean here?", options=EN | {"A": "旦 (Dan)"})]),
    "formulas as options": ("L103", [item(options={"A": "sin x cos y tan z", "B": "b", "C": "c", "D": "d"})]),
    "originals in two languages": ("L201", [item("1"), item("2", ASK, EN, language="en")]),
    "few translations": (
        "L201",
        [item("1", en=(ASK, EN)), item("2", "谁？"), item("3", "谁来？"), item("4", "谁去？")],
    ),
    "words for numbers": ("L205", [both("图中三个人里第二个是谁？", "Of the 3 people, who is the 2nd?")]),
    "hundreds in words": ("L205", [both(zh_options=ZH | {"A": "两百二十元"}, options=EN | {"A": "220 yuan"})]),
    "a clock": ("L205", [both(zh_options=ZH | {"A": "七点半"}, options=EN | {"A": "7:30"})]),
    "the full hour": ("L205", [both(zh_options=ZH | {"A": "八点"}, options=EN | {"A": "8:00"})]),
    "a decade": ("L205", [both("80年代的戏？", "A play of the 1980s?")]),
    "ten thousands": ("L205", [both("3万人？", "30,000 people?")]),
    "months": ("L205", [both("3月5日？", "On 5 March?")]),
    "the same letter": ("L206", [both("图中A处是什么？", "What is at point A?")]),
    "one width": ("L301", [item(question="看图，回答，他是谁？", en=("Look, who?", EN))]),
    "formulas in Chinese": ("L301", [item(question="若f(x, y)=1，则x=？")]),
    "joiners": ("L302", [item(question="👨\u200d👩\u200d👧 是什么？")]),
    "line breaks and tabs": ("L305", [item(question="一\n二\t三？")]),
    "short words that happen to be UTF-8": ("L306", [item(options={"A": "母婴", "B": "欧元", "C": "联通", "D": "为"})]),
    "accents": ("L306", [both(options=EN | {"A": "café Ångström"})]),
    "brackets of two widths": ("L307", [item(question="（图A)中的人是谁？")]),
    "numbers of a list": ("L307", [item(question="条件：1）红脸；2）白脸；a) 忠 b) 奸。哪个对？")]),
    "half-open intervals": ("L307", [item(question="区间 (0, 1] 与 [0, 1) 的交？")]),
    "letters of options": ("L307", [hant("從（A）（B）（C）中選出。")]),
    "formulas": ("L307", [item(question="求 $(0, x]$ 上的 \\(f(x\\)？")]),
    "comparisons": ("L308", [item(question="若 a < b 且 b > c，则 a & c？")]),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_fault_of_language_is_found(name: str) -> None:
    code, items = FOUND[name]
    found = findings(*items)
    assert code in {finding.code for finding in found}, [str(finding.message) for finding in found]
    assert all(speaks_both(finding) for finding in found)


@pytest.mark.parametrize("name", ALONE)
def test_sound_language_is_left_alone(name: str) -> None:
    code, items = ALONE[name]
    assert code not in codes(*items)


def test_every_rule_on_language_is_tried() -> None:
    elsewhere = {"L202", "L303"} | {"L207"}  # from the readers: test_structure; L207 below
    assert {code for code, _ in FOUND.values()} | elsewhere == {code for code in RULES if code.startswith("L")}


def test_the_characters_of_the_other_script_are_named_with_what_they_should_be() -> None:
    (found,) = findings(item(question="图中角色屬於哪个行當？"))
    assert "屬 (属), 當 (当)" in found.message
    assert found.measured["characters"] == "屬當"


def test_a_lone_bracket_is_shown_with_what_surrounds_it() -> None:
    (found,) = findings(item(question="请问在下面这一幅剧照里出现的《霸王别姬是哪个剧种的代表作品？"))
    assert "出现的《霸王别姬" in found.message


def test_mojibake_says_what_was_meant() -> None:
    (found,) = [f for f in findings(item(question="图中是什么剧种？".encode().decode("gb18030"))) if f.code == "L306"]
    assert "图中是什么剧种？" in found.message
    assert found.severity == "error"


def test_options_in_another_order_are_told_by_the_other_items() -> None:
    terms = {"A": "生", "B": "旦", "C": "净", "D": "丑"}
    pinyin = {"A": "Sheng", "B": "Dan", "C": "Jing", "D": "Chou"}
    right = [item(f"{n:04d}", f"第{n}题的角色？", terms, en=(f"Role {n}?", pinyin)) for n in range(1, 4)]
    swapped = item("0009", "第9题的角色？", terms, en=("Role 9?", pinyin | {"A": "Dan", "B": "Sheng"}))
    (found,) = [finding for finding in findings(*right, swapped) if finding.code == "L207"]
    assert found.item == "0009"
    assert "A in zh-Hans is B in en" in found.message
    assert not [finding for finding in findings(*right) if finding.code == "L207"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,790 人", {"1790"}),
        ("０７", {"7"}),
        ("3.5 米", {"3.5"}),
        ("8:00", {"8"}),
        ("8:30", {"8", "30"}),
        ("2010-2023", {"2010", "2023"}),
    ],
)
def test_figures_are_read_as_numbers(text: str, numbers: set[str]) -> None:
    assert set(numbers_in(text)) == numbers


@pytest.mark.parametrize(
    ("text", "number", "said"),
    [
        ("三十五岁", "35", True),
        ("一百六", "160", True),
        ("一百零六", "106", True),
        ("一九二〇年", "1920", True),
        ("两千三百", "2300", True),
        ("twenty-second", "22", True),
        ("thirty five", "35", True),
        ("the third", "3", True),
        ("in May", "5", True),
        ("三十五岁", "36", False),
        ("twenty-two", "23", False),
        ("几个人", "7", False),
    ],
)
def test_numbers_in_words_are_understood(text: str, number: str, said: bool) -> None:
    assert may_say(text, number) is said
