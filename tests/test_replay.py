"""A replay gives each item the reply that the file holds for it, and no reply where the file holds none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from keju.benchmark import Benchmark
from keju.errors import Blocked, CallFailed, Misuse
from keju.items import Item, Wording
from keju.models.replay import Replay
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply

OPTIONS = {"A": "生", "B": "旦"}
EXAM = Benchmark("exam", tuple(Item(f"q{n}", {"zh": Wording("zh", f"{n}?", OPTIONS)}, "B") for n in range(5)))


def file(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "gpt.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def ask(model: Replay, item_id: str) -> Reply:
    prompt = Prompt(item_id, (Text("?"),), Generation(10), "generate", "zh", "", "?", OPTIONS)
    return asyncio.run(model.answer(prompt))


def test_replies_come_back_whole_and_by_item(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        {"id": "q1", "response": "B", "usage": {"input_tokens": 9, "output_tokens": 1}},
        {"id": "q0", "response": "The ans", "finish_reason": "length"},
    )
    model = Replay(path, EXAM)
    assert (ask(model, "q0").text, ask(model, "q0").finish) == ("The ans", "length")
    reply = ask(model, "q1")
    assert (reply.text, reply.finish, reply.usage and reply.usage.input_tokens) == ("B", "stop", 9)


def test_what_failed_or_is_missing_fails_again_and_is_not_retried(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        {"id": "q0", "response": "B"},
        {"id": "q1", "response": "Failed to obtain answer via API."},
        {"id": "q2", "response": "not A", "finish_reason": "content_filter"},
    )
    model = Replay(path, EXAM)
    for item_id, message in (("q1", "Failed to obtain"), ("q4", "holds no output for item q4")):
        with pytest.raises(CallFailed, match=message) as failed:
            ask(model, item_id)
        assert (failed.value.kind, failed.value.retryable) == ("model", False)
    with pytest.raises(Blocked, match="not A"):
        ask(model, "q2")


def test_the_file_is_part_of_the_settings(tmp_path: Path) -> None:
    first = Replay(file(tmp_path, {"id": "q0", "response": "B"}), EXAM)
    second = Replay(file(tmp_path, {"id": "q0", "response": "A"}), EXAM)
    assert first.name == second.name == "replay:gpt"
    assert first.settings["sha256"] != second.settings["sha256"]


def test_a_file_of_two_models_needs_a_choice(tmp_path: Path) -> None:
    path = file(tmp_path, {"id": "q0", "model": "a", "response": "A"}, {"id": "q0", "model": "b", "response": "B"})
    with pytest.raises(Misuse, match="it holds a on exam, b on exam"):
        Replay(path, EXAM)
    assert ask(Replay(path, EXAM, model="b"), "q0").text == "B"


def test_a_run_of_our_own_can_be_replayed(tmp_path: Path) -> None:
    """Its records hold the digest of a prompt, not a question, and join by id."""
    import asyncio

    from keju.models.model import Fake
    from keju.protocols import load_protocol
    from keju.runs.asking import ask
    from making import benchmark

    made = benchmark(4)
    tco = load_protocol("tco")
    first = asyncio.run(ask(made, Fake(lambda p: made[p.item_id].answer or ""), tco, out=tmp_path / "a"))
    assert first.folder is not None
    again = Replay(first.folder / "records.jsonl", made)
    second = asyncio.run(ask(made, again, tco, out=tmp_path / "b"))
    assert {i: r.text for i, r in second.records.items()} == {i: r.text for i, r in first.records.items()}
    assert all("infer" not in record.stages for record in second.records.values())
