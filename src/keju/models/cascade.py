"""A cascade: perception turns media into text, then any model answers (Multi-TW's Whisper + vision-language model)."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keju.errors import Misuse
from keju.items import MediaKind, Medium
from keju.models.model import Model
from keju.models.perception import Given, Perceiver, Perception, Remembered, open_perceiver
from keju.prompts import Part, Prompt, Text
from keju.records import Reply
from keju.script import to_simplified, to_traditional

LABELS: Mapping[tuple[MediaKind, str], str] = {
    ("audio", "hans"): "录音内容{n}：{text}",
    ("audio", "hant"): "錄音內容{n}：{text}",
    ("audio", "other"): "Recording{n}: {text}",
    ("image", "hans"): "图中文字{n}：{text}",
    ("image", "hant"): "圖中文字{n}：{text}",
    ("image", "other"): "Text in the picture{n}: {text}",
}
NOTHING_PERCEIVED = {"hans": "（无）", "hant": "（無）", "other": "(none)"}

STAGE: Mapping[MediaKind, str] = {"audio": "transcribe", "image": "read"}


class Cascade:
    """Answers with `model`, which is given text in place of audio (`transcriber`), of pictures (`reader`), or of both.

    What is perceived stands before the other text, each medium as a labelled part of its own; media of a kind that
    nobody perceives, and all else of the prompt, reach the model as they are. A perception from the cache leaves no
    stage in the reply's clock, so that cold and warm latencies are never mixed.
    `use_cache=False` perceives every medium anew.
    """

    def __init__(
        self,
        model: Model,
        *,
        transcriber: Perceiver | str | None = None,
        reader: Perceiver | str | None = None,
        use_cache: bool = True,
        name: str | None = None,
    ) -> None:
        self._model = model
        self._perceivers: dict[MediaKind, Perceiver] = {}
        given: tuple[tuple[MediaKind, Perceiver | str | None], ...] = (("audio", transcriber), ("image", reader))
        for kind, one in given:
            if one is not None:
                perceiver = _of_kind(kind, open_perceiver(one) if isinstance(one, str) else one)
                keeps = use_cache and not isinstance(perceiver, Given)  # a file is remembered already
                self._perceivers[kind] = Remembered(perceiver) if keeps else perceiver
        if not self._perceivers:
            raise Misuse("a cascade needs a transcriber, a reader, or both")
        self.name = name or "+".join([*(p.name for p in self._perceivers.values()), model.name])
        self.settings: Mapping[str, Any] = {
            **{STAGE[kind]: {"name": p.name, **p.settings} for kind, p in self._perceivers.items()},
            "model": {"name": model.name, **model.settings},
        }
        self.concurrency = model.concurrency + 2  # one medium is perceived and one waits while the model is busy
        self.default_protocol: str | None = getattr(model, "default_protocol", None)

    @property
    def sends(self) -> frozenset[MediaKind]:
        """Media that still go to a server, behind the perception."""
        behind: frozenset[MediaKind] = getattr(self._model, "sends", frozenset())
        return behind - self.perceives

    @property
    def takes(self) -> frozenset[MediaKind]:
        """Media that the model behind the perception still takes itself."""
        behind: frozenset[MediaKind] = getattr(self._model, "takes", self.sends)
        return behind - self.perceives

    @property
    def perceives(self) -> frozenset[MediaKind]:
        """Kinds of media that the model is given as text."""
        return frozenset(self._perceivers)

    @property
    def perceives_anew(self) -> frozenset[MediaKind]:
        """Those of them that cost work where nothing is cached; text from a file never does."""
        return frozenset(kind for kind, p in self._perceivers.items() if not isinstance(p, Given))

    @property
    def discovered(self) -> Mapping[str, Any]:
        """What the model found out about its endpoint while it was asked."""
        found: Mapping[str, Any] = getattr(self._model, "discovered", {})
        return found

    async def answer(self, prompt: Prompt) -> Reply:
        media = [medium for medium in prompt.media if medium.kind in self._perceivers]
        if not media:
            return await self._model.answer(prompt)
        perceived = await asyncio.gather(*(self._perceivers[medium.kind].perceive(medium) for medium in media))
        found = [
            replace(p, text=_in_script(p.text, prompt.language)) if m.kind == "audio" else p
            for m, p in zip(media, perceived, strict=True)
        ]
        reply = await self._model.answer(_retold(prompt, media, found))
        return replace(
            reply,
            perceived={m.name: p.text for m, p in zip(media, found, strict=True)},
            stages=_clock(reply, media, found),
            warnings=(
                *(f"{m.name}: {w}" for m, p in zip(media, found, strict=True) for w in p.warnings),
                *reply.warnings,
            ),
        )

    async def close(self) -> None:
        """Close the model and what perceives for it."""
        await self._model.close()
        for perceiver in self._perceivers.values():
            await perceiver.close()


def _of_kind(kind: MediaKind, perceiver: Perceiver) -> Perceiver:
    if perceiver.kind != kind:
        role = "transcriber" if kind == "audio" else "reader"
        raise Misuse(f"{perceiver.name} turns {perceiver.kind} into text, so it cannot be the {role}")
    return perceiver


def _retold(prompt: Prompt, media: Sequence[Medium], found: Sequence[Perception]) -> Prompt:
    """`prompt` with what was found in `media` in their place, before all else."""
    script = _script(prompt.language)
    kinds, seen = Counter(m.kind for m in media), Counter[str]()
    told: list[Part] = []
    for medium, perception in zip(media, found, strict=True):
        seen[medium.kind] += 1
        number = f" {seen[medium.kind]}" if kinds[medium.kind] > 1 else ""
        text = perception.text or NOTHING_PERCEIVED[script]
        told.append(Text(LABELS[medium.kind, script].format(n=number, text=text)))
    rest = [part for part in prompt.parts if isinstance(part, Text) or part.kind not in kinds]
    return replace(prompt, parts=(*told, *rest))


def _clock(reply: Reply, media: Sequence[Medium], found: Sequence[Perception]) -> dict[str, float]:
    stages = defaultdict(float, reply.stages)
    for medium, perception in zip(media, found, strict=True):
        stages["queue"] += perception.waited
        if not perception.cached:
            stages[STAGE[medium.kind]] += perception.seconds
    return dict(stages)


def _script(language: str) -> str:
    tags = language.lower().split("-")
    if tags[0] != "zh":
        return "other"
    return "hant" if {"hant", "tw", "hk", "mo"} & set(tags) else "hans"


def _in_script(text: str, language: str) -> str:
    """A transcript in the script of the wording: a recording has none of its own, a picture's text has."""
    convert = {"hans": to_simplified, "hant": to_traditional}.get(_script(language))
    return convert(text) if convert else text
