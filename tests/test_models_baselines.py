"""Baselines, and the check that media arrived."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.items import Item, Medium, Wording
from keju.models import arrival_warning, check_arrival, without_media
from keju.models.baselines import NAMES, open_baseline, overlaps
from keju.models.model import Fake
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply, Usage

OPTIONS = {"A": "车站", "B": "图书馆里", "C": "医院", "D": "家"}


def prompt(item: str = "1", *texts: str, options: dict[str, str] = OPTIONS, **more: Any) -> Prompt:
    parts = tuple(Text(text) for text in texts)
    given = {
        "scoring": "generate",
        "language": "zh-Hans",
        "instruction": "",
        "question": "",
        "options": options,
        **more,
    }
    return Prompt(item, parts, Generation(10), **given)


def reply(name: str, one: Prompt, **options: Any) -> Reply:
    return asyncio.run(open_baseline(name, **options).answer(one))


def draws(items: Iterable[int], seed: int = 0) -> list[str]:
    async def all_of_them() -> list[str]:
        model = open_baseline("random", seed=seed)
        return [(await model.answer(prompt(str(i)))).text for i in items]

    return asyncio.run(all_of_them())


def benchmark(*keys: tuple[str | None, str | None]) -> Benchmark:
    wordings = {"zh-Hans": Wording("zh-Hans", "题", OPTIONS)}
    return Benchmark("b", tuple(Item(str(i), wordings, key, split=split) for i, (key, split) in enumerate(keys)))


def test_random_draws_uniformly_and_the_same_for_the_same_seed_and_item() -> None:
    drawn, other = draws(range(2000)), draws(range(2000), seed=1)
    again = draws(reversed(range(2000)))[::-1]
    assert drawn == again
    assert drawn != other
    # 2,000 draws of 4: 500 each, standard deviation 19.4; four of them are allowed
    assert all(abs(n - 500) < 78 for n in Counter(drawn).values())


def test_random_draws_only_labels_that_the_item_has() -> None:
    assert {reply("random", prompt(str(i), options={"A": "是", "B": "否"})).text for i in range(50)} == {"A", "B"}


def test_always_says_its_label_even_where_the_item_lacks_it() -> None:
    assert reply("always-c", prompt()).text == "C"
    assert reply("always-e", prompt()).text == "E"


def test_longest_option_and_its_ties_favour_no_label() -> None:
    assert reply("longest-option", prompt()).text == "B"
    tied = {reply("longest-option", prompt(str(i), options={"A": "甲", "B": "乙"})).text for i in range(50)}
    assert tied == {"A", "B"}


def test_prior_counts_the_training_split_where_there_is_one_and_says_so() -> None:
    split = open_baseline("prior", benchmark=benchmark(("A", "test"), ("A", "test"), ("B", "train")))
    whole = open_baseline("prior", benchmark=benchmark(("C", None), ("A", None), ("C", None), (None, None)))
    assert split.settings == {"label": "B", "counted_in": "split train"}
    assert whole.settings["label"] == "C"
    assert "all items" in whole.settings["counted_in"]


@pytest.mark.parametrize("given", [None, benchmark((None, None))])
def test_prior_without_keys_is_refused(given: Benchmark | None) -> None:
    with pytest.raises(Misuse, match="keys"):
        open_baseline("prior", benchmark=given)


def test_overlap_takes_the_option_that_the_transcript_holds() -> None:
    """The transcript comes as a part before the question sheet, which holds every option and must not count."""
    sheet = "地点是哪里？\nA: 车站\nB: 图书馆里\nC: 医院\nD: 家\n请回答"
    assert reply("overlap", prompt("1", "录音内容：我在医院等你。", sheet)).text == "C"
    assert reply("overlap", prompt("1", "录音内容：我在医院等你。\n", "问题：地点？\n答案：")).text == "C"


def test_overlap_reads_the_question_and_ignores_case_and_marks() -> None:
    assert overlaps(prompt(options={"A": "Beijing!", "B": "xyz"}, question="BEIJING?")) == {"A": 1.0, "B": 0.0}


def test_overlap_with_nothing_to_see_draws() -> None:
    assert {reply("overlap", prompt(str(i))).text for i in range(100)} == set("ABCD")


def test_empty_option_texts_raise_nothing() -> None:
    for name in ("random", "longest-option", "overlap"):
        assert reply(name, prompt(options={"A": "", "B": ""})).text in "AB"
        assert reply(name, prompt(options={})).text == ""


def test_under_likelihood_scoring_a_baseline_gives_scores_that_json_holds() -> None:
    scored = reply("always-b", prompt(scoring="option-likelihood"))
    assert scored.scores is not None
    assert max(scored.scores, key=lambda label: (scored.scores or {})[label]) == "B"
    json.loads(json.dumps(scored.scores, allow_nan=False))


def test_every_baseline_that_is_listed_opens() -> None:
    opened = [open_baseline(name, benchmark=benchmark(("A", None))) for name in NAMES]
    assert [one.name for one in opened] == [f"baseline/{name}" for name in NAMES]
    for one in opened:
        json.dumps(one.settings)


WITH = Prompt(
    "7",
    (Text("听"), Medium("audio", "7.mp3", data=b"ID3")),
    Generation(1),
    "generate",
    "zh-Hant",
    "",
    "",
    {"A": "", "B": ""},
)


def counting(with_media: int | None, without: int | None) -> Fake:
    return Fake(lambda one: Reply("A", usage=Usage(with_media if one.media else without)))


@pytest.mark.parametrize(
    ("with_media", "without", "warned"),
    [(17, 17, True), (12, 17, True), (900, 17, False), (None, 17, False), (17, None, False)],
)
def test_a_medium_that_costs_no_tokens_is_warned_of(with_media: int | None, without: int | None, warned: bool) -> None:
    """A server that dropped the clip answers all the same; only its token count betrays it."""
    warning = asyncio.run(check_arrival(counting(with_media, without), WITH, without_media(WITH)))
    assert (warning is not None) == warned
    assert warning is None or ("audio of item 7" in warning and "17" in warning)


def test_replies_without_usage_say_nothing() -> None:
    assert arrival_warning(WITH, Reply("A"), Reply("A")) is None
