"""Transcribing: speech services on a real socket, given transcripts, error rates, and the command."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.cli import main
from keju.errors import BadFile, CallFailed, Misuse, RunStopped
from keju.formats.jsonl import write
from keju.items import Item, Medium, Wording
from keju.models.cascade import Cascade
from keju.models.model import Fake
from keju.models.perception import Given, Perceiver, Perception, Whisper, clip_seconds, open_perceiver
from keju.models.perception.doubts import text_doubts
from keju.models.perception.endpoint import LARGEST, EndpointTranscriber
from keju.protocols import load_protocol
from keju.results.transcripts import characters, given_references, own_references, transcript_tables, words
from keju.runs.transcribing import Transcript, clips, transcribe
from keju.runs.transport import Transport
from keju.stats.edit_distance import ErrorRate, edit_distance, error_interval, error_rate
from making import benchmark, wav
from real_failures import bug_cases
from servers.fake_openai import Asked, FakeServer, error

SPEECH = Path(__file__).parent / "data" / "speech" / "train_to_shanghai.mp3"
"""明天下午三点，我要坐火车去上海看望外婆。 Synthetic voice, 4.4 s."""
SAID = "明天下午三点，我要坐火车去上海看望外婆。"
ONCE = Transport(attempts=1)


def clip(name: str = "a.wav", seconds: float = 0.5) -> Medium:
    return Medium("audio", name, data=wav(seconds, level=3000))


def heard_item(number: int, medium: Medium, **extra: Any) -> Item:
    wording = Wording("zh-Hant", "他要去哪裡？", {"A": "上海", "B": "台北"})
    return Item(f"{number:04d}", {"zh-Hant": wording}, "A", (medium,), extra=extra)


def perceived(perceiver: Perceiver, medium: Medium) -> Perception:
    async def work() -> Perception:
        try:
            return await perceiver.perceive(medium)
        finally:
            await perceiver.close()

    return asyncio.run(work())


def form_of(asked: Asked) -> dict[str, Any]:
    """Fields of a form; a file as (name, type, bytes)."""
    head = f"Content-Type: {asked.headers['Content-Type']}\r\n\r\n".encode()
    fields: dict[str, Any] = {}
    for part in BytesParser(policy=HTTP).parsebytes(head + asked.body).iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        file = part.get_filename()
        fields[name] = (file, part.get_content_type(), content) if file else content.decode()
    return fields


def service(server: FakeServer, **options: Any) -> EndpointTranscriber:
    return EndpointTranscriber("vllm/speech", **({"model": "speech", "base_url": server.base_url} | options))


# Edit distance


def slow_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """The textbook's table."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


short = st.text("abc文", max_size=12)


@given(short, short)
def test_the_edit_distance_is_that_of_the_whole_table(a: str, b: str) -> None:
    assert edit_distance(a, b) == slow_distance(a, b)


@given(st.text(), st.text(), st.text(max_size=20))
def test_the_edit_distance_is_a_metric(a: str, b: str, c: str) -> None:
    assert (edit_distance(a, b) == 0) == (a == b)
    assert edit_distance(a, b) == edit_distance(b, a)
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)
    assert abs(len(a) - len(b)) <= edit_distance(a, b) <= max(len(a), len(b))


def test_words_are_counted_as_words_and_never_against_characters() -> None:
    assert edit_distance(["the", "cat", "sat"], ["the", "dog", "sat", "down"]) == 2
    with pytest.raises(Misuse, match="two texts or two lists"):
        edit_distance("the cat", ["the", "cat"])


def test_the_rate_over_many_is_edits_over_characters_not_the_mean_of_rates() -> None:
    rate = error_rate([("abcdefghij", "abcdefghij"), ("ab", "xy")])
    assert (rate.edits, rate.length, rate.rate) == (2, 12, 2 / 12)
    assert error_rate([("", "invented")]).rate is None


def test_the_interval_of_a_rate_holds_it_and_needs_enough_clips() -> None:
    each = [ErrorRate(n % 3, 20) for n in range(30)]
    interval = error_interval(each)
    assert interval
    assert interval.low < 30 / 600 < interval.high
    assert error_interval(each[:9]) is None


# What counts as a character


@pytest.mark.shared
@pytest.mark.parametrize("case", [c for c in bug_cases("3-media") if c.values[0]["id"] == "MD-31"])
def test_spaces_are_no_characters_of_a_chinese_transcript(case: dict[str, Any]) -> None:
    told = case["input"]
    rate = error_rate([(characters(told["reference"]), characters(told["hypothesis"]))])
    assert rate.rate == pytest.approx(case["expected"]["cer"])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("我們兩點見。", "我们两点见", True),
        ("Ｂ２ 月台！", "b2月台", True),
        ("“Hello,” he said.", "hello he said", True),
        ("三百塊", "300塊", False),
        ("臺北", "台北", True),
    ],
)
def test_script_width_case_and_punctuation_do_not_count_but_written_numbers_do(
    one: str, other: str, same: bool
) -> None:
    assert (characters(one) == characters(other)) is same


def test_only_a_script_with_spaces_has_words() -> None:
    assert words("Don't panic: it's well-known.") == ["dont", "panic", "its", "well", "known"]
    assert words("我 要 坐 火车") is None


# Doubts


@pytest.mark.shared
@pytest.mark.parametrize("case", [c for c in bug_cases("3-media") if c.values[0]["id"] == "MD-33"])
def test_a_transcript_that_repeats_itself_and_outruns_speech_is_doubted(case: dict[str, Any]) -> None:
    told = case["input"]
    doubts = " ".join(text_doubts(told["transcript"], told["audio_seconds"]))
    assert "repeats itself" in doubts
    assert f"{case['expected']['characters_per_second']:.0f} characters a second" in doubts
    assert text_doubts(SAID, 4.4) == ()
    assert text_doubts(SAID) == ()


# A speech service


def test_the_service_is_sent_the_clips_own_bytes_and_the_settings_as_a_form() -> None:
    medium = Medium("audio", "錄音.wav", data=SPEECH.read_bytes())  # an MP3 that calls itself WAV
    with FakeServer([{"json": {"text": f" {SAID}\n"}}]) as server:
        found = perceived(service(server, language="zh", extra={"prompt": "京剧", "n": 2}), medium)
    assert found.text == SAID
    assert found.seconds > 0
    assert found.warnings == ()
    assert server.requests[0].path == "/v1/audio/transcriptions"
    fields = form_of(server.requests[0])
    assert fields.pop("file") == ("clip.mp3", "audio/mpeg", medium.data)
    assert fields == {
        "model": "speech",
        "temperature": "0",
        "response_format": "json",
        "language": "zh",
        "prompt": "京剧",
        "n": "2",
    }


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (error(429, "slow down", headers={"Retry-After": "2"}), "rate-limit", True),
        (error(503, "overloaded"), "server", True),
        (error(400, "unsupported codec"), "bad-request", False),
        ({"json": {"error": {"message": "upstream broke", "code": 502}}}, "server", True),
        ({"text": "<html>hello</html>"}, "bad-reply", True),
        ({"json": {"segments": []}}, "bad-reply", True),
        ({"close": True}, "connection", True),
    ],
)
def test_what_goes_wrong_at_the_service_is_a_failed_call_of_its_kind(
    answer: dict[str, Any], kind: str, retryable: bool
) -> None:
    with FakeServer([answer]) as server, pytest.raises(CallFailed) as failure:
        perceived(service(server), clip())
    assert (failure.value.kind, failure.value.retryable) == (kind, retryable)


def test_a_service_that_hangs_fails_after_the_timeout() -> None:
    with FakeServer([{"json": {"text": "x"}, "delay_s": 5}]) as server, pytest.raises(CallFailed) as failure:
        perceived(service(server, timeout=0.2), clip())
    assert failure.value.kind == "timeout"


def test_a_wrong_key_stops_and_is_never_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPEECH_KEY", "sk-secret")
    with FakeServer([error(401, "bad key sk-secret", "invalid_api_key")]) as server:
        file = tmp_path / "speech.toml"
        file.write_text(f'model = "openai/whisper-1:zh"\nbase_url = "{server.base_url}"\nkey_env = "SPEECH_KEY"\n')
        perceiver = open_perceiver(str(file))
        assert perceiver.name == "openai/whisper-1:zh"
        with pytest.raises(RunStopped, match="refuses the key from SPEECH_KEY") as stop:
            perceived(perceiver, clip())
    assert server.requests[0].headers["Authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in str(stop.value) + json.dumps(dict(perceiver.settings))


def test_an_empty_transcript_is_kept_empty_and_doubted() -> None:
    with FakeServer([{"json": {"text": "  "}}]) as server:
        found = perceived(service(server), clip())
    assert found.text == ""
    assert "heard nothing" in found.warnings[0]


@pytest.mark.parametrize("data", [b"", b"<html>404</html>", b"\x89PNG\r\n\x1a\n" + b"\0" * 20])
def test_what_is_no_recording_is_not_sent(data: bytes) -> None:
    with FakeServer([{"json": {"text": "x"}}]) as server, pytest.raises(CallFailed, match="not a recording") as failure:
        perceived(service(server), Medium("audio", "a.mp3", data=data))
    assert (failure.value.kind, server.requests) == ("medium", [])


@pytest.mark.shared
@pytest.mark.parametrize("case", [c for c in bug_cases("3-media") if c.values[0]["id"] == "MD-35"])
def test_a_clip_above_the_services_limit_is_refused_before_it_is_sent(case: dict[str, Any]) -> None:
    assert case["input"]["limit_bytes"] == LARGEST
    with FakeServer([{"json": {"text": "x"}}]) as server:
        allowed = []
        for size in case["input"]["sizes_bytes"]:
            data = wav(0.1).ljust(size, b"\0")
            try:
                perceived(service(server), Medium("audio", "long.wav", data=data))
                allowed.append(True)
            except CallFailed as failure:
                allowed.append(failure.kind != "medium")
    assert allowed == case["expected"]["allowed"]
    assert len(server.requests) == 1


def test_a_cascade_reads_what_a_service_heard() -> None:
    asked: list[str] = []
    with FakeServer([{"json": {"text": "我要去上海"}}]) as server:
        model = Cascade(
            Fake(lambda prompt: asked.append(prompt.text) or "A"),  # type: ignore[func-returns-value]
            transcriber=service(server),
            use_cache=False,
        )
        reply = asyncio.run(_answered(model, heard_item(1, clip())))
    assert "錄音內容：我要去上海" in asked[0]
    assert reply.stages["transcribe"] > 0


async def _answered(model: Cascade, item: Item) -> Any:
    try:
        return await model.answer(load_protocol("multi-tw").prompt(item))
    finally:
        await model.close()


# Names and files


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("whisper/base:zh", {"language": "zh", "vad": False}),
        ("whisper/base:vad", {"language": "detected", "vad": True}),
        ("whisper/base:zh,batch=4", {"language": "zh", "vad": True, "batch": 4}),
    ],
)
@pytest.mark.embedded
def test_how_whisper_listens_stands_after_a_colon(name: str, settings: dict[str, Any]) -> None:
    pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    perceiver = open_perceiver(name)
    assert perceiver.name == name
    assert settings.items() <= perceiver.settings.items()


def test_a_service_without_an_address_or_key_says_what_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(Misuse, match="OPENAI_API_KEY"):
        open_perceiver("openai/whisper-1")
    with pytest.raises(Misuse, match=r"base_url = .*--transcriber FILE\.toml"):
        open_perceiver("openai-compatible/whisper-1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('model = "whisper/base"', "is no speech service"),
        ('model = "vllm/speech"\nstream = true', "stream means nothing to a transcriber"),
        ('model = "vllm/speech"\nextra = {language = "zh"}', "cannot set language"),
        ('model = "vllm/speech"\nbase_url = "nowhere"', "no web address"),
    ],
)
def test_a_bad_model_file_of_a_transcriber_is_named_with_its_fault(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "speech.toml"
    file.write_text(text)
    with pytest.raises(Misuse, match=re.escape(says)):
        open_perceiver(str(file))


def test_given_transcripts_are_found_by_bytes_then_by_name(tmp_path: Path) -> None:
    known, named, failed = clip("a.wav"), clip("b.wav", 0.6), clip("c.wav", 0.7)
    rows = [
        {"name": "renamed.wav", "sha256": known.sha256, "text": "甲"},
        {"name": "b.wav", "text": "乙\u2028"},
        {"name": "c.wav", "error": {"kind": "medium", "message": "broken"}},
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    perceiver = open_perceiver(str(file))
    assert isinstance(perceiver, Given)
    assert [perceived(perceiver, m).text for m in (known, named)] == ["甲", "乙"]
    assert perceived(perceiver, known).cached
    with pytest.raises(CallFailed, match=r"holds no transcript of c\.wav"):
        perceived(perceiver, failed)


@pytest.mark.parametrize(
    ("line", "says"),
    [("{", "t.jsonl:1: not JSON"), ("[]", "t.jsonl:1: not a transcript"), ('{"name": "a", "text": 3}', ":1: `text`")],
)
def test_a_bad_line_of_given_transcripts_is_named(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(line)
    with pytest.raises(BadFile, match=re.escape(says)):
        open_perceiver(str(file))
    with pytest.raises(BadFile, match="cannot be read"):
        open_perceiver(str(tmp_path / "absent.jsonl"))


# All clips of a benchmark


class Scripted:
    """A perceiver that says what it is told, by medium name; an exception is raised once for each time it stands."""

    name = "scripted/audio"
    kind = "audio"

    def __init__(self, **said: Any) -> None:
        self.settings: dict[str, Any] = {}
        self.said = {name: value if isinstance(value, list) else [value] for name, value in said.items()}
        self.asked: list[str] = []

    async def perceive(self, medium: Medium) -> Perception:
        self.asked.append(medium.name)
        answers = self.said[medium.name]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Perception(answer, 2.0)

    async def close(self) -> None: ...


def made(items: Sequence[Item]) -> Any:
    from dataclasses import replace

    return replace(benchmark(1), items=tuple(items))


def transcribed(todo: Sequence[Transcript], perceiver: Any, transport: Transport = ONCE) -> list[Transcript]:
    return asyncio.run(transcribe(todo, perceiver, transport=transport, in_flight=2, heard=lambda _: None))


def test_a_clip_that_several_items_play_is_transcribed_once() -> None:
    shared = clip("a")
    todo = clips([heard_item(1, shared), heard_item(2, shared), heard_item(3, clip("b", 0.6))])
    perceiver = Scripted(a="甲", b="乙")
    done = transcribed(todo, perceiver)
    assert [(one.medium.name, one.items, one.text) for one in done] == [
        ("a", ("0001", "0002"), "甲"),
        ("b", ("0003",), "乙"),
    ]
    assert sorted(perceiver.asked) == ["a", "b"]


def test_a_clip_is_tried_again_where_that_can_help_and_else_fails_without_a_text() -> None:
    busy = CallFailed("busy", kind="server", retryable=True)
    broken = CallFailed("broken", kind="medium", retryable=False)
    todo = clips([heard_item(1, clip("a")), heard_item(2, clip("b", 0.6))])
    done = transcribed(todo, Scripted(a=[busy, "甲"], b=broken), Transport(attempts=2, backoff=0.0))
    assert [one.text for one in done] == ["甲", None]
    assert done[1].to_json() == {
        "name": "b",
        "items": ["0002"],
        "error": {"kind": "medium", "message": "broken"},
    }


def test_items_without_audio_leave_nothing_to_transcribe() -> None:
    with pytest.raises(Misuse, match="none of these items has audio"):
        clips(benchmark(2))


def test_references_are_the_items_own_or_a_files_and_must_agree(tmp_path: Path) -> None:
    a, b = clip("a"), clip("b", 0.6)
    both = made([heard_item(1, a, transcript="去上海。"), heard_item(2, a, transcript="去上海"), heard_item(3, b)])
    assert own_references(both, clips(both)) == ["去上海。", None]
    torn = made([heard_item(1, a, transcript="去上海"), heard_item(2, a, transcript="去台北")])
    with pytest.raises(Misuse, match="a: its items have different transcripts"):
        own_references(torn, clips(torn))
    with pytest.raises(Misuse, match="no item of made has a `transcript`"):
        own_references(made([heard_item(1, b)]), clips([heard_item(1, b)]))
    file = tmp_path / "r.jsonl"
    file.write_text('{"id": "0003", "text": "乙"}\n')
    assert given_references(file, clips(both)) == [None, "乙"]
    file.write_text('{"id": "9", "text": "乙"}\n')
    with pytest.raises(BadFile, match="speaks of none of these clips"):
        given_references(file, clips(both))


def test_the_tables_give_the_rate_of_each_clip_and_of_all_and_leave_failures_out_of_rates_only() -> None:
    names = ["a", "b", "c"]
    todo = clips([heard_item(n, clip(name, n / 10)) for n, name in enumerate(names, 1)])
    broken = CallFailed("broken", kind="medium", retryable=False)
    done = transcribed(todo, Scripted(a="我要去上海", b="The cat sat.", c=broken))
    each, overall = transcript_tables(done, [4.0, 1.0, None], ["我要去台北。", "the cat sat down", "x"])
    assert [row.get("cer") for row in each.rows] == [2 / 5, 4 / 13, None]
    assert [row.get("wer") for row in each.rows] == [None, 1 / 4, None]
    assert [row.get("clip_s_per_s") for row in each.rows] == [2.0, 0.5, None]
    (row,) = overall.rows
    assert (row["clips"], row["failed"], row["compared"]) == (3, 1, 2)
    assert row["cer"] == pytest.approx(6 / 18)
    assert row["wer"] == 1 / 4
    assert row["clip_s_per_s"] == 5 / 4
    assert any("1 of 3 clips failed or have no reference" in note for note in overall.notes)


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark of two items with audio, in a folder with an empty cache beside it."""
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    items = [
        heard_item(1, clip("a.wav"), transcript="我要去上海"),
        heard_item(2, Medium("audio", "broken.wav", data=b"RIFF")),
    ]
    write(made(items), tmp_path / "exam")
    return tmp_path


def test_the_command_writes_a_line_a_clip_and_what_it_wrote_can_be_the_transcriber(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer([{"json": {"text": "我要去上还"}}]) as server:
        (folder / "speech.toml").write_text(f'model = "vllm/speech"\nbase_url = "{server.base_url}"\n')
        command = ["transcribe", "exam", "--transcriber", "speech.toml", "--script", "hant", "--reference", "--json"]
        code = main([*command, "-o", "t.jsonl", "--attempts", "1"])
        main([*command])
    printed = capsys.readouterr()
    assert code == 3  # one clip failed
    assert "broken.wav is of no known kind" in printed.err
    assert len(server.requests) == 1  # the second time it came from the cache
    first, second = (json.loads(line) for line in (folder / "t.jsonl").read_text(encoding="utf-8").splitlines())
    assert (first["name"], first["text"], first["cached"]) == ("a.wav", "我要去上還", False)
    assert "text" not in second
    assert second["error"]["kind"] == "medium"
    document = json.loads(printed.out[: printed.out.index("\n}") + 2])
    assert document["tables"][1]["rows"][0]["cer"] == 1 / 5
    assert main(["transcribe", "exam", "--transcriber", "t.jsonl", "--limit", "1"]) == 0
    assert "我要去上還" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--transcriber", "nobody/x"], "nothing is called 'nobody/x'"),
        (["--transcriber", "t.jsonl", "--concurrency", "0"], "concurrency must be at least 1"),
        (["--transcriber", "t.jsonl", "--reference", "absent.jsonl"], "absent.jsonl cannot be read"),
        (["--transcriber", "t.jsonl", "-o", "file/t.jsonl"], "cannot be written"),
    ],
)
def test_a_mistake_is_a_message(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    (folder / "t.jsonl").write_text('{"name": "a.wav", "text": "x"}\n')
    (folder / "file").write_text("")
    assert main(["transcribe", "exam", *arguments]) == 2
    assert says in capsys.readouterr().err


# Whisper itself


@pytest.mark.embedded
def test_the_length_of_a_clip_is_counted_from_its_packets() -> None:
    pytest.importorskip("av", reason="the extra `embedded` is not installed")
    assert clip_seconds(clip(seconds=0.5)) == pytest.approx(0.5)
    assert clip_seconds(Medium("audio", "s", SPEECH)) == pytest.approx(4.4, abs=0.2)
    assert clip_seconds(Medium("audio", "x", data=b"not audio")) is None
    assert clip_seconds(Medium("audio", "x")) is None


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.timeout(600)  # a busy laptop takes a second for a second of speech
def test_a_clip_of_more_than_a_minute_is_transcribed_whole_in_batches() -> None:
    faster_whisper = pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    import numpy as np

    import keju
    from test_perception import RATE
    from test_perception import wav as wav_of

    spoken = {
        item.media[0].name: item
        for item in keju.load("teahouse").select(where={"task": "Passage Comprehension"})
        if len(item.extra["transcript"]) > 60
    }
    parts, said = [], ""
    for item in list(spoken.values())[:5]:
        parts += [faster_whisper.decode_audio(str(item.media[0].path), sampling_rate=RATE), np.zeros(RATE // 2)]
        said += item.extra["transcript"]
    whole = np.concatenate(parts)
    assert len(whole) > 60 * RATE
    found = perceived(Whisper(language="zh", batch=4), wav_of(whole.tolist()))
    rate = error_rate([(characters(said), characters(found.text))])
    assert rate.rate is not None
    assert rate.rate < 0.3  # Whisper base: a quarter, by the processor; a window dropped would cost a third of it more
