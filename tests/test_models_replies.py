"""What comes back: replies, streams, refusals, and servers that break off. All over a real socket."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import Blocked, CallFailed, KejuError, RunStopped
from keju.models.chat_reply import Events, Stream, parsed, reply_of
from keju.models.negotiation import Manner
from keju.models.ollama import OllamaNative
from keju.models.openai_compatible import OpenAICompatible
from keju.models.refusals import failure, server_error
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply, Usage
from servers.fake_openai import Answer, FakeServer, completion, error

PROMPT = Prompt("0001", (Text("题"),), Generation(10), "generate", "zh-Hans", "", "题", {"A": "生", "B": "旦"})


def ask(answers: Any, times: int = 1, kind: type[OpenAICompatible] = OpenAICompatible, **options: Any) -> list[Reply]:
    with FakeServer(answers) as server:
        return ask_at(server, times, kind, **options)


def ask_at(server: FakeServer, times: int = 1, kind: type[OpenAICompatible] = OpenAICompatible, **options: Any) -> Any:
    async def asking() -> list[Reply]:
        model = kind("fake/m", **{"model": "m", "base_url": server.base_url, **options})
        try:
            return [await model.answer(PROMPT) for _ in range(times)]
        finally:
            await model.close()

    return asyncio.run(asking())


def refused(answer: Answer, **options: Any) -> KejuError:
    with pytest.raises(KejuError) as caught:
        ask([answer], **options)
    return caught.value


def chosen(*choices: Any, **more: Any) -> Answer:
    return {"json": {"choices": list(choices), **more}}


def choice(content: Any, **more: Any) -> dict[str, Any]:
    return {"message": {"content": content}, "finish_reason": "stop", **more}


def test_a_reply_brings_text_usage_model_and_the_stage_clock() -> None:
    (reply,) = ask([completion("B", tokens=900, delay_s=0.1)])
    assert (reply.text, reply.finish, reply.model, reply.warnings) == ("B", "stop", "fake-1", ())
    assert reply.usage == Usage(900, 1)
    assert set(reply.stages) == {"load", "preprocess", "infer"}
    assert 0.1 <= reply.stages["infer"] < 2
    assert reply.stages["load"] + reply.stages["preprocess"] < 0.1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        (" B\n", " B\n"),
        ([{"type": "thinking", "text": None}, {"type": "text", "text": "B"}], "B"),
        (
            [{"type": "text", "text": "A"}, {"type": "reasoning", "text": "C?"}, {"type": "text", "text": None}, "!"],
            "A!",
        ),
        ([], ""),
        ("好\ud83d\ude00", "好😀"),
        ("坏\ud800", "坏\ufffd"),
    ],
)
def test_the_text_of_a_reply_is_its_text_parts(content: Any, text: str) -> None:
    (reply,) = ask([chosen(choice(content))])
    assert reply.text == text
    reply.text.encode()


def test_reasoning_is_no_part_of_the_text_but_its_tokens_are_counted() -> None:
    message = {"content": "B", "reasoning_content": "A? no."}
    usage = {"prompt_tokens": 5, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 8}}
    (reply,) = ask([chosen({"message": message, "finish_reason": "stop"}, usage=usage)])
    assert (reply.text, reply.usage) == ("B", Usage(5, 9, 8))


def test_a_refusal_of_the_model_is_its_reply() -> None:
    (reply,) = ask([chosen({"message": {"content": None, "refusal": "I cannot help."}, "finish_reason": "stop"})])
    assert reply.text == "I cannot help."


@pytest.mark.parametrize(
    "usage", [None, [], "many", {"prompt_tokens": "12"}, {"prompt_tokens": True}, {"prompt_tokens": -1}]
)
def test_strange_usage_is_left_out_and_the_reply_kept(usage: Any) -> None:
    (reply,) = ask([chosen(choice("B"), usage=usage)])
    assert (reply.text, reply.usage or Usage()) == ("B", Usage())


def test_of_several_choices_the_one_with_index_0_counts_in_any_order() -> None:
    (reply,) = ask([chosen(choice("C", index=1), choice("B", index=0))])
    assert reply.text == "B"
    assert "more than one choice" in reply.warnings[0]


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_a_cut_reply_says_so(reason: str) -> None:
    (reply,) = ask([completion("Let me see, B", finish=reason)])
    assert (reply.text, reply.finish) == ("Let me see, B", "length")


def test_an_output_cap_reported_as_an_error_is_a_truncated_reply() -> None:
    message = "Could not finish the message because max_tokens or model output limit was reached."
    (reply,) = ask([error(400, message)])
    assert (reply.text, reply.finish) == ("", "length")


def test_a_prompt_that_filled_the_context_is_flagged() -> None:
    (full,) = ask([completion("A", tokens=4096)], context_length=4096)
    (roomy,) = ask([completion("A", tokens=4000)], context_length=4096)
    assert "prompt may have been cut" in full.warnings[0]
    assert roomy.warnings == ()


@pytest.mark.parametrize("reason", ["content_filter", "SAFETY", "sensitive"])
def test_a_reply_that_a_filter_withheld_is_blocked(reason: str) -> None:
    assert isinstance(refused(completion("B", finish=reason)), Blocked)
    assert isinstance(refused({"sse": [{"choices": [{"delta": {"content": "B"}, "finish_reason": reason}]}]}), Blocked)


@pytest.mark.parametrize(
    "answer",
    [
        error(400, "content_filter: The response was filtered. answer must not be A", "content_filter"),
        error(400, "Input data may contain inappropriate content.", "data_inspection_failed"),
        {
            "status": 400,
            "json": {"code": "DataInspectionFailed", "message": "Output data may contain inappropriate content."},
        },
        {
            "status": 400,
            "json": {"error": {"message": "filtered", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
        },
        error(403, "Your chosen model requires moderation and your input was flagged."),
        {"json": {"error": {"message": "no", "code": "content_filter"}}},
    ],
)
def test_a_content_filter_blocks_the_item_and_not_the_run(answer: Answer) -> None:
    blocked = refused(answer)
    assert isinstance(blocked, Blocked)
    assert not blocked.retryable


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (error(429, "slow down", "rate_limit_exceeded"), "rate-limit", True),
        ({"status": 500, "text": "Failed to obtain answer via API"}, "server", True),
        ({"status": 502, "text": "<html><head><title>Bad gateway</title></head></html>"}, "server", True),
        ({"status": 503, "text": ""}, "server", True),
        (error(529, "Overloaded"), "server", True),
        (error(408, "too slow"), "timeout", True),
        (error(400, "image too small"), "bad-request", False),
        (error(413, "too large"), "bad-request", False),
        (error(422, "no such field"), "bad-request", False),
        ({"status": 400, "json": None}, "bad-request", False),
        ({"status": 400, "json": []}, "bad-request", False),
        ({"json": {"choices": None, "error": {"message": "Provider returned error", "code": 502}}}, "server", True),
        ({"json": {"error": {"message": "slow down", "code": 429}}}, "rate-limit", True),
        (chosen({"error": {"message": "upstream", "code": 502}, "finish_reason": "error"}), "server", True),
        (completion("B", finish="error"), "server", True),
        ({"json": {"choices": []}}, "bad-reply", True),
        ({"json": {"object": "other"}}, "bad-reply", True),
        ({"json": {"choices": [None]}}, "bad-reply", True),
        ({"json": {"choices": [{"message": None}]}}, "bad-reply", True),
        (chosen(choice({"text": "B"})), "bad-reply", True),
        ({"json": None}, "bad-reply", True),
        ({"raw": b'{"id": "x", "choices": [{"mess'}, "bad-reply", True),
        ({"raw": b'{"choices": "\xff\xfe"}'}, "bad-reply", True),
        ({"raw": b""}, "bad-reply", True),
        ({"raw": b"[" * 100_000}, "bad-reply", True),
        ({"text": "<html>Welcome to the hotel's network</html>"}, "bad-reply", True),
        ({**completion("B"), "cut": 30}, "connection", True),
        ({"close": True}, "connection", True),
        ({"sse": [{"choices": [{"delta": {"content": "B"}}]}]}, "bad-reply", True),
        ({"sse": [{"choices": [{"delta": {"content": "B"}}]}], "cut": True}, "connection", True),
        (
            {"sse": [{"choices": [{"delta": {"content": "B"}}]}, {"error": {"message": "x", "code": 503}}]},
            "server",
            True,
        ),
        ({"sse": ['{"choices": [{"del']}, "bad-reply", True),
        ({"sse": ["7", "[DONE]"]}, "bad-reply", True),
        ({"sse": [{"choices": [3]}]}, "bad-reply", True),
        ({"sse": [{"choices": [{"delta": 3}]}]}, "bad-reply", True),
    ],
)
def test_a_call_that_brought_no_reply_fails_and_is_no_answer(answer: Answer, kind: str, retryable: bool) -> None:
    failed = refused(answer)
    assert isinstance(failed, CallFailed)
    assert (failed.kind, failed.retryable) == (kind, retryable)
    assert str(failed).startswith("fake/m: ")
    assert len(str(failed)) < 700


def test_the_servers_own_words_are_kept() -> None:
    assert "Provider returned error" in str(
        refused({"json": {"choices": None, "error": {"message": "Provider returned error"}}})
    )
    assert "Bad gateway" in str(refused({"status": 502, "text": "<html><title>Bad gateway</title>" + "x" * 9999}))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (error(429, "no credit left", "insufficient_quota"), "top it up"),
        (error(402, "This request requires more credits"), "top it up"),
        (error(400, "Access denied, please make sure your account is in good standing.", "Arrearage"), "top it up"),
        (error(401, "Incorrect API key", "invalid_api_key"), "refuses the key from MY_KEY"),
        (error(403, "You have no access to this model"), "refuses the key from MY_KEY"),
        (
            {"status": 400, "json": [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID"}}]},
            "refuses the key",
        ),
        (error(404, "The model `m` does not exist", "model_not_found"), "model's name"),
        ({"status": 404, "json": {"error": "model 'm' not found, try pulling it first"}}, "try pulling it first"),
        ({"status": 301, "headers": {"Location": "https://elsewhere/"}}, "--base-url"),
    ],
)
def test_what_every_further_call_would_meet_stops_the_run(answer: Answer, says: str) -> None:
    stopped = refused(answer, key_from="MY_KEY")
    assert isinstance(stopped, RunStopped)
    assert says in str(stopped)


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (error(429, "x", headers={"Retry-After": "2"}), 2.0),
        (error(503, "x", headers={"Retry-After": "172800"}), 172800.0),
        (error(429, "x", headers={"Retry-After": "-5"}), 0.0),
        (error(429, "x", headers={"Retry-After": "soon"}), None),
        (error(429, "x", headers={"Retry-After": "inf"}), None),
        (error(429, "x", headers={"Retry-After": "nan"}), None),
        (error(429, "x", headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}), 0.0),
        (error(429, "x"), None),
        (
            {"status": 429, "json": [{"error": {"code": 429, "message": "quota", "details": [{"retryDelay": "23s"}]}}]},
            23.0,
        ),
    ],
)
def test_the_servers_wait_is_passed_on(answer: Answer, seconds: float | None) -> None:
    failed = refused(answer)
    assert isinstance(failed, CallFailed)
    assert failed.retry_after == seconds


def test_a_wait_until_a_date_is_counted_from_now() -> None:
    failed = refused(error(429, "x", headers={"Retry-After": formatdate(time.time() + 100, usegmt=True)}))
    assert isinstance(failed, CallFailed)
    assert failed.retry_after == pytest.approx(100, abs=3)


def test_a_call_that_hangs_ends_after_its_own_time() -> None:
    began = time.monotonic()
    failed = refused(completion("A", delay_s=60), timeout=0.3)
    assert isinstance(failed, CallFailed)
    assert (failed.kind, failed.retryable) == ("timeout", True)
    assert "0.3 s" in str(failed)
    assert time.monotonic() - began < 10


def test_a_stream_that_stalls_ends_after_the_same_time() -> None:
    failed = refused({"sse": [{"choices": [{"delta": {"content": "B"}}]}, 60.0]}, timeout=0.3)
    assert isinstance(failed, CallFailed)
    assert failed.kind == "timeout"


def test_nobody_at_the_address_is_a_failed_connection() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(CallFailed, match=f"127.0.0.1:{port}") as caught:
            ask([], base_url=f"http://127.0.0.1:{port}/v1")
    assert (caught.value.kind, caught.value.retryable) == ("connection", True)


def test_what_is_no_http_is_a_bad_reply() -> None:
    async def main() -> None:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        model = OpenAICompatible("f/m", model="m", base_url=f"http://127.0.0.1:{port}/v1?key=hidden")
        with pytest.raises(CallFailed) as caught:
            await model.answer(PROMPT)
        await model.close()
        server.close()
        assert caught.value.kind == "bad-reply"
        assert "hidden" not in str(caught.value)

    asyncio.run(main())


def test_a_huge_reply_is_cut_short_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keju.models.endpoint.LARGEST_REPLY", 1 << 20)
    failed = refused(completion("B" * (2 << 20)))
    assert isinstance(failed, CallFailed)
    assert "larger than 1 MiB" in str(failed)


STREAM = [
    {"model": "fake-1", "choices": [{"delta": {"role": "assistant", "content": ""}}]},
    0.05,
    {"choices": [{"delta": {"content": "答案："}}]},
    {"choices": [{"delta": {"content": "C"}}]},
    {"choices": [{"delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 1, "total_tokens": 901}},
    "[DONE]",
]


def test_a_stream_yields_the_same_reply_and_the_time_to_the_first_token() -> None:
    with FakeServer([{"sse": STREAM}]) as server:
        (reply,) = ask_at(server, manner=Manner(stream=True))
    assert (reply.text, reply.finish, reply.model, reply.usage) == ("答案：C", "stop", "fake-1", Usage(900, 1))
    assert 0.05 <= reply.stages["first_token"] <= reply.stages["infer"]
    assert server.requests[0].json["stream"] is True
    assert server.requests[0].json["stream_options"] == {"include_usage": True}


def test_a_stream_that_was_not_asked_for_is_read_and_a_whole_reply_to_a_stream_too() -> None:
    assert ask([{"sse": STREAM}])[0].text == "答案：C"
    assert ask([completion("B")], manner=Manner(stream=True))[0].text == "B"


def events_of(portions: list[bytes]) -> list[bytes]:
    events = Events()
    return [event for portion in portions for event in events.feed(portion)] + list(events.end())


@given(st.data(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_events_are_the_same_however_the_bytes_are_cut(data: st.DataObject, end: str, closed: bool) -> None:
    lines = [": comment", 'data: {"a": "题"}', "", "event: x", "data:one", "data: two", "id: 4", "", "", "data: [DONE]"]
    whole = end.join([*lines, *(["", ""] if closed else [])]).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    portions = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert events_of(portions) == ['{"a": "题"}'.encode(), b"one\ntwo", b"[DONE]"]


fields = ["choices", "message", "delta", "content", "error", "code", "usage", "finish_reason", "text", "type", "index"]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 600) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(fields), inner, max_size=5),
    max_leaves=20,
)


@given(values)
def test_no_reply_body_raises_anything_but_kejus_errors(body: Any) -> None:
    def streamed(body: Any) -> Reply:
        stream = Stream("f/m", 0.0)
        stream.add(json.dumps(body).encode())
        return stream.reply()

    readers: list[Callable[[Any], Any]] = [
        lambda body: reply_of(body, "f/m"),
        lambda body: OllamaNative("f/m", model="m", base_url="http://h", dialect="ollama-native")._read(body),
        streamed,
    ]
    for read in readers:
        with suppress(KejuError):
            assert isinstance(read(body).text, str)
    assert isinstance(failure(server_error(400, body, {}, "f/m")), KejuError)


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_a_failed_call(body: bytes) -> None:
    with suppress(CallFailed):
        parsed(body, "f/m")


def picky(*complaints: tuple[Callable[[dict[str, Any]], bool], Answer]) -> Callable[[Any], Answer]:
    """A server that complains as long as the body gives it reason to."""
    return lambda asked: next((answer for wrong, answer in complaints if wrong(asked.json)), completion("A"))


NO_TEMPERATURE = error(400, "'temperature' does not support 0 with this model.", "unsupported_value")
NO_MAX_TOKENS = error(
    400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "unsupported_parameter"
)


def test_a_model_that_only_streams_is_found_out_once() -> None:
    def serve(asked: Any) -> Answer:
        return {"sse": STREAM} if asked.json.get("stream") else error(400, "This model only supports stream mode")

    with FakeServer(serve) as server:
        replies = ask_at(server, times=4)
    assert [reply.text for reply in replies] == ["答案：C"] * 4
    assert len(server.requests) == 5


def test_a_refused_temperature_is_found_out_once_and_every_reply_says_so() -> None:
    with FakeServer(picky((lambda body: "temperature" in body, NO_TEMPERATURE))) as server:
        replies = ask_at(server, times=3)
    assert len(server.requests) == 4
    assert ["temperature" in asked.json for asked in server.requests] == [True, False, False, False]
    assert all("not deterministic" in reply.warnings[0] for reply in replies)


def test_what_was_found_out_is_told() -> None:
    serve = picky(
        (lambda body: "max_tokens" in body, NO_MAX_TOKENS), (lambda body: "temperature" in body, NO_TEMPERATURE)
    )

    async def asking(server: FakeServer) -> Any:
        model = OpenAICompatible("f/m", model="m", base_url=server.base_url)
        before = dict(model.discovered)
        await asyncio.gather(*(model.answer(PROMPT) for _ in range(8)))
        await model.close()
        return before, model.discovered

    with FakeServer(serve) as server:
        before, after = asyncio.run(asking(server))
    assert before == {"stream": False, "tokens_field": "max_tokens", "temperature": "as the protocol says"}
    assert after["tokens_field"] == "max_completion_tokens"
    assert after["temperature"].startswith("not sent")
    assert after["found_out"] == ["tokens_field", "temperature"]
    assert len(server.requests) <= 8 * 3  # only what was in flight already is refused again
    assert server.requests[-1].json["max_completion_tokens"] == 10


def test_a_server_that_knows_no_stream_options_is_asked_without() -> None:
    complaint = error(400, "Unknown field: stream_options")
    with FakeServer(picky((lambda body: "stream_options" in body, complaint))) as server:
        (reply,) = ask_at(server, manner=Manner(stream=True))
    assert (reply.text, len(server.requests)) == ("A", 2)


def test_a_refusal_that_is_not_about_the_manner_is_not_asked_again() -> None:
    with FakeServer([error(400, "temperature must be between 0 and 2")]) as server, pytest.raises(CallFailed):
        ask_at(server)
    assert len(server.requests) == 1
