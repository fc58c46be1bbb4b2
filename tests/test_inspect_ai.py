"""Inspect AI runs our task folders with its mock model and reads our logs; we read its logs back.

Inspect works in a process of its own: it takes seconds to import, and it changes how asyncio behaves.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import Keju, in_process
from keju import api
from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.formats import write
from keju.items import Item, Medium, Wording
from keju.protocols import load_protocol
from keju.records import Record, Usage
from keju.reports.inspect_log import write_inspect_log
from keju.runs.run import Run
from making import png, wav

keju = pytest.fixture(in_process)
TOOLS = Path(__file__).parents[1] / "tools" / "interop"
needs_inspect = pytest.mark.skipif(importlib.util.find_spec("inspect_ai") is None, reason="Inspect AI is not installed")

ITEMS = {
    "0001": Wording("zh-Hans", "{图}中是哪一出戏？", {"A": "霸王别姬", "B": "None", "C": "1949-10-01"}, "看图作答。"),
    "0002": Wording("zh-Hans", "唱的是哪一出？", {"A": "空城计", "B": "NA", "C": "3"}),
    "0003": Wording("zh-Hans", "何谓生旦净丑？", {"A": "行当", "B": "剧种"}),
    "0004": Wording("zh-Hans", "梅派传人是谁？", {"A": "甲", "B": "乙"}),
    "0005": Wording("zh-Hans", "水袖用于哪种表演？", {"A": "甲", "B": "乙"}),
    "0006": Wording("zh-Hans", "昆曲始于何时？", {"A": "甲", "B": "乙"}),
}


def exam() -> Benchmark:
    media = {"0001": (Medium("image", "剧照.png", data=png(1)),), "0002": (Medium("audio", "c.wav", data=wav()),)}
    return Benchmark(
        "opera set",
        tuple(
            Item(name, {"zh-Hans": wording}, "A", media.get(name, ()), {"genre": "京剧"})
            for name, wording in ITEMS.items()
        ),
    )


def run() -> Run:
    """A run with every kind of outcome: right, wrong, invalid and cut, blocked, failed, not asked."""
    records = [
        Record(
            "0001", "answered", "Answer: A", at="2026-01-01T00:00:01.000+00:00", stages={"queue": 1.0, "infer": 0.5}
        ),
        Record("0002", "answered", "答案：B", usage=Usage(9, 2, None), media=("0" * 16,)),
        Record("0003", "truncated", "我想一想"),
        Record("0004", "blocked", error={"kind": "blocked", "message": "policy"}),
        Record("0005", "failed", error={"kind": "timeout", "message": "no reply in 60 s"}, attempts=3),
    ]
    info = {"created": "2026-01-01T00:00:00+00:00"}
    return Run("openai/m", exam(), load_protocol("tco"), {record.id: record for record in records}, info=info)


WORK = """
import json, pathlib, sys
tools, folder = sys.argv[1:]
sys.path.insert(0, tools)
import inspect_task
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
assert inspect_task.main(f"{folder}/task", f"{folder}/exam", f"{folder}/its") == 0
for kind in ("its", "ours"):
    (path,) = map(str, pathlib.Path(folder, kind).glob("*.eval"))
    read = read_eval_log(path).model_dump(mode="json")
    read["summaries"] = [summary.model_dump(mode="json") for summary in read_eval_log_sample_summaries(path)]
    pathlib.Path(folder, f"{kind}.json").write_text(json.dumps(read))
"""


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which Inspect ran our task (log in `its`) and read its own log and ours (`its.json`, `ours.json`)."""
    folder = tmp_path_factory.mktemp("inspect")
    write(exam(), folder / "task", "inspect")
    write(exam(), folder / "exam", "jsonl")
    write_inspect_log(run(), folder / "ours", media="full")
    command = [sys.executable, "-c", WORK, TOOLS, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return folder


@pytest.fixture(scope="module")
def log(worked: Path) -> dict[str, Any]:
    """The log of `run`, as Inspect reads it."""
    read: dict[str, Any] = json.loads((worked / "ours.json").read_text())
    return read


@pytest.fixture(scope="module")
def samples(worked: Path) -> dict[str, Any]:
    """The samples of Inspect's own run of our task, as it reads them, by id."""
    return {sample["id"]: sample for sample in json.loads((worked / "its.json").read_text())["samples"]}


@needs_inspect
class TestTheTaskInInspect:
    def test_every_item_is_asked_and_marked_as_keju_marks_it(self, worked: Path) -> None:
        (back,) = api.open_runs([worked / "its"], benchmark=exam())
        ours, theirs = api.score(back, parser="robust"), api.score(back, parser="theirs")
        assert back.complete
        assert ours.right == theirs.right
        assert 0 < ours.correct < ours.n

    def test_ids_options_labels_and_blank_lines_survive(self, samples: dict[str, Any]) -> None:
        assert sorted(samples) == list(ITEMS)
        for name, sample in samples.items():
            assert sample["choices"] == list(ITEMS[name].options.values())
            assert sample["metadata"] == {"genre": "京剧", "language": "zh-Hans"}
        assert any("\n\n" in sample["output"]["completion"] for sample in samples.values())

    def test_media_and_instruction_are_sent_before_the_question_in_its_language(self, samples: dict[str, Any]) -> None:
        picture, text = samples["0001"]["messages"][0]["content"]
        assert (picture["type"], text["type"]) == ("image", "text")
        assert text["text"].startswith("回答下面的单项选择题")
        assert "看图作答。\n{图}中是哪一出戏？" in text["text"]
        assert samples["0002"]["messages"][0]["content"][0]["type"] == "audio"


def test_a_clip_of_a_kind_that_inspect_cannot_send_is_refused(tmp_path: Path) -> None:
    ogg = replace(exam()["0002"], media=(Medium("audio", "c.ogg", data=b"OggS" * 9),))
    with pytest.raises(Misuse, match=r"WAV and MP3 only.*0002"):
        write(Benchmark("made", (ogg,)), tmp_path / "out", "inspect")


@needs_inspect
class TestTheLogInInspect:
    def test_samples_hold_item_prompt_reply_and_the_outcome(self, log: dict[str, Any]) -> None:
        samples = {sample["id"]: sample for sample in log["samples"]}
        assert list(samples) == ["0001", "0002", "0003", "0004", "0005"]
        first = samples["0001"]
        assert (first["target"], first["choices"]) == ("A", list(ITEMS["0001"].options.values()))
        assert "{图}中是哪一出戏？" in json.dumps(first["messages"][0], ensure_ascii=False)
        assert first["output"]["completion"] == "Answer: A"
        assert (first["output"]["time"], first["working_time"], first["total_time"]) == (0.5, 0.5, 1.5)
        stops = [samples[name]["output"]["choices"][0]["stop_reason"] for name in ("0001", "0003", "0004")]
        assert stops == ["stop", "max_tokens", "content_filter"]
        assert samples["0005"]["error"]["message"] == "timeout: no reply in 60 s"
        assert samples["0002"]["model_usage"]["openai/m"]["total_tokens"] == 11

    def test_each_parser_has_a_score_and_only_replies_are_scored(self, log: dict[str, Any]) -> None:
        scores = {sample["id"]: sample["scores"] for sample in log["samples"]}
        assert list(scores["0001"]) == ["anchored", "strict", "first-letter", "robust"]
        assert scores["0001"]["anchored"]["value"] == "C"
        assert scores["0001"]["strict"] | {"history": []} == {
            "value": "I",
            "answer": "",
            "explanation": "Answer: A",
            "metadata": {"valid": False, "drawn": False, "reason": "no-label"},
            "reason": None,
            "history": [],
        }
        assert scores["0002"]["robust"]["answer"] == "B"
        assert (scores["0004"], scores["0005"]) == ({}, {})

    def test_the_header_tells_what_was_asked_and_both_accuracies(self, log: dict[str, Any]) -> None:
        assert (log["status"], log["eval"]["model"], log["eval"]["task"]) == ("cancelled", "openai/m", "opera set")
        assert log["eval"]["dataset"]["sample_ids"] == list(ITEMS)
        anchored = log["results"]["scores"][0]
        assert (anchored["name"], anchored["scored_samples"], anchored["unscored_samples"]) == ("anchored", 3, 3)
        assert anchored["metrics"]["accuracy"]["value"] == pytest.approx(1 / 3)
        assert anchored["metrics"]["accuracy_over_all"]["value"] == pytest.approx(1 / 6)

    def test_pictures_and_clips_are_shown_whole(self, log: dict[str, Any]) -> None:
        shown = json.dumps(log["samples"][0]["messages"][0]["content"]) + json.dumps(log["samples"][0]["attachments"])
        assert "data:image/png;base64," in shown
        heard = json.dumps(log["samples"][1]["messages"][0]["content"]) + json.dumps(log["samples"][1]["attachments"])
        assert "data:audio/wav;base64," in heard

    def test_the_viewers_list_is_whole(self, log: dict[str, Any]) -> None:
        assert [summary["id"] for summary in log["summaries"]] == ["0001", "0002", "0003", "0004", "0005"]
        assert all(summary["completed"] for summary in log["summaries"])
        assert log["summaries"][4]["error"] == "timeout: no reply in 60 s"


class TestTheLog:
    def test_keju_reads_back_what_it_wrote(self, tmp_path: Path) -> None:
        (back,) = api.open_runs([write_inspect_log(run(), tmp_path)])
        assert {name: record.status for name, record in back.records.items()} == {
            "0001": "answered",
            "0002": "answered",
            "0003": "truncated",
            "0004": "blocked",
            "0005": "failed",
        }
        assert back.records["0003"].text == "我想一想"
        assert any(
            problem.code == "output_missing" and "0006" in problem.message for problem in back.benchmark.problems
        )

    def test_it_is_deflate_and_strict_json_and_the_same_bytes_again(self, tmp_path: Path) -> None:
        one, other = (write_inspect_log(run(), tmp_path / name) for name in ("one", "other"))
        assert one.name.startswith("2026-01-01T00-00-00-00-00_opera-set_")
        assert one.read_bytes() == other.read_bytes()
        with zipfile.ZipFile(one) as archive:
            assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_DEFLATED}
            for name in archive.namelist():
                json.loads(archive.read(name), parse_constant=pytest.fail)  # no NaN, which strict readers refuse

    def test_thumbnails_are_small_pictures_and_clips_stay_names(self, tmp_path: Path) -> None:
        pytest.importorskip("PIL")
        with zipfile.ZipFile(write_inspect_log(run(), tmp_path, media="thumb")) as archive:
            samples = [json.loads(archive.read(f"samples/000{n}_epoch_1.json")) for n in (1, 2)]
        assert [[value[:23] for value in sample["attachments"].values()] for sample in samples] == [
            ["data:image/jpeg;base64,"],
            [],
        ]
        assert {"type": "text", "text": "[c.wav]"} in samples[1]["input"][0]["content"]

    def test_media_that_are_not_at_hand_are_asked_for(self, tmp_path: Path) -> None:
        bare = tuple(replace(i, media=tuple(Medium(m.kind, m.name) for m in i.media)) for i in exam())
        asked = replace(run(), benchmark=replace(exam(), items=bare))
        with pytest.raises(Misuse, match="--benchmark"):
            write_inspect_log(asked, tmp_path, media="full")
        with pytest.raises(Misuse, match="none, thumb, full"):
            write_inspect_log(asked, tmp_path, media="all")  # type: ignore[arg-type]
        assert list(tmp_path.iterdir()) == []


class TestTheCommand:
    def test_runs_become_logs_with_the_pictures_of_their_benchmark(self, keju: Keju, tmp_path: Path) -> None:
        write(exam(), tmp_path / "opera", "jsonl")
        assert keju("run", "opera", "-m", "baseline/always-a", "-m", "baseline/random")[0] == 0
        code, out, _ = keju("convert", "runs", "logs", "--to", "inspect-log", "--benchmark", "opera", "--media", "full")
        assert code == 0
        assert sorted(out.split()) == sorted(str(path) for path in Path("logs").iterdir())
        assert len(out.split()) == 2
        with zipfile.ZipFile(out.split()[0]) as archive:
            assert "data:image/png" in archive.read("samples/0001_epoch_1.json").decode()

    def test_options_of_the_other_kind_are_refused(self, keju: Keju, tmp_path: Path) -> None:
        write(exam(), tmp_path / "opera", "jsonl")
        assert keju("convert", "opera", "out", "--to", "jsonl", "--media", "full")[0] == 2
        assert keju("convert", "runs", "out", "--to", "inspect-log", "--split", "test")[0] == 2

    def test_losses_are_printed_and_another_wording_can_be_written(self, keju: Keju) -> None:
        code, out, err = keju(
            "convert", "teahouse", "task", "--to", "inspect", "--variant", "language=en", "--limit", "2"
        )
        assert (code, out) == (0, "2 items written to task as inspect\n")
        assert "only the first wording" in err
        assert "LETTER is one of" in Path("task/task.py").read_text()
        code, out, _ = keju("convert", "teahouse", "chats", "--to", "chat", "--json")
        assert json.loads(out)["items"] == len(api.load("teahouse").select(split="train"))
