"""Names, the transport policy, studies and costs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import BadFile, CallFailed, RunStopped
from keju.items import Medium
from keju.phrase import in_chinese
from keju.protocols import load_protocol
from keju.records import Record, Usage
from keju.runs.cost import cost_of, estimate, load_prices
from keju.runs.foreign import remark
from keju.runs.names import run_folder
from keju.runs.run import Run
from keju.runs.study import load_study
from keju.runs.transport import Transport
from making import benchmark, item


def test_a_run_folder_says_what_it_holds() -> None:
    folder = run_folder(Path("runs"), "opera", "openai/gpt-4o", "tco", {"language": "en"})
    assert folder == Path("runs/opera/openai__gpt-4o.tco.language=en")


def test_waits_double_and_are_capped() -> None:
    policy = Transport(attempts=9, backoff=1, backoff_cap=8)
    failure = CallFailed("x", kind="server", retryable=True)
    waits = [policy.wait_after(failure, attempt) for attempt in range(1, 10)]
    assert waits[-1] is None
    for attempt, wait in enumerate(waits[:-1], 1):
        assert wait is not None
        assert min(8, 2 ** (attempt - 1)) / 2 <= wait <= min(8, 2 ** (attempt - 1))


def test_a_server_wait_is_the_least_and_a_long_one_stops() -> None:
    policy = Transport(max_wait=120)
    assert policy.wait_after(CallFailed("x", kind="rate-limit", retryable=True, retry_after=50), 1) == 50
    with pytest.raises(RunStopped, match="121 s"):
        policy.wait_after(CallFailed("x", kind="rate-limit", retryable=True, retry_after=121), 1)
    assert policy.wait_after(CallFailed("x", kind="bad-request", retryable=False), 1) is None


def test_what_marking_again_leaves_out_is_said_in_both_languages() -> None:
    asked = benchmark(4)
    run = Run("m", asked, load_protocol("tco"), {each.id: Record(each.id, "answered", "A") for each in asked})
    first, second, third, _ = asked
    reworded = replace(second, wordings={tag: replace(w, question="?") for tag, w in second.wordings.items()})
    other = next(label for label in third.options if label != third.answer)
    now = replace(asked, items=(first, reworded, replace(third, answer=other)))
    again = remark(run, now)
    assert list(again.benchmark.ids) == [first.id, third.id]
    assert [(p.code, in_chinese(p.message) != p.message) for p in again.benchmark.problems] == [
        ("stale", True),
        ("rescored", True),
        ("gone", True),
    ]


STUDY = """
[study]
benchmarks = ["made", "elsewhere"]
models = ["openai/gpt-4o", "mine.toml"]
protocols = ["tco", "robust"]
variants = [[], ["language=en", "shuffle=3"]]
limit = 5
"""


def test_a_study_is_the_whole_matrix(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    (tmp_path / "made").mkdir()
    (tmp_path / "mine.toml").write_text("", encoding="utf-8")
    study = load_study(path)
    cells = list(study)
    assert len(cells) == len(set(cells)) == 16
    assert study.out == tmp_path / "runs"
    assert study.limit == 5
    assert {c.benchmark for c in cells} == {str(tmp_path / "made"), "elsewhere"}
    assert {c.model for c in cells} == {"openai/gpt-4o", str(tmp_path / "mine.toml")}


def test_a_study_without_protocols_leaves_them_to_each_benchmarks_paper(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[study]\nbenchmarks = ['x']\nmodels = ['a/b']\n", encoding="utf-8")
    assert [cell.protocol for cell in load_study(path)] == [None]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"\[study\]"),
        ("[study]\nbenchmarks = ['x']\nmodels = ['a/b']\nprotocols = []", "`protocols` must list at least one"),
        ("[study]\nmodels = ['a/b']", "`benchmarks` must list at least one"),
        ("[study]\nbenchmarks = 'x'\nmodels = ['a/b']", "list of strings"),
        ("[study]\nbenchmarks = ['x']\nmodels = ['a/b']\nlimit = 'ten'", "`limit` must be a whole number, not 'ten'"),
        ("[study]\nbenchmarks = ['x']\nmodells = ['a/b']", "unknown key modells"),
        ("[study", "study.toml"),
    ],
)
def test_a_faulty_study_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=says):
        load_study(path)


def test_an_estimate_counts_requests_bytes_and_missing_media(tmp_path: Path) -> None:
    bench = benchmark(3, folder=tmp_path)
    absent = replace(item(4), media=(Medium("image", "gone.png", tmp_path / "gone.png"),))
    protocol = load_protocol("tco")
    figures = estimate(protocol.prompt(i) for i in (*bench, absent))
    media = sum((tmp_path / f"{i.id}.png").stat().st_size * 4 // 3 for i in bench)
    text = sum(len(protocol.prompt(i).text.encode()) for i in bench)
    assert (figures.requests, figures.missing_media) == (3, 1)
    assert figures.bytes == media + text
    assert figures.output_tokens == 3 * protocol.generation.max_tokens


def test_cost_counts_what_the_server_counted(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('["openai/gpt-4o"]\ninput = 2.5\noutput = 10\n', encoding="utf-8")
    price = load_prices(path)["openai/gpt-4o"]
    records = [
        Record("1", "answered", "A", usage=Usage(1000, 1)),
        Record("2", "answered", "A"),
        Record("3", "failed"),
    ]
    assert cost_of(records, price) == (pytest.approx((1000 * 2.5 + 10) / 1e6), 1)
    path.write_text("['x']\ninput = 'free'\n", encoding="utf-8")
    with pytest.raises(BadFile, match="x"):
        load_prices(path)


@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
def test_a_medium_that_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "z.png"
    match kind:
        case "device":
            path.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()
    medium = Medium("image", "z.png", path)
    for look in (medium.read, medium.head, medium.file, lambda: medium.sha256, lambda: list(medium.portions(9))):
        with pytest.raises(CallFailed, match=r"z\.png is not a regular file") as caught:
            look()
        assert (caught.value.kind, caught.value.retryable) == ("medium", False)
    assert (medium.exists, medium.identity) == (False, "absent")


@given(
    st.builds(
        Record,
        id=st.text(min_size=1, max_size=8),
        status=st.sampled_from(["answered", "truncated", "blocked", "failed"]),
        text=st.none() | st.text(max_size=40),
        attempts=st.integers(1, 9),
        usage=st.none() | st.builds(Usage, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)),
        media=st.lists(st.text("0123456789abcdef", min_size=16, max_size=16), max_size=2).map(tuple),
        warnings=st.lists(st.text(max_size=9), max_size=2).map(tuple),
    )
)
def test_a_record_survives_its_line(record: Record) -> None:
    import json

    line = json.dumps(record.to_json(), ensure_ascii=False)
    again = Record.from_json(json.loads(line))
    assert again.to_json() == record.to_json()
    assert (again.id, again.status, again.text) == (record.id, record.status, record.text)
