"""The controlled measurement: loads, warm-up, cold and warm cascades, what is ranked and what never is, the command."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import Keju, exam, in_process
from keju.benchmark import Benchmark
from keju.errors import CallFailed, Misuse, RunStopped
from keju.items import MediaKind, Medium
from keju.models.cascade import Cascade
from keju.models.model import Fake, Model
from keju.models.perception import Perception, Remembered
from keju.prompts import Prompt
from keju.protocols import load_protocol
from keju.records import Record, Reply, Usage
from keju.results.latency_cells import rank
from keju.results.latency_levels import cells_of, latency_levels
from keju.runs.environment import environment
from keju.runs.offering import Level, arrival_times
from keju.runs.sweep import Design, Pass, Series, design, endpoint_of, sweep
from making import benchmark, item, wav
from servers.fake_openai import FakeServer, completion, error

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)

MACHINE = {"cpu": "made", "cpus": 4, "load": 0.1, "gpus": [], "system": "made"}
TCO = load_protocol("tco")


def measured(model: Callable[[bool], Model], plan: Design, **options: Any) -> list[Series]:
    return asyncio.run(sweep(model, plan, lambda _: TCO, **options))


def tables(found: Sequence[Series], plan: Design, **changes: Any) -> tuple[Any, Any]:
    return latency_levels(found, plan, environment=MACHINE | changes, clip_seconds={})


def levels(*in_flight: int) -> list[Level]:
    return [Level(in_flight=n) for n in in_flight]


class Gauge(Fake):
    """A model that notes how many prompts were in it at once, and what it was asked for."""

    def __init__(self, delay: float = 0.01, **options: Any) -> None:
        super().__init__(lambda _: Reply("A", usage=Usage(10, 1)), delay=delay, **options)
        self.inside = self.peak = 0
        self.caps: set[int] = set()
        self.times: list[float] = []
        self.closed = 0

    async def answer(self, prompt: Prompt) -> Reply:
        self.times.append(time.monotonic())
        self.caps.add(prompt.generation.max_tokens)
        self.inside += 1
        self.peak = max(self.peak, self.inside)
        try:
            return await super().answer(prompt)
        finally:
            self.inside -= 1

    async def close(self) -> None:
        self.closed += 1


# Design


def test_the_first_items_of_each_modality_warm_up_and_all_others_are_measured() -> None:
    clip = (Medium("audio", "a.wav", data=wav()),)
    mixed = replace(benchmark(4), items=(*benchmark(4).items, item(5, media=clip), item(6, media=clip)))
    plan = design(mixed, levels(1))
    assert [i.id for i in plan.warm_up] == ["0001", "0005"]
    assert [i.id for i in plan.items] == ["0002", "0003", "0004", "0006"]
    assert design(mixed, levels(1), warm_up=0).warm_up == ()


@pytest.mark.parametrize(
    ("options", "says"),
    [({"repeats": 0}, "repeats"), ({"warm_up": -1}, "warm-up"), ({"warm_up": 4}, "smaller --warm-up")],
)
def test_a_design_that_cannot_be_is_misuse(options: dict[str, int], says: str) -> None:
    with pytest.raises(Misuse, match=says):
        design(benchmark(4), levels(1), **options)


@pytest.mark.parametrize("level", [{"in_flight": 0}, {"rate": 0.0}, {"rate": -1.0}, {"rate": math.inf}])
def test_a_load_that_cannot_be_is_misuse(level: dict[str, Any]) -> None:
    with pytest.raises(Misuse):
        Level(**level)


def test_arrivals_are_poisson_reproducible_and_begin_at_once() -> None:
    times = arrival_times(4.0, 4001, seed=1)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert times[0] == 0.0
    assert times == arrival_times(4.0, 4001, seed=1) != arrival_times(4.0, 4001, seed=2)
    mean = sum(gaps) / len(gaps)
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    assert mean == pytest.approx(1 / 4, rel=0.05)
    assert deviation == pytest.approx(1 / 4, rel=0.1)  # of an exponential gap it equals the mean


# Measuring


def test_each_level_holds_its_calls_in_flight_from_the_first_and_asks_every_item_once_a_repeat() -> None:
    model = Gauge()
    plan = design(benchmark(9), levels(1, 4), repeats=2)
    (series,) = measured(lambda _: model, plan)
    assert [(p.level.in_flight, p.repeat, p.peak) for p in series.passes] == [
        (1, 1, 1),
        (1, 2, 1),
        (4, 1, 4),
        (4, 2, 4),
    ]
    for one in series.passes:
        assert sorted(record.id for record in one.records) == [i.id for i in plan.items]
        assert one.wall_s >= 0.01 * 8 / (one.level.in_flight or 1)
    assert model.asked[0] == "0001"  # the warm-up item
    assert all(record.id != "0001" for one in series.passes for record in one.records)
    assert model.caps == {1}  # one new token, whatever the protocol allows a run
    assert model.closed == 1


def test_the_warm_up_uses_as_many_connections_as_the_level_needs() -> None:
    model = Gauge()
    measured(lambda _: model, design(benchmark(5), levels(4), repeats=1))
    assert model.asked[:4] == ["0001"] * 4


def test_in_open_loop_calls_leave_at_their_times_whatever_has_come_back() -> None:
    model = Gauge(delay=0.3)
    plan = design(benchmark(7), [Level(rate=100.0)], repeats=1, warm_up=0, seed=5)
    (series,) = measured(lambda _: model, plan)
    assert model.peak == 7  # a closed loop would have waited
    left = [at - model.times[0] for at in model.times]
    for at, due in zip(left, arrival_times(100.0, 7, seed=6), strict=True):
        assert at == pytest.approx(due, abs=0.08)
    assert len(series.passes[0].records) == 7


def test_a_failed_call_is_counted_and_never_tried_again_and_does_not_ease_the_load() -> None:
    calls: list[str] = []

    def sometimes(prompt: Prompt) -> str | Exception:
        calls.append(prompt.item_id)
        busy = CallFailed("busy", kind="rate-limit", retryable=True, status=429, retry_after=30.0)
        return busy if prompt.item_id in ("0002", "0003") else "A"

    plan = design(benchmark(8), levels(4), repeats=2, warm_up=0)
    began = time.monotonic()
    (series,) = measured(lambda _: Fake(sometimes, delay=0.01), plan)
    assert time.monotonic() - began < 5
    assert len(calls) == 16
    levels_table, _ = tables([series], plan)
    (row,) = levels_table.rows
    assert (row["calls"], row["errors"]) == (16, 4)
    assert any("4 rate-limit; not ranked" in note for note in levels_table.notes)


def test_a_model_that_no_call_can_help_is_told_and_the_others_stay() -> None:
    plan = design(benchmark(4), levels(1), repeats=1)
    (stopped,) = measured(lambda _: Fake(lambda _: RunStopped("no credit")), plan)
    (fine,) = measured(lambda _: Gauge(), plan)
    assert stopped.stopped == "no credit"
    table, _ = tables([stopped, fine], plan)
    assert len(table.rows) == 1
    assert any("stopped early: no credit" in note for note in table.notes)
    with pytest.raises(RunStopped, match="no model could be measured: no credit"):
        tables([stopped], plan)


class Ear:
    """A transcriber that takes a moment."""

    name, kind = "scripted/ear", "audio"

    def __init__(self) -> None:
        self.settings: Mapping[str, Any] = {}
        self.heard = 0

    async def perceive(self, medium: Medium) -> Perception:
        self.heard += 1
        await asyncio.sleep(0.02)
        return Perception("去上海", 0.02)

    async def close(self) -> None: ...


@pytest.fixture
def spoken() -> Benchmark:
    return replace(
        benchmark(1),
        items=tuple(item(n, media=(Medium("audio", f"{n}.wav", data=wav(n / 10)),)) for n in range(1, 6)),
    )


def test_a_cascade_is_measured_cold_then_warm_and_the_two_are_never_mixed(spoken: Benchmark, tmp_path: Path) -> None:
    ear = Ear()

    def opened(use_cache: bool) -> Model:
        model = Fake(lambda _: Reply("A", stages={"infer": 0.001}))
        return Cascade(model, transcriber=Remembered(ear, tmp_path) if use_cache else ear, use_cache=False)

    plan = design(spoken, levels(2), repeats=2)
    cold, warm = measured(opened, plan)
    assert (cold.condition, warm.condition) == ("cold", "warm")
    assert all("transcribe" in r.stages for p in cold.passes for r in p.records)
    assert not any("transcribe" in r.stages for p in warm.passes for r in p.records)
    lengths = {i.id: 2.0 for i in plan.items}
    table, stages = latency_levels([cold, warm], plan, environment=MACHINE, clip_seconds=lengths)
    assert [str(row["perception"]) for row in table.rows] == ["cold", "warm"]
    assert table.rows[0]["clip_s_per_s"] == pytest.approx(2.0 / 0.02)
    assert table.rows[1]["clip_s_per_s"] is None  # nothing was heard
    assert [row["rank"] for row in table.rows] == [None, None]
    assert any(str(row["stage"]) == "transcribe" and row["p50_s"] == 0.02 for row in stages.rows)


def test_transcripts_from_a_file_have_no_cold_series(spoken: Benchmark, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text("".join(f'{{"name": "{n}.wav", "text": "x"}}\n' for n in range(1, 6)))
    plan = design(spoken, levels(1), repeats=1)
    found = measured(lambda _: Cascade(Fake(lambda _: "A"), transcriber=str(file), use_cache=False), plan)
    assert [series.condition for series in found] == ["warm"]
    assert found[0].passes[0].records[0].has_reply


def test_a_reply_that_perceived_anew_in_a_warm_series_is_left_out_and_told(spoken: Benchmark) -> None:
    plan = design(spoken, levels(1), repeats=1)
    series = made_series("c", {1: [4.0]}, condition="warm", plan=plan)
    strange = replace(series.passes[0].records[0], stages={"infer": 9.0, "transcribe": 9.0}, perceived={"a": "b"})
    series.passes[0] = replace(series.passes[0], records=(strange, *series.passes[0].records[1:]))
    table, _ = tables([series], plan)
    assert table.rows[0]["response_p95_s"] < 1
    assert any("1 replies were not timed, or perceived against" in note for note in table.notes)


# Ranking


def made_series(
    model: str,
    throughputs: Mapping[int, Sequence[float]],
    *,
    plan: Design,
    endpoint: str | None = None,
    condition: Any = "plain",
    usage: Usage | None = None,
) -> Series:
    """Passes of these replies a second, by calls in flight."""
    passes = [
        Pass(
            Level(in_flight=n),
            repeat,
            len(plan.items) / speed,
            n,
            tuple(
                Record(i.id, "answered", "A", stages={"infer": n / speed, "queue": 0.5}, usage=usage)
                for i in plan.items
            ),
        )
        for n, speeds in throughputs.items()
        for repeat, speed in enumerate(speeds, 1)
    ]
    return Series(model, condition, endpoint, TCO, {}, False, passes)


def ranks(found: Sequence[Series]) -> list[str | None]:
    cells = [cell for series in found for cell in cells_of(series)]
    return [rank(cell, cells) for cell in cells]


PLAN = design(benchmark(9), levels(1, 4), repeats=3)


def test_a_model_ranks_before_another_only_if_all_its_repeats_are_faster() -> None:
    a = made_series("a", {1: [10, 11, 12]}, plan=PLAN)
    b = made_series("b", {1: [9.5, 9, 8]}, plan=PLAN)
    c = made_series("c", {1: [9.2, 7, 6]}, plan=PLAN)
    assert ranks([a, b, c]) == ["1", "2–3", "2–3"]
    table, _ = tables([a, b, c], PLAN)
    assert [row["items_per_s"] for row in table.rows] == pytest.approx([11, 9, 7])
    assert any("between equals that happens in 10.0 % of pairs" in note for note in table.notes)  # 2 / C(6, 3)


def test_endpoints_and_local_models_cold_and_warm_and_levels_are_ranked_apart() -> None:
    here = made_series("a", {1: [10, 11, 12]}, plan=PLAN)
    far = made_series("b", {1: [1, 2, 3]}, plan=PLAN, endpoint="https://host/v1")
    warm = made_series("c", {1: [1, 2, 3]}, plan=PLAN, condition="warm")
    other_level = made_series("d", {4: [1, 2, 3]}, plan=PLAN)
    assert ranks([here, far, warm, other_level]) == [None] * 4
    table, _ = tables([here, far], PLAN)
    assert [str(row["where"]) for row in table.rows] == ["this process", "https://host/v1"]
    assert any("never ranked with" in note for note in table.notes)
    assert "rank" not in [column.key for column in table.columns]


def test_one_repeat_ranks_nothing() -> None:
    found = [made_series(name, {1: [speed]}, plan=PLAN) for name, speed in (("a", 1.0), ("b", 9.0))]
    assert ranks(found) == [None, None]
    table, _ = tables(found, replace(PLAN, repeats=1))
    assert any("one repeat says nothing of the spread" in note for note in table.notes)


def test_tokens_a_second_need_the_count_of_every_reply() -> None:
    counted = made_series("a", {1: [2.0]}, plan=PLAN, usage=Usage(30, 1))
    table, _ = tables([counted], PLAN)
    assert table.rows[0]["output_tokens_per_s"] == pytest.approx(2.0)
    assert table.rows[0]["input_tokens_per_s"] == pytest.approx(60.0)
    first = counted.passes[0].records[0]
    counted.passes[0] = replace(counted.passes[0], records=(replace(first, usage=None), *counted.passes[0].records[1:]))
    table, _ = tables([counted], PLAN)
    assert "output_tokens_per_s" not in [column.key for column in table.columns]


def test_queueing_is_part_of_the_response_and_not_of_inference_time() -> None:
    _, stages = tables([made_series("a", {1: [2.0]}, plan=PLAN)], PLAN)
    by_stage = {str(row["stage"]): row["p50_s"] for row in stages.rows}
    assert by_stage["inference time"] == pytest.approx(0.5)
    assert by_stage["response"] == pytest.approx(1.0)


def test_a_busy_machine_and_too_few_items_are_told() -> None:
    crowded = made_series("a", {16: [2.0]}, plan=PLAN)
    table, _ = tables([crowded], replace(PLAN, levels=(Level(in_flight=16),)), load=3.0)
    notes = "\n".join(table.notes)
    assert "The machine was busy" in notes
    assert "Too few items for a steady load at 16 in flight" in notes
    assert all(note.zh != str(note) for note in table.notes)  # every note has its Chinese


def test_an_address_anywhere_in_a_cascade_makes_it_an_endpoint() -> None:
    assert endpoint_of({"model": {"name": "x", "endpoint": "https://host/v1"}, "transcribe": {}}) == "https://host/v1"
    assert endpoint_of({"transcribe": {"endpoint": "https://ears/v1"}}) == "https://ears/v1"
    assert endpoint_of({"weights": "abc"}) is None


def test_the_environment_names_processor_and_versions() -> None:
    found = environment()
    assert found["cpu"]
    assert found["cpus"] >= 1
    assert {"keju", "numpy"} <= found["packages"].keys()
    json.dumps(found)


# The command


def test_the_command_measures_an_endpoint_on_a_real_socket_and_keeps_raw_times(keju: Keju, opera: Path) -> None:
    with FakeServer([completion("B", delay_s=0.02)]) as server:
        code, out, _ = keju(
            *("latency", opera, "-m", "vllm/x", "--base-url", server.base_url, "--levels", "1,3"),
            *("--repeats", 2, "--json"),
        )
        assert server.peak == 3
    assert code == 0
    assert all(asked.json["max_tokens"] == 1 for asked in server.requests)
    assert len(server.requests) == (1 + 7 * 2) + (3 + 7 * 2)
    document = json.loads(out)
    one, three = document["tables"][0]["rows"]
    assert one["where"] == server.base_url
    assert (one["calls"], one["errors"]) == (14, 0)
    assert one["response_p50_s"] >= 0.02
    assert three["items_per_s"] > one["items_per_s"]
    folder = Path(document["meta"]["folder"])
    calls = [json.loads(line) for line in (folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(calls) == 28
    assert {(call["in_flight"], call["repeat"]) for call in calls} == {(1, 1), (1, 2), (3, 1), (3, 2)}
    assert all(call["model"] == "vllm/x" and call["stages"]["infer"] > 0 for call in calls)
    facts = json.loads((folder / "measurement.json").read_text(encoding="utf-8"))
    assert facts["environment"]["cpu"]
    assert facts["series"][0]["settings"]["model"] == "x"
    assert len(facts["series"][0]["passes"]) == 4
    assert json.loads((folder / "tables.json").read_text(encoding="utf-8"))["tables"] == document["tables"]


def test_the_command_tells_of_a_stream_when_its_first_token_came(keju: Keju, opera: Path) -> None:
    def chunk(text: str) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}

    with FakeServer([{"sse": [chunk("B"), 0.03, "[DONE]"]}]) as server:
        _, out, _ = keju(
            *("latency", opera, "-m", "vllm/x", "--base-url", server.base_url, "--stream", "--levels", 1),
            *("--repeats", 1, "--json"),
        )
    (row,) = json.loads(out)["tables"][0]["rows"]
    assert 0 < row["first_token_p50_s"] < row["response_p50_s"]


def test_a_wrong_key_ends_with_exit_code_3_and_names_the_cause(
    keju: Keju, opera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with FakeServer([error(401, "bad key")]) as server:
        code, _, err = keju("latency", opera, "-m", "openai/x", "--base-url", server.base_url)
    assert code == 3
    assert "refuses the key from OPENAI_API_KEY" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name at least one model"),
        (["-m", "baseline/random", "-m", "nobody/x"], "no provider 'nobody'"),
        (["-m", "baseline/random", "--levels", "1,x"], "no list of numbers"),
        (["-m", "baseline/random", "--levels", "0"], "at least 1"),
        (["-m", "baseline/random", "--rate", "0"], "above 0"),
        (["-m", "baseline/random", "--levels", "1", "--rate", "1"], "give one of them"),
        (["-m", "baseline/random", "--limit", "1"], "smaller --warm-up"),
        (["-m", "baseline/random", "-o", "file"], "cannot be written"),
    ],
)
def test_a_mistake_is_told_before_anything_is_measured(
    keju: Keju, opera: Path, arguments: list[str], says: str
) -> None:
    Path("file").write_text("")
    code, out, err = keju("latency", opera, *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert not list(Path().glob("latency/*/*/calls.jsonl"))


def test_the_tables_are_drawn_in_chinese_too(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("latency", opera, "-m", "baseline/random", "--rate", "500", "--lang", "zh")
    assert code == 0
    assert "每秒 500 次" in out
    assert "各负载下的延迟" in out


def test_kinds_of_media_are_known_to_the_sweep_by_what_a_model_says_it_takes() -> None:
    class Hearing(Fake):
        takes: frozenset[MediaKind] = frozenset({"audio"})

    plan = design(benchmark(3), levels(1), repeats=1)
    (hears,) = measured(lambda _: Hearing(lambda _: "A"), plan)
    (deaf,) = measured(lambda _: Fake(lambda _: "A"), plan)
    assert (hears.hears, deaf.hears) == (True, False)
