"""The command line as a user meets it: help, mistakes, exit codes, output for programs, studies, formats."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from command_line import Keju, actions, exam, in_process
from keju import api
from keju.cli import COMMANDS
from keju.formats import load
from keju.models.model import Fake
from keju.runs.reading import open_run
from servers.fake_openai import FakeServer, completion

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)


# help


OPTIONS = {
    "run": ("--model", "--protocol", "--variant", "--out", "--dry-run", "--prices", "--labels", "--split", "--limit"),
    "score": ("--benchmark", "--parser", "--by", "--dimensions", "--parsers", "--quality", "--items", "--published"),
    "compare": ("--against", "--common", "--language-effect", "--at-least", "--count-failures-as-wrong"),
    "report": ("--out", "--title", "--by", "--published"),
    "convert": ("--to", "--format", "--encoding", "--where"),
    "describe": ("--by", "--cross", "--out", "--fonts", "--lang"),
    "split": (
        *("--profile", "--sizes", "--seed", "--stratify", "--near", "--allow-straddle", "--in-place"),
        *("--keep", "--replace"),
    ),
    "models": ("--lang",),
    "protocols": ("NAME",),
    "demo": ("--baselines", "--llm", "--out"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(keju: Keju, command: str) -> None:
    code, out, _ = keju(command, "--help")
    assert code == 0
    out += "".join(keju(command, action, "--help")[1] for action in actions(out))
    assert all(option in out for option in ("--json", *OPTIONS.get(command, ())))
    assert COMMANDS[command].partition(" ")[2][:20].lower() in " ".join(out.lower().split())
    undescribed = re.findall(r"^  (--?[\w-]+(?: [A-Z=]+)?)\n(?=  -)", out, re.MULTILINE)
    assert undescribed == []


def test_the_help_of_all_names_every_command(keju: Keju) -> None:
    for arguments in ((), ("--help",)):
        code, out, _ = keju(*arguments)
        assert code == 0
        assert all(re.search(rf"^    {command}\b", out, re.MULTILINE) for command in COMMANDS)


# mistakes: exit code 2, the thing and the remedy named


MISTAKES = {
    "frobnicate": ["frobnicate", "choose from"],
    "run": ["BENCHMARK"],
    "run opera": ["name at least one model", "-m provider/name"],
    "run nowhere -m baseline/random": ["nowhere", "no such file", "teahouse"],
    "run file.txt -m baseline/random": ["file.txt", "It looked for"],
    "run empty -m baseline/random": ["empty", "It looked for", "tco"],
    "run opera -m baseline/radnom": ["'radnom'", "there are random"],
    "run opera -m opnai/gpt-4o": ["opnai", "did you mean openai?"],
    "run opera -m gpt-4": ["gpt-4", "did you mean GPT-4o", "PROVIDER/MODEL"],
    "run opera -m nope.toml": ["nope.toml: cannot be read"],
    "run opera -m empty.toml": ["empty.toml: cannot be read"],
    "run opera -m replay:nope": ["nope does not exist"],
    "run opera -m openai-compatible/x": ["--base-url"],
    "run opera -m openai-compatible/x --base-url host": ["'host' is no web address", "https://"],
    "run opera -m openai/gpt-4o --key-env NO_SUCH_KEY": ["NO_SUCH_KEY is empty", "export NO_SUCH_KEY="],
    "run opera -m openai/gpt-4o --key-file nope": ["key file nope cannot be read"],
    "run opera -m baseline/random --protocol tcoo": ["'tcoo'", "tco-strict", ".toml"],
    "run opera -m baseline/random --protocol nope.toml": ["nope.toml: cannot be read"],
    "run opera -m baseline/random --format nope": ["'nope'", "multi-tw"],
    "run opera -m baseline/random --encoding nope": ["'nope'", "gb18030"],
    "run opera -m baseline/random --labels nope.csv": ["nope.csv: cannot be read"],
    "run opera -m baseline/random --labels empty": ["empty: "],
    "run opera -m baseline/random --split nope": ["no split 'nope'", "it has (none)"],
    "run opera -m baseline/random --where genre=nope": ["genre = 'nope'", "Kunqu, Peking"],
    "run opera -m baseline/random --where genre": ["LABEL=VALUE"],
    "run opera -m baseline/random --variant nope=1": ["'nope=1'", "language=TAG"],
    "run opera -m baseline/random --variant language=ja": ["ja"],
    "run opera -m baseline/random --limit 0": ["limit must be at least 1, not 0"],
    "run opera -m baseline/random --limit ten": ["--limit", "'ten'"],
    "run opera -m baseline/random --concurrency 0": ["concurrency must be at least 1, not 0"],
    "run opera -m baseline/random --attempts 0": ["attempts must be at least 1"],
    "run opera -m vllm/x --max-wait -1": ["max_wait at least 0"],
    "run opera -m openai-compatible/x --base-url http://h/v1 --timeout 0": ["timeout must be a positive number"],
    "run opera -m baseline/random --extra {bad": ["--extra", "{bad", "not JSON", '{"top_p": 0.9}'],
    "run opera -m baseline/random --extra [1]": ["--extra", "[1]", "not an object"],
    "run opera -m baseline/random --prices nope.toml": ["nope.toml: cannot be read"],
    "run opera -m baseline/random --prices broken.toml": ["broken.toml"],
    "run opera -m baseline/random -o file.txt": ["file.txt", "cannot be written", "-o"],
    "run nope.toml": ["nope.toml: cannot be read"],
    "run broken.toml": ["broken.toml"],
    "score": ["RUN"],
    "score nowhere": ["nowhere does not exist"],
    "score empty": ["empty: no file of outputs", "Known: inspect"],
    "score file.txt": ["file.txt: not a file of outputs", "Known: inspect"],
    "score runs --parser nope": ["'nope'", "robust"],
    "score runs --parser theirs": ["holds no verdicts of another tool"],
    "score runs --by nope": ["'nope'", "there is genre"],
    "score runs --dimensions": ["question_type"],
    "score runs --published nope": ["'nope'", "tco-2"],
    "score runs --benchmark nowhere": ["nowhere: no such file"],
    "score runs --format nope": ["'nope'", "vlmevalkit"],
    "compare runs": ["at least two runs"],
    "compare runs --against worst": ["--against", "'best'"],
    "compare runs --at-least much": ["--at-least", "'much'"],
    "report nowhere": ["nowhere does not exist"],
    "report runs -o file.txt": ["file.txt", "cannot be written"],
    "report runs --by nope": ["'nope'", "there is genre"],
    "convert opera": ["DST", "--to"],
    "convert opera new --to nope": ["'nope'", "multi-tw"],
    "convert opera new --to sheet": ["sheet can only be read", "write one of"],
    "convert opera runs --to jsonl": ["runs: is there already", "name a new folder"],
    "convert nowhere new --to jsonl": ["nowhere: no such file"],
    "protocols nope": ["'nope'", "tco-strict"],
    "protocols nope.toml": ["nope.toml: cannot be read"],
    "protocols broken.toml": ["broken.toml"],
    "models --nope": ["--nope"],
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_told_with_its_remedy(keju: Keju, opera: Path, line: str) -> None:
    Path("file.txt").write_text("x\n", encoding="utf-8")
    Path("broken.toml").write_text("[study\n", encoding="utf-8")
    Path("empty").mkdir()
    Path("empty.toml").mkdir()
    if "runs" in line:
        keju("run", opera, "-m", "baseline/random")
    code, out, err = keju(*line.split())
    assert (code, out) == (2, "")
    assert all(part in err for part in MISTAKES[line]), err
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="to the superuser every file is readable")
def test_a_file_without_permission_is_named(keju: Keju, opera: Path) -> None:
    keju("run", opera, "-m", "baseline/random")
    for path in (opera / "0001.md", Path("runs")):
        path.chmod(0)
    try:
        assert "0001.md" in keju("convert", opera, "new", "--to", "jsonl")[2]
        code, _, err = keju("score", "runs")
        assert (code, "runs" in err) == (2, True)
    finally:
        Path("runs").chmod(0o700)


def test_a_price_file_is_read_before_anything_is_asked(keju: Keju, opera: Path) -> None:
    assert keju("run", opera, "-m", "baseline/random", "--prices", "nope.toml")[0] == 2
    assert not Path("runs").exists()


# output for programs


def test_every_command_with_json_prints_json_and_nothing_else(keju: Keju, opera: Path) -> None:
    lines = [
        "run opera -m baseline/random -m baseline/always-a --json",
        "run opera -m baseline/random --dry-run --json",
        "score runs --json --by genre --parsers --quality --items --published tco-2",
        "compare runs --json",
        "report runs --json",
        "convert opera new --to jsonl --json",
        "models --json",
        "protocols --json",
        "protocols tco --json",
        "demo --baselines --json",
    ]
    for line in lines:
        code, out, err = keju(*line.split())
        assert code == 0, err
        json.loads(out)


def test_the_leaderboard_as_json_holds_raw_figures(keju: Keju, opera: Path) -> None:
    _, out, _ = keju("run", opera, "-m", "baseline/always-a", "--json")
    (row,) = json.loads(out)["tables"][0]["rows"]
    assert (row["accuracy"], row["n"], row["chance"], row["protocol"]) == (0.25, 8, 0.25, "tco")


# exit codes


def test_exit_code_0_a_complete_run(keju: Keju, opera: Path) -> None:
    code, out, err = keju("run", opera, "-m", "baseline/always-a")
    assert code == 0
    assert "25.0 %" in out
    assert out.endswith(str(Path("runs/opera/baseline__always-a.tco")) + "\n")
    assert "8/8" in err


def test_exit_code_1_a_threshold_that_is_not_met(keju: Keju, opera: Path) -> None:
    """`--at-least` compares the last run with the first."""
    keju("run", opera, "-m", "baseline/always-a", "-m", "baseline/longest-option")
    worse, better = Path("runs/opera/baseline__always-a.tco"), Path("better")
    run = api.run(load(opera), Fake(lambda p: load(opera)[p.item_id].answer or ""), protocol="tco", out=better)
    assert keju("compare", worse, better, "--at-least", "0.5")[0] == 0
    code, _, err = keju("compare", better, worse, "--at-least", "-0.01")
    assert code == 1
    assert "baseline/always-a against fake/model: -0.7500, below -0.0100" in err
    assert keju("compare", worse, better, "--at-least", "0.76")[0] == 1
    assert run.complete


def test_exit_code_1_items_that_could_not_be_converted(keju: Keju, opera: Path) -> None:
    (opera / "0003.txt").write_text("E", encoding="utf-8")
    code, out, err = keju("convert", opera, "new", "--to", "jsonl", "--json")
    assert (code, json.loads(out)) == (1, {"items": 7, "left_out": ["0003"], "lost": [], "path": "new"})
    assert "7 of 8 items usable" in err


def test_exit_code_3_some_items_without_an_answer(keju: Keju, opera: Path) -> None:
    """RN-11: also from every later command that shows the run."""
    with FakeServer(lambda asked: completion("A") if "编号3" not in asked.text else {"status": 500}) as server:
        line = ("run", opera, "-m", "openai-compatible/x", "--base-url", server.base_url, "--attempts", "1")
        code, out, err = keju(*line, "--no-check-media")
    assert code == 3
    assert "1 of 8 items have no answer" in err
    assert "  1 × openai-compatible/x: HTTP 500" in err
    assert "incomplete: 1 of 8 unanswered" in out
    assert keju("score", "runs")[0] == 3
    assert keju("report", "runs")[0] == 3
    assert keju("score", "runs", "--count-failures-as-wrong")[0] == 0


def test_items_that_could_not_be_read_are_named_at_every_later_step(keju: Keju, opera: Path) -> None:
    """TX-31: the run folder remembers what was left out, so that N never shrinks in silence."""
    (opera / "0003.txt").write_text("E", encoding="utf-8")
    for line in (("run", opera, "-m", "baseline/random"), ("score", "runs"), ("report", "runs")):
        code, _, err = keju(*line)
        assert code == 0
        assert "item 0003: the answer 'E' is none of the options" in err
        assert "7 of 8 items usable" in err


def test_runs_that_differ_in_more_than_one_way_still_make_a_report(keju: Keju, opera: Path) -> None:
    """They pair up in no variant alone: that table is left out, the others stand."""
    keju("run", opera, "-m", "baseline/random", "--variant", "language=en", "--variant", "shuffle=1")
    keju("run", opera, "-m", "baseline/random")
    code, out, err = keju("report", "runs", "--json")
    assert code == 0, err
    assert not any("paired_language" in file for file in json.loads(out)["files"])
    keju("run", opera, "-m", "baseline/random", "--variant", "media=none")
    assert "paired_media" in str(json.loads(keju("report", "runs", "-o", "more", "--json")[1])["files"])


def test_exit_code_3_a_run_that_was_stopped(keju: Keju, opera: Path) -> None:
    refusal = {"status": 401, "json": {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}}
    with FakeServer([refusal]) as server:
        code, out, err = keju("run", opera, "-m", "openai-compatible/x", "--base-url", server.base_url)
    assert code == 3
    assert "stopped: " in err
    assert "refuses the key" in err
    assert "0.0 %" not in out


def test_exit_code_4_another_question_under_the_same_id(keju: Keju, opera: Path) -> None:
    keju("run", opera, "-m", "baseline/always-a")
    path = opera / "0005.md"
    path.write_text(path.read_text(encoding="utf-8").replace("编号5", "编号五"), encoding="utf-8")
    (opera / "0005.json").unlink()
    code, _, err = keju("run", opera, "-m", "baseline/always-a")
    assert code == 4
    assert "item 0005: its wording" in err
    assert "--ask-changed" in err
    assert keju("run", opera, "-m", "baseline/always-a", "--ask-changed")[0] == 0


# studies, estimates, prices


STUDY = """
[study]
benchmarks = ["opera"]
models = ["baseline/random", "baseline/always-a"]
protocols = ["tco"]
variants = [[], ["language=en"]]
"""


def test_a_study_runs_its_matrix_and_goes_on_where_it_stopped(keju: Keju, opera: Path) -> None:
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    code, out, _ = keju("run", "study.toml", "--json")
    rows = json.loads(out)["tables"][0]["rows"]
    assert code == 0
    assert len(rows) == 4
    assert {row["model"].partition(" ")[0] for row in rows} == {"baseline/random", "baseline/always-a"}
    assert {row["n"] for row in rows} == {8}
    folders = sorted(path.parent for path in Path("runs").rglob("run.json"))
    assert len(folders) == 4
    (folders[0] / "records.jsonl").unlink()
    _, _, err = keju("run", "study.toml")
    assert err.count("8 of 8 items are answered already; 0 to ask") == 3
    assert all(open_run(folder).complete for folder in folders)


def test_a_study_names_its_own_models(keju: Keju, opera: Path) -> None:
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    code, _, err = keju("run", "study.toml", "-m", "baseline/random")
    assert code == 2
    assert "leave out -m" in err


@pytest.mark.parametrize("what", [("opera", "-m", "openai/gpt-4o", "--protocol", "tco"), ("study.toml",)])
def test_a_dry_run_asks_nothing(keju: Keju, opera: Path, what: tuple[str, ...]) -> None:
    """Not even for a key; of a study neither."""
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    Path("prices.toml").write_text('["openai/gpt-4o"]\ninput = 2.5\noutput = 10\n', encoding="utf-8")
    code, out, _ = keju("run", *what, "--dry-run", "--prices", "prices.toml", "--json")
    rows = json.loads(out)
    assert code == 0
    assert len(rows) == (1 if what[0] == "opera" else 4)
    assert {row["requests"] for row in rows} == {8}
    assert ("cost" in rows[0]) == (what[0] == "opera")
    assert not Path("runs").exists()
    _, out, _ = keju("run", *what, "--dry-run")
    assert "8 requests" in out


@pytest.mark.embedded
def test_a_dry_run_takes_the_protocol_that_the_run_would(keju: Keju, opera: Path) -> None:
    _, out, _ = keju("run", opera, "-m", "baseline/random", "-m", "embedded/blind", "--dry-run", "--json")
    assert {row["model"]: row["protocol"] for row in json.loads(out)} == {
        "baseline/random": "tco",
        "embedded/blind": "option-likelihood",
    }


def test_a_dry_run_names_a_model_that_there_is_not(keju: Keju, opera: Path) -> None:
    code, _, err = keju("run", opera, "-m", "opneai/gpt-4o", "--dry-run")
    assert code == 2
    assert "openai" in err


def test_what_a_run_cost_is_told_from_the_servers_counts(keju: Keju, opera: Path) -> None:
    table = '["openai-compatible/x"]\ninput = 1000000\noutput = 0\ncurrency = "CNY"\n'
    Path("prices.toml").write_text(table, encoding="utf-8")
    with FakeServer([completion("A", tokens=20)]) as server:
        line = ("run", opera, "-m", "openai-compatible/x", "--base-url", server.base_url, "--no-check-media")
        _, _, err = keju(*line, "-m", "baseline/random", "--prices", "prices.toml")
    assert f"openai-compatible/x: {8 * 20:.4f} CNY" in err
    assert "baseline/random: no cost" in err


# converting, reading other tools' files


@pytest.mark.parametrize("format", ["tco", "multi-tw", "jsonl"])
def test_a_benchmark_keeps_its_items_through_every_format(keju: Keju, opera: Path, format: str) -> None:
    assert keju("convert", opera, "new", "--to", format)[0] == 0
    assert keju("convert", "new", "back", "--to", "tco")[0] == 0
    for before, after in zip(load(opera), load("back"), strict=True):
        assert (after.id, after.answer, after.wording.question) == (before.id, before.answer, before.wording.question)
        assert dict(after.options) == dict(before.options)
        assert after.media[0].read() == before.media[0].read()


def test_the_verdicts_of_another_tool_are_taken_by_name(keju: Keju, opera: Path) -> None:
    """Its file says that the first reply is right and the others are wrong, whatever they say."""
    rows = [f"{number},问题,生,旦,A,这是B,{int(number == 0)}" for number in range(4)]
    head = "index,question,A,B,answer,prediction,hit"
    Path("other_results.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    found = {}
    for parser in ("theirs", "robust"):
        code, out, err = keju("score", "other_results.csv", "--parser", parser, "--json")
        assert code == 0, err
        (row,) = json.loads(out)["tables"][0]["rows"]
        found[parser] = row["accuracy"]
        assert row["parser"] == parser
    assert found == {"theirs": 0.25, "robust": 0.0}
