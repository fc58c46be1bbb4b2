"""Real failures of other tools' clients, as far as one call can show them; the engine's tests have the rest."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from keju.errors import Blocked, CallFailed, KejuError, RunStopped
from keju.items import Medium
from keju.models.dialects import DIALECTS
from keju.models.negotiation import Manner
from keju.models.ollama import OllamaNative
from keju.models.openai_compatible import OpenAICompatible
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply
from real_failures import bug_cases
from servers.fake_openai import Asked, FakeServer

BYTES = {
    "JPEG": b"\xff\xd8\xff\xe0" + b"\x01" * 40,
    "PNG": b"\x89PNG\r\n\x1a\n" + b"\x02" * 40,
    "WEBP": b"RIFF\x20\x00\x00\x00WEBPVP8 " + b"\x03" * 40,
    "wav": b"RIFF\x24\x00\x00\x00WAVEfmt " + b"\x04" * 40,
}
CASES = {parameter.id: parameter.values[0] for parameter in bug_cases("2-api")}
ANSWERED = ["AP-11", "AP-15", "AP-17", "AP-19", "AP-29", "AP-31", "AP-35"]
FAILED = {
    "AP-01": (CallFailed, True),
    "AP-03": (RunStopped, None),
    "AP-05": (CallFailed, True),
    "AP-07": (RunStopped, None),
    "AP-09": (Blocked, False),
    "AP-13": (CallFailed, True),
    "AP-27": (CallFailed, True),
    "AP-37": (CallFailed, True),
}

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not CASES, reason="the shared bug cases are not here")]


def ask(server: FakeServer, *media: Medium, dialect: str = "openai", settings: dict[str, Any] | None = None) -> Any:
    """One attempt, with the settings of a case's client."""
    client = settings or {}
    kind = OllamaNative if dialect == "ollama-native" else OpenAICompatible
    options = CASES["AP-33"]["input"]["item"]["options"]
    generation = Generation(client.get("max_tokens", 10), client.get("temperature", 0.0))
    prompt = Prompt("1", (Text("题"), *media), generation, "generate", "zh-Hans", "", "题", options)

    async def asking() -> Reply | KejuError:
        model = kind(
            "fake/m",
            model="m",
            base_url=server.base_url,
            dialect=dialect,
            manner=Manner(stream=client.get("stream") is True),
            context_length=client.get("context_length"),
            timeout=client.get("timeout_s", 120.0) / 10,  # the case's 2 s against 60 s show the same at a tenth
        )
        try:
            return await model.answer(prompt)
        except KejuError as error:
            return error
        finally:
            await model.close()

    return asyncio.run(asking())


def sent(*media: Medium, dialect: str) -> Asked:
    ollama = {"json": {"message": {"content": "B"}}}
    answer = ollama if dialect == "ollama-native" else {"json": {"choices": [{"message": {"content": "B"}}]}}
    with FakeServer([answer]) as server:
        assert isinstance(ask(server, *media, dialect=dialect), Reply)
    return server.requests[0]


@pytest.mark.parametrize("name", ANSWERED)
def test_the_reply_is_read_as_the_case_says(name: str) -> None:
    case = CASES[name]
    expected = case["expected"]
    with FakeServer(case["input"]["server"]) as server:
        reply = ask(server, settings=case["input"]["client"])
    assert isinstance(reply, Reply)
    assert reply.finish == ("length" if expected.get("status") == "truncated" else "stop")
    assert reply.text == expected.get("text", expected.get("prediction", reply.text))
    assert any(expected.get("warning", "") in warning for warning in reply.warnings) or "warning" not in expected
    if usage := expected.get("usage"):
        assert reply.usage is not None
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (
            usage["prompt_tokens"],
            usage["completion_tokens"],
        )
    if lacks := expected.get("effective_params_lack"):
        assert lacks not in server.requests[-1].json
        assert any("not deterministic" in warning for warning in reply.warnings)


@pytest.mark.parametrize("name", FAILED)
def test_the_failure_is_of_the_kind_that_the_case_needs(name: str) -> None:
    case = CASES[name]
    first = case["input"]["server"][0]
    kind, retryable = FAILED[name]
    with FakeServer([first]) as server:
        failed = ask(server, settings=case["input"]["client"])
    assert type(failed) is kind
    assert getattr(failed, "retryable", None) is retryable
    assert case["expected"].get("error_message_contains", "") in str(failed)
    wait = first.get("headers", {}).get("Retry-After")
    assert getattr(failed, "retry_after", None) == (float(wait) if wait else None)
    assert len(server.requests) == 1


def test_ap_21_the_type_in_a_data_uri_is_that_of_the_bytes() -> None:
    case = CASES["AP-21"]
    media = [Medium("image", file["name"], data=BYTES[file["bytes"]]) for file in case["input"]["files"]]
    urls = [part["image_url"]["url"] for part in sent(*media, dialect="openai").content[1:]]
    assert [url[: url.index(",") + 1] for url in urls] == case["expected"]["data_uri_prefix"]


def test_ap_23_each_provider_gets_its_own_form_of_audio() -> None:
    case = CASES["AP-23"]
    expected = case["expected"]
    rows = zip(case["input"]["providers"], expected["format"], expected["data_prefix"], strict=True)
    for dialect, form, prefix in rows:
        part = sent(Medium("audio", "1.wav", data=BYTES["wav"]), dialect=dialect).content[1]
        assert (part["type"], part["input_audio"]["format"]) == (expected["part_type"], form)
        start = "" if prefix == "<none>" else prefix
        assert part["input_audio"]["data"] == start + base64.b64encode(BYTES["wav"]).decode()


def test_ap_25_ollamas_two_routes_take_two_forms() -> None:
    png = Medium("image", "1.png", data=BYTES["PNG"])
    bare = base64.b64encode(BYTES["PNG"]).decode()
    assert sent(png, dialect="ollama-native").json["messages"][0]["images"] == [bare]
    assert sent(png, dialect="ollama").content[1]["image_url"]["url"] == f"data:image/png;base64,{bare}"


def test_ap_33_the_text_is_the_same_for_every_provider() -> None:
    providers = CASES["AP-33"]["input"]["providers"]
    assert set(providers) <= set(DIALECTS)
    png = Medium("image", "1.png", data=BYTES["PNG"])
    assert len({sent(png, dialect=dialect).text for dialect in providers}) == 1
