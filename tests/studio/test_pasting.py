"""What people paste: questions and answer sheets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.studio.comparing import differences, merged, pieces
from keju.studio.pasting import Pasted, SheetRow, read_block, read_sheet

ROLES = ("生", "旦", "净", "丑")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("图中是？\nA. 生\nB. 旦\nC. 净\nD. 丑", Pasted("图中是？", ROLES)),
        ("12. 图中是？\n（Ａ）生\n（Ｂ）旦\n（C）净\n(D) 丑\n答案：B", Pasted("图中是？", ROLES, 1)),
        ("第3题：图中是？ ①生 ②旦 ③净 ④丑\n参考答案：③\n解析：脸谱。", Pasted("图中是？", ROLES, 2, "解析：脸谱。")),
        ("1、图中是\nA、生 B、旦 C、净 D、丑 【答案】C", Pasted("图中是", ROLES, 2)),
        ("Which?\nA) one\nB) two\nC) three\nAnswer: C", Pasted("Which?", ("one", "two", "three"), 2)),
        ("图中是？\nA. 生\nB. 旦\n答案：E", Pasted("图中是？", ("生", "旦"), None, "答案：E")),
        ("2 幅图中哪幅是旦？\nA. 左\nB. 右", Pasted("2 幅图中哪幅是旦？", ("左", "右"))),
    ],
)
def test_a_question_is_taken_apart(text, read):
    assert read_block(text) == read


@pytest.mark.parametrize("text", ["", "没有选项的一句话", "① 只有一个", "A. 生\nA. 旦"])
def test_what_cannot_be_told_is_left_alone(text):
    assert read_block(text) is None


@given(st.text())
def test_no_paste_breaks_the_reader(text):
    read_block(text)
    read_sheet(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1-B 2-D 3-A", [("1", "B"), ("2", "D"), ("3", "A")]),
        ("1. B\n2. D", [("1", "B"), ("2", "D")]),
        ("１－Ｂ　２：（Ｃ）", [("1", "B"), ("2", "C")]),
        ("1-5 ABDCA", [("1", "A"), ("2", "B"), ("3", "D"), ("4", "C"), ("5", "A")]),
        ("1~3: A B C 4-D", [("1", "A"), ("2", "B"), ("3", "C"), ("4", "D")]),
        ("1-3 AB", []),
        ("id,answer\n0001,B\n0002,(c)\n", [("0001", "B"), ("0002", "C")]),
        ("\ufeff题号\t答案\n0001\tB", [("0001", "B")]),
        ("01-L-A-P1-001 B", [("01-L-A-P1-001", "B")]),
        ("no answers in 2026", []),
    ],
)
def test_an_answer_sheet_is_read(text, rows):
    assert read_sheet(text) == [SheetRow(*row) for row in rows]


@given(st.text("生旦净丑 ab.", max_size=20), st.text("生旦净丑 ab.", max_size=20))
def test_the_pieces_of_a_comparison_are_both_texts(before, after):
    found = list(pieces(before, after))
    assert "".join(piece.text for piece in found if piece.kind != "new") == before
    assert "".join(piece.text for piece in found if piece.kind != "gone") == after


FIELDS = st.dictionaries(st.sampled_from("abc"), st.text("xyz", max_size=2))


@given(FIELDS, FIELDS, FIELDS)
def test_a_merge_loses_nobodys_change_but_where_both_changed_the_same(base, mine, theirs):
    made = merged(base, mine, theirs)
    for each in differences(base, mine):
        assert made.get(each.name, "") == each.after
    own = {each.name for each in differences(base, mine)}
    for each in differences(base, theirs):
        if each.name not in own:
            assert made.get(each.name, "") == each.after
