"""The real embedded models: what they score, what they refuse, and the cascade from end to end."""

from __future__ import annotations

import asyncio
import io
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from keju.errors import CallFailed, Misuse, RunStopped
from keju.items import Medium
from keju.models.cascade import Cascade
from keju.models.embedded import Blind, LanguageModel, licences, open_embedded
from keju.models.llama_server import LlamaServer
from keju.models.model import Fake
from keju.models.perception import Remembered, Whisper
from keju.models.weights import assembled, weights
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply

pytestmark = pytest.mark.embedded

SPEECH = Path(__file__).parent / "data" / "speech" / "train_to_shanghai.mp3"
CLIP = Medium("audio", SPEECH.name, SPEECH)
CITIES = {"A": "北京", "B": "上海", "C": "广州", "D": "成都"}


def prompt(text: str, options: dict[str, str] = CITIES, *parts: Medium, language: str = "zh-Hans") -> Prompt:
    return Prompt("1", (Text(text), *parts), Generation(8), "option-likelihood", language, "", text, options)


CAPITAL = prompt("问题：法国的首都是哪座城市？\n答案：", {"A": "伦敦", "B": "柏林", "C": "巴黎", "D": "罗马"})


@pytest.fixture(scope="module")
def gemma() -> Iterator[LanguageModel]:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    try:
        model = LanguageModel("gemma3-270m")
    except Misuse as absent:
        pytest.skip(str(absent))
    yield model
    asyncio.run(model.close())


def answer(model: LanguageModel | Cascade | Blind, asked: Prompt) -> Reply:
    return asyncio.run(model.answer(asked))


def inside(model: LanguageModel, context: str, *texts: str) -> list[float]:
    """Log-probability of each text after `context`."""

    def score(server: LlamaServer) -> list[float]:
        tokens = server.tokens(context, begin=True)
        server.read(tokens)
        return [server.log_probability(tokens, text) for text in texts]

    return asyncio.run(model._worker.do(score)).result


def step_by_step(model: LanguageModel, context: str, text: str) -> float:
    """The same by asking for one token at a time."""

    def score(server: LlamaServer) -> float:
        tokens, ids = server.tokens(context, begin=True), server.tokens(text)
        return sum(server._next(tokens + ids[:done], token) for done, token in enumerate(ids))

    return asyncio.run(model._worker.do(score)).result


def test_the_answer_is_the_option_with_the_greatest_log_probability(gemma: LanguageModel) -> None:
    reply = answer(gemma, CAPITAL)
    assert reply.scores is not None
    assert set(reply.scores) == set("ABCD")
    assert reply.text == max(reply.scores, key=lambda label: reply.scores[label]) == "C"  # type: ignore[index]
    assert all(score < 0 for score in reply.scores.values())
    assert reply.finish == "stop"
    assert reply.stages["infer"] > 0


def test_scores_do_not_depend_on_what_was_asked_before_nor_on_the_order_of_options(gemma: LanguageModel) -> None:
    first = answer(gemma, CAPITAL)
    answer(gemma, prompt("问题：法国的国旗有几种颜色？\n答案：", {"A": "两种", "B": "三种"}))
    turned = dict(reversed(CAPITAL.options.items()))
    again = answer(gemma, replace(CAPITAL, options=turned))
    assert dict(again.scores or {}) == dict(first.scores or {})


def test_a_score_is_the_sum_over_all_tokens_of_the_option_and_its_newline(gemma: LanguageModel) -> None:
    option = "巴黎是法国的首都，也是法国最大的城市，每年有很多人去那里看看。\n"
    [forced] = inside(gemma, CAPITAL.text, option)
    assert forced == pytest.approx(step_by_step(gemma, CAPITAL.text, option), abs=0.5)
    [part] = inside(gemma, CAPITAL.text, option[:10])
    assert forced < part - 1


def test_a_character_outside_the_vocabulary_is_scored_byte_by_byte_and_gains_nothing_by_it(
    gemma: LanguageModel,
) -> None:
    common, rare = inside(gemma, CAPITAL.text, "吉野家\n", "𠮷野家\n")
    assert rare < common


def test_options_without_text_and_equal_options_give_no_answer_and_say_why(gemma: LanguageModel) -> None:
    pictures = answer(gemma, prompt("问题：哪一张是红脸？\n答案：", {"A": "", "B": " "}))
    assert (pictures.text, pictures.scores) == ("", None)
    assert "A, B" in pictures.warnings[0]
    tie = answer(gemma, prompt("问题：在哪儿？\n答案：", {"A": "茶馆", "B": "茶馆"}))
    assert tie.text == ""
    assert tie.warnings == ("equally likely: A, B",)


def test_media_left_in_the_prompt_stop_the_run_with_the_remedy_and_are_not_dropped(gemma: LanguageModel) -> None:
    picture = Medium("image", "a.png", data=b"")
    with pytest.raises(RunStopped, match="--transcriber whisper/base --reader ppocr/v4"):
        answer(gemma, prompt("问题", CITIES, CLIP, picture))


def test_a_prompt_longer_than_the_context_is_a_failed_call_and_no_answer(gemma: LanguageModel) -> None:
    with pytest.raises(CallFailed, match="2048") as failure:
        answer(gemma, prompt("很" * 3000))
    assert failure.value.kind == "bad-request"
    assert not failure.value.retryable


def test_it_writes_when_the_protocol_asks_for_a_reply(gemma: LanguageModel) -> None:
    reply = answer(gemma, replace(CAPITAL, scoring="generate"))
    assert reply.text
    assert reply.finish == "length"
    assert reply.usage is not None
    assert reply.usage.output_tokens == CAPITAL.generation.max_tokens


def test_the_server_speaks_openais_protocol_on_this_machine_only_and_only_to_who_holds_the_key(
    gemma: LanguageModel,
) -> None:
    address = asyncio.run(gemma.address())
    assert address.startswith("http://127.0.0.1:")
    headers = asyncio.run(gemma._worker.do(lambda server: server.headers)).result
    body = json.dumps({"prompt": "1+1=", "max_tokens": 1}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{address}/v1/completions", body, headers)) as reply:
        assert json.load(reply)["object"] == "text_completion"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(f"{address}/v1/completions", body))
    with refused.value as error:
        assert error.code == 401


def test_a_model_file_that_llama_cpp_cannot_load_stops_the_run(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    with pytest.raises(RunStopped, match=r"cannot load .*bad\.gguf"):
        LlamaServer(tmp_path / "bad.gguf", context=64, threads=1)


def test_the_cascade_hears_what_the_blind_control_cannot(gemma: LanguageModel, tmp_path: Path) -> None:
    transcriber = Remembered(Whisper(language="zh"), tmp_path)
    cascade = Cascade(gemma, transcriber=transcriber, use_cache=False)
    asked = prompt("问题：说话人要去哪座城市？\n答案：", CITIES, CLIP)
    cold, warm = answer(cascade, asked), answer(cascade, asked)
    assert cold.text == warm.text == "B"
    assert "上海" in (cold.perceived or {})[SPEECH.name]
    assert cold.stages["transcribe"] > 0
    assert "transcribe" not in warm.stages
    assert dict(warm.scores or {}) == dict(cold.scores or {})
    blind = answer(Blind(gemma), asked)
    assert blind.scores is not None
    assert blind.scores["B"] < (cold.scores or {})["B"]
    asyncio.run(transcriber.close())


def test_the_blind_control_sends_the_words_and_leaves_out_every_medium() -> None:
    seen: list[Prompt] = []
    blind = Blind(Fake(lambda given: seen.append(given) or "A"))  # type: ignore[func-returns-value]
    answer(blind, prompt("问题", CITIES, CLIP))
    assert seen[0].parts == (Text("问题"),)
    assert blind.settings["media"] == "left out"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("casscade", {}, "did you mean cascade"),
        ("embedded/gpt-4o", {}, "there are cascade, blind, overlap"),
        ("cascade", {"llm": "gemma"}, "gemma3-270m"),
        ("blind", {"contxt": 1}, "did you mean context"),
        ("gemma3-270m", {"threads": "many"}, "threads must be a whole number"),
        ("gemma3-270m", {"context": 0}, "context must be a whole number"),
    ],
)
def test_unknown_names_and_options_are_misuse(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(Misuse, match=message):
        open_embedded(name, **options)


def test_everything_that_a_model_runs_is_named_with_its_licence() -> None:
    parts = {part.name: part for part in licences("embedded/cascade")}
    assert set(parts) == {"faster-whisper", "rapidocr", "xllamacpp", "whisper-base", "gemma3-270m"}
    assert "not an open-source licence" in parts["gemma3-270m"].licence
    assert {p.name for p in licences("embedded/overlap")} == {"faster-whisper", "rapidocr", "whisper-base"}
    assert "Apache-2.0" in {p.name: p.licence for p in licences("cascade", llm="smollm2")}["smollm2"]


def test_smollm2_scores_english_options() -> None:
    pytest.importorskip("xllamacpp", reason="the extra `embedded` is not installed")
    try:
        assembled(weights("smollm2"))
    except Misuse as absent:
        pytest.skip(str(absent))
    model = LanguageModel("smollm2")
    options = {"A": "Berlin", "B": "Madrid", "C": "Paris", "D": "Lima"}
    reply = answer(model, prompt("Question: What is the capital of France?\nAnswer:", options, language="en"))
    assert reply.text == "C"
    asyncio.run(model.close())


def test_the_composed_models_open_and_read_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image, ImageDraw

    pytest.importorskip("rapidocr_onnxruntime", reason="the extra `embedded` is not installed")
    overlap = open_embedded("embedded/overlap", language="zh", use_cache=False)
    picture, out = Image.new("RGB", (640, 200), "white"), io.BytesIO()
    ImageDraw.Draw(picture).text((40, 60), "SHANGHAI", fill="black", font_size=60)
    picture.save(out, "PNG")
    sign = Medium("image", "sign.png", data=out.getvalue())
    asked = prompt(
        "Question: Where does the train go?\nAnswer:", {"A": "Beijing", "B": "Shanghai"}, sign, language="en"
    )
    reply = asyncio.run(overlap.answer(asked))
    assert overlap.name == "embedded/overlap"
    assert reply.text == "B"
    assert (reply.perceived or {})["sign.png"] == "SHANGHAI"
    assert reply.stages["read"] > 0
    asyncio.run(overlap.close())
