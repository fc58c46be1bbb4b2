"""Task folders for lmms-eval, lm-eval, evalscope and LLaMA-Factory: what those tools would lose is kept or refused.

`make interop` has the tools themselves run these folders; here stands what needs none of them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.formats import load, write
from keju.items import Item, Medium, Wording
from making import png, wav
from scripts import loaded

INSTRUCTION = "看图作答。"


def item(number: int = 1, *, picture: bool = False, sound: bool = False, **changes: Any) -> Item:
    wording = Wording("zh-Hans", f"第{number}题？\n请细看。", {"A": "生", "B": "旦 {x}"}, INSTRUCTION)
    media = (Medium("image", "剧照 1.png", data=png(number)),) * picture
    media += (Medium("audio", "c.wav", data=wav(0.1)),) * sound
    given = {"id": f"{number:04d}", "wordings": {"zh-Hans": wording}, "answer": "B", "media": media, "split": "train"}
    return Item(**(given | changes))


def exam(*items: Item) -> Benchmark:
    return Benchmark("2 opera-set", items)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


PROMPT = f"{INSTRUCTION}\n第1题？\n请细看。\nA. 生\nB. 旦 {{x}}\n请只回答正确选项的字母（A, B）。"


@pytest.mark.parametrize(
    ("language", "ending"),
    [
        ("zh-Hant", "請只回答正確選項的字母（A, B）。"),
        ("zh-TW", "請只回答正確選項的字母（A, B）。"),
        ("en", "Answer with the letter of the correct option only (A, B)."),
        ("ja", "only (A, B)."),
    ],
)
def test_the_prompt_asks_for_a_letter_in_the_language_of_the_item(tmp_path: Path, language: str, ending: str) -> None:
    wording = Wording(language, "?", {"A": "a", "B": "b"})
    write(exam(item(wordings={language: wording})), tmp_path / "out", "lm-eval")
    assert lines(tmp_path / "out" / "items.jsonl")[0]["prompt"].endswith(ending)


class TestLmmsEval:
    def test_rows_hold_the_whole_prompt_the_key_and_media_in_the_folder(self, tmp_path: Path) -> None:
        write(exam(item(picture=True, sound=True)), tmp_path / "out", "lmms-eval")
        (row,) = lines(tmp_path / "out" / "items.jsonl")
        media = {"images": ["media/剧照 1.png"], "audios": ["media/c.wav"]}
        assert row == {"id": "id:0001", "prompt": PROMPT, "answer": "B", **media}
        assert (tmp_path / "out" / "media" / "剧照 1.png").read_bytes() == png(1)

    def test_the_task_names_no_end_of_a_reply_and_the_file_where_it_stands(self, tmp_path: Path) -> None:
        write(exam(item()), tmp_path / "out", "lmms-eval")
        yaml = (tmp_path / "out" / "exam_2_opera_set.yaml").read_text(encoding="utf-8")
        assert "until: []" in yaml
        assert json.dumps(str(tmp_path / "out" / "items.jsonl")) in yaml
        assert "partial" not in yaml

    def test_its_functions_open_picture_and_clip_and_mark_the_last_letter(self, tmp_path: Path) -> None:
        pytest.importorskip("PIL")
        pytest.importorskip("av")
        write(exam(item(picture=True, sound=True)), tmp_path / "out", "lmms-eval")
        utils = loaded(tmp_path / "out" / "utils.py")
        (row,) = lines(tmp_path / "out" / "items.jsonl")
        picture, clip = utils.doc_to_visual(row)
        assert (picture.mode, picture.size) == ("RGB", (8, 8))
        assert clip["sampling_rate"] == 16_000
        assert len(clip["array"]) == pytest.approx(1_600, abs=32)  # 0.1 s
        assert utils.doc_to_text(row) == PROMPT
        assert utils.process_results(row, ["Is it A?\n\nANSWER: B"]) == {"acc": 1.0}
        assert utils.process_results(row, ["答案是A。"]) == {"acc": 0.0}
        assert utils.process_results(row, ["Nothing here"]) == {"acc": 0.0}


class TestLmEval:
    def test_both_tasks_read_the_same_rows_and_name_no_end_of_a_reply(self, tmp_path: Path) -> None:
        write(exam(item()), tmp_path / "out", "lm-eval")
        (row,) = lines(tmp_path / "out" / "items.jsonl")
        assert row["id"] == "0001"
        assert (row["prompt"], row["choices"], row["answer"], row["gold"]) == (PROMPT, ["生", "旦 {x}"], "B", 1)
        assert "until: []" in (tmp_path / "out" / "exam_2_opera_set.yaml").read_text()
        assert "multiple_choice" in (tmp_path / "out" / "exam_2_opera_set_likelihood.yaml").read_text()

    def test_texts_that_look_like_dates_and_numbers_stay_texts(self, tmp_path: Path) -> None:
        pytest.importorskip("datasets")
        dates = Wording("en", "When?", {"A": "1949-10-01", "B": "1950-01-01 00:00:00"})
        write(exam(item(id="2024-01-01", wordings={"en": dates})), tmp_path / "out", "lm-eval")
        (row,) = loaded(tmp_path / "out" / "utils.py").load(version=1.0)["test"]
        assert (row["id"], row["choices"]) == ("2024-01-01", ["1949-10-01", "1950-01-01 00:00:00"])

    def test_the_folder_may_be_moved(self, tmp_path: Path) -> None:
        pytest.importorskip("datasets")
        write(exam(item()), tmp_path / "out", "lm-eval")
        shutil.move(tmp_path / "out", tmp_path / "moved")
        assert len(loaded(tmp_path / "moved" / "utils.py").load()["test"]) == 1
        assert str(tmp_path) not in "".join(f.read_text() for f in (tmp_path / "moved").iterdir() if f.is_file())

    def test_media_are_refused_by_item(self, tmp_path: Path) -> None:
        with pytest.raises(Misuse, match=r"text only.*0002.*--variant media=none"):
            write(exam(item(1), item(2, picture=True)), tmp_path / "out", "lm-eval")


class TestEvalscope:
    def test_media_stand_before_the_question_with_whole_paths_that_hold(self, tmp_path: Path) -> None:
        write(exam(item(picture=True, sound=True)), tmp_path / "out", "evalscope")
        (row,) = lines(tmp_path / "out" / "exam_2_opera_set_val.jsonl")
        assert row["question"] == f"<image 1> <audio 1> {INSTRUCTION}\n第1题？\n请细看。"
        assert (row["options"], row["answer"], row["audio_1_format"]) == (["生", "旦 {x}"], "B", "wav")
        assert Path(row["image_1"]).is_absolute()
        assert Path(row["image_1"]).read_bytes() == png(1)

    def test_paths_are_whole_where_the_folder_is_named_from_here(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        write(exam(item(picture=True)), "out", "evalscope")
        (row,) = lines(tmp_path / "out" / "exam_2_opera_set_val.jsonl")
        assert row["image_1"] == str(tmp_path / "out" / "media" / "剧照 1.png")

    def test_tags_that_stand_in_the_text_keep_their_places(self, tmp_path: Path) -> None:
        tagged = Wording("en", "Which?", {"A": "<image 1>", "B": "<image 2>"})
        media = tuple(Medium("image", f"{n}.png", data=png(n)) for n in (1, 2))
        write(exam(item(wordings={"en": tagged}, media=media)), tmp_path / "out", "evalscope")
        (row,) = lines(tmp_path / "out" / "exam_2_opera_set_val.jsonl")
        assert row["question"] == "Which?"
        with pytest.raises(Misuse, match=r"tags without one: 0001"):
            write(exam(item(wordings={"en": tagged}, media=media[:1])), tmp_path / "again", "evalscope")


class TestChat:
    def test_a_chat_is_the_prompt_with_its_media_and_the_letter(self, tmp_path: Path) -> None:
        write(exam(item(picture=True, sound=True)), tmp_path / "out", "chat")
        (chat,) = json.loads((tmp_path / "out" / "chats.json").read_text(encoding="utf-8"))
        asked, answered = chat["conversations"]
        assert asked == {"from": "human", "value": f"<image><audio>{PROMPT}"}
        assert answered == {"from": "gpt", "value": "B"}
        assert (tmp_path / "out" / chat["images"][0]).read_bytes() == png(1)
        info = json.loads((tmp_path / "out" / "dataset_info.json").read_text(encoding="utf-8"))
        columns = {"messages": "conversations", "images": "images", "audios": "audios"}
        assert info == {"exam_2_opera_set": {"file_name": "chats.json", "formatting": "sharegpt", "columns": columns}}

    def test_only_the_train_split_is_written_unless_another_is_asked_for(self, tmp_path: Path) -> None:
        benchmark = exam(item(1), item(2, split="test"), item(3, split=None))

        def written(folder: str, **asked: str) -> list[str]:
            write(benchmark, tmp_path / folder, "chat", **asked)
            return [chat["id"] for chat in json.loads((tmp_path / folder / "chats.json").read_text())]

        assert written("train") == ["0001"]
        assert written("test", split="test") == ["0002"]
        assert written("all", split="all") == ["0001", "0002", "0003"]
        with pytest.raises(Misuse, match=r"no split 'train'.*--split all"):
            write(exam(item(split="test")), tmp_path / "none", "chat")

    def test_a_text_that_holds_a_tag_of_a_medium_is_refused(self, tmp_path: Path) -> None:
        tagged = Wording("en", "What is <image>?", {"A": "a tag", "B": "b"})
        with pytest.raises(Misuse, match="0001"):
            write(exam(item(wordings={"en": tagged})), tmp_path / "out", "chat")


@pytest.mark.parametrize("format", ["inspect", "lmms-eval", "lm-eval", "evalscope", "chat", "vlmevalkit"])
class TestEvery:
    def test_a_missing_key_is_refused_and_nothing_is_left_behind(self, tmp_path: Path, format: str) -> None:
        with pytest.raises(Misuse, match=r"none: 0002; "):
            write(exam(item(1), item(2, answer=None)), tmp_path / "out", format)
        assert list(tmp_path.iterdir()) == []

    def test_media_that_are_not_there_are_refused(self, tmp_path: Path, format: str) -> None:
        absent = item(2, media=(Medium("image", "gone.png", tmp_path / "gone.png"),))
        with pytest.raises(Misuse, match="0002"):
            write(exam(item(1, picture=format != "lm-eval"), absent), tmp_path / "out", format)

    def test_other_wordings_are_listed(self, tmp_path: Path, format: str) -> None:
        english = Wording("en", "Which?", {"A": "a", "B": "b"})
        both = item(picture=format != "lm-eval")
        both = replace(both, wordings={**both.wordings, "en": english})
        lost = write(exam(both), tmp_path / "out", format)
        assert [(problem.code, "(en)" in problem.message) for problem in lost] == [("wordings_lost", True)]


@pytest.mark.parametrize("format", ["inspect", "lm-eval", "evalscope", "vlmevalkit"])
def test_labels_that_the_tool_would_replace_are_refused(tmp_path: Path, format: str) -> None:
    numbered = Wording("en", "?", {"1": "a", "2": "b"})
    with pytest.raises(Misuse, match="A, B, C"):
        write(exam(item(wordings={"en": numbered}, answer="1", picture=True)), tmp_path / "out", format)


def test_a_format_that_is_only_written_says_so_when_read(tmp_path: Path) -> None:
    write(exam(item()), tmp_path / "out", "chat")
    with pytest.raises(Misuse, match=r"chat can only be written; keju reads tco, "):
        load(tmp_path / "out", format="chat")
