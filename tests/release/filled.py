"""Settings of a release whose every required field is filled, and benchmarks to release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import keju
from keju.benchmark import Benchmark
from keju.release import Creator, People, Settings, Source
from keju.release.prose import QUESTIONS


def settings(**changed: Any) -> Settings:
    """Whole settings, with what a test wants otherwise."""
    whole = Settings(
        title="Teahouse",
        title_zh="茶馆",
        version="1.2.0",
        date="2026-03-31",
        license="CC-BY-4.0",
        description="Sixty questions.",
        description_zh="六十题。",
        url="https://example.org/teahouse",
        canary="0ce2ace3-cdca-46d9-ac7a-c7c0f7183a1a",
        keywords=("opera", "戏曲"),
        collection_types=("Manual Human Curation",),
        collection_start="2025-09-01",
        collection_end="2026-01-31",
        creators=(Creator("Mei Lin", family="Lin", given="Mei", affiliation="Opera School"), Creator("Opera Archive")),
        sources=(
            Source("questions and drawings", "own", ("text", "images")),
            Source("voices", "Apache-2.0", ("audio",), attribution="Voices: Kokoro", url="https://example.org/voices"),
        ),
        people=People(recognisable="no"),
        changes={"1.2.0": "Twelve clips were added.", "1.1.0": "First release."},
        datasheet={key: f"About {key}: 已说明。" for key, question in QUESTIONS.items() if question.required},
    )
    return replace(whole, **changed)


def toml() -> str:
    """The text of a release.toml, filled in as a user does it."""
    return TOML + "".join(f'{key} = "About it."\n' for key, question in QUESTIONS.items() if question.required)


TOML = """
title = "Teahouse"
version = "1.0.0"
date = "2026-03-31"
license = "cc-by-4.0"
description = "Sixty questions."
url = "https://example.org/teahouse"
canary = "0ce2ace3-cdca-46d9-ac7a-c7c0f7183a1a"
collection_types = ["Manual Human Curation"]
collection_start = "2025-09-01"
collection_end = "2026-01-31"

[[creators]]
name = "Opera Archive"

[[sources]]
what = "everything"
license = "own"

[people]
recognisable = "no"

[changes]
"1.0.0" = "First release."

[datasheet]
"""


def teahouse() -> Benchmark:
    """The demo: pictures and clips, three languages, three splits."""
    return keju.load("teahouse")


def a_few(ids: int = 3) -> Benchmark:
    """Some items of the demo from each split, of both media; quick to release."""
    whole = teahouse()
    chosen: list[str] = []
    for split in ("train", "val", "test"):
        for modality in ("image", "audio"):
            there = [item.id for item in whole if item.split == split and item.modality == modality]
            chosen += there[:ids]
    return whole.select(ids=chosen)
