"""Runs of too many items to hold: the same figures, the same errors, and nothing held that need not be."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju import api, formats, variants
from keju.benchmark import Benchmark, Stream
from keju.errors import BadFile, MissingExtra, Misuse, Refused
from keju.formats import jsonl_rows, parquet
from keju.items import Item, Medium, Wording
from keju.protocols import PARSERS, builtin_protocols, extract, load_protocol
from keju.protocols.extraction import Seen
from keju.protocols.robust import alone
from keju.protocols.screening import MAY_GIVE, READS_OPTIONS, SHORT
from keju.records import Record
from keju.reports import to_json
from keju.results.breakdowns import breakdown, dimensions
from keju.results.leaderboard import leaderboard
from keju.results.pairs import compare, pairs
from keju.results.quality import quality
from keju.results.scan import scan, tally
from keju.results.scores import score
from keju.runs.reading import open_run, read_records
from keju.runs.recorded import Recorded
from keju.runs.store import Plan, RunFolder

pl = pytest.importorskip("polars")

KINDS = ("Genre classification", "makeup symbolism", "nothing that is known")
MARKS = 'x","options":{"A":"b"}},"answer":"C"}'
"""What cuts a line of `items.jsonl` apart, within a text."""
TEXTS = ("京剧", "黄梅戏", 'a "quoted" text', "越剧\n二", "back\\slash", "茶馆", "Beard", "", MARKS)


def item(number: int, rng: random.Random) -> Item:
    """Options of three or four, sometimes other letters; odd characters everywhere they may stand."""
    letters = rng.choice(["ABCD", "ABC", "ABCD", "甲乙丙", "abc"])
    wordings = {
        tag: Wording(tag, f'第{number}题\n"?"', {letter: rng.choice(TEXTS) for letter in letters}, "选一", ("x",))
        for tag in rng.choice([("zh-Hans",), ("en", "zh-Hans"), ("zh-Hans", "en")])
    }
    name = f"media/{number // 2}{MARKS if number % 7 == 0 else ''}.png"
    media = (Medium(rng.choice(["image", "audio"]), name),) * rng.choice([0, 0, 1])  # type: ignore[arg-type]
    labels = (
        {"genre": rng.choice(["a", 'b"c', MARKS]), "question_type": rng.choice(KINDS)} if rng.random() < 0.8 else {}
    )
    key = rng.choice([*letters, None]) if rng.random() < 0.1 else rng.choice(letters)
    return Item(
        {3: f'id-{number}"\\', 4: f"{number}{MARKS}"}.get(number % 50, f"id-{number}"),
        wordings,
        key,
        media,
        labels,
        rng.choice(["test", None]),
    )


def reply(one: Item, rng: random.Random) -> str:
    letter = rng.choice(list(one.options))
    own = one.options[letter]
    alone_ = [f"{letter}.", f" {letter}\n", f"**{letter}**", f"({letter})", letter.lower(), f"\\boxed{{{letter}}}"]
    with_text = [f"{letter}. {own}", own, f"Answer: {letter}", f"所以答案是{letter}。", f'{{"prediction": "{letter}"}}']
    wrapped = [f"<think>A</think>{letter}", "<think>", f"A\n{letter}", f"line\u2028{letter}", f"Answer: {letter} or B"]
    return rng.choice([*[letter] * 8, *alone_, *with_text, *wrapped, "E", "", "  ", "我不知道", "Ａ", "ſ"])


def record(one: Item, rng: random.Random, *, likelihood: bool = False) -> Record | None:
    draw = rng.random()
    if draw < 0.02:
        return None
    if draw < 0.06:
        error = {"kind": "server", "message": f"HTTP {rng.choice([500, 502])}"}
        return Record(one.id, rng.choice(["failed", "blocked"]), error=error, prompt="p")  # type: ignore[arg-type]
    media = tuple(f"{len(m.name):015x}{m.name[6]}" for m in one.media) if rng.random() < 0.7 else ()
    scores = {label: rng.choice([-1.5, -2, -1e-9]) for label in (*one.options, "Z")} if likelihood else None
    status = "truncated" if draw > 0.95 else "answered"
    return Record(one.id, status, reply(one, rng), prompt="p", media=media, scores=scores, stages={"infer": 0.1})  # type: ignore[arg-type]


def run_folder(
    folder: Path, seed: int = 0, *, n: int = 400, protocol: str = "tco", name: str = "made", **change: Any
) -> Path:
    """A run folder as keju writes it: the same items for every `seed` of replies."""
    items = [item(number, random.Random(number)) for number in range(n)]
    rng = random.Random(seed)
    plan = Plan(Benchmark(name, tuple(items)), f"fake/{seed}", {}, load_protocol(protocol), {})
    records = [
        one for each in items if (one := record(each, rng, likelihood=protocol.endswith(("likelihood", "choice"))))
    ]
    rng.shuffle(records)
    with RunFolder(folder, replace(plan, **change)) as store:
        store.begin()
        for one in records:
            store.append(one)
        store.end()
    return folder


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called, every file counts as large."""

    def now() -> None:
        for module in (jsonl_rows, parquet):
            monkeypatch.setattr(module, "LARGE", 1)

    return now


# The label of a reply

PIECES = (
    *(
        "A",
        "B",
        "D",
        "E",
        "a",
        "b",
        " ",
        "\n",
        "\r",
        "\t",
        "\x1c",
        "\x85",
        "\u2028",
        ".",
        "。",
        ",",
        "(",
        ")",
        "[",
        "【",
    ),
    *("*", "**", "`", "$", "<think>", "</think>", "◁/think▷", "{", "}", '"', ":", "：", "answer", "ANSWER", "anſwer"),
    *("Prediction", "predıction", "final answer", "选", "答案", "是", "or", "京剧", "not", "\\boxed{", "```\n", "ß"),
    *("Ａ", "\u200b", "\0", "sorry", "】", "ŉ"),
)
replies = st.lists(st.sampled_from(PIECES), max_size=7).map("".join) | st.text(max_size=12)
letters = st.sampled_from(["ABCD", "ABC", "AB", "ABCDEFGH"])


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(replies, letters, st.booleans())
def test_a_reply_that_is_screened_gives_no_label_and_names_no_other(text: str, labels: str, cut: bool) -> None:
    options = dict.fromkeys(labels, "京剧")
    for parser, pattern in MAY_GIVE.items():
        if not pl.Series([text]).str.contains(pattern).item():
            found = extract(text, options, parser, truncated=cut)
            assert found.label is None, parser
            assert found.reason != "not-an-option", parser


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(replies, st.sampled_from(["ABCD", "ABC", "甲乙", "abc", ["one", "ok"]]), st.sampled_from(TEXTS), st.booleans())
def test_a_reply_read_without_the_options_texts_is_read_as_with_them(
    text: str, labels: Sequence[str], option: str, cut: bool
) -> None:
    bare = dict.fromkeys(labels, "")
    full = {**bare, labels[0]: option, labels[-1]: text}
    if found := alone(Seen(text[:SHORT], bare, cut)):
        assert found == extract(text[:SHORT], full, "robust", truncated=cut)
    for parser in PARSERS.keys() - READS_OPTIONS - {"likelihood"}:
        assert extract(text, bare, parser, truncated=cut) == extract(text, full, parser, truncated=cut)


@pytest.mark.parametrize("protocol", builtin_protocols())
def test_a_scanned_run_gives_every_item_the_label_that_its_protocol_reads(tmp_path: Path, protocol: str) -> None:
    run = open_run(run_folder(tmp_path / "run", 1, n=1500, protocol=protocol))
    scored = protocol in ("option-likelihood", "choice")
    for parser in (None, *(name for name in PARSERS if scored or name != "likelihood")):
        one, other = score(run, parser=parser), scan(run, parser=parser)
        found = other.marks.select("id", "label", "drawn", "right", "status").rows()
        assert found == [(m.id, m.label, m.drawn, m.correct, m.status) for m in one.items], parser


def test_processes_read_what_one_process_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    from keju.protocols import many

    rng = random.Random(5)
    rows = [(reply(one, rng), dict(one.options), False) for one in (item(number, rng) for number in range(300))]
    alone_ = many.read_many(rows, "robust")
    monkeypatch.setattr(many, "FEW", 1)
    assert many.read_many(rows, "robust") == alone_


def test_a_scanned_text_run_is_not_read_by_likelihood(tmp_path: Path) -> None:
    text = open_run(run_folder(tmp_path / "text"))
    with pytest.raises(Misuse, match="fake/0 holds no scores"):
        scan(text, parser="likelihood")
    compared = open_run(run_folder(tmp_path / "scores", protocol="option-likelihood"))
    assert scan(compared, parser="likelihood").correct == score(compared, parser="likelihood").correct > 0


# Tables

TABLES: dict[str, Callable[[Any], Any]] = {
    "leaderboard": leaderboard,
    "quality": quality,
    "dimensions": dimensions,
    **{
        f"by {label}": lambda s, label=label: breakdown(s, label)
        for label in ("genre", "modality", "split", "options", "language", "剧种")
    },
    "pairs": pairs,
    "against the best": lambda s: pairs(s, against="best", common=True),
}


@pytest.mark.parametrize("failures_wrong", [False, True])
@pytest.mark.parametrize("protocol", ["tco", "multi-tw", "robust"])
def test_every_table_is_the_same_either_way(tmp_path: Path, protocol: str, failures_wrong: bool) -> None:
    runs = [open_run(run_folder(tmp_path / str(seed), seed, protocol=protocol)) for seed in (1, 2, 3)]
    held = [score(run, count_failures_as_wrong=failures_wrong) for run in runs]
    scanned = [scan(run, count_failures_as_wrong=failures_wrong) for run in runs]
    for name, table in TABLES.items():
        assert to_json([table(scanned)], meta={}) == to_json([table(held)], meta={}), name
        assert to_json([table([held[0], *scanned[1:]])], meta={}) == to_json([table(held)], meta={}), name


def test_a_comparison_warns_of_the_same_differences_either_way(tmp_path: Path) -> None:
    first = open_run(run_folder(tmp_path / "1", 1))
    for change in ({"name": "other"}, {"n": 380}, {"protocol": "robust"}, {}):
        second = open_run(run_folder(tmp_path / f"2{change}", 2, **change))
        held = compare(score(first), score(second), common=True)
        assert compare(scan(first), scan(second), common=True) == held
        assert compare(score(first), scan(second), common=True) == held
    told = []
    for mark in (score, scan):
        with pytest.raises(Misuse) as raised:
            compare(mark(first), mark(open_run(run_folder(tmp_path / f"3{mark.__name__}", 3, n=350))))
        told.append(str(raised.value))
    assert told[0] == told[1]
    assert "lacks 50 items" in told[0]


def test_rewording_and_other_keys_are_seen_either_way(tmp_path: Path) -> None:
    first, other = run_folder(tmp_path / "1", 1), tmp_path / "2"
    shutil.copytree(first, other)
    info = json.loads((other / "run.json").read_text(encoding="utf-8"))
    info["benchmark"]["name"] = "other"
    (other / "run.json").write_text(json.dumps(info), encoding="utf-8")
    lines = (other / "items.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    next(iter(rows[7]["wordings"].values()))["question"] = "another"
    rows[9]["answer"] = None
    (other / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")  # ASCII
    marks = [[mark(open_run(folder)) for folder in (first, other)] for mark in (score, scan)]
    held, scanned = (compare(*pair, common=True) for pair in marks)
    assert scanned == held
    assert any("different benchmarks" in warning for warning in held.warnings)
    assert any("different keys" in warning for warning in held.warnings)
    for row in rows:
        next(iter(row["wordings"].values()))["question"] += " another"
    (other / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for mark in (score, scan):
        with pytest.raises(Misuse, match="other questions under the same ids"):
            compare(score(open_run(first)), mark(open_run(other)), common=True)


def test_the_command_line_prints_the_same_and_says_the_same_of_what_is_missing(
    tmp_path: Path, large: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    from keju.cli import main

    for seed in (1, 2):
        run_folder(tmp_path / "runs" / str(seed), seed)
    commands = [
        ["score", "--by", "genre", "--by", "modality", "--quality", "--parsers", "--dimensions"],
        ["score", "--json", "--parser", "robust"],
        ["compare", "--common"],
        ["compare", "--common", "--at-least", "0.5"],
        ["score", "--by", "nothing"],
    ]

    def told() -> list[Any]:
        codes = [main([*command[:1], str(tmp_path / "runs"), *command[1:]]) for command in commands]
        return [codes, *capsys.readouterr()]

    held = told()
    large()
    assert open_run(tmp_path / "runs" / "1").large
    assert told() == held
    assert "have no answer" in held[2]
    assert main(["score", str(tmp_path / "runs"), "--items", "--json"]) == 3
    out, err = capsys.readouterr()
    assert len(json.loads(out)["tables"]) == 3
    assert "are held to show them" in err


# What is damaged

LINES = (
    ('{"id":"id-2","status":"answered","text":"A","prompt":"p"}\n', None),
    ('{"id":"id-2","status":"answered","text":"\\ud83d","prompt":"p"}\n', None),
    ('{"id":"id-2","status":"answered","scores":{"A":NaN}}\n', None),
    ('{"id":"id-1","status":"answered","text":"A"}\n{"id":"id-1","status":"failed"}\n', None),
    ('{"id":"id-2","status":"answered","te', None),
    ("rubbish\n", None),
    ('rubbish\n{"id":"id-2","status":"answered","text":"A"}\n', "not a record"),
    ('{"id":"id-2","status":"odd"}\n{"id":"y","status":"answered","text":"A"}\n', "no status 'odd'"),
    ('["x"]\n{"id":"y","status":"answered","text":"A"}\n', "not a record"),
    ('{"status":"answered"}\n{"id":"y","status":"answered","text":"A"}\n', "not a record"),
    ('{"id":"id-2","status":"answered","media":"x"}\n{"id":"y","status":"answered","text":"A"}\n', "not a record"),
)


@pytest.mark.parametrize(("more", "error"), LINES)
def test_a_damaged_file_of_records_is_read_or_refused_alike(tmp_path: Path, more: str, error: str | None) -> None:
    folder = run_folder(tmp_path / "run", 1, n=30)
    with (folder / "records.jsonl").open("a", encoding="utf-8") as file:
        file.write(more)
    if error:
        for mark in (score, scan):
            with pytest.raises(BadFile, match=f"records.jsonl:[0-9]+: .*{error}"):
                mark(open_run(folder))
    else:
        run = open_run(folder)
        found = [(m.id, m.label, m.status) for m in score(run).items]
        assert scan(run).marks.select("id", "label", "status").rows() == found


LINE = (
    '{"id":"n","wordings":{"zh":{"question":"?","options":{"A":"a","B":"b"}}},"answer":"A","labels":{"x":"y","z":"c"}}'
)
OTHER = '"zh": {"options": {"B": "b", "A": "a"}, "question": "?"}'
"""A wording as keju would not write it: with spaces, and its parts the other way round."""


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ("\n  \n", None),
        (f'{{"id": "n", "answer": "A", "wordings": {{{OTHER}}}}}\r\n', None),
        (f'{{"id":"n","wordings":{{"en":{{"question":"","options":{{}}}},{OTHER}}},"answer":"A"}}\n', "has no options"),
        (f'{{"id":"n","wordings":{{{OTHER}}},"answer":"Q"}}\n', "answer 'Q' is none of"),
        (f'{{"id":"id-1","wordings":{{{OTHER}}},"answer":"A"}}\n', "stands on line 2 too"),
        ('{"id":"n","word\n', "not JSON"),
        (f"{LINE}\n", None),
        *(
            (f"{LINE.replace(*change)}\n", "not JSON")
            for change in [
                ('"b"', '"b",'),
                ('"a",', '"a"'),
                ('"c"', '"c",'),
                ('"y",', '"y"'),
                ('"?"', '"\\q"'),
                ('"?"', '"\t"'),
                ('"a"', '"\\ud8"'),
                ('"x"', '"\\"'),
            ]
        ),
    ],
)
def test_a_damaged_file_of_items_is_read_or_refused_alike(
    tmp_path: Path, more: str, error: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_folder(tmp_path / "run", 1, n=30)
    whole = open_run(folder)
    with (folder / "items.jsonl").open("a", encoding="utf-8", newline="") as file:
        file.write(more)
    if error:
        with pytest.raises(BadFile, match=error):
            scan(whole)
        with pytest.raises(BadFile, match=error):
            open_run(folder)
        monkeypatch.setattr(jsonl_rows, "LARGE", 1)
        with pytest.raises(BadFile, match=error):
            list(open_run(folder).benchmark)
    else:
        run = open_run(folder)
        assert scan(run).marks["id"].to_list() == [one.id for one in run.benchmark]
        assert scan(run).counts == score(run).counts


def test_an_item_that_was_written_by_hand_is_read_as_by_the_usual_reader(tmp_path: Path) -> None:
    """Each line reads as keju writes it up to a point: a wording twice, a key twice, other orders, other keys."""
    folder = run_folder(tmp_path / "run", 1, n=30)
    wording = '"zh":{"question":"?","options":{"A":"a","B":"b"}}'
    other = wording.replace("zh", "en")
    lines = [
        f'{{"id":"n1","wordings":{{{wording}}},"answer":"A","wordings":{{{other}}},"answer":"B"}}',
        f'{{"id":"n2","labels":{{"x":"y"}},"answer":"A","wordings":{{{wording}}}}}',
        f'{{"id":"n3","wordings":{{"answer":{wording.partition(":")[2]},{wording}}},"answer":"B"}}',
        f'{{"id":"n4","wordings":{{{wording}}},"answer":"A","labels":{{"split":"a","options":"b","media":"c"}},"split":"s"}}',
        f'{{"id":"n5","wordings":{{{wording}}},"answer":"B","split":"s","labels":{{"x":"y"}}}}',
        f'{{"id":"n6","wordings":{{{wording.replace(",", " ,")}}},"answer":"B"}}',
    ]
    with (folder / "items.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    run = open_run(folder)
    asked = [(one.id, one.answer, one.split, ",".join(f'"{name}"' for name in one.options)) for one in run.benchmark]
    marks = scan(run).marks
    assert marks.select("id", "key", "split", "names").rows()[-6:] == asked[-6:]
    assert marks["id"].to_list() == [each[0] for each in asked]
    assert scan(run).label_names == score(run).label_names


@pytest.mark.parametrize("as_large", [False, True])
def test_a_file_of_items_that_was_cut_is_refused(tmp_path: Path, large: Callable[[], None], as_large: bool) -> None:
    folder = run_folder(tmp_path / "run", 1, n=30)
    lines = (folder / "items.jsonl").read_bytes().splitlines(keepends=True)
    if as_large:
        large()
    (folder / "items.jsonl").write_bytes(b"".join(lines[:10]))
    with pytest.raises(BadFile, match=r"items\.jsonl: holds (10 of the 30 items|no item 'id-\d+')"):
        open_run(folder)
    (folder / "records.jsonl").write_bytes(b"")
    with pytest.raises(BadFile, match=r"items\.jsonl: holds 10 of the 30 items that run\.json counts"):
        open_run(folder)


@pytest.mark.parametrize("as_large", [False, True])
def test_a_record_of_no_item_is_refused(tmp_path: Path, large: Callable[[], None], as_large: bool) -> None:
    folder = run_folder(tmp_path / "run", 1, n=30)
    with (folder / "records.jsonl").open("ab") as file:
        file.write(b'{"id":"x","status":"answered","text":"A"}\n')
    if as_large:
        large()
    with pytest.raises(BadFile, match=r"items\.jsonl: holds no item 'x', which has a record"):
        tally(open_run(folder))


def test_without_the_extra_only_what_cannot_be_held_is_refused(
    tmp_path: Path, large: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from keju.results import scan as module
    from keju.runs import frames

    folder = run_folder(tmp_path / "run", 1, n=30)
    large()
    run = open_run(folder)
    held = leaderboard([tally(run)])
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    assert leaderboard([tally(run)]) == held
    monkeypatch.setattr(module, "TOO_MANY", 1)
    with pytest.raises(MissingExtra, match=r"pip install 'keju\[scale\]'"):
        tally(run)
    assert frames.ITEM_COLUMNS


# Items that are not held


@pytest.fixture(params=["jsonl", "parquet"])
def streamed(tmp_path: Path, large: Callable[[], None], request: pytest.FixtureRequest) -> tuple[Benchmark, Benchmark]:
    """A benchmark as it is read usually, and as a stream; its splits lie in several Parquet files."""
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    items = tuple(replace(item(number, random.Random(number)), media=()) for number in range(60))
    formats.write(Benchmark("made", items), tmp_path / "made", request.param, split="all")
    held = api.load(tmp_path / "made")
    large()
    return held, api.load(tmp_path / "made")


def test_a_stream_is_the_benchmark(streamed: tuple[Benchmark, Benchmark]) -> None:
    held, stream = streamed
    assert isinstance(stream.items, Stream)
    assert (list(stream), len(stream), list(stream.ids)) == (list(held), len(held), list(held.ids))
    assert stream["id-7"] == held["id-7"]
    assert stream.items[-1] == held.items[-1]
    assert stream.fingerprint == held.fingerprint
    assert "id-7" in stream
    assert "none" not in stream
    with pytest.raises(KeyError):
        stream["none"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"split": "test", "limit": 5},
        {"where": {"genre": "a", "options": "4"}},
        {"ids": ["id-9", "id-2"]},
        {"split": "nowhere"},
        {"where": {"genre": "none"}},
        {"ids": ["none"]},
        {"limit": 0},
    ],
)
def test_a_stream_is_selected_from_alike(streamed: tuple[Benchmark, Benchmark], asked: dict[str, Any]) -> None:
    found = []
    for benchmark in streamed:
        try:
            found.append(list(benchmark.select(**asked)))
        except Misuse as error:
            found.append(str(error))  # type: ignore[arg-type]
    assert found[0] == found[1]


@pytest.mark.parametrize("variant", [["shuffle=3"], ["language=en", "rotate=1"], ["script=hant"]])
def test_a_stream_is_varied_alike(streamed: tuple[Benchmark, Benchmark], variant: list[str]) -> None:
    held, stream = (variants.apply(one, variants.parse_variants(variant)) for one in streamed)
    assert isinstance(stream.items, Stream)
    assert list(stream) == list(held)
    assert stream.problems == held.problems


def test_a_file_that_changes_while_it_is_used_is_refused(tmp_path: Path, streamed: tuple[Benchmark, Benchmark]) -> None:
    stream = streamed[1]
    len(stream)
    file = next(path for path in sorted((tmp_path / "made").rglob("*")) if path.suffix in (".jsonl", ".parquet"))
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(BadFile, match="changed while it was in use"):
        list(stream)


def test_another_encoding_is_left_to_the_usual_reader(tmp_path: Path, large: Callable[[], None]) -> None:
    row = {
        "id": "1",
        "wordings": {"zh": {"question": "京剧在哪里", "options": {"A": "北京", "B": "上海"}}},
        "answer": "A",
    }
    for encoding in ("gb18030", "utf-8-sig", "utf-16"):
        file = tmp_path / f"{encoding}.jsonl"
        file.write_text(json.dumps(row, ensure_ascii=False), encoding=encoding)
        held = api.load(file, format="jsonl")
        large()
        again = api.load(file, format="jsonl")
        assert (again.items, again.problems) == (held.items, held.problems)


def test_a_large_run_is_asked_resumed_and_grown_as_a_small_one(
    tmp_path: Path, streamed: tuple[Benchmark, Benchmark]
) -> None:
    held, stream = streamed
    folders = []
    for name, benchmark in (("held", held), ("stream", stream)):
        api.run(benchmark.select(limit=20), "baseline/random", out=tmp_path / name)
        folder = api.run(benchmark, "baseline/random", out=tmp_path / name).folder
        assert folder is not None
        api.run(benchmark.select(limit=10), "baseline/random", out=tmp_path / name)
        folders.append(folder)
    runs = [open_run(folder) for folder in folders]
    assert all(run.complete and isinstance(run.records, Recorded) for run in runs)
    one, other = ({i: (r.status, r.text, r.prompt) for i, r in run.records.items()} for run in runs)
    assert one == other
    assert len(one) == 60
    assert [sorted(read_records(folder / "records.jsonl")[0]) for folder in folders] == [sorted(one)] * 2
    assert (folders[0] / "items.jsonl").read_bytes() == (folders[1] / "items.jsonl").read_bytes()


def test_what_failed_is_asked_again_and_what_changed_is_refused(
    tmp_path: Path, streamed: tuple[Benchmark, Benchmark]
) -> None:
    stream = streamed[1]
    run = api.run(stream, "baseline/random", out=tmp_path / "runs")
    assert run.folder is not None
    path = run.folder / "records.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    failed = {**json.loads(lines[4]), "status": "failed", "text": None}
    path.write_text("".join([*lines[:4], json.dumps(failed) + "\n", *lines[5:-1], lines[-1][:20]]), encoding="utf-8")
    info = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))
    (run.folder / "run.json").write_text(json.dumps(info | {"state": "running"}), encoding="utf-8")
    assert set(open_run(run.folder).unanswered) == {failed["id"], json.loads(lines[-1])["id"]}
    again = api.run(stream, "baseline/random", out=tmp_path / "runs")
    assert again.complete
    assert len(path.read_text(encoding="utf-8").splitlines()) == 60
    assert isinstance(stream.items, Stream)
    reworded = stream.items.mapped(lambda one: replace(one, wordings={"en": Wording("en", "?", one.options)}))
    with pytest.raises(Refused, match="have changed since"):
        api.run(replace(stream, items=reworded), "baseline/random", out=tmp_path / "runs")


# Statistics at this size


def test_intervals_and_tests_of_a_million_items_are_quick_and_right() -> None:
    from scipy import stats as oracle

    from keju.stats import above_chance, accuracy_interval, mcnemar_counts, paired_difference
    from keju.stats.resampling import law_of_sum

    n = 1_000_000
    for share in (0.001, 0.6, 0.999):
        law = law_of_sum([1 - share, share], n)
        assert np.abs(law - oracle.binom.pmf(np.arange(n + 1), n, share)).max() < 1e-10
        exact = accuracy_interval(round(share * n), n, "exact").pair
        assert exact == tuple(oracle.binom.ppf([0.025, 0.975], n, share) / n)
    assert above_chance(250_500, np.full(n, 0.25)).p == pytest.approx(oracle.binom.sf(250_499, n, 0.25), rel=1e-6)
    mixed = above_chance(292_000, np.repeat([1 / 4, 1 / 3], n // 2))
    spread = np.sqrt(n / 2 * (3 / 16 + 2 / 9))
    assert mixed.p == pytest.approx(oracle.norm.sf((292_000 - 0.5 - mixed.expected) / spread), rel=1e-3)
    assert mcnemar_counts(50_000, 50_700).p == pytest.approx(oracle.binomtest(50_000, 100_700).pvalue, rel=1e-6)
    marks = np.random.default_rng(0).random((2, n)) < [[0.6], [0.61]]
    difference = paired_difference(*marks)
    error = np.std(marks[0].astype(float) - marks[1]) / np.sqrt(n)
    for bound, sign in zip(difference.interval.pair, (-1, 1), strict=True):
        assert bound == pytest.approx(difference.difference + sign * 1.96 * error, abs=error / 10)
