"""People sit the exam: a frozen, stratified sample; a booklet without the key; sheets as people fill them; Table 3."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from command_line import Keju, exam, in_process
from keju import api
from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse, Refused
from keju.items import Item, Medium, Wording
from keju.people import Sheet, Sitting, read_sheets
from keju.people.sample import draw_sample
from keju.people.sitting import sittable
from keju.reports.answer_sheets import answer_sheet
from keju.reports.booklet import booklet, write_booklet
from keju.results.humans import groups_of, human_baseline, human_differences, on_their_items, people_table
from keju.results.scores import score
from keju.splits import apportioned
from keju.stats import two_way_difference, two_way_interval
from marked_runs import marked

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)

WORDING = {"en": Wording("en", "Which?", {"A": "this", "B": "that"})}
GENRES = {"Henan": 100, "Huangmei": 200, "Qinqiang": 100, "Peking": 200, "Yue": 133, "Sichuan": 167, "Kunqu": 100}


def labelled(**labels: list[str]) -> Benchmark:
    names = list(labels)
    rows = zip(*labels.values(), strict=True)
    items = (Item(f"{n:04d}", WORDING, "A", labels=dict(zip(names, row, strict=True))) for n, row in enumerate(rows))
    return Benchmark("made", tuple(items))


def shares(benchmark: Benchmark, ids: tuple[str, ...], label: str) -> Counter[str]:
    return Counter(benchmark[item_id].labels[label] for item_id in ids)


# The sample


def test_one_label_is_drawn_by_largest_remainder() -> None:
    genres = [genre for genre, n in GENRES.items() for _ in range(n)]
    benchmark = labelled(genre=genres)
    found = shares(benchmark, draw_sample(benchmark, 70, ["genre"], 1), "genre")
    exact = {genre: Fraction(70 * n, 1000) for genre, n in GENRES.items()}
    assert found.total() == 70
    assert all(int(exact[genre]) <= n <= int(exact[genre]) + 1 for genre, n in found.items())
    assert sorted(found.values()) == sorted(apportioned(70, {g: Fraction(n) for g, n in GENRES.items()}).values())


@pytest.mark.parametrize("seed", range(3))
def test_three_labels_at_once_are_each_within_one_item_of_their_share(seed: int) -> None:
    draw = random.Random(seed)
    benchmark = labelled(
        genre=draw.choices(list(GENRES), list(GENRES.values()), k=1000),
        question_type=draw.choices("abcdefgh", [1, 2, 3, 1, 1, 1, 1, 2], k=1000),
        difficulty=draw.choices(["basic", "intermediate", "advanced"], k=1000),
    )
    chosen = draw_sample(benchmark, 100, ["genre", "question_type", "difficulty"], seed)
    for label in ("genre", "question_type", "difficulty"):
        found = shares(benchmark, chosen, label)
        everything = shares(benchmark, tuple(item.id for item in benchmark), label)
        assert all(abs(found[value] - n / 10) < 1 for value, n in everything.items())


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=30), st.integers(0, 3))
def test_a_sample_has_its_size_and_no_item_twice(rows: list[tuple[str, str]], seed: int) -> None:
    benchmark = labelled(one=[a for a, _ in rows], other=[b for _, b in rows])
    for n in {1, (len(rows) + 1) // 2, len(rows)}:
        chosen = draw_sample(benchmark, n, ["one", "other"], seed)
        assert len(set(chosen)) == len(chosen) == n


def test_a_sample_depends_on_seed_and_ids_and_not_on_the_order_of_files() -> None:
    benchmark = labelled(genre=["a", "b"] * 50)
    turned = replace(benchmark, items=benchmark.items[::-1])
    assert draw_sample(benchmark, 20, ["genre"], 1) == draw_sample(turned, 20, ["genre"], 1)
    assert draw_sample(benchmark, 20, ["genre"], 1) != draw_sample(benchmark, 20, ["genre"], 2)


def test_items_come_in_an_order_that_says_nothing() -> None:
    benchmark = labelled(genre=["a"] * 200)
    chosen = draw_sample(benchmark, 100, [], 1)
    assert list(chosen) != sorted(chosen)


def test_a_frozen_sample_is_never_drawn_anew(keju: Keju, opera: Path) -> None:
    assert keju("human", "sample", opera, "-n", 4, "-o", "sitting")[0] == 0
    before = Path("sitting/sitting.json").read_bytes()
    code, _, err = keju("human", "sample", opera, "-n", 4, "--seed", 2, "-o", "sitting")
    assert code == 4
    assert "never drawn anew" in err
    assert Path("sitting/sitting.json").read_bytes() == before


def test_a_folder_with_other_things_is_left_alone(keju: Keju, opera: Path) -> None:
    code, _, err = keju("human", "sample", opera, "-n", 4, "-o", opera)
    assert code == 2
    assert "not empty" in err


def test_more_items_than_there_are_is_misuse(keju: Keju, opera: Path) -> None:
    code, _, err = keju("human", "sample", opera, "-n", 9, "-o", "sitting")
    assert code == 2
    assert "opera has 8 that people can sit" in err


def test_items_that_people_cannot_sit_are_not_drawn(tmp_path: Path) -> None:
    whole = making.benchmark(4, folder=tmp_path)
    keyless = replace(whole.items[0], answer=None)
    lost = replace(whole.items[1], media=(Medium("image", "gone.png", tmp_path / "gone.png"),))
    able = sittable(replace(whole, items=(keyless, lost, *whole.items[2:])))
    assert [item.id for item in able] == ["0003", "0004"]


# The booklet


def files_of(folder: Path) -> Mapping[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_no_byte_of_a_sitting_depends_on_the_keys(keju: Keju, tmp_path: Path) -> None:
    """Contents, names and order of files are the same whatever the keys are, before and after answers are in."""
    made = making.benchmark(8, folder=tmp_path, bilingual=True)
    found = []
    for keys in ("ABCDABCD", "DDDDAAAA"):
        items = tuple(replace(item, answer=key) for item, key in zip(made, keys, strict=True))
        api.convert(replace(made, items=items), "jsonl", tmp_path / keys / "exam")
        sitting = tmp_path / keys / "sitting"
        assert keju("human", "sample", tmp_path / keys / "exam", "-n", 6, "--people", "e=2", "-o", sitting)[0] == 0
        (tmp_path / "e.csv").write_text("No.,e-1\n1,A\n2,B\n3,c\n")
        assert keju("human", "import", sitting, tmp_path / "e.csv")[0] == 0
        found.append(files_of(sitting))
    assert found[0] == found[1]
    assert len([name for name in found[0] if name.startswith("booklet/media/")]) == 6


def test_names_and_labels_that_tell_the_answer_are_not_in_the_booklet(tmp_path: Path) -> None:
    picture = tmp_path / "净_012.png"
    picture.write_bytes(making.png(1))
    item = making.item(
        1, id="净-012", media=(Medium("image", "净_012.png", picture),), labels={"role": "净"}, extra={"note": "净"}
    )
    exam = Benchmark("exam", (item,))
    write_booklet(exam, tmp_path / "booklet")
    (tmp_path / "booklet" / "answers.xlsx").write_bytes(answer_sheet(exam))
    for name, content in files_of(tmp_path / "booklet").items():
        assert "净" not in name
        if name.endswith(".xlsx"):
            book = openpyxl.load_workbook(BytesIO(content))
            cells = [[cell.value for cell in row] for sheet in book for row in sheet.rows]
            assert "净" not in repr(cells)
            continue
        assert "净".encode() not in content
        assert b"012" not in content


def test_texts_of_a_benchmark_are_shown_and_never_run() -> None:
    nasty = "<img src=x onerror=alert(1)> 若 a<b 且 c>d，选哪项？"
    item = making.item(1, wordings={"zh-Hans": Wording("zh-Hans", nasty, {"A": "<b>甲</b>", "B": "乙"})})
    page = booklet(Benchmark("<i>", (item,)))
    assert "&lt;img src=x onerror=alert(1)&gt; 若 a&lt;b 且 c&gt;d，选哪项？" in page
    assert "<b>甲</b>" not in page
    assert "<script" not in page
    assert "script-src" not in page
    assert "default-src 'none'" in page


def test_the_booklet_speaks_both_languages_and_has_an_answer_page(tmp_path: Path) -> None:
    page = booklet(making.benchmark(3, folder=tmp_path), language="zh")
    assert "Question booklet" in page
    assert "试题册" in page
    assert '<html lang="zh-Hans">' in page
    assert page.count("<i>A</i><i>B</i><i>C</i><i>D</i>") == 3


def test_an_answer_sheet_offers_the_letters_of_each_item_and_takes_other_text(tmp_path: Path) -> None:
    three = making.item(2, wordings={"en": Wording("en", "Which?", {"A": "x", "B": "y", "C": "z"})})
    book = openpyxl.load_workbook(BytesIO(answer_sheet(Benchmark("b", (making.item(1), three)), "e-1", "e")))
    sheet = book.worksheets[0]
    rules = {rule.formula1: str(rule.sqref) for rule in sheet.data_validations.dataValidation}
    assert rules == {'"A,B,C,D"': "C2", '"A,B,C"': "C3"}
    assert not any(rule.showErrorMessage for rule in sheet.data_validations.dataValidation)
    assert [cell.value for cell in sheet[2]] == [1, "A B C D", None, "e-1", "e"]


def test_a_booklet_in_another_language_is_asked_in_it(keju: Keju, opera: Path) -> None:
    assert keju("human", "sample", opera, "-n", 4, "--language", "en", "-o", "sitting")[0] == 0
    page = Path("sitting/booklet/booklet.html").read_text(encoding="utf-8")
    assert "Which opera is this?" in page
    assert "图中是什么剧种" not in page
    Path("x.csv").write_text("No.,x\n1,A\n")
    assert keju("human", "import", "sitting", "x.csv")[0] == 0
    assert Sitting.open("sitting").runs()[0].variant == {"language": "en"}


# The sheets


def sheet_of(
    tmp_path: Path, text: str, items: tuple[str, ...] = ("0007", "0003", "0001"), **options: str
) -> list[Sheet]:
    path = tmp_path / "sheet.csv"
    path.write_text(text, encoding=options.get("encoding", "utf-8"))
    return read_sheets(path, items, **options)


def test_a_sheet_is_read_by_number_or_by_id(tmp_path: Path) -> None:
    assert sheet_of(tmp_path, "No.,Answer\n1,A\n2,B\n")[0].written == {"0007": "A", "0003": "B"}
    assert sheet_of(tmp_path, "item,answer\n0001,A\n3,B\n")[0].written == {"0001": "A", "0003": "B"}
    assert sheet_of(tmp_path, "题号,答案\n第1题,Ａ\n２,b\n")[0].written == {"0007": "Ａ", "0003": "b"}


def test_a_sheet_says_who_once_or_is_called_by_its_file(tmp_path: Path) -> None:
    one = sheet_of(tmp_path, "题号 No.,答案 Answer,代号 Person,组别 Group\n1,A,甲,专家\n2,B,,\n")[0]
    assert (one.person, one.group, len(one.written)) == ("甲", "专家", 2)
    assert sheet_of(tmp_path, "No.,Answer\n1,A\n")[0].person == "sheet"


def test_a_dash_or_a_question_mark_is_no_answer(tmp_path: Path) -> None:
    assert sheet_of(tmp_path, "No.,Answer\n1,—\n2,？\n3,b\n")[0].written == {"0001": "b"}


def test_a_wide_sheet_has_a_column_for_each_person(tmp_path: Path) -> None:
    found = sheet_of(tmp_path, "No.,options,e-1,e-2\n1,A B,A,\n2,A B,B,a\n")
    assert {one.person: dict(one.written) for one in found} == {
        "e-1": {"0007": "A", "0003": "B"},
        "e-2": {"0003": "a"},
    }


def test_a_sheet_in_an_old_encoding_is_read(tmp_path: Path) -> None:
    assert sheet_of(tmp_path, "题号,答案,代号\n1,甲乙丙丁选项,张三\n", encoding="gb18030")[0].person == "张三"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("No.,Answer\n4,A\n", r":2: '4' is no item of the booklet, which has 1 to 3"),
        ("item,Answer\n0009,A\n", r":2: '0009' is no item of the booklet"),
        ("No.,Answer\n1,A\n1,B\n", r":3: a second answer, 'B', to an item that line 2 answers 'A'"),
        ("name,Answer\nx,A\n", r"no column holds the items"),
        ("No.,Options\n1,A B\n", r"no column holds answers"),
    ],
)
def test_a_sheet_that_cannot_be_right_is_refused_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        sheet_of(tmp_path, text)


def test_answers_are_read_as_people_write_them_and_what_cannot_be_is_told(keju: Keju, opera: Path) -> None:
    keju("human", "sample", opera, "-n", 8, "-o", "sitting")
    book = openpyxl.load_workbook("sitting/booklet/answers.xlsx")
    written = ["Ａ", "b", "（C）", "D.", "京剧", None, "A或B", "E"]
    for row, text in enumerate(written, 2):
        book.worksheets[0].cell(row, 3, text)
    book.worksheets[0]["D2"] = "zhang"
    book.save("zhang.xlsx")
    code, out, _ = keju("human", "import", "sitting", "zhang.xlsx", "--group", "expert", "--json")
    told = {table["name"]: table for table in json.loads(out)["tables"]}
    assert code == 1
    assert list(told["handed_in"]["rows"][0].values()) == ["zhang", "expert", 5, 1, 2, "zhang.xlsx"]
    assert [(row["no"], row["written"]) for row in told["unread"]["rows"]] == [(7, "A或B"), (8, "E")]
    assert told["unread"]["rows"][0]["file"] == "zhang.xlsx:8"
    run = Sitting.open("sitting").runs()[0]
    assert [mark.label for mark in score(run).items] == ["A", "B", "C", "D", "A", None, None, None]


def test_other_answers_of_one_person_are_refused_unless_replaced(keju: Keju, opera: Path) -> None:
    keju("human", "sample", opera, "-n", 4, "-o", "sitting")
    Path("x.csv").write_text("No.,Answer\n1,A\n")
    assert keju("human", "import", "sitting", "x.csv")[0] == 0
    assert keju("human", "import", "sitting", "x.csv")[0] == 0
    Path("x.csv").write_text("No.,Answer\n1,B\n")
    code, _, err = keju("human", "import", "sitting", "x.csv")
    assert code == 4
    assert "--replace" in err
    assert keju("human", "import", "sitting", "x.csv", "--replace")[0] == 0
    assert list(Sitting.open("sitting").people[0].written.values()) == ["B"]


def test_an_item_that_changed_since_people_saw_it_is_left_out_and_a_new_key_is_used(tmp_path: Path) -> None:
    made = making.benchmark(4, folder=tmp_path)
    api.convert(made, "jsonl", tmp_path / "exam")
    sitting = Sitting.draw(tmp_path / "sitting", made, 4, source=str(tmp_path / "exam"))
    sitting.freeze()
    items = dict(zip("1234", made.items, strict=True))
    items["1"] = replace(items["1"], answer="D")
    items["2"] = replace(items["2"], wordings={"zh-Hans": Wording("zh-Hans", "改过", items["2"].options)})
    del items["3"]
    exam = Sitting.open(tmp_path / "sitting").exam(replace(made, items=tuple(items.values())))
    assert {item.id: item.answer for item in exam} == {"0001": "D", "0004": "D"}
    assert {problem.item: problem.code for problem in exam.problems} == {"0002": "stale", "0003": "gone"}
    assert len(sitting.exam()) == 4


def test_folder_and_benchmark_can_move_together(keju: Keju, opera: Path, tmp_path: Path) -> None:
    keju("human", "sample", opera, "-n", 4, "-o", "sitting")
    (tmp_path / "elsewhere").mkdir()
    for name in ("opera", "sitting"):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    assert len(Sitting.open(tmp_path / "elsewhere/sitting").exam()) == 4
    (tmp_path / "elsewhere/opera").rename(tmp_path / "lost")
    with pytest.raises(Misuse, match="--benchmark"):
        Sitting.open(tmp_path / "elsewhere/sitting").exam()


# The score


def people_of(sitting: Sitting, **written: str) -> None:
    """Each person's letters, `-` for a blank; the group is the name's first word."""
    for name, letters in written.items():
        told = {item: letter for item, letter in zip(sitting.items, letters, strict=True) if letter != "-"}
        sitting.add(Sheet(name, name.split("_")[0], told, "x.csv", {}))


@pytest.fixture
def sat(tmp_path: Path) -> Sitting:
    """Four items, keys A B C D in the booklet's order; two experts and one other."""
    made = making.benchmark(8, folder=tmp_path)
    sitting = Sitting.draw(tmp_path / "sitting", made, 4, source=str(tmp_path / "exam"))
    keys = dict(zip(sitting.items, "ABCD", strict=True))
    api.convert(
        replace(made, items=tuple(replace(item, answer=keys.get(item.id, "A")) for item in made)),
        "jsonl",
        tmp_path / "exam",
    )
    sitting.freeze()
    people_of(sitting, expert_1="ABCD", expert_2="ABC-", other_1="ADDD")
    return sitting


def test_the_baseline_is_table_3_of_the_paper(sat: Sitting) -> None:
    groups = groups_of(sat.runs())
    whole = sat._load()
    model = marked(whole.items, "".join("A" if item.id in sat.items else "B" for item in whole), model="m")
    table = human_baseline(groups, on_their_items(groups, [model]))
    assert [(row["evaluator"], row["participants"], row["n"], row["accuracy"]) for row in table.rows] == [
        ("expert", 2, 4, 7 / 8),
        ("other", 1, 4, 2 / 4),
        ("m", None, 4, 1 / 4),
    ]
    assert [row["subset"].zh for row in table.rows] == ["抽取的 4 题", "抽取的 4 题", "相同题目"]
    assert [(row["lowest"], row["highest"]) for row in table.rows[:2]] == [(0.75, 1.0), (0.5, 0.5)]
    assert any("Fewer than 5 people: expert (2), other (1)" in note for note in table.notes)


def test_blanks_count_in_n_and_as_wrong(sat: Sitting) -> None:
    row = next(row for row in people_table(groups_of(sat.runs())).rows if row["person"] == "expert_2")
    assert (row["n"], row["correct"], row["blank"], row["unread"]) == (4, 3, 1, 0)


def test_differences_pair_groups_and_models_over_the_same_items(sat: Sitting) -> None:
    groups = groups_of(sat.runs())
    rows = human_differences(groups).rows
    assert [(row["evaluator"], row["against"], row["difference"]) for row in rows] == [("expert", "other", 3 / 8)]


def test_a_run_without_any_of_the_items_is_named(sat: Sitting) -> None:
    other = marked(making.benchmark(3, name="x").items[:1], "A")
    elsewhere = replace(other, items=tuple(replace(m, item=replace(m.item, id="zzz")) for m in other.items))
    with pytest.raises(Misuse, match="none of the items"):
        on_their_items(groups_of(sat.runs()), [elsewhere])


def test_people_are_runs_for_score_report_and_item_analysis(keju: Keju, opera: Path) -> None:
    keju("human", "sample", opera, "-n", 6, "-o", "sitting")
    Path("x.csv").write_text("No.,e-1,e-2\n" + "".join(f"{n},A,{'ABCD'[n % 4]}\n" for n in range(1, 7)))
    assert keju("human", "import", "sitting", "x.csv", "--group", "expert")[0] == 0
    keju("run", opera, "-m", "baseline/random")
    code, out, _ = keju("score", "sitting", "--json")
    assert code == 0
    assert {row["model"] for row in json.loads(out)["tables"][0]["rows"]} == {"e-1", "e-2"}
    code, out, _ = keju("human", "score", "sitting", "--runs", "runs", "--items", "--json")
    document = json.loads(out)
    assert code == 0
    assert [table["name"] for table in document["tables"]] == ["humans", "human_differences", "people", "human_items"]
    assert document["meta"]["size"] == 6
    code, _, _ = keju("report", "runs", "--humans", "sitting", "-o", "report")
    names = [table["name"] for table in json.loads(Path("report/report.json").read_text())["tables"]]
    assert code == 0
    assert {"leaderboard", "humans", "people", "human_differences"} <= set(names)
    assert any(name.startswith("item") for name in names)


def test_scoring_before_anyone_answered_says_what_to_do(keju: Keju, opera: Path) -> None:
    keju("human", "sample", opera, "-n", 4, "-o", "sitting")
    code, _, err = keju("human", "score", "sitting")
    assert code == 2
    assert "keju human import sitting" in err
    code, _, err = keju("human", "score", opera)
    assert code == 2
    assert "keju human sample" in err


# The interval


def test_a_group_of_one_has_the_interval_of_its_items() -> None:
    right = np.arange(100) < 60
    found = two_way_interval([right])
    assert found.pair == pytest.approx((0.5, 0.7), abs=0.015)


def test_people_who_differ_widen_the_interval_beyond_that_of_single_answers() -> None:
    """30 people of whom half know all and half nothing: 3,000 answers, but 30 people."""
    marks = np.repeat([[True] * 100, [False] * 100], 15, axis=0)
    low, high = two_way_interval(marks).pair
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / 30**0.5, abs=0.03)


def test_the_interval_covers_the_truth_of_people_and_items() -> None:
    draw = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        ability, ease = draw.normal(0, 0.5, 10), draw.normal(0.6, 1, 60)
        chance = 1 / (1 + np.exp(-(ability[:, None] + ease)))
        low, high = two_way_interval(draw.random((10, 60)) < chance, resamples=400).pair
        hits += low <= 0.6176 <= high  # the mean of that law over both, by integration
    assert 0.92 <= hits / 200 <= 1


def test_all_right_is_not_certain() -> None:
    found = two_way_interval(np.ones((3, 100), bool))
    assert (found.method, found.high) == ("wilson", 1.0)
    assert found.low < 0.97


def test_a_difference_uses_the_same_items_for_both() -> None:
    marks = np.random.default_rng(0).random((1, 200)) < 0.5
    assert two_way_difference(marks, marks).pair == (0, 0)
    with pytest.raises(Misuse, match="same items"):
        two_way_difference(marks, marks[:, :100])


def test_a_sitting_that_is_damaged_is_named(tmp_path: Path) -> None:
    (tmp_path / "sitting.json").write_text('{"schema": 1}')
    with pytest.raises(BadFile, match="damaged"):
        Sitting.open(tmp_path)
    (tmp_path / "sitting.json").write_text('{"schema": 2}')
    with pytest.raises(BadFile, match="layout"):
        Sitting.open(tmp_path)


def test_an_order_of_people_puts_2_before_10(sat: Sitting) -> None:
    people_of(sat, expert_10="----")
    assert [person.name for person in sat.people] == ["expert_1", "expert_2", "expert_10", "other_1"]
    with pytest.raises(Refused):
        sat.add(Sheet("expert_1", "expert", {}, "y.csv", {}))
