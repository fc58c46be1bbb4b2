"""The cascade and the cache of perceptions, without any library: perceivers here are scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import CallFailed, Misuse
from keju.items import MediaKind, Medium
from keju.models.cascade import Cascade
from keju.models.model import Fake
from keju.models.perception import Perception, Remembered
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply

CLIP = Medium("audio", "a.mp3", data=b"clip")
OTHER_CLIP = Medium("audio", "b.mp3", data=b"other clip")
PICTURE = Medium("image", "a.png", data=b"picture")


class Scripted:
    """A perceiver that says what `say` says, and counts how often it was asked."""

    def __init__(
        self,
        say: Callable[[Medium], str] = lambda medium: medium.name,
        kind: MediaKind = "audio",
        settings: Mapping[str, Any] | None = None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.name, self.kind, self.settings = f"scripted/{kind}", kind, settings or {}
        self.asked: list[str] = []
        self.closed = False
        self._say, self._warnings = say, warnings

    async def perceive(self, medium: Medium) -> Perception:
        self.asked.append(medium.name)
        await asyncio.sleep(0)
        return Perception(self._say(medium), seconds=2.0, waited=0.5, warnings=self._warnings)

    async def close(self) -> None:
        self.closed = True


def prompt(*parts: Text | Medium, language: str = "zh-Hans", item: str = "1") -> Prompt:
    options = {"A": "茶馆", "B": "车站"}
    return Prompt(item, parts, Generation(16), "option-likelihood", language, "听录音", "他们在哪儿？", options)


def shown(cascade_of: Callable[[Fake], Cascade], asked: Prompt) -> tuple[Prompt, Reply]:
    """The prompt that the model behind the cascade was given, and the cascade's reply."""
    seen: list[Prompt] = []

    def answer(given: Prompt) -> Reply:
        seen.append(given)
        return Reply("A")

    answered = asyncio.run(cascade_of(Fake(answer)).answer(asked))
    return seen[0], answered


@pytest.mark.parametrize(
    ("language", "audio", "image", "heard"),
    [
        ("zh-Hans", "录音内容：", "图中文字：", "在车站"),
        ("zh", "录音内容：", "图中文字：", "在车站"),
        ("zh-Hant", "錄音內容：", "圖中文字：", "在車站"),
        ("zh-TW", "錄音內容：", "圖中文字：", "在車站"),
        ("en", "Recording: ", "Text in the picture: ", "在车站"),
        ("ja", "Recording: ", "Text in the picture: ", "在车站"),
    ],
)
def test_what_is_perceived_stands_first_as_labelled_parts_in_the_language_of_the_prompt(
    language: str, audio: str, image: str, heard: str
) -> None:
    seen, reply = shown(
        lambda model: Cascade(
            model,
            transcriber=Scripted(lambda _: "在车站"),
            reader=Scripted(lambda _: "售票", kind="image"),
            use_cache=False,
        ),
        prompt(Text("问题"), CLIP, PICTURE, Text("答案："), language=language),
    )
    assert seen.parts == (Text(audio + heard), Text(image + "售票"), Text("问题"), Text("答案："))
    assert reply.perceived == {"a.mp3": heard, "a.png": "售票"}


def test_all_else_of_the_prompt_and_media_that_nobody_perceives_reach_the_model_as_they_are() -> None:
    asked = prompt(Text("问题"), PICTURE, CLIP)
    seen, _ = shown(lambda model: Cascade(model, transcriber=Scripted(), use_cache=False), asked)
    assert seen.parts == (Text("录音内容：a.mp3"), Text("问题"), PICTURE)
    assert replace(seen, parts=()) == replace(asked, parts=())


def test_a_prompt_without_media_to_perceive_is_passed_on_untouched() -> None:
    asked = prompt(Text("问题"), PICTURE)
    seen, reply = shown(lambda model: Cascade(model, transcriber=Scripted(), use_cache=False), asked)
    assert seen is asked
    assert reply.perceived is None


def test_several_clips_are_numbered_and_each_is_perceived_on_its_own() -> None:
    asked = prompt(Text("问题"), CLIP, OTHER_CLIP)
    seen, reply = shown(lambda model: Cascade(model, transcriber=Scripted(), use_cache=False), asked)
    assert seen.parts[:2] == (Text("录音内容 1：a.mp3"), Text("录音内容 2：b.mp3"))
    assert reply.perceived == {"a.mp3": "a.mp3", "b.mp3": "b.mp3"}
    assert reply.stages["transcribe"] == 4.0


def test_a_transcript_takes_the_script_of_the_wording_and_printed_text_keeps_its_own() -> None:
    for language, heard in (("zh-Hans", "戏"), ("zh-Hant", "戲"), ("en", "戲")):
        _, reply = shown(
            lambda model: Cascade(
                model,
                transcriber=Scripted(lambda _: "戲"),
                reader=Scripted(lambda _: "戲", kind="image"),
                use_cache=False,
            ),
            prompt(CLIP, PICTURE, language=language),
        )
        assert reply.perceived == {"a.mp3": heard, "a.png": "戲"}


def test_where_nothing_was_perceived_the_prompt_says_so_and_the_record_holds_an_empty_text() -> None:
    quiet = Scripted(lambda _: "", warnings=("it is silent",))
    seen, reply = shown(lambda model: Cascade(model, transcriber=quiet, use_cache=False), prompt(CLIP))
    assert seen.parts == (Text("录音内容：（无）"),)
    assert reply.perceived == {"a.mp3": ""}
    assert reply.warnings == ("a.mp3: it is silent",)


def test_the_clock_holds_perception_when_it_was_done_and_not_when_it_came_from_the_cache(tmp_path: Path) -> None:
    perceiver = Scripted()
    transcriber = Remembered(perceiver, tmp_path)
    cascade = Cascade(
        Fake(lambda _: Reply("A", stages={"infer": 1.0, "queue": 0.25})), transcriber=transcriber, use_cache=False
    )
    cold = asyncio.run(cascade.answer(prompt(CLIP)))
    warm = asyncio.run(cascade.answer(prompt(CLIP, language="en")))
    assert cold.stages == {"transcribe": 2.0, "infer": 1.0, "queue": 0.75}
    assert "transcribe" not in warm.stages
    assert warm.stages["infer"] == 1.0
    assert perceiver.asked == ["a.mp3"]


def test_without_the_cache_every_medium_is_perceived_anew() -> None:
    perceiver = Scripted()
    cascade = Cascade(Fake(lambda _: "A"), transcriber=perceiver, use_cache=False)
    for _ in range(2):
        assert asyncio.run(cascade.answer(prompt(CLIP))).stages["transcribe"] == 2.0
    assert perceiver.asked == ["a.mp3", "a.mp3"]


def test_one_clip_is_perceived_while_another_item_is_answered(tmp_path: Path) -> None:
    hearing_second = asyncio.Event()

    class Ear(Scripted):
        async def perceive(self, medium: Medium) -> Perception:
            if medium is OTHER_CLIP:
                hearing_second.set()
            return await super().perceive(medium)

    class Waits(Fake):
        async def answer(self, asked: Prompt) -> Reply:
            await asyncio.wait_for(hearing_second.wait(), 5)
            return await super().answer(asked)

    async def ask() -> None:
        cascade = Cascade(Waits(lambda _: "A"), transcriber=Remembered(Ear(), tmp_path), use_cache=False)
        await asyncio.gather(cascade.answer(prompt(CLIP)), cascade.answer(prompt(OTHER_CLIP, item="2")))

    asyncio.run(ask())


def test_a_medium_that_cannot_be_perceived_is_a_failed_call_and_the_model_is_not_asked() -> None:
    def broken(medium: Medium) -> str:
        raise CallFailed(f"{medium.name} cannot be decoded", kind="medium", retryable=False)

    model = Fake(lambda _: "A")
    cascade = Cascade(model, transcriber=Scripted(broken), use_cache=False)
    with pytest.raises(CallFailed, match=r"a\.mp3 cannot be decoded"):
        asyncio.run(cascade.answer(prompt(CLIP)))
    assert model.asked == []


def test_name_and_settings_tell_what_stands_before_the_model() -> None:
    model = Fake(lambda _: "A", name="openai/gpt-4o", settings={"endpoint": "e"})
    cascade = Cascade(model, transcriber=Scripted(settings={"beam": 5}), reader=Scripted(kind="image"), use_cache=False)
    assert cascade.name == "scripted/audio+scripted/image+openai/gpt-4o"
    assert cascade.settings == {
        "transcribe": {"name": "scripted/audio", "beam": 5},
        "read": {"name": "scripted/image"},
        "model": {"name": "openai/gpt-4o", "endpoint": "e"},
    }
    json.dumps(cascade.settings)
    assert cascade.perceives == {"audio", "image"}


def test_closing_closes_the_perceivers_too() -> None:
    perceiver = Scripted()
    asyncio.run(Cascade(Fake(lambda _: "A"), transcriber=perceiver).close())
    assert perceiver.closed


def test_a_perceiver_of_the_wrong_kind_an_unknown_one_and_none_at_all_are_misuse() -> None:
    with pytest.raises(Misuse, match="cannot be the reader"):
        Cascade(Fake(lambda _: "A"), reader=Scripted())
    with pytest.raises(Misuse, match="whisper/base"):
        Cascade(Fake(lambda _: "A"), transcriber="wisper/base")
    with pytest.raises(Misuse, match="transcriber, a reader, or both"):
        Cascade(Fake(lambda _: "A"))


def test_callers_that_want_the_same_medium_at_once_share_one_piece_of_work(tmp_path: Path) -> None:
    perceiver = Scripted()
    remembered = Remembered(perceiver, tmp_path)

    async def ask() -> list[Perception]:
        return await asyncio.gather(*(remembered.perceive(CLIP) for _ in range(5)))

    perceptions = asyncio.run(ask())
    assert perceiver.asked == ["a.mp3"]
    assert [p.cached for p in perceptions] == [False, True, True, True, True]


def test_a_caller_that_leaves_does_not_take_the_work_from_the_others(tmp_path: Path) -> None:
    remembered = Remembered(Scripted(lambda _: "whole"), tmp_path)

    async def ask() -> Perception:
        first = asyncio.create_task(remembered.perceive(CLIP))
        second = asyncio.create_task(remembered.perceive(CLIP))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(ask()).text == "whole"


def test_what_is_remembered_depends_on_bytes_perceiver_and_settings_and_not_on_the_file_name(tmp_path: Path) -> None:
    one = Remembered(Scripted(), tmp_path)
    assert one.key(CLIP) == one.key(replace(CLIP, name="renamed.mp3"))
    others = [
        one.key(OTHER_CLIP),
        Remembered(Scripted(settings={"beam": 1}), tmp_path).key(CLIP),
        Remembered(Scripted(kind="image"), tmp_path).key(CLIP),
    ]
    assert len({one.key(CLIP), *others}) == 4


@given(
    text=st.text(st.characters(exclude_categories=["Cs"])),
    warnings=st.lists(st.text(max_size=20), max_size=2).map(tuple),
)
def test_the_cache_gives_back_what_was_perceived(
    tmp_path_factory: pytest.TempPathFactory, text: str, warnings: tuple[str, ...]
) -> None:
    remembered = Remembered(Scripted(lambda _: text, warnings=warnings), tmp_path_factory.mktemp("cache"))
    cold = asyncio.run(remembered.perceive(CLIP))
    warm = asyncio.run(remembered.perceive(CLIP))
    assert (warm.text, warm.warnings, warm.cached) == (cold.text, cold.warnings, True)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"text": "x"}', '{"text": "x", "seconds": "y", "warnings": []}'])
def test_a_damaged_cache_file_is_perceived_again_and_repaired(tmp_path: Path, damage: str) -> None:
    perceiver = Scripted()
    remembered = Remembered(perceiver, tmp_path)
    asyncio.run(remembered.perceive(CLIP))
    [kept] = tmp_path.rglob("*.json")
    kept.write_text(damage, encoding="utf-8")
    assert not asyncio.run(remembered.perceive(CLIP)).cached
    assert asyncio.run(remembered.perceive(CLIP)).cached
    assert len(perceiver.asked) == 2


def test_failures_are_not_remembered(tmp_path: Path) -> None:
    attempts: list[int] = []

    def flaky(_: Medium) -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise CallFailed("busy", kind="server", retryable=True)
        return "heard"

    remembered = Remembered(Scripted(flaky), tmp_path)
    with pytest.raises(CallFailed):
        asyncio.run(remembered.perceive(CLIP))
    assert asyncio.run(remembered.perceive(CLIP)).text == "heard"


def test_a_cache_that_cannot_be_written_costs_a_warning_and_not_the_answer(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    perception = asyncio.run(Remembered(Scripted(lambda _: "heard"), in_the_way / "cache").perceive(CLIP))
    assert perception.text == "heard"
    assert "not kept for next time" in perception.warnings[0]


def test_a_missing_file_is_a_failed_call(tmp_path: Path) -> None:
    gone = Medium("audio", "gone.mp3", path=tmp_path / "gone.mp3")
    with pytest.raises(CallFailed, match=r"gone\.mp3"):
        asyncio.run(Remembered(Scripted(), tmp_path).perceive(gone))
