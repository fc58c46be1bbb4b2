"""What goes over the wire: bodies, media, dialects, keys."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import CallFailed, KejuError, Misuse, RunStopped
from keju.items import Medium
from keju.models.dialects import DIALECTS
from keju.models.endpoint import Endpoint
from keju.models.keys import Secret, find_key
from keju.models.negotiation import Manner
from keju.models.ollama import OllamaNative
from keju.models.openai_compatible import OpenAICompatible
from keju.models.request_body import CHUNK, Body, array, encode, spliced, with_field
from keju.prompts import Generation, Part, Prompt, Text
from servers.fake_openai import FakeServer, completion, error

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9
JPEG = b"\xff\xd8\xff\xe0" + b"\x01" * 40
WEBP = b"RIFF\x20\x00\x00\x00WEBPVP8 " + b"\x02" * 40
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + b"\x03" * 40
MP3 = b"ID3\x04\x00\x00" + b"\x04" * 40
FLAC = b"fLaC" + b"\x05" * 40
OPTIONS = {"A": "生", "B": "旦", "C": "净", "D": "丑"}


SHORT = Generation(10)


def prompt(*parts: Part | str, item: str = "0001", generation: Generation = SHORT, **more: Any) -> Prompt:
    made = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    fields = {
        "scoring": "generate",
        "language": "zh-Hans",
        "instruction": "",
        "question": "图中是哪个行当？",
        "options": OPTIONS,
    }
    return Prompt(item, made, generation, **{**fields, **more})


def image(data: bytes = PNG, name: str = "1.png") -> Medium:
    return Medium("image", name, data=data)


def audio(data: bytes = WAV, name: str = "1.wav") -> Medium:
    return Medium("audio", name, data=data)


def ask(server: FakeServer, *prompts: Prompt, kind: type[OpenAICompatible] = OpenAICompatible, **options: Any) -> Any:
    """Ask one after the other; the replies, or the error of the first that fails."""

    async def asking() -> list[Any]:
        model = kind("fake/m", **{"model": "m", "base_url": server.base_url, **options})
        try:
            return [await model.answer(one) for one in prompts]
        finally:
            await model.close()

    return asyncio.run(asking())


def test_the_files_own_bytes_arrive(tmp_path: Path) -> None:
    """Larger than one chunk, with a length that is no multiple of three: the server decodes exactly the file."""
    path = tmp_path / "0001.png"
    path.write_bytes(PNG + bytes(i * 7 % 256 for i in range(3 * CHUNK + 1)))
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("看图", Medium("image", "0001.png", path)))
    url = server.requests[0].content[1]["image_url"]["url"]
    sent = base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True)
    assert hashlib.sha256(sent).hexdigest() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_body_of_many_megabytes_raises_no_warning() -> None:
    """aiohttp warns of large raw bodies; ours never exists as a whole (warnings are errors here)."""
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("看图", image(PNG + bytes(8_000_000))))
    assert len(server.requests[0].body) > 10_000_000
    assert int(server.requests[0].headers["Content-Length"]) == len(server.requests[0].body)


def test_parts_keep_the_order_of_the_prompt() -> None:
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("一", image(), "二", audio(), image(JPEG)))
    kinds = [part["type"] for part in server.requests[0].content]
    assert kinds == ["text", "image_url", "text", "input_audio", "image_url"]


def test_a_prompt_of_one_text_is_sent_as_a_string() -> None:
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("只有字"))
    assert server.requests[0].content == "只有字"


@pytest.mark.parametrize(
    ("name", "data", "mime"),
    [
        ("1.png", JPEG, "image/jpeg"),
        ("2.jpg", PNG, "image/png"),
        ("3.JPG", JPEG, "image/jpeg"),
        ("4.jpeg", WEBP, "image/webp"),
    ],
)
def test_the_type_of_an_image_comes_from_its_bytes(name: str, data: bytes, mime: str) -> None:
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("看图", image(data, name)))
    assert server.requests[0].content[1]["image_url"]["url"].startswith(f"data:{mime};base64,")


@pytest.mark.parametrize(
    ("dialect", "data", "part"),
    [
        ("openai", WAV, {"type": "input_audio", "input_audio": {"data": "<>", "format": "wav"}}),
        ("openai", MP3, {"type": "input_audio", "input_audio": {"data": "<>", "format": "mp3"}}),
        ("vllm", FLAC, {"type": "input_audio", "input_audio": {"data": "<>", "format": "flac"}}),
        ("gemini", MP3, {"type": "input_audio", "input_audio": {"data": "<>", "format": "mp3"}}),
        ("openrouter", WAV, {"type": "input_audio", "input_audio": {"data": "<>", "format": "wav"}}),
        ("dashscope", WAV, {"type": "input_audio", "input_audio": {"data": "data:;base64,<>", "format": "wav"}}),
        ("sglang", MP3, {"type": "audio_url", "audio_url": {"url": "data:audio/mpeg;base64,<>"}}),
    ],
)
def test_each_dialect_writes_a_clip_in_its_own_form(dialect: str, data: bytes, part: dict[str, Any]) -> None:
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("听录音", audio(data)), dialect=dialect)
    expected = json.dumps(part).replace("<>", base64.b64encode(data).decode())
    assert server.requests[0].content[1] == json.loads(expected)


@pytest.mark.parametrize("dialect", ["ollama", "lmdeploy"])
def test_a_dialect_without_audio_says_so_before_any_call(dialect: str) -> None:
    with FakeServer([completion("B")]) as server, pytest.raises(RunStopped, match="--transcriber"):
        ask(server, prompt("听录音", audio()), dialect=dialect)
    assert server.requests == []


@pytest.mark.parametrize(
    ("medium", "says"),
    [
        (image(b"not a picture at all"), "not a picture"),
        (image(WAV, "x.png"), "audio/wav, not a picture"),
        (audio(FLAC, "x.flac"), "takes wav, mp3"),
        (audio(b"", "empty.wav"), "of no known kind"),
        (Medium("image", "gone.png", Path("/nowhere/gone.png")), "gone.png"),
    ],
)
def test_a_medium_that_cannot_be_sent_costs_its_item_and_no_call(medium: Medium, says: str) -> None:
    with FakeServer([completion("B")]) as server, pytest.raises(CallFailed, match=says) as caught:
        ask(server, prompt("题", medium))
    assert (caught.value.kind, caught.value.retryable, server.requests) == ("medium", False, [])


def test_the_text_is_the_same_for_every_dialect() -> None:
    """Only the envelope may differ, or two models were not asked the same."""
    text = '第一行\n"引号" \\ 制表\t\x1f 末'
    texts = set()
    for dialect in DIALECTS:
        kind = OllamaNative if dialect == "ollama-native" else OpenAICompatible
        answer = {"json": {"message": {"content": "B"}, "done": True}} if kind is OllamaNative else completion("B")
        with FakeServer([answer]) as server:
            ask(server, prompt(text, image()), dialect=dialect, kind=kind)
        texts.add(server.requests[0].text)
    assert texts == {text}


def test_ollamas_own_interface_takes_bare_base64_beside_the_text() -> None:
    answer = {
        "json": {
            "model": "llava:7b",
            "message": {"role": "assistant", "content": "B"},
            "done_reason": "length",
            "prompt_eval_count": 700,
            "eval_count": 10,
        }
    }
    with FakeServer([answer]) as server:
        (reply,) = ask(
            server,
            prompt("看图", image()),
            kind=OllamaNative,
            dialect="ollama-native",
            extra={"options": {"num_ctx": 8192}},
        )
    asked = server.requests[0]
    assert asked.path == "/v1/chat"
    assert asked.json["messages"] == [{"role": "user", "content": "看图", "images": [base64.b64encode(PNG).decode()]}]
    assert asked.json["options"] == {"num_predict": 10, "temperature": 0.0, "num_ctx": 8192}
    assert asked.json["stream"] is False
    assert (reply.text, reply.finish, reply.usage.input_tokens, reply.usage.output_tokens) == ("B", "length", 700, 10)


def test_the_protocols_settings_are_sent_and_extra_wins() -> None:
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("题"), prompt("题", generation=Generation(2048, temperature=None)))
        ask(server, prompt("题"), extra={"temperature": 0.7, "seed": 3, "max_completion_tokens": 99})
    bodies = [{k: v for k, v in asked.json.items() if k != "messages"} for asked in server.requests]
    assert bodies[0] == {"model": "m", "temperature": 0.0, "max_tokens": 10}
    assert bodies[1] == {"model": "m", "max_tokens": 2048}
    assert bodies[2] == {"model": "m", "temperature": 0.7, "seed": 3, "max_completion_tokens": 99}


@pytest.mark.parametrize("extra", [{"messages": []}, {"stream": True}, {"x": {1, 2}}, {"x": float}])
def test_extra_parameters_that_cannot_be_are_refused(extra: dict[str, Any]) -> None:
    with pytest.raises(Misuse, match="extra parameters"):
        OpenAICompatible("f/m", model="m", base_url="http://h/v1", extra=extra)


envelopes = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9) | st.none(), max_size=3)


@given(envelopes, st.lists(st.binary(max_size=50), max_size=3), st.text(max_size=20))
def test_a_spliced_body_is_the_json_it_stands_for(envelope: dict[str, Any], media: list[bytes], text: str) -> None:
    dialect = DIALECTS["openai"]
    pictures = [Medium("image", "p.png", data=data) for data in media]
    parts = [[encode({"text": text})], *(spliced(dialect.image("image/png"), picture) for picture in pictures)]
    body = Body(with_field(envelope, "messages", array(parts)))
    chunks = b"".join(body.chunks())
    urls = [f"data:image/png;base64,{base64.b64encode(data).decode()}" for data in media]
    whole = {"text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)
    assert json.loads(chunks) == {**envelope, "messages": [*whole]}
    assert body.size == len(chunks)
    assert body.decode() == chunks.decode()


def test_a_lone_surrogate_in_a_text_does_not_stop_the_request() -> None:
    with FakeServer([completion("B")]) as server:
        ask(server, prompt("坏\ud800字"))
    assert server.requests[0].content == "坏?字"


@pytest.mark.parametrize(
    ("given_url", "url", "shown"),
    [
        ("http://h:8000/v1", "http://h:8000/v1/chat/completions", "http://h:8000/v1"),
        ("https://h/v1/", "https://h/v1/chat/completions", "https://h/v1"),
        (" https://h/v1/chat/completions ", "https://h/v1/chat/completions", "https://h/v1"),
        ("https://h/openai/v1?sig=abc", "https://h/openai/v1/chat/completions?sig=abc", "https://h/openai/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/chat/completions", "http://[::1]:8000"),
    ],
)
def test_the_address_is_completed_and_shown_without_its_query(given_url: str, url: str, shown: str) -> None:
    endpoint = Endpoint(given_url, "chat/completions", who="f/m", key=None, timeout=1)
    assert (endpoint.url, endpoint.shown) == (url, shown)


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://h/v1", "http://", "http://h:99999/", "http://u:p@h/v1", "http://[::1"]
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(Misuse, match="base URL"):
        OpenAICompatible("f/m", model="m", base_url=url)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_timeout_must_be_positive(timeout: float) -> None:
    with pytest.raises(Misuse, match="timeout"):
        OpenAICompatible("f/m", model="m", base_url="http://h/v1", timeout=timeout)


KEY = "sk-proj-4f9aXq27Zt-very-Q7xZ"


def test_the_key_is_sent_and_shows_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    """Even where the server echoes it: in an error, in a reply, in a stream."""
    caplog.set_level(logging.DEBUG)
    answers = [
        error(400, f"cannot read Bearer {KEY} here"),
        error(401, f"Incorrect API key provided: {KEY[:8]}*****{KEY[-4:]}."),
        {"status": 500, "text": f"<html><title>{KEY}</title>"},
        {"raw": f"{KEY} is no JSON".encode()},
        {"json": {"choices": [{"message": {"content": f"B {KEY}"}, "finish_reason": "stop"}], "model": KEY}},
        {"sse": [{"choices": [{"delta": {"content": KEY}, "finish_reason": "stop"}]}, "[DONE]"]},
    ]
    shown = []
    with FakeServer(answers) as server:
        model = OpenAICompatible("f/m", model="m", base_url=server.base_url, key=Secret(KEY), key_from="SOME_KEY")

        async def all_of_them() -> None:
            for _ in answers:
                try:
                    shown.append(repr(await model.answer(prompt("题"))))
                except KejuError as failure:
                    shown.append(f"{failure} {failure!r} {failure.__cause__!r} {failure.__context__!r}")
            await model.close()

        asyncio.run(all_of_them())
    shown += [repr(model), repr(model.settings), repr(model.discovered), repr(Secret(KEY)), caplog.text]
    assert all(asked.headers["Authorization"] == f"Bearer {KEY}" for asked in server.requests)
    assert [place for place in shown if KEY in place or KEY[-4:] in place] == []
    assert "SOME_KEY" in shown[1]


def test_a_key_comes_from_the_file_else_from_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " from-variable\n")
    file = tmp_path / "key"
    file.write_text("from-file\n")
    file.chmod(0o600)
    by_variable = find_key("MY_KEY", required=True, needed_by="x/y")
    by_file = find_key("MY_KEY", file, required=True, needed_by="x/y")
    assert by_variable is not None
    assert by_file is not None
    assert (by_variable.reveal(), by_file.reveal()) == ("from-variable", "from-file")


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(Misuse, match="export MY_KEY="):
        find_key("MY_KEY", required=True, needed_by="x/y")
    assert find_key("MY_KEY", required=False, needed_by="x/y") is None


def test_a_key_file_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("abc")
    file.chmod(0o644)
    with pytest.warns(UserWarning, match="chmod 600"):
        find_key(None, file, required=True, needed_by="x/y")


@pytest.mark.parametrize("content", [b"", b"  \n", "钥匙".encode(), b"a b", b"a\nb", b"\xff\xfe"])
def test_a_key_that_no_header_can_carry_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(Misuse, match="key"):
        find_key(None, file, required=False, needed_by="x/y")


def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer([completion("B")]) as proxy, FakeServer([completion("C")]) as server:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        (near,) = ask(server, prompt("题"))
        (far,) = ask(server, prompt("题"), base_url="http://model.invalid/v1")
    assert (near.text, far.text) == ("C", "B")


def test_connections_are_pooled() -> None:
    with FakeServer([completion("B")]) as server:

        async def many() -> None:
            model = OpenAICompatible("f/m", model="m", base_url=server.base_url)
            for _ in range(3):
                await asyncio.gather(*(model.answer(prompt("题")) for _ in range(8)))
            await model.close()

        asyncio.run(many())
    assert len({asked.peer for asked in server.requests}) == 8
    assert server.peak <= 8


def test_a_model_works_again_in_another_loop_after_close() -> None:
    with FakeServer([completion("B")]) as server:
        model = OpenAICompatible("f/m", model="m", base_url=server.base_url)

        async def once() -> str:
            reply = await model.answer(prompt("题"))
            await model.close()
            return reply.text

        assert [asyncio.run(once()), asyncio.run(once())] == ["B", "B"]


def test_settings_hold_what_changes_an_answer_and_are_json() -> None:
    manner = Manner(temperature=False)
    model = OpenAICompatible("f/m", model="m", base_url="http://h/v1?k=s", extra={"seed": 1}, manner=manner, timeout=9)
    assert model.settings == {
        "model": "m",
        "endpoint": "http://h/v1",
        "dialect": "openai",
        "temperature": "not sent",
        "extra": {"seed": 1},
    }
    json.dumps(model.settings)
