"""Options scored at servers that give log-probabilities, and what servers do that give none."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import keju
from keju.errors import CallFailed, Misuse, RunStopped
from keju.items import Medium
from keju.models import open_model
from keju.models.embedded import LanguageModel
from keju.models.model import Model
from keju.prompts import Generation, Prompt, Text
from keju.protocols import load_protocol
from keju.records import Reply
from making import benchmark, png
from servers.fake_openai import Answer, Asked, FakeServer, completion, error

OPTIONS = {"A": "红色", "B": "蓝色的脸", "C": "绿"}
PICTURE = Medium("image", "1.png", data=png())


def prompt(scoring: Any, *media: Medium, **changes: Any) -> Prompt:
    asked = Prompt("1", (*media, Text("问题？")), Generation(1, 0.0), scoring, "zh-Hans", "", "问题？", OPTIONS)
    return replace(asked, **changes)


def answered(model: Model, asked: Prompt) -> Reply:
    async def asking() -> Reply:
        try:
            return await model.answer(asked)
        finally:
            await model.close()

    return asyncio.run(asking())


def served(server: FakeServer, name: str = "vllm/m", **options: Any) -> Model:
    return open_model(name, base_url=server.base_url, **options)


def likely(*tokens: tuple[str, float]) -> Answer:
    """A completion whose first token has these likeliest alternatives: text, probability."""
    answer: Any = completion("The", finish="length")
    top = [{"token": token, "logprob": math.log(share)} for token, share in tokens]
    answer["json"]["choices"][0]["logprobs"] = {"content": [{"token": "The", "top_logprobs": top}]}
    return answer


# choice


def test_the_label_most_likely_to_begin_the_reply_is_chosen_with_and_without_a_space() -> None:
    with FakeServer([likely(("The", 0.5), ("B", 0.2), (" A", 0.15), ("A", 0.1), ("Answer", 0.05))]) as server:
        reply = answered(served(server), prompt("choice", PICTURE))
    assert (reply.text, reply.finish) == ("A", "stop")
    assert dict(reply.scores or {}) == pytest.approx({"A": math.log(0.25), "B": math.log(0.2)})
    asked = server.requests[0].json
    assert (asked["logprobs"], asked["top_logprobs"], asked["max_tokens"]) == (True, 20, 1)
    assert "stream" not in asked
    assert [part["type"] for part in asked["messages"][0]["content"]] == ["image_url", "text"]


def test_where_no_label_is_among_the_likeliest_nothing_is_chosen_and_of_a_tie_neither() -> None:
    with FakeServer([likely(("The", 0.9), ("D", 0.1)), likely(("A", 0.4), ("B", 0.4))]) as server:
        nothing, tie = (answered(served(server), prompt("choice")) for _ in range(2))
    assert nothing.text == tie.text == ""
    assert nothing.warnings == ("none of the labels is among the 2 likeliest tokens",)
    assert tie.warnings == ("equally likely: A, B",)


@pytest.mark.parametrize("logprobs", [None, {"content": []}, {"content": None}, {"content": [{"top_logprobs": None}]}])
def test_a_server_that_gives_no_probabilities_stops_the_run(logprobs: Any) -> None:
    answer: Any = completion("A")
    answer["json"]["choices"][0]["logprobs"] = logprobs
    with FakeServer([answer]) as server, pytest.raises(RunStopped, match="gives no log-probabilities"):
        answered(served(server), prompt("choice"))


def test_a_route_that_carries_no_probabilities_is_not_asked() -> None:
    with FakeServer([completion("A")]) as server, pytest.raises(RunStopped, match="cannot score options"):
        answered(served(server, "ollama-native/m"), prompt("choice"))
    assert server.requests == []


@pytest.mark.embedded
def test_a_real_server_chooses_among_the_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    try:
        gemma = LanguageModel("gemma3-270m")
    except Misuse as absent:
        pytest.skip(str(absent))
    address, key = asyncio.run(gemma._worker.do(lambda server: (server.address, server._key))).result
    monkeypatch.setenv("GEMMA_KEY", key)
    try:
        asked = {"protocol": load_protocol("choice"), "base_url": f"{address}/v1", "key_env": "GEMMA_KEY"}
        run = keju.run(benchmark(4), "openai-compatible/gemma", out=tmp_path, **asked)  # type: ignore[arg-type]
    finally:
        asyncio.run(gemma.close())
    assert run.complete
    for record in run.records.values():
        assert record.scores
        assert record.text == max(record.scores, key=lambda label: record.scores[label])  # type: ignore[index]
    assert keju.score(run).valid == 4


# option-likelihood


def echoing(read: Callable[[str], tuple[list[str], list[float | None]]]) -> Callable[[Asked], Answer]:
    """A server that reads a prompt back as `read` has it, and writes one token more."""

    def answer(asked: Asked) -> Answer:
        body = asked.json
        assert (asked.path, body["echo"], body["max_tokens"]) == ("/v1/completions", True, 1)
        tokens, logprobs = read(body["prompt"])
        told = {"tokens": [*tokens, "x"], "token_logprobs": [*logprobs, -0.1]}
        usage = {"prompt_tokens": len(tokens), "completion_tokens": 1}
        return {"json": {"model": "m-1", "choices": [{"index": 0, "text": "…", "logprobs": told}], "usage": usage}}

    return answer


@pytest.mark.local
def test_the_scores_are_those_of_the_same_model_in_this_process(tmp_path: Path) -> None:
    """The server here runs a tiny Llama, token by token, as vLLM would tell of it."""
    torch = pytest.importorskip("torch", reason="the extra `local` is not installed")
    from tiny.torchvision_ops import make_importable

    make_importable()
    tf = pytest.importorskip("transformers", reason="the extra `local` is not installed")
    from tiny.families import llama_base

    torch.manual_seed(0)
    tf.logging.disable_progress_bar()
    llama_base(tmp_path)
    tokenizer, weights = tf.AutoTokenizer.from_pretrained(tmp_path), tf.AutoModelForCausalLM.from_pretrained(tmp_path)

    def read(text: str) -> tuple[list[str], list[float | None]]:
        ids = tokenizer(text)["input_ids"]
        with torch.inference_mode():
            found = weights(torch.tensor([ids])).logits[0].log_softmax(-1)
        return tokenizer.convert_ids_to_tokens(ids), [None, *(found[n - 1, ids[n]].item() for n in range(1, len(ids)))]

    asked = prompt("option-likelihood")
    here = answered(open_model(f"hf/{tmp_path}"), asked)
    with FakeServer(echoing(read)) as server:
        there = answered(served(server), asked)
    assert dict(there.scores or {}) == pytest.approx(dict(here.scores or {}), abs=1e-3)
    assert (there.text, there.usage and there.usage.input_tokens) == (here.text, here.usage and here.usage.input_tokens)
    assert there.model == "m-1"


def characters(text: str) -> tuple[list[str], list[float | None]]:
    return list(text), [None, *(-1.0 for _ in text[1:])]


def test_tokens_are_counted_from_where_the_whole_differs_from_the_prompt_alone() -> None:
    def joined(text: str) -> tuple[list[str], list[float | None]]:
        """The tokenizer joins the prompt's last character and what follows."""
        tokens = [*text[:2], text[2:4], *text[4:]]
        return tokens, [None, *(-1.0 for _ in tokens[1:])]

    with FakeServer(echoing(characters)) as plain, FakeServer(echoing(joined)) as seam:
        one, other = (answered(served(server), prompt("option-likelihood")) for server in (plain, seam))
    assert dict(one.scores or {}) == {"A": -3.0, "B": -5.0, "C": -2.0}  # each with its newline
    assert dict(other.scores or {}) == dict(one.scores or {})  # 题 + ？红 for ？ + 红: as many
    assert one.text == "C"


def test_what_cannot_be_scored_says_so() -> None:
    with FakeServer(echoing(characters)) as server:
        with pytest.raises(RunStopped, match=r"plain text, and item 1 holds media.*--transcriber"):
            answered(served(server), prompt("option-likelihood", PICTURE))
        with pytest.raises(CallFailed, match="options without text cannot be scored by likelihood: B"):
            answered(served(server), prompt("option-likelihood", options={"A": "红", "B": " "}))
        assert server.requests == []
    for answer, says in (
        (completion("A"), "does not read a prompt back"),
        ({"json": {"choices": [{"logprobs": {"tokens": ["x"], "token_logprobs": []}}]}}, "only part"),
    ):
        with FakeServer([answer]) as server, pytest.raises(RunStopped, match=says):
            answered(served(server), prompt("option-likelihood"))
    with FakeServer([error(503, "busy")]) as server, pytest.raises(CallFailed) as failure:
        answered(served(server), prompt("option-likelihood"))
    assert (failure.value.kind, failure.value.retryable) == ("server", True)
