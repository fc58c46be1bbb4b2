"""`keju agreement`: any table of ratings, every coefficient with its interval, and a word on which one suits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import Keju, in_process
from keju.errors import BadFile, Misuse
from keju.formats.ratings import Columns, Ratings, read_ratings
from keju.phrase import Phrase
from keju.results.agreement import agreement_tables, coefficients
from keju.results.coefficients import COEFFICIENTS, first_choice
from keju.results.judged import judged
from keju.stats import cohen_kappa, conger_kappa, fleiss_kappa, gwet_ac1, gwet_ac2
from real_failures import bug_cases
from test_stats_agreement import SHROUT_FLEISS, UNITS, of_table

keju = pytest.fixture(in_process)

Row = Mapping[str, Any]
CASES = [*bug_cases("6-stats"), *bug_cases("7-annotation")]


def wide(rows: list[tuple[Any, ...]], raters: str = "abcd") -> Ratings:
    values = tuple(tuple(None if value is None else str(value) for value in row) for row in rows)
    return Ratings("", tuple(map(str, range(len(rows)))), tuple(raters[: len(rows[0])]), values)


def found(keju: Keju, path: Path | str, *arguments: object) -> dict[str, dict[str, Row]]:
    """Table → first cell → row, of the command's JSON."""
    code, out, err = keju("agreement", path, *arguments, "--json")
    assert code == 0, err
    return {
        table["name"]: {next(iter(row.values())): row for row in table["rows"]} for table in json.loads(out)["tables"]
    }


def written(rows: list[tuple[Any, ...]], head: str, path: str = "ratings.csv") -> Path:
    lines = [head, *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Path(path)


# The values that the literature gives


def test_krippendorffs_coders(keju: Keju) -> None:
    rows = [(number, *unit) for number, unit in enumerate(UNITS, 1)]
    table = found(keju, written(rows, "unit,c1,c2,c3,c4"), "--item", "unit")["agreement"]
    expected = {
        "Raw agreement (Po)": 0.81818,
        "Krippendorff's alpha, nominal": 0.743421,
        "Krippendorff's alpha, ordinal": 0.815388,
        "Krippendorff's alpha, interval": 0.849107,
        "Krippendorff's alpha, ratio": 0.797403,
        "Gwet's AC1": 0.77544,
        "Fleiss' kappa": 0.76117,
        "Brennan-Prediger kappa": 0.77273,
    }
    assert {name: table[name]["value"] for name in expected} == pytest.approx(expected, abs=5e-6)


def test_fleisss_diagnosis_example(keju: Keju) -> None:
    a, b = of_table([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    table = found(keju, written(list(zip(range(100), a, b, strict=True)), "id,one,two"))["agreement"]
    kappa = table["Cohen's kappa"]
    assert (kappa["value"], kappa["se"], kappa["se_null"]) == pytest.approx((0.676471, 0.087703, 0.076187), abs=1e-6)
    assert kappa["observed"] == 0.89
    assert table["Cohen's kappa, linear weights"]["value"] == pytest.approx(0.722222, abs=1e-6)
    assert table["Cohen's kappa, quadratic weights"]["value"] == pytest.approx(0.755319, abs=1e-6)


def test_shrout_and_fleiss(keju: Keju) -> None:
    rows = [(number, *scores) for number, scores in enumerate(SHROUT_FLEISS)]
    table = found(keju, written(rows, "id,j1,j2,j3,j4"))["icc"]
    expected = {
        "ICC(1,1)": (0.1657, -0.1329, 0.7226),
        "ICC(2,1)": (0.2898, 0.0188, 0.7611),
        "ICC(3,1)": (0.7148, 0.3425, 0.9459),
        "ICC(1,k)": (0.4428, -0.8844, 0.9124),
        "ICC(2,k)": (0.6201, 0.0711, 0.9272),
        "ICC(3,k)": (0.9093, 0.6757, 0.9859),
    }
    for form, values in expected.items():
        assert (table[form]["value"], table[form]["low"], table[form]["high"]) == pytest.approx(values, abs=5e-5)
    assert [form for form, row in table.items() if row["use"]] == ["ICC(2,1)", "ICC(2,k)"]


def test_conger_is_cohen_for_two_raters_and_known_for_four() -> None:
    """irrCAC's `raw_4raters`, which are Krippendorff's coders but for who gave the twelfth unit its one rating."""
    units = [*UNITS[:11], (None, None, 3, None)]
    assert conger_kappa(units).value == pytest.approx(0.76282, abs=5e-6)
    a, b = of_table([[20, 5], [10, 15]])
    assert conger_kappa(list(zip(a, b, strict=True))).value == pytest.approx(0.4)


@given(st.lists(st.lists(st.sampled_from([1, 2]), min_size=3, max_size=3), min_size=2, max_size=20))
def test_ac2_is_ac1_where_no_miss_is_near(rows: list[list[int]]) -> None:
    assert gwet_ac2(rows, "linear", categories=(1, 2)).value == pytest.approx(gwet_ac1(rows, categories=2).value)


def test_ac2_by_hand() -> None:
    """Three scores, linear weights: 1 for the same, ½ for neighbours. Po 5/6; π = 4/6, 1/6, 1/6; Pe = 4/6 × ½."""
    found = gwet_ac2([(1, 1), (1, 2), (1, 3)], "linear")
    agreement, shares = (1 + 0.5 + 0) / 3, (4 / 6, 1 / 6, 1 / 6)
    chance = (3 + 4 * 0.5) / (3 * 2) * sum(share * (1 - share) for share in shares)
    assert found.value == pytest.approx((agreement - chance) / (1 - chance))


def test_steps_between_scores_that_nobody_gave_are_counted() -> None:
    a, b = [1, 2, 5, 5, 1, 2], [1, 5, 5, 2, 2, 1]
    assert cohen_kappa(a, b, weights="quadratic", categories=[1, 2, 3, 4, 5]).value == pytest.approx(
        judged_value([*zip(a, b, strict=True)], "Cohen's kappa, quadratic weights")
    )
    assert cohen_kappa(a, b, weights="quadratic").value != pytest.approx(
        judged_value([*zip(a, b, strict=True)], "Cohen's kappa, quadratic weights")
    )
    with pytest.raises(Misuse, match=r"5.* none of the categories"):
        cohen_kappa(a, b, categories=[1, 2])


def judged_value(rows: list[tuple[Any, ...]], name: str) -> float | None:
    value: float | None = next(r for r in coefficients(judged(wide(rows))).rows if r["coefficient"] == name)["value"]
    return value


# What other tools got wrong


@pytest.mark.shared
@pytest.mark.parametrize("case", [case for case in CASES if case.id in ("ST-35", "AN-15", "AN-21")])
def test_known_failures_of_other_tools(case: Any, keju: Keju) -> None:
    given, expected = case["input"], case["expected"]
    match case["id"]:
        case "ST-35":
            rows = [(i, given["first"][i], given["second"][i], given["consensus"].get(i)) for i in given["first"]]
            tables = found(keju, written(rows, "item,first,second,consensus"))
            assert tables["agreement"]["Raw agreement (Po)"]["value"] == expected["agreement"]
        case "AN-15":
            rows = [(i, given["first"][i], given["second"][i]) for i in given["first"]]
            row = found(keju, written(rows, "item,first,second"))["agreement"]["Raw agreement (Po)"]
            assert (row["items"], row["value"]) == (expected["n_overlap"], expected["agreement"])
            assert f"Items that nobody rated: {expected['skipped_by_both']}." in keju("agreement", "ratings.csv")[1]
        case "AN-21":
            rows = [(i, rating, 5) for i, rating in enumerate(given["ratings"])]
            row = found(keju, written(rows, "item,one,two"))["raters"]["one"]
            told = (row["n"], row["mean"], row["sd"])
            wanted = (expected["n"], expected["mean"], expected["sd_sample"])
            assert told == pytest.approx(wanted, abs=expected["tolerance"])


def test_raw_agreement_and_kappa_stand_side_by_side(keju: Keju) -> None:
    """87 of 100 alike, four balanced labels: that is a κ of 0.83, not of 0.87 (paper 000)."""
    pairs = [(label, label) for label in "ABCD" for _ in range(25)]
    for at in range(13):
        first = pairs[at * 7][0]
        pairs[at * 7] = (first, "ABCD"[("ABCD".index(first) + 1 + at % 3) % 4])
    row = found(keju, written([(i, *pair) for i, pair in enumerate(pairs)], "item,a,b"))["agreement"]["Cohen's kappa"]
    assert row["observed"] == 0.87
    assert row["value"] == pytest.approx(0.8267, abs=0.01)
    assert row["interval_method"] == "bootstrap"
    assert row["low"] < row["value"] < row["high"]


def test_unanimous_ratings_are_undefined_in_words_and_never_nan(keju: Keju) -> None:
    path = written([(i, "A", "A", "A") for i in range(20)], "item,x,y,z")
    tables = found(keju, path)["agreement"]
    assert tables["Raw agreement (Po)"]["value"] == 1
    assert 0.8 < tables["Raw agreement (Po)"]["low"] < 1
    assert tables["Fleiss' kappa"]["value"] is None
    assert "no variance" in tables["Fleiss' kappa"]["note"]
    code, out, _ = keju("agreement", path, "--lang", "zh")
    assert code == 0
    assert "无定义" in out
    assert not re.search(r"\bnan\b", out, re.IGNORECASE)


def test_unanimous_scores_are_undefined_in_words(keju: Keju) -> None:
    path = written([(i, 5, 5, 5) for i in range(20)], "item,x,y,z")
    tables = found(keju, path)
    assert tables["icc"]["ICC(2,1)"]["value"] is None
    assert "undefined: no variance" in keju("agreement", path)[1]


def test_full_agreement_on_varied_items_is_one_and_not_certain(keju: Keju) -> None:
    path = written([(i, "ABCD"[i % 4], "ABCD"[i % 4]) for i in range(40)], "item,x,y")
    row = found(keju, path)["agreement"]["Cohen's kappa"]
    assert (row["value"], row["high"], row["interval_method"]) == (1, 1, "wilson")
    assert row["low"] < 0.95


# Which coefficient suits


@pytest.mark.parametrize(
    ("rows", "best", "why"),
    [
        ([("A", "A"), ("B", "C")] * 5, "Cohen's kappa", "two raters"),
        ([("A", "A", "B"), ("B", "C", "C")] * 5, "Fleiss' kappa", "several raters"),
        ([("A", "A", None), ("B", None, "C")] * 5, "Krippendorff's alpha, nominal", "not every rater"),
        ([(1, 2), (3, 3), (4, 5)] * 5, "Krippendorff's alpha, ordinal", "have an order"),
    ],
)
def test_the_data_say_which_coefficient_suits(rows: list[tuple[Any, ...]], best: str, why: str) -> None:
    table = coefficients(judged(wide(rows)))
    assert first_choice(judged(wide(rows))) == best
    assert [row["coefficient"] for row in table.rows if row.get("use")] == [best]
    assert why in table.notes[0]
    assert isinstance(table.notes[0], Phrase)


def test_items_with_three_or_four_options_have_their_own_chance(keju: Keju) -> None:
    rows = [(i, 3 + i % 2, "A", "AB"[i % 3 == 0]) for i in range(30)]
    table = found(keju, written(rows, "item,options,x,y"))["agreement"]
    assert table["Brennan-Prediger kappa"]["expected"] == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert table["Brennan-Prediger kappa"]["use"] == "suits best"


def test_one_label_far_more_frequent_than_others_is_pointed_out() -> None:
    rows = [("A", "A")] * 45 + [("A", "B"), ("B", "A")] * 2
    assert any("read AC1 beside" in note for note in coefficients(judged(wide(rows))).notes)


def test_words_in_an_order_are_scores(keju: Keju) -> None:
    rows = [(i, "low", ("low", "medium")[i % 2]) for i in range(10)] + [(i, "high", "high") for i in range(10, 20)]
    path = written(rows, "item,x,y")
    table = found(keju, path, "--categories", "low,medium,high", "--scale", "ordinal")["agreement"]
    assert 0.5 < table["Krippendorff's alpha, ordinal"]["value"] < 1
    assert "Krippendorff's alpha, ratio" not in table
    code, _, err = keju("agreement", path, "--scale", "ordinal")
    assert code == 2
    assert "--categories low,medium,high" in err


def test_numbers_may_be_names(keju: Keju) -> None:
    path = written([(i, 1 + i % 3, 1 + i % 2) for i in range(12)], "item,x,y")
    assert "icc" in found(keju, path)
    assert "icc" not in found(keju, path, "--scale", "nominal")


def test_every_coefficient_and_note_has_its_chinese() -> None:
    for rows in ([(1, 2, None), (3, 3, 4), (4, 5, 5)] * 5, [("A", "A"), ("B", "C")] * 5):
        for table in agreement_tables(judged(wide(rows)), items=True):
            assert table.title_zh
            assert all(isinstance(note, Phrase) for note in table.notes)
            assert all(column.title_zh for column in table.columns)


@given(
    st.lists(
        st.lists(st.sampled_from(["1", "2", "3", "5", None]), min_size=3, max_size=3).map(tuple),
        min_size=1,
        max_size=12,
    )
)
def test_any_table_is_a_figure_or_a_reason(rows: list[tuple[str | None, ...]]) -> None:
    if not any(sum(value is not None for value in row) > 1 for row in rows):
        with pytest.raises(Misuse, match="no item has two ratings"):
            judged(wide(rows))
        return
    data = judged(wide(rows))
    for scale in ("nominal", "ordinal"):
        for row in coefficients(judged(wide(rows), scale)).rows:
            assert row["value"] is not None or "undefined" in row["note"]
    assert len(COEFFICIENTS) >= len(coefficients(data).rows) - 1


# Tables as people keep them


def test_a_long_table_with_several_questions(keju: Keju) -> None:
    rows = [(i, r, 3 + (i + n) % 3, 5 - i % 2) for i in range(8) for n, r in enumerate(("p", "q"))]
    tables = found(keju, written(rows, "item,reviewer,clarity,plausibility"))
    assert tables["icc_plausibility"]["ICC(2,1)"]["value"] == 1
    assert tables["agreement_clarity"]["Raw agreement (Po)"]["value"] == 0


def test_wide_and_long_are_the_same(keju: Keju) -> None:
    values = [("A", "A"), ("B", "C"), ("D", None), ("A", "A")]
    one = found(keju, written([(i, *row) for i, row in enumerate(values)], "item,x,y"))
    long = [(i, who, value) for i, row in enumerate(values) for who, value in zip("xy", row, strict=True) if value]
    other = found(keju, written(long, "item,rater,label"))
    assert one["agreement"] == other["agreement"]


def test_xlsx_and_jsonl_and_chinese_headings(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [("编号", "标注者", "标签"), ("1", "甲", "生"), ("1", "乙", "生"), ("2", "甲", "旦"), ("2", "乙", "净")]:
        book.worksheets[0].append(row)
    book.save(tmp_path / "r.xlsx")
    lines = [
        {"item": i, "rater": r, "label": v} for i, r, v in [("1", "甲", "生"), ("1", "乙", "生"), ("2", "甲", "旦")]
    ]
    lines.append({"item": "2", "rater": "乙", "label": "净"})
    (tmp_path / "r.jsonl").write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    (one,), (other,) = read_ratings(tmp_path / "r.xlsx"), read_ratings(tmp_path / "r.jsonl")
    assert one == other
    assert one.values == (("生", "生"), ("旦", "净"))


def test_widths_cases_and_skips_are_folded_and_told(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,x,y\n1,Ａ,a\n2,A,跳过\n3,4.0,4\n")
    (one,) = read_ratings(path)
    assert one.values == (("A", "A"), ("A", None), ("4", "4"))
    assert [str(remark) for remark in one.remarks] == [
        "Read as no rating: 跳过 (1).",
        "Read as the same: Ａ = A, a = A, 4.0 = 4.",
    ]


def test_the_first_of_two_ratings_stands(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,rater,label\n1,x,A\n1,y,B\n1,x,B\n")
    (one,) = read_ratings(path)
    assert one.values == (("A", "B"),)
    assert "The first stands" in one.remarks[0]


def test_groups_of_items_and_disagreements(keju: Keju) -> None:
    rows = [(i, ("Kunqu", "Yue")[i % 2], "AB"[i % 3 == 0], "AB"[i % 4 == 0]) for i in range(24)]
    tables = found(keju, written(rows, "item,genre,x,y"), "--by", "genre", "--items")
    assert tables["agreement_by_genre"]["Kunqu"]["items"] == 12
    assert tables["disagreements"]["3"] == {"item": "3", "rater:x": "B", "rater:y": "A"}
    code, _, err = keju("agreement", "ratings.csv", "--by", "difficulty")
    assert code == 2
    assert "no column 'difficulty'" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,x\n1,A\n", "fewer than two raters"),
        ("item,rater,label\n1,,A\n", ":2: the row has no rater"),
        ("item,x,y\n1,A,B\n1,A,B\n", "item '1' has several rows"),
    ],
)
def test_a_file_without_ratings_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(BadFile, match=message):
        read_ratings(path)


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("q,final,x\n1,A,B\n2,A,A\n")
    (one,) = read_ratings(path, Columns(item="q", ratings=("final", "x")))
    assert one.raters == ("final", "x")
    with pytest.raises(Misuse, match="no column 'z'"):
        read_ratings(path, Columns(item="z"))


def test_fleiss_of_the_command_is_fleiss_of_the_module() -> None:
    rows = [("A", "B", "A"), ("C", "C", "C"), ("A", "A", "B")] * 4
    assert judged_value(rows, "Fleiss' kappa") == fleiss_kappa(rows).value
