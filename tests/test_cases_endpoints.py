"""Real failures of other tools' clients, whole: a benchmark, the engine, a server on a real socket, the marks.

`test_models_bug_cases` shows what one call gives; here is what becomes of the item and of the run.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from keju.benchmark import Benchmark
from keju.items import Item, Medium, Wording
from keju.models.registry import open_model
from keju.protocols import Protocol, load_protocol
from keju.results.leaderboard import leaderboard
from keju.results.pairs import compare
from keju.results.scores import score
from keju.runs.asking import Session, ask
from keju.runs.run import Run
from keju.runs.transport import Transport
from making import png, wav
from real_failures import bug_cases
from servers.fake_openai import FakeServer, completion

CASES = {parameter.id: parameter.values[0] for parameter in bug_cases("2-api")}
TALKS = [name for name, case in CASES.items() if "server" in case["input"]]
STATUS = {"ok": "answered", "error": "failed", "blocked": "blocked", "truncated": "truncated"}
WORKERS = 4  # the cases' bounds leave room for a few

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not CASES, reason="the shared bug cases are not here")]


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[FakeServer]:
    """The server of the case that the test names."""
    with FakeServer(CASES[request.node.funcargs["name"]]["input"]["server"]) as serving:
        yield serving


def exam(name: str, n: int | None = None) -> Benchmark:
    """`n` items with the case's options, or as many as the case has."""
    case = CASES[name]
    wording = Wording("zh-Hans", "图中角色属于哪个行当？", case["options"])
    count = n or case["input"].get("client", {}).get("items", 1)
    return Benchmark("case", tuple(Item(f"{i:04d}", {"zh-Hans": wording}, "B") for i in range(1, count + 1)))


def asked(name: str, server: FakeServer, out: Path, bench: Benchmark | None = None, protocol: str = "robust") -> Run:
    """The run of the case's items against `server`, with the settings of the case's client."""
    client = CASES[name]["input"].get("client", {})
    transport = Transport(attempts=client.get("max_attempts", 5), backoff=0.01, max_wait=client.get("max_wait_s", 300))
    how = load_protocol(protocol)
    own = {key: client[key] for key in ("max_tokens", "temperature") if key in client}

    async def asking() -> Run:
        model = open_model(
            "openai-compatible/fake",
            base_url=server.base_url,
            timeout=client.get("timeout_s"),
            context_length=client.get("context_length"),
            stream=True if client.get("stream") is True else None,
        )
        session = Session(concurrency=WORKERS, transport=transport)
        try:
            how_asked = replace(how, generation=replace(how.generation, **own))
            return await ask(bench or exam(name), model, how_asked, out=out, session=session)
        finally:
            await model.close()

    return asyncio.run(asking())


@pytest.mark.parametrize("name", TALKS)
def test_item_and_run_end_as_the_case_says(name: str, server: FakeServer, tmp_path: Path) -> None:
    """Every expectation that the cases share; what is special to one has a test of its own below."""
    expected = CASES[name]["expected"]
    began = time.monotonic()
    run = asked(name, server, tmp_path)
    took = time.monotonic() - began
    assert len(server.requests) == expected.get("requests", len(server.requests))
    assert len(server.requests) <= expected.get("requests_at_most", len(server.requests))
    assert took <= expected.get("wall_s_at_most", 60)
    assert took <= expected.get("returns_within_s", 60)
    if "status" in expected:
        record = run.records["0001"]
        assert record.status == STATUS[expected["status"]]
        assert record.text == expected.get("text", record.text)
        assert record.attempts == expected.get("attempts", record.attempts)
        assert any(expected.get("warning", "") in said for said in record.warnings) or "warning" not in expected
        assert expected.get("error_message_contains", "") in str((record.error or {}).get("message"))
    if "prediction" in expected:
        assert score(run).items[0].label == expected["prediction"]
    if "run_state" in expected:
        assert run.info["state"] == "incomplete"
        assert run.info["sessions"][-1]["stopped"]


@pytest.mark.parametrize("name", [name for name in TALKS if "run_state" in CASES[name]["expected"]])
def test_a_stopped_run_counts_nothing_wrong(name: str, server: FakeServer, tmp_path: Path) -> None:
    """AP-03, AP-07, AP-37: no accuracy rather than 0, and every item pending."""
    marked = score(asked(name, server, tmp_path))
    expected = CASES[name]["expected"]
    assert (marked.answered, marked.accuracy, marked.interval) == (expected.get("items_scored", 0), None, None)
    assert marked.pending == expected.get("items_pending", marked.n)
    assert marked.n == len(exam(name))
    assert leaderboard([marked]).rows[0]["accuracy"] is None


@pytest.mark.parametrize("name", ["AP-03", "AP-05", "AP-37"])
def test_what_was_not_answered_is_asked_on_resume(name: str, server: FakeServer, tmp_path: Path) -> None:
    asked(name, server, tmp_path)
    before = len(server.requests)
    server.answers = [completion("B")]
    run = asked(name, server, tmp_path)
    assert run.complete
    assert len(server.requests) - before == len(run.benchmark)
    assert score(run).accuracy == 1.0


@pytest.mark.parametrize("name", ["AP-01"])
def test_the_second_request_waits_as_long_as_the_server_said(name: str, server: FakeServer, tmp_path: Path) -> None:
    run = asked(name, server, tmp_path)
    first, second = (request.at for request in server.requests)
    assert second - first >= CASES[name]["expected"]["second_request_not_before_s"]
    assert run.records["0001"].stages["infer"] < 1, "a wait is no latency"


@pytest.mark.parametrize("name", ["AP-05", "AP-09", "AP-13"])
def test_a_call_without_a_reply_has_no_prediction(name: str, server: FakeServer, tmp_path: Path) -> None:
    """Not wrong, not unparsed: counted apart, under the strictest and the most willing parser alike."""
    run = asked(name, server, tmp_path)
    for parser in (None, "first-letter", "strict"):
        marked = score(run, parser=parser)
        mark = marked.items[0]
        assert (mark.text, mark.label, mark.extraction, mark.correct) == (None, None, None, False)
        assert (marked.accuracy, marked.invalid, marked.failed + marked.blocked) == (None, 0, 1)
    assert run.records["0001"].error


@pytest.mark.parametrize("name", ["AP-09", "AP-13"])
def test_one_items_failure_does_not_stop_the_run(name: str, server: FakeServer, tmp_path: Path) -> None:
    first = server.answers[0]  # type: ignore[index]
    server.answers = lambda request: first if "第0003题" in request.text else completion("B")
    items = [replace(i, wordings={"zh": replace(i.wording, question=f"第{i.id}题")}) for i in exam(name, 8)]
    run = asked(name, server, tmp_path, Benchmark("case", tuple(items)))
    assert run.unanswered == ("0003",)
    assert (score(run).correct, score(run).answered, score(run).n) == (7, 7, 8)


@pytest.mark.parametrize("name", ["AP-11"])
def test_a_cut_reply_declares_nothing_in_any_mode(name: str, server: FakeServer, tmp_path: Path) -> None:
    run = asked(name, server, tmp_path)
    for mode, label in CASES[name]["expected"]["prediction_by_mode"].items():
        mark = score(run, parser=mode).items[0]
        assert (mark.label or "INVALID", mark.valid) == (label, False)
    assert score(run).truncated == 1


@pytest.mark.parametrize("name", ["AP-15"])
def test_text_and_usage_of_a_stream_are_kept(name: str, server: FakeServer, tmp_path: Path) -> None:
    record = asked(name, server, tmp_path).records["0001"]
    usage = CASES[name]["expected"]["usage"]
    assert record.usage is not None
    assert (record.usage.input_tokens, record.usage.output_tokens) == tuple(usage.values())
    assert record.stages["first_token"] <= record.stages["infer"]


@pytest.mark.parametrize("name", ["AP-17", "AP-19"])
def test_what_a_refusal_teaches_is_learnt_once_a_run(name: str, server: FakeServer, tmp_path: Path) -> None:
    """Not once an item; and the run record says what was really sent."""
    run = asked(name, server, tmp_path, exam(name, 12))
    assert run.complete
    assert len(server.requests) == 12 + 1
    effective = run.info["sessions"][-1]["effective"]
    assert effective["found_out"] == [{"AP-17": "stream", "AP-19": "temperature"}[name]]
    if name == "AP-19":
        assert all("temperature" not in request.json for request in server.requests[1:])
        assert effective["temperature"].startswith("not sent")
        assert all("not deterministic" in record.warnings[0] for record in run.records.values())


@pytest.mark.parametrize("name", ["AP-27"])
def test_latency_is_that_of_the_attempt_that_answered(name: str, server: FakeServer, tmp_path: Path) -> None:
    run = asked(name, server, tmp_path)
    record = run.records["0001"]
    assert record.attempts == CASES[name]["expected"]["requests"]
    latency = score(run).items[0].latency
    assert latency is not None
    assert latency < CASES[name]["expected"]["latency_s_below"]
    assert record.stages["queue"] >= CASES[name]["input"]["client"]["timeout_s"]


@pytest.mark.parametrize("name", ["AP-37"])
def test_a_wait_of_days_is_named(name: str, server: FakeServer, tmp_path: Path) -> None:
    stopped = asked(name, server, tmp_path).info["sessions"][-1]["stopped"]
    assert "172800 s" in stopped
    assert "monthly limit reached" in stopped


def test_ap_33_the_template_stands_in_the_run_and_two_templates_are_marked(tmp_path: Path) -> None:
    case = CASES["AP-33"]
    item = Item("0001", {"zh-Hans": Wording("zh-Hans", case["input"]["item"]["question"], case["options"])}, "B")
    with FakeServer([completion("B")]) as server:
        runs = [
            asked("AP-33", server, tmp_path, Benchmark("case", (item,)), protocol)
            for protocol in (case["input"]["template"], "tco-strict")
        ]
    for run, protocol in zip(runs, (case["input"]["template"], "tco-strict"), strict=True):
        stored = run.info["fingerprint"]["protocol"]
        assert stored["name"] == protocol
        assert Protocol.from_json(stored).digest == score(run).prompts == load_protocol(protocol).digest
    marked = [score(run) for run in runs]
    assert "protocol" in compare(*marked).note
    assert any("differ in their protocols" in note for note in leaderboard(marked).notes)


@pytest.mark.parametrize("medium", ["image", "audio"])
def test_ap_21_and_ap_23_media_of_a_run_are_what_lies_on_disk(medium: str, tmp_path: Path) -> None:
    """A JPEG by name that is a PNG, from a file, through the engine: type by content, bytes whole."""
    data = png() if medium == "image" else wav()
    path = tmp_path / ("1.jpg" if medium == "image" else "1.mp3")
    path.write_bytes(data)
    item = replace(exam("AP-09").items[0], media=(Medium(medium, path.name, path),))  # type: ignore[arg-type]
    with FakeServer([completion("B")]) as server:
        run = asked("AP-09", server, tmp_path, Benchmark("case", (item,)))
    part = next(part for part in server.requests[0].content if part["type"] != "text")
    if medium == "image":
        assert part["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(data).decode()
    else:
        assert part["input_audio"] == {"data": base64.b64encode(data).decode(), "format": "wav"}
    assert run.records["0001"].media == (hashlib.sha256(data).hexdigest()[:16],)
