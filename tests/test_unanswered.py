"""Options that nothing uses, and items without an answer: what a user is told to do about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command_line import Keju, exam, in_process
from keju.cli.unused import WHOSE
from servers.fake_openai import FakeServer, completion

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)

GIVEN = {
    "base_url": ["http://127.0.0.1:9/v1"],
    "key_env": ["KEY"],
    "key_file": ["key"],
    "timeout": ["1"],
    "max_wait": ["1"],
    "batch_size": ["0"],
}
"""Options with a value, and one; the others are flags."""
USED = {"server": "vllm/x", "hf": "hf/x", "embedded": "embedded/blind", "baseline": "baseline/random"}


def unused(keju: Keju, opera: Path, command: str, option: str, *models: str) -> tuple[int, str]:
    """What is said of an option, before anything is asked: no model here can be opened with a missing protocol."""
    line = [part for model in models for part in ("-m", model)]
    flag = "--" + option.replace("_", "-")
    code, _, err = keju(command, opera, *line, "--protocol", "none-such", flag, *GIVEN.get(option, ()))
    return code, err if f"{flag} is for" in err else ""


@pytest.mark.parametrize("command", ["run", "latency"])
@pytest.mark.parametrize(
    ("option", "users"),
    [
        *((option, {"server"}) for option in ("base_url", "key_env", "key_file", "timeout", "stream")),
        ("batch_size", {"hf"}),
    ],
)
def test_an_option_that_no_model_uses_is_refused(
    keju: Keju, opera: Path, command: str, option: str, users: set[str]
) -> None:
    for family, model in USED.items():
        code, said = unused(keju, opera, command, option, model)
        assert code == 2
        assert bool(said) != (family in users), (family, said)


@pytest.mark.parametrize(
    ("option", "users"), [("no_cache", {"embedded"}), ("max_wait", {"server"}), ("no_check_media", {"server"})]
)
def test_an_option_of_a_run_that_no_model_uses_is_refused(
    keju: Keju, opera: Path, option: str, users: set[str]
) -> None:
    for family, model in USED.items():
        assert bool(unused(keju, opera, "run", option, model)[1]) != (family in users), family


def test_every_option_is_tried_here() -> None:
    tried = {"base_url", "key_env", "key_file", "timeout", "stream", "batch_size", "no_cache", "max_wait"}
    assert tried | {"no_check_media"} == WHOSE.keys()


def test_no_stream_and_an_interface_without_streams(keju: Keju, opera: Path) -> None:
    assert "--no-stream is for" in keju("run", opera, "-m", "baseline/random", "--no-stream")[2]
    assert unused(keju, opera, "run", "stream", "ollama-native/x")[1]


def test_what_hears_before_a_model_makes_its_options_useful(keju: Keju, opera: Path) -> None:
    assert "--no-cache is for" in keju("run", opera, "-m", "baseline/random", "--no-cache")[2]
    line = ("-m", "baseline/random", "--transcriber", "none-such", "--no-cache")
    assert "--no-cache is for" not in keju("run", opera, *line)[2]


def test_an_option_that_some_models_use_is_told_for_the_others(keju: Keju, opera: Path) -> None:
    with FakeServer(lambda _: completion("A")) as server:
        line = ("-m", "baseline/random", "-m", "vllm/x", "--base-url", server.base_url)
        code, _, err = keju("run", opera, *line)
    assert code == 0
    assert "--base-url is for models behind a server; it means nothing to baseline/random\n" in err


def test_a_model_file_is_known_by_what_it_names(keju: Keju, opera: Path) -> None:
    Path("mine.toml").write_text('model = "baseline/random"\n', encoding="utf-8")
    assert unused(keju, opera, "run", "timeout", "mine.toml")[1]


def test_a_seed_without_arrival_times_is_refused(keju: Keju, opera: Path) -> None:
    code, _, err = keju("latency", opera, "-m", "baseline/random", "--seed", "3")
    assert (code, "leave it out" in err) == (2, True)


# items without an answer


def asked(keju: Keju, opera: Path, answer: dict[str, Any], *more: object) -> str:
    """What a run says at its end whose first item is answered, and every other one so."""
    with FakeServer(lambda asked: completion("A") if "编号1" in asked.text else answer) as server:
        line = ("run", opera, "-m", "vllm/x", "--base-url", server.base_url, "--attempts", 1, "--no-check-media")
        return keju(*line, *more)[2].partition("items have no answer")[2]


FILTERED = {"status": 400, "json": {"error": {"code": "content_filter", "message": "filtered"}}}
REFUSED = {"status": 400, "json": {"error": {"message": "no logprobs here"}}}


@pytest.mark.parametrize(
    ("answer", "again", "helps"),
    [
        ({"status": 503}, True, ""),
        (REFUSED, False, "7 bad-request: the server refuses"),
        (FILTERED, False, "7 blocked: a filter refuses"),
        ({"status": 404, "json": {"error": {"message": "no such model"}}}, False, "Check the model's name"),
    ],
    ids=["busy", "refused", "filtered", "no such model"],
)
def test_asking_again_is_advised_only_where_it_can_help(
    keju: Keju, opera: Path, answer: dict[str, Any], again: bool, helps: str
) -> None:
    said = asked(keju, opera, answer)
    assert ("run the same command again" in said) == again
    assert helps in said
    assert keju("score", "runs")[2].partition("items have no answer")[2] == said


def test_failures_of_both_kinds_get_both_remedies(keju: Keju, opera: Path) -> None:
    answers = [completion("A"), {"status": 503}, REFUSED]
    with FakeServer(lambda asked: answers[min(asked.number, 2)]) as server:
        line = ("run", opera, "-m", "vllm/x", "--base-url", server.base_url, "--attempts", 1, "--concurrency", 1)
        said = keju(*line, "--no-check-media")[2]
    assert "7 of 8 items have no answer; run the same command again" in said
    assert "6 bad-request: the server refuses" in said
