"""Runs that stand together are called differently: in tables, charts, the browser of items and on the terminal."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from keju.errors import Misuse
from keju.reports.charts.names import SHORT, cut_apart
from keju.reports.item_browser.contents import contents
from keju.reports.item_browser.entries import entries
from keju.reports.result_charts import result_charts
from keju.results.bilingual import bilingual
from keju.results.breakdowns import breakdown
from keju.results.circular import circular
from keju.results.leaderboard import leaderboard
from keju.results.naming import told_apart
from keju.results.parsers import parser_sensitivity
from keju.results.scores import Scores, score
from keju.runs.run import Run
from marked_runs import items, marked, run

ITEMS = items("AB", genre=["jing", "kun"])


def run_of(benchmark: str = "opera", **options: Any) -> Scores:
    return replace(marked(ITEMS, "AB", **options), benchmark=benchmark)


def names(*scores: Scores) -> list[str]:
    return [s.name for s in told_apart(scores)]


def test_a_run_that_stands_alone_is_called_by_model_and_variant() -> None:
    assert names(run_of(variant={"language": "en"}), run_of("pottery")) == ["fake/model [language=en]", "fake/model"]


def test_runs_of_one_model_say_what_differs_and_no_more() -> None:
    assert names(run_of("opera"), run_of("pottery")) == ["fake/model · opera", "fake/model · pottery"]
    assert names(run_of(), run_of(protocol="robust")) == ["fake/model · tco", "fake/model · robust"]
    assert names(run_of(), replace(run_of(), parser="strict")) == ["fake/model · anchored", "fake/model · strict"]
    both = [run_of(benchmark, protocol=protocol) for benchmark, protocol in product(("o", "p"), ("tco", "robust"))]
    assert names(*both)[1:3] == ["fake/model · o · robust", "fake/model · p · tco"]


def test_runs_that_are_alike_in_all_are_numbered_in_the_order_given() -> None:
    assert names(run_of(), run_of(), run_of(model="other/model")) == ["fake/model #1", "fake/model #2", "other/model"]


def test_names_stay_what_they_are_when_they_are_told_apart_again() -> None:
    scores = told_apart([run_of(), run_of("pottery"), run_of("pottery")])
    assert names(*scores) == [s.name for s in scores]


@pytest.mark.parametrize("others", [{"benchmark": "pottery"}, {"protocol": "robust"}, {}])
def test_tables_and_charts_tell_two_runs_of_one_model_apart(others: dict[str, Any]) -> None:
    scores = told_apart([run_of(), run_of(**others)])
    board = leaderboard(scores)
    assert len({(row["benchmark"], row["protocol"], row["run"]) for row in board.rows}) == 2
    for chart in result_charts([board, breakdown(scores, "genre")]):
        called = {row["name"] for values in values_of(chart.specs["en"]) for row in values if "name" in row}
        assert len(called) == 2, chart.name


def test_every_table_that_names_runs_tells_them_apart() -> None:
    def asked(benchmark: str, **options: Any) -> Run:
        made = run(ITEMS, "AB", **options)
        return replace(made, benchmark=replace(made.benchmark, name=benchmark))

    runs = [
        asked(benchmark, variant=variant)
        for benchmark in ("opera", "pottery")
        for variant in ({}, {"language": "en"}, {"rotate": "1"}, {"language": "en", "rotate": "1"})
    ]
    scores = told_apart(map(score, runs))
    names = {s.name for s in scores}
    assert {row["model"] for row in parser_sensitivity(runs, ["strict"], known=scores).rows} == names
    paired = bilingual(scores)
    assert len({(row["model"], row["benchmark"]) for row in paired.rows}) == len(paired.rows) == 4
    assert {row["model"] for row in circular(scores).rows} == {
        f"fake/model{variant} · {benchmark}" for variant in ("", " [language=en]") for benchmark in ("opera", "pottery")
    }
    (chart,) = result_charts([paired])
    called = {row["name"] for values in values_of(chart.specs["en"]) for row in values if "name" in row}
    assert len(called) == 4


def values_of(spec: Any) -> list[list[dict[str, Any]]]:
    found = []
    if isinstance(spec, dict):
        found += [spec["values"]] if isinstance(spec.get("values"), list) and "data" not in spec else []
        found += [values for inner in spec.values() for values in values_of(inner)]
    elif isinstance(spec, list):
        found += [values for inner in spec for values in values_of(inner)]
    return [values for values in found if all(isinstance(row, dict) for row in values)]


def test_the_leaderboard_shows_the_benchmark_only_where_it_tells_runs_apart() -> None:
    def shown(*scores: Scores) -> set[str]:
        return {column.key for column in leaderboard(scores).columns if not column.hidden}

    assert not {"benchmark", "run"} & shown(run_of(), run_of(model="other/model"))
    assert {"benchmark", "run"} & shown(run_of(), run_of("pottery")) == {"benchmark"}
    assert {"benchmark", "run"} & shown(run_of(), run_of()) == {"run"}


def test_the_browser_of_items_calls_runs_as_the_tables_do() -> None:
    scores = told_apart([run_of(), run_of("pottery")])
    data = contents(scores, entries(scores), {})
    assert [run["name"] for run in json.loads(json.dumps(data))["runs"]] == [s.name for s in scores]


def test_a_label_that_no_item_has_is_answered_with_all_that_there_are() -> None:
    with pytest.raises(Misuse) as refused:
        breakdown([run_of()], "school")
    assert str(refused.value).endswith("there is genre, language, modality, options, split")
    with pytest.raises(Misuse, match=r"'split'; there is genre, language, modality, options$"):
        breakdown([run_of()], "split")


# names that are cut


@pytest.mark.parametrize(
    "alike",
    [
        [f"qwen2-vl-{size}b-instruct · {exam}" for size in (7, 72) for exam in ("opera-first", "opera-second")],
        [
            f"{model} · opera-exam-{edition}-edition · {protocol}"
            for model in ("baseline/always-a", "baseline/random")
            for edition in ("first", "second")
            for protocol in ("robust", "tco")
        ],
        [f"a-family-of-models-that-is-long #{n}" for n in range(1, 12)],
        ["通义千问视觉语言大模型甲", "通义千问视觉语言大模型乙", "通义千问视觉语言大模型乙二"],
        ["a-name-that-goes-on-and-on", "a-name-that-goes-on-and-on-and-on"],
    ],
)
@pytest.mark.parametrize("letters", [SHORT, 29])
def test_names_that_begin_alike_are_cut_where_they_do_not_differ(alike: list[str], letters: int) -> None:
    cut = cut_apart(alike, letters)
    assert len({name[:letters] for name in cut}) == len(alike), cut
    assert all(short[0] == name[0] for short, name in zip(cut, alike, strict=True))


def test_names_that_differ_at_their_beginning_are_left_to_the_axis() -> None:
    apart = ["one-model-with-a-very-long-name", "two-model-with-a-very-long-name", "short"]
    assert cut_apart(apart, SHORT) == apart
