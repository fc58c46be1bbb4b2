"""From what a user writes to a model, and what there is to write."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import keju.models as models
from keju.benchmark import Benchmark
from keju.errors import BadFile, KejuError, Misuse
from keju.items import Item, Medium, Wording
from keju.models import open_model, presets, providers
from keju.models.dialects import DIALECTS
from keju.models.openai_compatible import OpenAICompatible
from keju.prompts import Generation, Prompt, Text
from servers.fake_openai import FakeServer, completion

PROMPT = Prompt("0001", (Text("题"),), Generation(10), "generate", "zh-Hans", "", "题", {"A": "生", "B": "旦"})


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in providers():
        if provider.key:
            monkeypatch.setenv(provider.key, f"key-of-{provider.name}")


def with_audio() -> Benchmark:
    wording = Wording("zh-Hant", "", {"A": "一", "B": "二"})
    return Benchmark("b", (Item("1", {"zh-Hant": wording}, "A", (Medium("audio", "1.mp3", data=b"ID3"),)),))


def answered(model: Any) -> str:
    async def asking() -> str:
        reply = await model.answer(PROMPT)
        await model.close()
        return str(reply.text)

    return asyncio.run(asking())


def test_every_provider_opens_with_its_own_address_dialect_and_key() -> None:
    for provider in providers():
        model = open_model(f"{provider.name}/org/some-model:7b", base_url=None if provider.base_url else "http://h/v1")
        assert isinstance(model, OpenAICompatible)
        assert model.name == f"{provider.name}/org/some-model:7b"
        assert model.settings["model"] == "org/some-model:7b"
        assert model.settings["endpoint"] == (provider.base_url or "http://h/v1")
        assert model.settings["dialect"] == provider.dialect
        assert provider.dialect in DIALECTS
        assert model.concurrency == provider.concurrency
        assert "key-of" not in repr((model.settings, model, vars(model)))


def test_every_preset_of_the_papers_opens_by_its_printed_name() -> None:
    assert [sum(preset.paper.startswith(paper) for preset in presets()) for paper in ("TCO", "Multi-TW")] == [9, 15]
    for preset in presets():
        opened = open_model(preset.run, base_url="http://h/v1")
        assert opened.name == preset.run
        assert set(preset.modalities) <= {"image", "audio"}
        assert (preset.license == "proprietary") == (preset.parameters is None)
    assert open_model("gpt-4O", base_url="http://h/v1").name == "openai/gpt-4o"


def test_a_model_of_the_papers_hears_through_the_transcriber_that_the_paper_put_before_it() -> None:
    pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    name, model = "qwen2-vl-7b-INSTRUCT", "vllm/Qwen/Qwen2-VL-7B-Instruct"  # of both papers
    assert open_model(name, benchmark=with_audio()).name == f"whisper/large+{model}"
    assert open_model(name, benchmark=with_audio(), transcriber="whisper/small:zh").name == f"whisper/small:zh+{model}"
    assert open_model(name, benchmark=Benchmark("b", ())).name == open_model(name).name == model
    assert open_model(model, benchmark=with_audio()).name == model  # not by a paper's name
    assert open_model("Qwen2.5-Omni-7B", benchmark=with_audio()).name == "vllm/Qwen/Qwen2.5-Omni-7B"


def test_what_is_known_of_a_model_is_stated_beforehand() -> None:
    assert open_model("dashscope/qwen2.5-omni-7b").discovered["stream"] is True
    assert open_model("dashscope/qwen2.5-omni-7b", stream=False).discovered["stream"] is False
    assert open_model("dashscope/qwen2-vl-72b-instruct").discovered["stream"] is False
    o3 = open_model("openai/o3-mini")
    assert o3.discovered["tokens_field"] == "max_completion_tokens"
    assert o3.settings["temperature"] == "not sent"
    assert "found_out" not in o3.discovered


def test_the_key_comes_from_the_variable_that_the_user_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_KEY", "team")
    with FakeServer([completion("B")]) as server:
        assert answered(open_model("openai/m", base_url=server.base_url, key_env="TEAM_KEY")) == "B"
        assert answered(open_model("vllm/m", base_url=server.base_url)) == "B"
        monkeypatch.delenv("VLLM_API_KEY")
        assert answered(open_model("vllm/m", base_url=server.base_url)) == "B"
    sent = [asked.headers.get("Authorization") for asked in server.requests]
    assert sent == ["Bearer team", "Bearer key-of-vllm", None]


def test_a_missing_key_is_told_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(Misuse, match="OPENAI_API_KEY"):
        open_model("openai/gpt-4o")
    with pytest.raises(Misuse, match="NO_SUCH_KEY"):
        open_model("vllm/m", key_env="NO_SUCH_KEY")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("opnai/gpt-4o", "did you mean openai"),
        ("gpt-4o-minii", "did you mean GPT-4o-mini"),
        ("", "PROVIDER/MODEL"),
        ("openai/", "PROVIDER/MODEL"),
        ("/x", "no provider ''"),
        ("baseline/randm", "random"),
        ("baseline/always-", "always-b"),
        ("openai-compatible/m", "--base-url"),
    ],
)
def test_an_unknown_name_is_told_with_what_there_is(spec: str, says: str) -> None:
    with pytest.raises(Misuse, match=says):
        open_model(spec)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"base_ulr": "http://h"}, "did you mean base_url"),
        ({"timeout": "long"}, "timeout must be a number"),
        ({"timeout": True}, "timeout must be a number"),
        ({"concurrency": 0}, "at least 1"),
        ({"stream": 1}, "true or false"),
        ({"dialect": "morse"}, "no dialect 'morse'"),
        ({"base_url": "h"}, "no web address"),
    ],
)
def test_an_option_that_cannot_be_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(Misuse, match=says):
        open_model("vllm/m", **options)


def test_several_models_can_be_opened_with_the_same_options() -> None:
    """What means nothing to a baseline is ignored there."""
    options: dict[str, Any] = {"base_url": "http://h/v1", "timeout": 3, "extra": {"seed": 5, "top_p": 1}}
    assert open_model("baseline/random", **options).settings == {"seed": 5}
    assert open_model("vllm/m", **options).settings["extra"] == {"seed": 5, "top_p": 1}
    with pytest.raises(Misuse, match="whole number"):
        open_model("baseline/random", extra={"seed": "x"})


def test_a_benchmark_with_audio_is_refused_where_no_audio_can_go() -> None:
    with pytest.raises(Misuse, match="--transcriber"):
        open_model("ollama/llava:7b", benchmark=with_audio())
    open_model("vllm/m", benchmark=with_audio())


def test_a_model_file_says_what_the_command_line_would(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from-file")
    (tmp_path / "key").chmod(0o600)
    file = tmp_path / "mine.toml"
    with FakeServer([completion("B")]) as server:
        file.write_text(
            f'model = "openai-compatible/mine"\nbase_url = "{server.base_url}"\nkey_file = "key"\ndialect = "vllm"\n'
            "concurrency = 3\n[extra]\nseed = 7\n",
            encoding="utf-8",
        )
        model = open_model(file)
        assert answered(model) == "B"
    assert (model.name, model.concurrency, model.settings["dialect"]) == ("openai-compatible/mine", 3, "vllm")
    assert server.requests[0].json["seed"] == 7
    assert server.requests[0].headers["Authorization"] == "Bearer from-file"
    assert open_model(str(file), concurrency=9).concurrency == 9


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "must say which model"),
        (b"model = 3", "must say which model"),
        (b'model = "a.toml"', "must say which model"),
        (b"model = ", "not TOML"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b'model = "vllm/m"\nbaseurl = "http://h"', "did you mean base_url"),
        (b'model = "vllm/m"\nextra = 3', "extra must be a table"),
    ],
)
def test_a_faulty_model_file_is_named_with_its_fault(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(content)
    with pytest.raises(BadFile, match=says) as caught:
        open_model(file)
    assert "mine.toml" in str(caught.value)


def test_a_model_file_that_is_not_there_is_a_bad_file(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        open_model(tmp_path / "none.toml")


def test_all_public_names_resolve() -> None:
    assert set(models._HOMES) <= set(models.__all__)
    assert all(getattr(models, name) is not None for name in models.__all__)
    with pytest.raises(AttributeError):
        models.nothing_of_the_kind  # noqa: B018


def test_the_package_and_its_lists_import_no_http_client() -> None:
    code = "import sys, keju.models as m; m.providers(); m.presets(); m.open_model; print('aiohttp' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_every_error_of_opening_is_kejus() -> None:
    for spec in ("replay:/nowhere.jsonl", "baseline/prior", "hf/x", "openai", ".toml", "replay:"):
        with pytest.raises(KejuError):
            open_model(spec)
