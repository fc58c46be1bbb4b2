"""Replies that never end: read in time that grows with their length and no faster, whatever they repeat."""

from __future__ import annotations

import time

import pytest

from keju.protocols import extract
from keju.results.replies import echo_of, excerpt, language_of_reply
from marked_runs import items, marked

OPTIONS = {"A": "京剧", "B": "黄梅戏", "C": "Yue opera", "D": "Sichuan opera"}


@pytest.mark.parametrize(
    ("head", "piece", "times"),
    [
        ("the answer to", " ", 4_000),  # blanks that several parts of one pattern could take
        ("the answer for", " \t", 2_000),
        ("option", " ", 4_000),
        ("选项", "\u3000", 4_000),
        ("不是A", " ", 40_000),
        ("不是A", "\n", 40_000),
        ("```\n", " ", 40_000),  # a code fence that never closes
        ("```\n", "\n ", 20_000),
        ("answer", " is", 20_000),
        ("A", ")", 40_000),
        ("综上", "应", 40_000),
    ],
)
@pytest.mark.parametrize("parser", ["robust", "anchored"])
def test_a_reply_that_degenerates_into_blanks_is_read_at_once(head: str, piece: str, times: int, parser: str) -> None:
    started = time.process_time()
    extract(f"{head}{piece * times}x", OPTIONS, parser)
    assert time.process_time() - started < 3  # 0.2 s, and room for a busy machine; five to forty where it is squared


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("The answer to the question is B.", "B"),
        ("The answer to  is B", "B"),  # the question went with its token
        ("The answer to <|image_1|> is B", "B"),
        (f"The answer to {'x' * 60} is B", "B"),
        (f"The answer to {'x' * 61} is B", None),
        ("The answer for\n\nthat one \n is B", "B"),
        ("不是A，而是C", "C"),
        ("不是A \n 而是C", "C"),
        ("I believe it shows Option ( B )", "B"),
        ("option\u3000[C]", "C"),
        ("İT İS B", "B"),  # letters that ignoring case takes for those of ASCII
        ("I ſelect B", "B"),
        ("```\nB\n  ```", "B"),
        ('```json\n{"answer": "B"}```\n\n', "B"),
        ("```B```", "B"),
        ("``` \n```", None),
    ],
)
def test_what_a_reply_declares_does_not_depend_on_how_fast_it_is_read(reply: str, label: str | None) -> None:
    assert extract(reply, OPTIONS).label == label


def test_what_megabytes_of_one_reply_are_is_seen_from_their_beginning() -> None:
    """Its language, whether it repeats the question, and its excerpt: what comes after twenty thousand characters tells
    nothing that a table shows."""
    (mark,) = marked(items("A"), ["第0题" * 2 + "，这位演员的服装显示了京剧的特点。" * 300_000]).items
    asked = marked(items("A"), [" \n" * 1000 + "选项B" + "。" * 3_000_000]).items[0]
    started = time.process_time()
    assert language_of_reply(mark) == "zh-Hans"
    assert echo_of(mark) is None
    assert echo_of(asked) == "other-option"
    assert excerpt(mark).startswith("第0题第0题，这位")
    assert len(excerpt(mark)) == 80
    assert time.process_time() - started < 0.5  # 0.02 s; two where everything is looked at
