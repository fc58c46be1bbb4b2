"""The engine with a fake model: who is asked, what is kept, when it stops."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from keju.benchmark import Benchmark
from keju.errors import BadFile, Blocked, CallFailed, Refused, RunStopped
from keju.models.model import Fake
from keju.prompts import Prompt
from keju.protocols import load_protocol
from keju.records import Reply, Usage
from keju.runs.asking import Session, ask
from keju.runs.reading import open_run, read_records
from keju.runs.run import Run
from keju.runs.transport import Transport
from making import benchmark, item

TCO = load_protocol("tco")
QUICK = Session(transport=Transport(attempts=3, backoff=0.01), check_media=False)


def asked(bench: Benchmark, model: Fake, out: Path, session: Session = QUICK) -> Run:
    return asyncio.run(ask(bench, model, TCO, out=out, session=session))


def key_of(bench: Benchmark) -> Fake:
    return Fake(lambda prompt: bench[prompt.item_id].answer or "")


def test_every_item_is_asked_once_and_its_reply_bound_to_its_id(tmp_path: Path) -> None:
    """RN-01: replies arrive in reverse order and still belong to their items."""
    bench = benchmark(4)

    class Reversed(Fake):
        async def answer(self, prompt: Prompt) -> Reply:
            await asyncio.sleep(0.1 - 0.02 * int(prompt.item_id))
            return await super().answer(prompt)

    model = Reversed(lambda prompt: bench[prompt.item_id].answer or "")
    run = asked(bench, model, tmp_path)
    assert {i: r.text for i, r in run.records.items()} == {"0001": "A", "0002": "B", "0003": "C", "0004": "D"}
    assert run.complete
    assert sorted(model.asked) == ["0001", "0002", "0003", "0004"]


def test_a_complete_run_asks_nothing_again(tmp_path: Path) -> None:
    bench = benchmark(6)
    asked(bench, key_of(bench), tmp_path)
    second = key_of(bench)
    run = asked(bench, second, tmp_path)
    assert second.asked == []
    assert run.complete


def test_only_failures_are_asked_again(tmp_path: Path) -> None:
    """RN-05: item 7 fails at first; the second run asks just that one."""
    bench = benchmark(10)
    broken = CallFailed("boom", kind="server", retryable=True, status=500)
    first = Fake(lambda p: broken if p.item_id == "0007" else "A")
    run = asked(bench, first, tmp_path)
    assert run.unanswered == ("0007",)
    assert run.records["0007"].status == "failed"
    assert run.records["0007"].attempts == 3
    assert run.records["0007"].text is None
    second = Fake(lambda p: "A")
    assert asked(bench, second, tmp_path).complete
    assert second.asked == ["0007"]


def test_a_failure_that_cannot_heal_is_tried_once(tmp_path: Path) -> None:
    bench = benchmark(1)
    model = Fake(lambda p: CallFailed("no such field", kind="bad-request", retryable=False, status=400))
    run = asked(bench, model, tmp_path)
    assert model.asked == ["0001"]
    assert run.records["0001"].error == {"kind": "bad-request", "message": "no such field", "status": 400}


def test_blocked_is_a_status_of_its_own_and_never_text(tmp_path: Path) -> None:
    """AP-09 and the oracle: a filter's message that names a letter is not an answer."""
    bench = benchmark(2)
    model = Fake(lambda p: Blocked("content_filter … answer must not be A", status=400) if p.item_id == "0001" else "B")
    run = asked(bench, model, tmp_path)
    assert run.records["0001"].status == "blocked"
    assert run.records["0001"].text is None
    assert not run.complete


def test_no_credit_stops_the_run_and_leaves_the_rest_pending(tmp_path: Path) -> None:
    """AP-03: at most two requests, nothing counted wrong."""
    bench = benchmark(10)
    model = Fake(lambda p: RunStopped("no credit left"))
    run = asked(bench, model, tmp_path, replace(QUICK, concurrency=64))
    assert len(model.asked) <= 2
    assert len(run.records) == 0
    assert len(run.unanswered) == 10
    assert "no credit left" in run.info["sessions"][-1]["stopped"]


def test_a_wait_of_days_stops_the_run_with_its_length(tmp_path: Path) -> None:
    """AP-37: the message names the wait; nobody sleeps."""
    bench = benchmark(5)
    limit = CallFailed("monthly limit", kind="rate-limit", retryable=True, status=429, retry_after=172800)
    began = time.monotonic()
    run = asked(bench, Fake(lambda p: limit), tmp_path)
    assert time.monotonic() - began < 5
    assert "172800 s" in run.info["sessions"][-1]["stopped"]
    assert len(run.unanswered) == 5


def test_a_wait_that_the_server_names_is_kept(tmp_path: Path) -> None:
    """AP-01: the second attempt comes no sooner than Retry-After."""
    bench = benchmark(1)
    times: list[float] = []

    def reply(prompt: Prompt) -> str | Exception:
        times.append(time.monotonic())
        if len(times) == 1:
            return CallFailed("slow", kind="rate-limit", retryable=True, status=429, retry_after=0.5)
        return "B"

    run = asked(bench, Fake(reply), tmp_path)
    assert times[1] - times[0] >= 0.5
    assert run.records["0001"].attempts == 2
    assert run.records["0001"].stages["queue"] >= 0.5
    assert run.records["0001"].stages["infer"] < 0.4


def test_rate_limits_lower_the_calls_in_flight(tmp_path: Path) -> None:
    bench = benchmark(120)
    flight = {"now": 0, "peak_late": 0, "n": 0}

    class Crowded(Fake):
        async def answer(self, prompt: Prompt) -> Reply:
            flight["now"] += 1
            flight["n"] += 1
            try:
                await asyncio.sleep(0.01)
                if flight["now"] > 8 and flight["n"] < 100:
                    raise CallFailed("slow down", kind="rate-limit", retryable=True, status=429)
                return Reply("A")
            finally:
                flight["now"] -= 1

    session = Session(concurrency=32, transport=Transport(attempts=50, backoff=0.01), check_media=False)
    run = asked(bench, Crowded(lambda p: "A"), tmp_path, session)
    assert run.complete


def test_a_cut_reply_is_truncated_but_not_where_the_protocol_allows_one_token(tmp_path: Path) -> None:
    bench = benchmark(2)
    model = Fake(lambda p: Reply("B", finish="length"))
    assert asked(bench, model, tmp_path / "a").records["0001"].status == "truncated"
    one = load_protocol("multi-tw")
    run = asyncio.run(ask(bench, model, one, out=tmp_path / "b", session=QUICK))
    assert run.records["0001"].status == "answered"
    silent = Fake(lambda p: Reply("", finish="length"))
    run = asyncio.run(ask(bench, silent, one, out=tmp_path / "c", session=QUICK))
    assert run.records["0001"].status == "truncated"


def test_an_item_whose_medium_is_missing_fails_and_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    bench = benchmark(2, folder=folder)
    (folder / "0001.png").unlink()

    class Reading(Fake):
        async def answer(self, prompt: Prompt) -> Reply:
            for medium in prompt.media:
                medium.read()
            return await super().answer(prompt)

    run = asked(bench, Reading(lambda p: "A"), tmp_path)
    error = run.records["0001"].error
    assert error is not None
    assert error["kind"] == "medium"
    assert "0001.png" in error["message"]
    assert run.records["0002"].has_reply


def test_when_records_cannot_be_kept_no_further_call_is_made(tmp_path: Path) -> None:
    """RN-27: a full disk stops the run at once."""
    from keju.runs.engine import Asking, Silent

    bench = benchmark(100)
    kept: list[str] = []

    def write(record: object) -> None:
        if len(kept) == 3:
            raise OSError(28, "No space left on device", "records.jsonl")
        kept.append("x")

    model = key_of(bench)
    asking = Asking(model, TCO, write, Transport(), 4, Silent())  # type: ignore[arg-type]
    asyncio.run(asking.all(bench.items))
    assert asking.stopped is not None
    assert "records.jsonl" in asking.stopped
    assert "No space left" in asking.stopped
    assert len(model.asked) <= 3 + 1 + 4


def test_a_changed_question_is_refused_and_asked_again_only_on_request(tmp_path: Path) -> None:
    """RN-17: item 0003 is reworded after the run."""
    bench = benchmark(4)
    asked(bench, key_of(bench), tmp_path)
    third = bench["0003"]
    wording = replace(third.wording, question="改过的题目？")
    changed = replace(bench, items=tuple(replace(i, wordings={"zh-Hans": wording}) if i is third else i for i in bench))
    with pytest.raises(Refused, match=r"item 0003: its wording"):
        asked(changed, key_of(changed), tmp_path)
    model = key_of(changed)
    asked(changed, model, tmp_path, replace(QUICK, ask_changed=True))
    assert model.asked == ["0003"]


def test_a_changed_picture_is_refused(tmp_path: Path) -> None:
    """RN-03 and the oracle: one byte of an image makes it another item."""
    folder = tmp_path / "media"
    folder.mkdir()
    bench = benchmark(3, folder=folder)
    asked(bench, key_of(bench), tmp_path)
    path = folder / "0002.png"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(Refused, match=r"item 0002: the bytes"):
        asked(bench, key_of(bench), tmp_path)


def test_a_picture_that_changes_while_it_is_asked_is_asked_again(tmp_path: Path) -> None:
    """The record's digest is that of the bytes that were sent, not of those that lie there by the time of the reply."""
    folder = tmp_path / "media"
    folder.mkdir()
    bench = benchmark(3, folder=folder)
    sent: dict[str, list[str]] = {}

    def reply(prompt: Prompt) -> str:
        (medium,) = prompt.media
        sent.setdefault(prompt.item_id, []).append(medium.sha256[:16])
        if sent == {"0001": [*sent["0001"]]} and len(sent["0001"]) == 1 and medium.path:
            medium.path.write_bytes(medium.read() + b"\0")  # an author saves while the model thinks
        return "A"

    run = asked(bench, Fake(reply), tmp_path)
    assert [len(digests) for digests in sent.values()] == [2, 1, 1]
    assert {i: record.media for i, record in run.records.items()} == {i: (d[-1],) for i, d in sent.items()}
    assert run.records["0001"].attempts == 2


def test_the_check_of_media_takes_a_slot_like_any_call(tmp_path: Path) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    in_flight = most = 0

    class Server(Fake):
        sends = frozenset({"image"})

        async def answer(self, prompt: Prompt) -> Reply:
            nonlocal in_flight, most
            in_flight += 1
            most = max(most, in_flight)
            reply = await super().answer(prompt)
            in_flight -= 1
            return replace(reply, usage=Usage(900 if prompt.media else 20, 1))

    model = Server(lambda _: "A", delay=0.02)
    run = asked(benchmark(12, folder=folder), model, tmp_path, replace(QUICK, check_media=True, concurrency=3))
    assert run.complete
    assert len(model.asked) == 13
    assert most == 3


def test_a_run_shows_what_it_is_not_what_it_holds(tmp_path: Path) -> None:
    """asyncio prints what a task returned, and a traceback its locals."""
    bench = benchmark(200)
    run = asked(bench, key_of(bench), tmp_path)
    assert len(repr(run)) < 500
    assert len(repr(bench)) < 200


def test_other_settings_are_refused_and_named(tmp_path: Path) -> None:
    bench = benchmark(2)
    asked(bench, key_of(bench), tmp_path)
    other = Fake(lambda p: "A", settings={"seed": 7})
    with pytest.raises(Refused, match=r"settings\.seed: null → 7"):
        asked(bench, other, tmp_path)


def test_a_corrected_key_is_no_reason_to_ask_again(tmp_path: Path) -> None:
    bench = benchmark(3)
    asked(bench, key_of(bench), tmp_path)
    corrected = replace(bench, items=tuple(replace(i, answer="D") for i in bench))
    model = key_of(corrected)
    asked(corrected, model, tmp_path)
    assert model.asked == []


def test_a_run_grows_with_its_limit(tmp_path: Path) -> None:
    folder = tmp_path / "media"
    folder.mkdir()
    bench = benchmark(10, folder=folder)
    asked(bench.select(limit=4), key_of(bench), tmp_path)
    model = key_of(bench)
    assert len(asked(bench, model, tmp_path).records) == 10
    assert len(model.asked) == 6
    back = asked(bench.select(limit=4), key_of(bench), tmp_path)
    assert len(back.records) == len(back.benchmark) == 10
    assert back.info["state"] == "complete"
    assert back.info["items"] == 10


def test_a_torn_last_line_is_dropped_and_its_item_asked_again(tmp_path: Path) -> None:
    """RN-07, at every byte of the last line."""
    bench = benchmark(3)
    folder = asked(bench, key_of(bench), tmp_path).folder
    assert folder is not None
    path = folder / "records.jsonl"
    whole = path.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    for cut in (last + 1, last + 10, len(whole) - 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        model = key_of(bench)
        assert asked(bench, model, tmp_path).complete
        assert len(model.asked) == 1
        assert len(path.read_text(encoding="utf-8").splitlines()) == 3


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    bench = benchmark(3)
    folder = asked(bench, key_of(bench), tmp_path).folder
    assert folder is not None
    path = folder / "records.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], "{not json", lines[2]]) + "\n", encoding="utf-8")
    with pytest.raises(BadFile, match=r"records\.jsonl:2"):
        asked(bench, key_of(bench), tmp_path)


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    """RN-13: the folder is locked while it is written, and the lock dies with its process."""
    bench = benchmark(2)

    class Nested(Fake):
        async def answer(self, prompt: Prompt) -> Reply:
            with pytest.raises(Refused, match="another process"):
                await ask(bench, key_of(bench), TCO, out=tmp_path, session=QUICK)
            return Reply("A")

    assert asked(bench, Nested(lambda p: "A"), tmp_path).complete


def _slow_run(out: Path, seed: int) -> None:
    bench = benchmark(60)
    model = Fake(lambda p: bench[p.item_id].answer or "", delay=0.02)
    asyncio.run(ask(bench, model, TCO, out=out, session=replace(QUICK, concurrency=4)))


def test_killed_at_random_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    """Kill -9 several times on the way: at most the calls in flight are repeated."""
    context = multiprocessing.get_context("spawn")
    for pause in (0.05, 0.1, 0.15):
        process = context.Process(target=_slow_run, args=(tmp_path, 0))
        process.start()
        deadline = time.monotonic() + 60
        while not list(tmp_path.rglob("records.jsonl")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(pause)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        process.close()
    path = next(tmp_path.rglob("records.jsonl"))
    kept = len(read_records(path)[0])
    bench = benchmark(60)
    model = key_of(bench)
    run = asked(bench, model, tmp_path)
    assert run.complete
    assert len(model.asked) == 60 - kept
    ids = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(ids) == sorted(set(ids)) == sorted(i.id for i in bench)


def test_an_interrupt_ends_the_session_in_order(tmp_path: Path) -> None:
    bench = benchmark(50)

    async def interrupted() -> None:
        model = Fake(lambda p: "A", delay=0.05, concurrency=4)
        task = asyncio.create_task(ask(bench, model, TCO, out=tmp_path, session=QUICK))
        await asyncio.sleep(0.4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    folder = next(tmp_path.rglob("run.json")).parent
    run = open_run(folder)
    assert run.info["state"] == "incomplete"
    assert run.info["sessions"][-1]["wall_s"] > 0
    assert 0 < len(run.records) < 50
    assert asked(bench, key_of(bench), tmp_path).complete


def test_wall_time_is_not_the_sum_of_request_times(tmp_path: Path) -> None:
    """RN-23: eight at a time take an eighth of the summed time."""
    bench = benchmark(40)
    model = Fake(lambda p: "A", delay=0.1)
    run = asked(bench, model, tmp_path, replace(QUICK, concurrency=8))
    summed = sum(r.stages["infer"] for r in run.records.values())
    wall = run.info["sessions"][-1]["wall_s"]
    assert 4.0 <= summed < 6.0
    assert wall < summed / 3
    assert run.info["sessions"][-1]["peak_in_flight"] == 8


def test_what_was_asked_stands_in_the_run_folder(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    bench = benchmark(2, folder=folder)
    run = asked(bench, key_of(bench), tmp_path)
    assert run.folder is not None
    again = open_run(run.folder)
    assert [i.id for i in again.benchmark] == ["0001", "0002"]
    assert again.benchmark["0001"].wording == bench["0001"].wording
    assert again.benchmark["0002"].answer == "B"
    assert again.protocol == TCO
    assert again.records["0001"].media == (bench["0001"].media[0].sha256[:16],)
    info = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))
    assert info["fingerprint"]["model"] == "fake/model"
    assert info["environment"]["packages"]["keju"]


def test_item_ids_of_every_kind_make_a_run(tmp_path: Path) -> None:
    bench = Benchmark("怪 名/字:?", (item(1, id="CON"), item(2, id="a/b"), item(3, id="图\u2028一")))
    assert asked(bench, key_of(bench), tmp_path).complete
    assert len(asked(bench.select(limit=1), key_of(bench), tmp_path).records) == 3
