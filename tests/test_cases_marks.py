"""Real failures of other tools' runs and tables, as the user meets them: run folders, tables, the command line."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from keju.benchmark import Benchmark
from keju.models.model import Fake
from keju.protocols import load_protocol
from keju.reports import to_json, to_text
from keju.results.breakdowns import breakdown
from keju.results.leaderboard import leaderboard
from keju.results.pairs import pairs
from keju.results.scores import score
from keju.runs.asking import Session, ask
from keju.runs.foreign import remark
from keju.runs.reading import open_run
from keju.runs.run import Run
from making import benchmark, png
from marked_runs import items, marked, run
from real_failures import bug_cases

CASES = {parameter.id: parameter.values[0] for parameter in bug_cases("5-run") + bug_cases("6-stats")}
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not CASES, reason="the shared bug cases are not here")]


def asked(bench: Benchmark, model: Fake, out: Path, **session: bool) -> Run:
    return asyncio.run(ask(bench, model, load_protocol("tco"), out=out, session=Session(check_media=False, **session)))


def right(bench: Benchmark) -> Fake:
    return Fake(lambda prompt: bench[prompt.item_id].answer or "")


def test_rn_03_an_answer_belongs_to_the_bytes_that_were_shown(tmp_path: Path) -> None:
    """Another picture or other bytes under the old name are asked anew; the same bytes under a new name are not."""
    hits = []
    first = benchmark(1, folder=tmp_path, name="exam")
    asked(first, right(first), tmp_path / "runs")
    (medium,) = first.items[0].media
    for name, data in (("b.png", png(2)), ("0001.png", png(3)), ("copy.png", png(1))):
        shown = replace(medium, name=name, path=None, data=data)
        bench = replace(first, items=(replace(first.items[0], media=(shown,)),))
        model = right(bench)
        asked(first, right(first), tmp_path / "runs", ask_changed=True)
        asked(bench, model, tmp_path / "runs", ask_changed=True)
        hits.append(model.asked == [])
    assert hits == CASES["RN-03"]["expected"]["cache_hits"][1:]


def test_rn_17_a_corrected_key_is_marked_again_and_a_reworded_item_is_left_out(tmp_path: Path) -> None:
    bench = benchmark(10)
    stored = asked(bench, right(bench), tmp_path)
    seventh, eighth = bench["0007"], bench["0008"]
    reworded = replace(eighth.wording, question="改过的题目？")
    changed = {"0007": replace(seventh, answer="D"), "0008": replace(eighth, wordings={"zh-Hans": reworded})}
    now = replace(bench, items=tuple(changed.get(item.id, item) for item in bench))
    again = remark(stored, now)
    assert {(p.item, p.code, p.left_out) for p in again.benchmark.problems} == {
        ("0007", "rescored", False),
        ("0008", "stale", True),
    }
    marks = score(again)
    assert (marks.n, marks.correct) == (9, 8)
    assert not marks.by_id["0007"].correct


def test_rn_29_marking_under_another_rule_asks_nothing(tmp_path: Path) -> None:
    bench = benchmark(4)
    model = Fake(lambda prompt: f"Answer: {bench[prompt.item_id].answer}")
    folder = asked(bench, model, tmp_path).folder
    assert folder is not None
    before = list(model.asked)
    strict, anchored = (score(open_run(folder), parser=parser).accuracy for parser in ("strict", "anchored"))
    assert (strict, anchored) == (0.0, 1.0)
    assert len(model.asked) - len(before) == CASES["RN-29"]["expected"]["requests"]
    assert all(record.text and record.stages for record in open_run(folder).records.values())


def test_st_01_and_st_09_the_table_of_pairs_says_what_could_not_be_tested() -> None:
    """No discordant pair is p = 1 with a note; a pair without common items is listed and out of the family."""
    of = items("A" * 100)
    same = marked(of, "A" * 70 + "B" * 30, model="a")
    elsewhere = marked(tuple(replace(item, id=f"x{item.id}") for item in of), "A" * 100, model="c")
    table = pairs([same, replace(same, model="b"), elsewhere])
    tested = [row for row in table.rows if row.get("p") is not None]
    assert [row["p"] for row in tested] == [CASES["ST-01"]["expected"]["p"]]
    assert CASES["ST-01"]["expected"]["note_shown"] in tested[0]["note"]
    untested = [row for row in table.rows if row.get("p") is None]
    assert [row.get("p_holm") for row in untested] == [None, None]
    assert all("no item in common" in row["note"] for row in untested)
    assert any("family of 1 tests" in note for note in table.notes)


@pytest.mark.parametrize("k", [0, 40])
def test_st_11_a_bootstrap_that_would_be_a_point_gives_way_and_says_so(k: int) -> None:
    s = marked(items("A" * 40), "A" * k + "B" * (40 - k))
    assert (s.interval_method == "wilson") == CASES["ST-11"]["expected"]["bootstrap_degenerate_flagged"]
    table = leaderboard([s])
    low, high = table.rows[0]["interval"]
    assert low < high
    assert any("the bootstrap degenerates" in note for note in table.notes)


def test_st_15_no_nan_reaches_a_report() -> None:
    case = CASES["ST-15"]
    s = marked(items("A" * 10), ["!" if x is None else "A" if x else "B" for x in case["input"]["scores"]])
    document = to_json([leaderboard([s]), breakdown([s], "modality")])
    row = json.loads(document, parse_constant=pytest.fail)["tables"][0]["rows"][0]
    assert (row["accuracy"], row["accuracy_answered"]) == (0.5, 0.625)
    assert not re.search(r"\bnan\b", to_text(leaderboard([s])), re.IGNORECASE)


def test_st_27_micro_and_macro_are_both_named() -> None:
    case = CASES["ST-27"]
    sizes = case["input"]["sizes"]
    hits = [round(n * share) for n, share in zip(sizes, case["input"]["accuracy"], strict=True)]
    genres = [str(group) for group, n in enumerate(sizes) for _ in range(n)]
    replies = "".join("A" * k + "B" * (n - k) for k, n in zip(hits, sizes, strict=True))
    s = marked(items("A" * sum(sizes), genre=genres), replies)
    assert s.accuracy == pytest.approx(case["expected"]["micro"])
    (note,) = [note for note in breakdown([s], "genre").notes if "macro" in note]
    assert "micro 73.4 % (over items), macro 72.4 % (mean of 8 groups)" in note


def test_st_29_the_three_figures_stand_side_by_side() -> None:
    s = marked(items("A" * 20), "?" * 20, protocol="multi-tw")
    drawn = to_text(leaderboard([s]))
    assert all(heading in drawn for heading in ("Valid responses", "Expected", "without draws"))
    assert "0.0 %" in drawn


def test_st_31_an_empty_group_is_a_dash_and_a_small_one_is_faint() -> None:
    s = marked(items("AA", genre=["京剧", "昆曲"]), "!A")
    table = breakdown([s], "genre")
    empty, one = table.rows
    assert (empty["accuracy"], empty["interval"]) == (None, None)
    assert one["accuracy"] == 1.0
    assert one["_faint"]
    line = next(line for line in to_text(table).splitlines() if "京剧" in line)
    assert "–" in line
    assert "0.0 %" not in line
    assert run(items("A"), "A").complete
