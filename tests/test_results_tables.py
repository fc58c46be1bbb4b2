"""Tables made of marked runs: pairs, languages, parsers, sizes, seconds, groups, and what the papers published."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import BadFile, Misuse
from keju.items import Wording
from keju.records import Record
from keju.reports.numbers import cell as drawn
from keju.reports.terminal import to_text
from keju.results.bilingual import bilingual
from keju.results.breakdowns import breakdown, dimensions, read_dimensions
from keju.results.labels import label_meant
from keju.results.latency import latency_by_modality, latency_by_stage
from keju.results.leaderboard import leaderboard
from keju.results.marked import marked_items
from keju.results.overview import overview
from keju.results.pairs import compare, pairs
from keju.results.parsers import parser_sensitivity
from keju.results.power import power
from keju.results.published import published, published_names
from keju.results.scores import score
from keju.results.size import size_effect
from marked_runs import items, marked, run
from real_failures import bug_cases


def row_of(table, **wanted):
    return next(row for row in table.rows if all(row[key] == value for key, value in wanted.items()))


# pairs


@pytest.mark.shared
@pytest.mark.parametrize("case", [p for p in bug_cases("6-stats") if p.id == "ST-05"])
def test_two_models_are_tested_on_the_same_items(case):
    given_, expected = case["input"], case["expected"]
    sizes = [given_[key] for key in ("both_right", "only_first", "only_second", "both_wrong")]
    of = items("A" * given_["n"])
    first = marked(of, "".join(letter * n for letter, n in zip("AABB", sizes, strict=True)), model="a")
    second = marked(of, "".join(letter * n for letter, n in zip("ABAB", sizes, strict=True)), model="b")
    found = compare(first, second)
    assert [found.both_right, found.only_first, found.only_second, found.both_wrong] == sizes
    assert found.p == pytest.approx(expected["p_mcnemar_exact"], abs=1e-7)
    assert found.difference == pytest.approx(0.07)
    near = expected["ci95_difference_paired_bootstrap_near"]
    assert found.interval.pair == pytest.approx(near, abs=expected["tolerance_ci"])


def test_a_run_against_itself_shows_no_discordant_pair():
    s = marked(items("AB"), "AA")
    found = compare(s, s)
    assert (found.difference, found.p, found.note) == (0.0, 1.0, "no discordant pairs")


def test_pairing_is_by_id_whatever_the_order():
    of = items("ABCD" * 10)
    a, b = marked(of, "AACC" * 10), marked(of, "ABBD" * 10)
    backwards = replace(b, items=b.items[::-1])
    assert compare(a, backwards) == compare(a, b)


def test_unequal_item_sets_are_refused_with_the_items_named():
    of = items("AAA")
    longer, shorter = marked(of, "AAB", model="longer"), marked(of[:2], "AA", model="shorter")
    with pytest.raises(Misuse, match="shorter lacks 1 items of longer: 0002"):
        compare(longer, shorter)
    found = compare(longer, shorter, common=True)
    assert (found.n, found.left_out, found.note) == (2, 1, "no discordant pairs; 1 items left out")
    with pytest.raises(Misuse, match="no item in common"):
        compare(shorter, replace(longer, items=longer.items[2:]))


def test_an_incomplete_run_is_not_compared_unless_asked():
    of = items("AAAA")
    whole, open_ = marked(of, "AABB", model="whole"), marked(of, "ABA!", model="open")
    with pytest.raises(Misuse, match="open is incomplete: 1 of 4 unanswered: 0003"):
        compare(whole, open_)
    assert compare(whole, open_, common=True).n == 3
    settled = score(run(of, "ABA!", model="open"), count_failures_as_wrong=True)
    assert compare(whole, settled).n == 4


def test_what_else_differs_between_two_runs_is_said():
    of = items("AB")
    note = compare(marked(of, "AB"), marked(of, "AB", protocol="robust")).note
    assert "different protocols (tco, robust)" in note
    assert "different parsers" in note
    other = run(of, "AB")
    records = {i: replace(record, prompt="q") for i, record in other.records.items()}
    assert "different prompts" in compare(marked(of, "AB"), score(replace(other, records=records))).note
    keys = tuple(replace(item, answer="C") for item in of)
    assert "different keys" in compare(marked(of, "AB"), marked(keys, "AB")).note


def other_questions(of, language="zh-Hans"):
    return tuple(
        replace(item, wordings={language: Wording(language, f"other {item.id}", dict(item.options))}) for item in of
    )


def test_other_questions_under_the_same_ids_are_not_tested():
    """Two benchmarks that number their items alike have nothing to pair, though every id is there twice."""
    of = items("A" * 20)
    first = [marked(of, "A" * k + "B" * (20 - k), model=f"m{k}") for k in (8, 12)]
    alien = replace(marked(other_questions(of), "A" * 20, model="alien"), benchmark="another")
    for common in (False, True):
        table = pairs([*first, alien], common=common)
        untested = row_of(table, first="alien", second="m12")
        assert "other questions under the same ids" in untested["note"]
        assert "p" not in untested
        assert any("family of 1 tests" in note for note in table.notes)
        assert not any("Cochran" in note for note in table.notes)
    assert len(power([*first, alien]).rows) == 1


def test_the_same_questions_stay_paired_whatever_their_benchmark_language_or_variant():
    of = items("A" * 20)
    first = marked(of, "A" * 20)
    renamed = replace(marked(of, "B" * 20), benchmark="renamed")
    mended = replace(marked((*other_questions(of[:9]), *of[9:]), "B" * 20), benchmark="mended")
    translated = replace(marked(other_questions(of, "en"), "B" * 20), benchmark="english")
    varied = replace(marked(other_questions(of), "B" * 20, variant={"script": "hant"}), benchmark="varied")
    for other in (renamed, mended, translated, varied):
        assert compare(first, other).n == 20
    assert compare(first, renamed).note == ""
    assert "different benchmarks" in compare(first, translated).note


def test_a_run_of_fewer_items_is_not_advised_to_be_completed():
    of = items("AAA")
    with pytest.raises(Misuse) as refused:
        compare(marked(of, "AAB"), marked(of[:2], "AA"))
    assert "--common" in str(refused.value)
    assert "Complete the runs" not in str(refused.value)


def test_all_pairs_are_one_family():
    of = items("A" * 60)
    scores = [marked(of, "A" * k + "B" * (60 - k), model=f"m{k}") for k in (10, 30, 50)]
    table = pairs(scores)
    assert [(row["first"], row["second"]) for row in table.rows] == [("m50", "m30"), ("m50", "m10"), ("m30", "m10")]
    assert all(row["p_holm"] >= row["p"] for row in table.rows)
    assert any("family of 3 tests: all pairs" in note for note in table.notes)
    assert any("Cochran's Q" in note for note in table.notes)
    best = pairs(scores, against="best")
    assert len(best.rows) == 2
    assert any("family of 2 tests: m50 against each other run" in note for note in best.notes)


def test_a_pair_that_cannot_be_tested_is_listed_and_stays_out_of_the_family():
    of = items("A" * 40)
    scores = [marked(of, "A" * 20 + "B" * 20, model="a"), marked(of, "A" * 30 + "B" * 10, model="b")]
    table = pairs([*scores, marked(of, "A" * 39 + "!", model="open")])
    assert any("family of 1 tests" in note for note in table.notes)
    untested = row_of(table, second="open")
    assert untested["note"].startswith("not tested: open is incomplete")
    assert "p" not in untested
    with pytest.raises(Misuse, match="two runs"):
        pairs(scores[:1])


# languages


def bilingual_items(keys):
    return tuple(
        replace(item, wordings={**item.wordings, "en": Wording("en", "Q", dict(item.options))}) for item in items(keys)
    )


def test_a_language_effect_is_paired_on_items_that_have_both_versions():
    """Table 6 of paper 000: recall, precision and F1 on both sides, over the same items."""
    of = bilingual_items("A" * 50)
    chinese = marked(of, "A" * 30 + "?" * 10 + "B" * 10, model="m")
    english = marked(of[:40], "A" * 20 + "B" * 20, model="m", variant={"language": "en"})
    table = bilingual([chinese, english])
    (row,) = table.rows
    assert (row["first"], row["second"], row["n"]) == ("zh-Hans", "en", 40)
    assert (row["first_recall"], row["first_precision"], row["second_recall"]) == (0.75, 1.0, 0.5)
    assert row["difference"] == pytest.approx(0.25)
    assert row["p"] == row["p_holm"] < 0.01
    assert any("10 items that only one run has" in note for note in table.notes)


def test_a_script_effect_is_paired_the_same_way():
    of = items("AB" * 20)
    runs = [marked(of, "AB" * 20, variant={"script": script}) for script in ("hans", "hant")]
    (row,) = bilingual(runs, "script").rows
    assert (row["first"], row["second"], row["difference"]) == ("hans", "hant", 0)
    with pytest.raises(Misuse, match="language"):
        bilingual(runs, "language")


def test_a_pair_without_a_common_answer_leaves_the_others_their_table():
    of = bilingual_items("A" * 10)
    english = {"language": "en"}
    fine = [marked(of, "A" * 10, model="fine"), marked(of, "A" * 10, model="fine", variant=english)]
    lost = [marked(of, "A" * 10, model="lost"), marked(of, "!" * 10, model="lost", variant=english)]
    table = bilingual([*fine, *lost])
    assert [row["model"] for row in table.rows] == ["fine"]
    assert any("lost [language=en] have no item that both answered" in note for note in table.notes)
    with pytest.raises(Misuse, match="no item that both answered"):
        bilingual(lost)


def test_pairs_under_two_protocols_name_theirs_and_one_protocol_needs_no_column():
    of = bilingual_items("A" * 10)
    runs = [
        marked(of, "A" * 10, model="m", protocol=protocol, variant=variant)
        for protocol in ("tco", "robust")
        for variant in ({}, {"language": "en"})
    ]
    table = bilingual(runs)
    assert [row["protocol"] for row in table.rows] == ["tco", "robust"]
    assert "Protocol" in to_text(table)
    assert "Protocol" not in to_text(bilingual(runs[:2]))


# parsers


def test_a_ranking_that_turns_with_the_rule_is_named():
    of = items("B" * 10)
    wordy = run(of, ["答案：B"] * 10, model="wordy")
    terse = run(of, ["B"] * 6 + ["C"] * 4, model="terse")
    table = parser_sensitivity([wordy, terse], ["strict", "robust"])
    assert row_of(table, parser="strict", model="wordy")["accuracy"] == 0
    assert row_of(table, parser="robust", model="wordy")["rank"] == 1
    assert any("wordy leads terse under robust and trails it under strict" in note for note in table.notes)


def test_a_run_without_answers_has_no_rank():
    of = items("AB")
    table = parser_sensitivity([run(of, "!!", model="lost"), run(of, "CC", model="wrong")], ["strict"])
    assert [(row["model"], row["rank"]) for row in table.rows] == [("wrong", 1), ("lost", None)]


def test_a_text_run_is_not_read_by_likelihood():
    """Its records hold no scores: 0 % would be said of replies that nobody compared."""
    text = run(items("AB"), "A!", model="text")
    with pytest.raises(Misuse, match="text holds no scores"):
        score(text, parser="likelihood")
    assert score(run(items("A"), "!"), parser="likelihood").failed == 1
    scored = run(items("AB"), "AB", model="base", protocol="option-likelihood", scores={"A": -1.0, "B": -2.0})
    table = parser_sensitivity([scored, text])
    assert [row["model"] for row in table.rows if row["parser"] == "likelihood"] == ["base"]
    assert any("likelihood" in note and "text" in note for note in table.notes)
    with pytest.raises(Misuse, match="holds no scores"):
        parser_sensitivity([text], ["likelihood"])


def test_all_parsers_stand_side_by_side_and_the_own_one_is_marked():
    table = parser_sensitivity([run(items("AB"), "AB", protocol="multi-tw")])
    assert {row["parser"] for row in table.rows} >= {"strict", "anchored", "first-letter", "robust"}
    assert [row["parser"] for row in table.rows if row["own"]] == ["first-letter"]


# sizes


def test_size_effect_of_paper_000():
    """The open models of Table 2, by the size in their names: a correlation, with the N that it rests on."""
    billions = {"72": 72, "26": 26, "11": 11, "8": 8, "7": 7, "3.8": 3.8}
    right = {"72": 73, "26": 25, "11": 36, "8": 19, "7": 44, "3.8": 11}
    of = items("A" * 100)
    scores = [marked(of, "A" * k + "B" * (100 - k), model=name) for name, k in right.items()]
    table = size_effect([*scores, marked(of, "A" * 59 + "B" * 41, model="secret")], billions)
    assert any("0.60 over 6 models" in note for note in table.notes)
    assert any("secret" in note and "left out of rho" in note for note in table.notes)
    assert [row["model"] for row in table.rows][:2] == ["3.8", "7"]
    assert table.rows[-1]["parameters_b"] is None
    assert any("at least three" in note for note in size_effect(scores[:2], billions).notes)


# seconds


@pytest.mark.shared
@pytest.mark.parametrize("case", [p for p in bug_cases("5-run") if p.id in ("RN-19", "RN-23")])
def test_known_failures_of_other_tools(case):
    given_, expected = case["input"], case["expected"]
    if case["id"] == "RN-19":
        of = items("A" * len(given_["times"]))
        base = run(of, "A" * len(of))
        stages = [{} if time["cached"] else {"infer": time["s"]} for time in given_["times"]]
        records = {i.id: Record(i.id, "answered", "A", stages=s) for i, s in zip(of, stages, strict=True)}
        table = latency_by_stage([score(replace(base, records=records))])
        row = row_of(table, stage="infer")
        assert (row["mean_s"], row["timed"]) == (expected["mean_s"], expected["n_timed"])
        assert any("fake/model: 1 of 3" in note for note in table.notes)
        return
    of = items("A" * given_["requests"])
    asked = run(of, "A" * len(of), stages={"infer": given_["each_s"]})
    asked = replace(asked, info={"sessions": [{"wall_s": expected["wall_s_about"]}]})
    row = latency_by_modality([score(asked)]).rows[0]
    assert (row["inference_s"], row["wall_s"]) == (expected["sum_request_s"], expected["wall_s_about"])


def test_inference_time_is_preprocessing_perception_and_inference():
    """Paper 001, §3.1: loading and waiting are no part of it."""
    stages = {"load": 9.0, "preprocess": 1.0, "transcribe": 2.0, "infer": 4.0, "queue": 50.0, "first_token": 3.0}
    s = marked(items("AA", kind="audio"), "AB", stages=stages, perceived={"0.bin": "…"})
    row = latency_by_modality([s]).rows[0]
    assert (row["inference_s"], row["perception"], row["accuracy_audio"]) == (14.0, "measured", 0.5)
    assert row_of(latency_by_stage([s]), stage="inference time")["median_s"] == 7.0


def test_cached_transcripts_are_never_mixed_with_measured_ones():
    of = items("AA", kind="audio")
    base = run(of, "AA")
    cold = Record(of[0].id, "answered", "A", stages={"transcribe": 5.0, "infer": 1.0}, perceived={"0.bin": "…"})
    warm = Record(of[1].id, "answered", "A", stages={"infer": 1.0}, perceived={"1.bin": "…"})
    s = score(replace(base, records={of[0].id: cold, of[1].id: warm}))
    table = latency_by_stage([s])
    totals = {row["perception"]: row["sum_s"] for row in table.rows if row["stage"] == "inference time"}
    assert totals == {"measured": 6.0, "cached": 1.0}
    assert latency_by_modality([s]).rows[0]["perception"] == "mixed"
    shared = replace(warm, perceived={"0.bin": "…"})  # the same clip: its time is in the sum, once
    s = score(replace(base, records={of[0].id: cold, of[1].id: shared}))
    row = latency_by_modality([s]).rows[0]
    assert (row["perception"], row["inference_s"]) == ("measured", 7.0)


def test_a_part_of_the_time_is_not_shown_as_the_whole():
    of = items("AA")
    s = marked(of, "A!", stages={"infer": 1.0})
    row = latency_by_modality([s]).rows[0]
    assert (row["inference_s"], row["timed"], row["n"]) == (None, 1, 2)
    with pytest.raises(Misuse, match="timed"):
        latency_by_stage([marked(of, "AA")])


# groups


@pytest.mark.parametrize("name", ["genre", "剧种", "劇種", "Genre"])
def test_a_label_may_be_called_by_any_of_its_names(name):
    table = breakdown([marked(items("AABB", genre="xyxy"), "AABB")], name)
    assert (table.name, [row["value"] for row in table.rows]) == ("by_genre", ["x", "y"])


def test_a_label_is_taken_as_it_is_written_before_what_it_may_stand_for():
    assert label_meant("剧种", ["genre", "剧种"]) == "剧种"
    assert label_meant("题型", ["类别"]) == "类别"
    assert label_meant("模态", []) == "modality"
    assert label_meant("选项", []) == "options"
    assert label_meant("mine", ["genre"]) == "mine"


def test_a_breakdown_names_micro_and_macro_and_greys_small_groups():
    of = items("A" * 40, genre=["京剧"] * 30 + ["昆曲"] * 9 + ["越剧"])
    table = breakdown([marked(of, "A" * 30 + "B" * 10)], "genre")
    assert [(row["value"], row["n"], row.get("_faint", False)) for row in table.rows] == [
        ("京剧", 30, False),
        ("昆曲", 9, True),
        ("越剧", 1, True),
    ]
    note = table.notes[0]
    assert "micro 75.0 % (over items), macro 33.3 % (mean of 3 groups)" in note
    assert "chi-square 40.00, df 2, p < 0.001" in note
    assert table.title_zh == "按剧种的准确率"


def test_items_without_the_label_are_counted_as_such():
    of = tuple(replace(item, labels={"genre": "京剧"} if number else {}) for number, item in enumerate(items("AA")))
    table = breakdown([marked(of, "AA")], "genre")
    assert [row["value"] for row in table.rows] == ["(none)", "京剧"]


def two_benchmarks():
    """One run that has a genre and a question type, and one of another benchmark that has neither."""
    opera = items("AB" * 6, genre="xy" * 6, question_type=["plot identification", "唱腔"] * 6)
    tw = tuple(replace(item, id=f"tw{item.id}", labels={"subject": "s"}) for item in items("AB" * 6))
    return [run(opera, "AB" * 6, model="of/opera"), run(tw, "A" * 12, model="of/tw")]


@pytest.mark.parametrize("label", ["genre", "剧种"])
def test_runs_that_lack_a_label_are_left_out_of_its_breakdown_and_named(label):
    table = breakdown([score(one) for one in two_benchmarks()], label)
    assert {row["model"] for row in table.rows} == {"of/opera"}
    assert any("Left out" in note and "of/tw" in note for note in table.notes)
    assert not any("not directly comparable" in note for note in table.notes)
    with pytest.raises(Misuse, match="'nope'; there is genre"):
        breakdown([score(one) for one in two_benchmarks()], "nope")


def test_each_run_is_grouped_by_its_own_name_of_the_label():
    opera, other = two_benchmarks()
    renamed = tuple(replace(item, labels={"剧种": "x"}) for item in other.benchmark)
    table = breakdown([score(opera), marked(renamed, "A" * 12, model="of/tw")], "genre")
    assert [(row["model"], row["value"]) for row in table.rows] == [
        ("of/opera", "x"),
        ("of/opera", "y"),
        ("of/tw", "x"),
    ]


def test_a_run_without_question_types_is_left_out_of_the_dimensions():
    table = dimensions([score(one) for one in two_benchmarks()])
    assert {row["model"] for row in table.rows} == {"of/opera"}
    assert any("Left out" in note and "of/tw" in note for note in table.notes)
    alien = marked(items("A", question_type=["唱腔"]), "A", model="alien")
    assert {row["model"] for row in dimensions([score(two_benchmarks()[0]), alien]).rows} == {"of/opera"}


def test_an_overview_of_two_benchmarks_breaks_down_what_each_has():
    runs = two_benchmarks()
    tables = {table.name: table for table in overview(runs, [score(one) for one in runs])}
    assert {"by_genre", "by_question_type", "by_dimension"} <= tables.keys()
    assert "by_subject" not in tables, "one value groups nothing, whatever the other benchmark lacks"


def test_dimensions_of_paper_000():
    """Table 5: each of the eight question types has one dimension, in English and in Chinese."""
    types = [
        "Opera genre classification",
        "prop_and_instrument_recognition",
        "脸谱象征",
        "plot/story identification",
        "regional distribution awareness",
        "唱腔",
    ]
    table = dimensions([marked(items("A" * 6, question_type=types), "AAAABB")])
    assert {row["value"]: (row["correct"], row["n"]) for row in table.rows} == {
        "Image Comprehension": (2, 2),
        "Knowledge Reasoning": (2, 3),
        "(none)": (0, 1),
    }
    assert any("唱腔" in note for note in table.notes)


def test_question_types_that_no_dimension_names_are_named():
    with pytest.raises(Misuse, match=r"dimensions\.toml has none of the question types here: 唱腔.*--dimensions-file"):
        dimensions([marked(items("A", question_type=["唱腔"]), "A")])


def test_an_overview_finds_the_dimensions_however_the_types_are_written():
    one = run(items("A", question_type=["Facial-Makeup_Symbolism"]), "A")
    assert "by_dimension" in [table.name for table in overview([one], [score(one)])]


def test_the_dimension_map_is_a_file_that_can_be_edited(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('[x]\ntitle = "Voice"\nquestion_types = ["唱腔"]\n', encoding="utf-8")
    s = marked(items("A", question_type=["唱腔"]), "A")
    assert dimensions([s], mine).rows[0]["value"] == "Voice"
    with pytest.raises(Misuse, match=r"mine\.toml has none .* 身段\. Add them .* there"):
        dimensions([marked(items("A", question_type=["身段"]), "A")], mine)
    mine.write_text('[x]\ntitle = "Voice"\n', encoding="utf-8")
    with pytest.raises(BadFile, match=r"mine\.toml: \[x\] needs .*question_types"):
        read_dimensions(mine)
    mine.write_text("[x", encoding="utf-8")
    with pytest.raises(BadFile, match=r"mine\.toml"):
        read_dimensions(mine)
    mine.write_text(
        '[x]\ntitle = "X"\nquestion_types = ["a"]\n[y]\ntitle = "Y"\nquestion_types = ["A"]\n', encoding="utf-8"
    )
    with pytest.raises(BadFile, match=r"mine\.toml: a stands under two dimensions, \[x\] and \[y\]"):
        read_dimensions(mine)


# published


def test_published_rows_are_marked_and_stand_below_ones_own():
    rows = published("tco-2").rows
    assert len(rows) == 9
    table = leaderboard([marked(items("AB"), "AB")], published=rows)
    assert [bool(row.get("_published")) for row in table.rows] == [False, *[True] * 9]
    assert table.notes[-1] == "Published rows are from TCO-Dataset paper, Table 2."
    with pytest.raises(Misuse, match="tco-2"):
        published("tco-7")


def test_published_confidence_intervals_are_those_of_their_accuracy():
    """Table 2 of paper 000: our bootstrap of 1,000 items gives the printed bounds, to the printed decimals."""
    from keju.stats import accuracy_interval

    for row in published("tco-2").rows:
        found = accuracy_interval(round(row["accuracy"] * row["n"]), row["n"])
        assert found.pair == pytest.approx(row["interval"], abs=0.006)


def test_the_overall_accuracy_of_multi_tw_is_the_mean_of_its_halves():
    """450 items each, to the rounding of the print."""
    for name in ("multi-tw-3", "multi-tw-4"):
        for row in published(name).rows:
            assert row["accuracy"] == pytest.approx((row["accuracy_image"] + row["accuracy_audio"]) / 2, abs=2e-4)


@pytest.mark.shared
def test_published_figures_are_the_printed_ones(shared):
    """Every row of every table, read from the papers' text."""
    for name in published_names():
        paper, number = name.rsplit("-", 1)
        text = next((shared / "papers").glob({"tco": "000*", "multi-tw": "001*"}[paper])).read_text(encoding="utf-8")
        printed = text[text.index(f"Table {number}.") :].split("\n\n")
        block = next(part for part in printed if "\t" in part)
        lines = [line.split("\t") for line in block.splitlines()]
        table = published(name)
        for row in table.rows:
            named = next(iter(row.values()))
            line = next(line for line in lines if named in line)
            figures = [float(x) for part in line for x in part.strip("[]").split(",") if is_figure(x)]
            ours = [x for key, value in row.items() for x in numbers(value) if key not in added(name)]
            assert ours == figures, (name, named)


def added(name):
    """Columns that the printed table does not have in each row."""
    return {"tco-3": {"n"}}.get(name, {"n"})


def numbers(value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return []
    return [float(x) for x in value] if isinstance(value, tuple) else [float(value)]


def is_figure(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


# the contract with reports


@given(st.lists(st.sampled_from(["A", "B", "?", "!", "#", "-"]), min_size=3, max_size=30))
def test_every_cell_of_every_table_can_be_drawn(replies):
    of = items("A" * len(replies), genre=["x", "y", "z"] * 10, kind="image")
    stored = [run(of, replies, model=name, stages={"infer": 1.0}) for name in ("m", "n", "o")]
    scores = [score(one, count_failures_as_wrong=True) for one in stored]
    tables = [
        leaderboard(scores, published=published("tco-2").rows),
        pairs(scores, common=True),
        breakdown(scores, "genre"),
        parser_sensitivity(stored),
        size_effect(scores, {"m": 7.0, "n": 8.0, "o": 9.0}),
        latency_by_modality(scores),
        marked_items(scores[0]),
        *(published(name).table for name in published_names()),
    ]
    for table in tables:
        assert table.title_zh
        for row in table.rows:
            for column in table.columns:
                assert column.title_zh or column.key.startswith("label_")
                assert drawn(column, row)
