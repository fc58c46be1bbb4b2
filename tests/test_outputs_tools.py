"""Files in the shapes that VLMEvalKit, lmms-eval, evalscope, Inspect, lm-eval and Multi-TW write, made here by hand."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from keju import api
from keju.benchmark import Benchmark
from keju.errors import BadFile
from keju.formats.outputs import Outputs, read_outputs
from keju.items import Item, Wording

TEXTS = ["京剧", "昆曲", "越剧"]


def exam(n: int) -> Benchmark:
    options = dict(zip("ABC", TEXTS, strict=True))
    return Benchmark(
        "exam", tuple(Item(f"i{k}", {"zh": Wording("zh", f"第{k}张是什么？", options)}, "B") for k in range(n))
    )


def prompt(k: int) -> str:
    return f"看图回答。\n第{k}张是什么？\nA. 京剧\nB. 昆曲\nC. 越剧\n请选择。"


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def one(path: Path, **options: Any) -> Outputs:
    (outputs,) = read_outputs(path, **options)
    return outputs


def statuses(outputs: Outputs) -> list[str]:
    return [record.status for record in outputs.records.values()]


def codes(outputs: Outputs) -> list[str]:
    return [problem.code for problem in outputs.problems]


# VLMEvalKit


def workbook(path: Path, *rows: dict[str, Any]) -> Path:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for values in (list(rows[0]), *(list(row.values()) for row in rows)):
        sheet.append(values)
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


def vlm_row(index: int, prediction: str | None, **more: Any) -> dict[str, Any]:
    texts = dict(zip("ABC", TEXTS, strict=True))
    return {
        "index": index,
        "question": f"第{index}张是什么？",
        **texts,
        "answer": "B",
        "prediction": prediction,
        **more,
    }


def test_vlmevalkit_replies_stay_text_and_failures_fail(tmp_path: Path) -> None:
    replies = ["None", "NA", "=B", "Failed to obtain answer via API.", None, "圆" * 32_767]
    path = workbook(tmp_path / "m_Exam.xlsx", *(vlm_row(n, reply) for n, reply in enumerate(replies)))
    outputs = one(path)
    assert outputs.format == "vlmevalkit"
    assert statuses(outputs) == ["answered", "answered", "answered", "failed", "answered", "truncated"]
    assert [outputs.records[str(n)].text for n in range(5)] == ["None", "NA", "=B", None, ""]
    assert codes(outputs) == ["cell_empty", "cell_cut"]


def test_vlmevalkit_marks_of_random_answers_are_counted(tmp_path: Path) -> None:
    random = "Failed to predict, thus randomly generate one. "
    path = workbook(
        tmp_path / "m_Exam_judge_result.xlsx",
        vlm_row(1, "B", hit=1, log="Match Log: ..."),
        vlm_row(2, "昆曲吧", hit=1, log=random),
        vlm_row(3, "不知道", hit=0, log=random),
    )
    outputs = one(path)
    assert dict(outputs.marks) == {"1": True, "2": True, "3": False}
    assert "2 of 3 marks in the file are of answers that VLMEvalKit drew at random: 2, 3" in outputs.problems[0].message


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_vlmevalkit_folder_gives_each_table_once_and_the_marked_one(tmp_path: Path) -> None:
    run = tmp_path / "llava" / "T20260101-120000"
    workbook(run / "llava_Exam.xlsx", vlm_row(1, "B"))
    workbook(run / "llava_Exam_judge_result.xlsx", vlm_row(1, "B", hit=1, log=""))
    workbook(run / "llava_Other.xlsx", vlm_row(1, "C"))
    (tmp_path / "llava" / "llava_Other.xlsx").symlink_to(run / "llava_Other.xlsx")
    found = read_outputs(tmp_path)
    assert sorted((o.model, o.benchmark.name, bool(o.marks)) for o in found) == [
        ("llava", "Exam_judge_result", True),
        ("llava", "Other", False),
    ]


def test_vlmevalkit_tsv_keeps_quoted_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "m_Exam.tsv"
    path.write_text('index\tquestion\tA\tB\tanswer\tprediction\n1\t?\tx\ty\tB\t"先想\n再答：B"\n2\t?\tx\ty\tB\tNA\n')
    assert [record.text for record in one(path).records.values()] == ["先想\n再答：B", "NA"]


def test_vlmevalkit_index_does_not_pass_for_another_items_id(tmp_path: Path) -> None:
    """Its index counts from 1 in its own file; here it happens to be the id of the item before."""
    items = tuple(
        Item(str(k + 1), {"zh": Wording("zh", f"第{k}张是什么？", dict(zip("ABC", TEXTS, strict=True)))}, "B")
        for k in range(3)
    )
    path = workbook(tmp_path / "m.xlsx", vlm_row(1, "B"), vlm_row(2, "C"))
    outputs = one(path, benchmark=Benchmark("exam", items))
    assert {item_id: record.text for item_id, record in outputs.records.items()} == {"2": "B", "3": "C"}


# lmms-eval


def lmms_row(k: int, reply: str, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": k,
        "target": "B",
        "filtered_resps": reply,
        "token_counts": [{"input_tokens": 10, "output_tokens": 3, "reasoning_tokens": 0}],
        "doc_hash": "74234e98",
        "input_media": [f"/data/{k}.png"],
        "acc": 1.0,
        "pred": "B",
        "input": prompt(k),
        **more,
    }


def test_lmms_eval_samples_join_by_position_and_failures_are_not_scored(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "qwen" / "20260101_120000_samples_exam.jsonl",
        lmms_row(0, "B", resps=["<think>…</think>B"]),
        lmms_row(1, "[LMMS_EVAL_REQUEST_FAILED after 5 retries] D"),
        lmms_row(2, ""),
    )
    outputs = one(path, benchmark=exam(3))
    assert (outputs.model, outputs.format) == ("qwen", "lmms-eval")
    assert statuses(outputs) == ["answered", "failed", "answered"]
    assert outputs.records["i0"].text == "<think>…</think>B"
    assert outputs.records["i0"].usage is not None
    assert outputs.records["i0"].usage.input_tokens == 10
    assert dict(outputs.marks) == {"i0": True, "i1": True, "i2": True}  # the tool scored its own error text
    assert codes(outputs) == ["replies_empty"]


def test_lmms_eval_samples_hold_options_in_their_prompt(tmp_path: Path) -> None:
    item = one(lines(tmp_path / "1_samples_exam.jsonl", lmms_row(0, "B"))).benchmark.items[0]
    assert (list(item.options.values()), item.answer, item.modality) == (TEXTS, "B", "image")


def test_lmms_eval_samples_of_other_questions_are_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "1_samples_exam.jsonl", lmms_row(0, "B"), lmms_row(1, "B", input=prompt(7)))
    with pytest.raises(BadFile, match=r"by position: .*exam\.jsonl:2: item i1: the file asks"):
        read_outputs(path, benchmark=exam(2))


# evalscope


def prediction(index: int, content: str | None, stop: str = "stop", k: int | None = None) -> dict[str, Any]:
    parts = [
        {"type": "text", "text": ""},
        {"type": "image", "image": "/abs/1.png"},
        {"type": "text", "text": prompt(k or index)},
    ]
    choice = {"message": {"role": "assistant", "content": content}, "stop_reason": stop}
    return {
        "index": index,
        "model": "mock",
        "model_output": {
            "model": "mock-1",
            "choices": [choice],
            "usage": {"input_tokens": 10, "output_tokens": 3, "reasoning_tokens": None},
            "time": 0.277,
            "error": None,
            "perf_metrics": {"latency": 0.277, "ttft": 0.05},
        },
        "messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": content}],
        "metadata": {},
    }


def review(index: int, value: dict[str, float], status: str = "success") -> dict[str, Any]:
    score = {"value": value, "status": status, "extracted_prediction": "B", "prediction": "ANSWER: B"}
    return {"index": index, "target": ["B"], "messages": [], "sample_score": {"score": score, "sample_id": index}}


def test_evalscope_predictions_and_reviews_are_one_run(tmp_path: Path) -> None:
    name = "mock/general_vmcq_opera.jsonl"
    lines(
        tmp_path / "predictions" / name,
        prediction(1, "ANSWER: B", k=1),
        prediction(0, "HTTP 400 content_filter: not A", "content_filter"),
        prediction(2, "maximum context length", "model_length"),
        prediction(3, "ANSW", "max_tokens"),
    )
    lines(
        tmp_path / "reviews" / name,
        *(review(index, {"accuracy": 1.0}) for index in (1, 0, 2)),
        review(3, {"acc": 0.0}, status="error"),
    )
    outputs = one(tmp_path, benchmark=exam(4))
    assert (outputs.model, outputs.format) == ("mock", "evalscope")
    assert statuses(outputs) == ["blocked", "answered", "failed", "truncated"]
    record = outputs.records["i1"]
    assert (record.text, record.model, dict(record.stages)) == (
        "ANSWER: B",
        "mock-1",
        {"infer": 0.277, "first_token": 0.05},
    )
    assert outputs.verdicts == {"accuracy": {"i0": True, "i1": True, "i2": True}, "acc": {"i3": None}}


def test_evalscope_review_alone_is_enough_to_mark(tmp_path: Path) -> None:
    row = {**review(0, {"acc": 1.0}), "messages": [{"role": "user", "content": prompt(0)}]}
    outputs = one(lines(tmp_path / "reviews" / "mock" / "exam.jsonl", row))
    assert (outputs.model, outputs.benchmark.items[0].answer, outputs.records["0"].text) == ("mock", "B", "ANSWER: B")


def test_evalscope_subsets_of_one_benchmark_join_by_their_text(tmp_path: Path) -> None:
    """`index` counts anew in each subset, so position says nothing."""
    lines(tmp_path / "predictions" / "mock" / "vmcq_a.jsonl", prediction(0, "A"), prediction(1, "B"))
    lines(tmp_path / "predictions" / "mock" / "vmcq_b.jsonl", prediction(0, "C", k=2))
    (tmp_path / "reports" / "mock").mkdir(parents=True)
    (tmp_path / "reports" / "mock" / "vmcq.json").write_text("{}")
    outputs = one(tmp_path, benchmark=exam(3))
    assert [record.text for record in outputs.records.values()] == ["A", "B", "C"]
    alone = one(tmp_path)
    assert [item.id for item in alone.benchmark] == ["a/0", "a/1", "b/0"]
    assert alone.benchmark["b/0"].labels["subset"] == "b"


def test_evalscope_index_twice_is_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "predictions" / "mock" / "e.jsonl", prediction(0, "A"), prediction(0, "B"))
    with pytest.raises(BadFile, match=r"e\.jsonl:2: index 0 occurs twice \(first on line 1\)"):
        read_outputs(path)


# Inspect


def sample(k: int, text: str = "ANSWER: B", stop: str = "stop", value: Any = "C", **more: Any) -> dict[str, Any]:
    return {
        "id": k,
        "epoch": 1,
        "input": f"第{k}张是什么？",
        "choices": TEXTS,
        "target": "B",
        "output": {
            "model": "gpt-4o-2024-08-06",
            "choices": [{"message": {"role": "assistant", "content": text}, "stop_reason": stop}],
            "completion": text,
            "usage": {"input_tokens": 153, "output_tokens": 3, "reasoning_tokens": 0},
            "time": 1.44,
        },
        "scores": {"choice": {"value": value, "answer": "B"}},
        "metadata": {"subject": "opera"},
        **more,
    }


def header(status: str = "success", ids: list[int] | None = None) -> dict[str, Any]:
    return {
        "version": 2,
        "status": status,
        "eval": {"task": "exam", "model": "openai/gpt-4o", "dataset": {"sample_ids": ids}},
    }


def eval_log(path: Path, head: dict[str, Any], *samples: dict[str, Any], name: str = "header.json") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, json.dumps(head))
        for one_sample in samples:
            archive.writestr(f"samples/{one_sample['id']}_epoch_{one_sample['epoch']}.json", json.dumps(one_sample))
    return path


SAMPLES = [
    sample(0),
    sample(1, "", error={"message": "RateLimitError", "traceback": "…"}),
    sample(2, "The ans", "max_tokens", "I"),
    sample(3, "refused", "content_filter", float("nan")),
    sample(4, "context too long", "model_length", "P"),
    sample(5, "still think", limit={"type": "token", "limit": 100}, value=0),
    sample(6, "", limit={"type": "time", "limit": 9}, value=True),
]


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_inspect_logs_keep_errors_limits_and_scores(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"log.{kind}"
    if kind == "eval":
        eval_log(path, header(), *SAMPLES)
    else:
        path.write_text(json.dumps({**header(), "samples": SAMPLES}))  # NaN is written bare, as Inspect does
    outputs = one(path, benchmark=exam(7))
    assert (outputs.model, outputs.format) == ("openai/gpt-4o", "inspect")
    assert statuses(outputs) == ["answered", "failed", "truncated", "blocked", "failed", "truncated", "failed"]
    assert list(outputs.marks.values()) == [True, True, False, None, None, False, True]
    assert outputs.records["i0"].stages["infer"] == 1.44
    assert outputs.records["i1"].error == {"kind": "model", "message": "RateLimitError"}


def test_an_inspect_log_alone_gives_items_with_labels(tmp_path: Path) -> None:
    item = one(eval_log(tmp_path / "log.eval", header(), sample(5))).benchmark["5"]
    assert (item.answer, list(item.options.values()), dict(item.labels)) == ("B", TEXTS, {"subject": "opera"})


def test_an_inspect_log_with_messages_and_pictures_is_read(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "第0张是什么？"}, {"type": "image", "image": "data:image/png;base64,AA"}]
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": parts}]
    item = one(eval_log(tmp_path / "log.eval", header(), {**sample(0), "input": asked})).benchmark["0"]
    assert (item.wording.question, item.modality) == ("Be brief.\n第0张是什么？", "image")


def test_epochs_of_an_inspect_log_are_runs_of_their_own(tmp_path: Path) -> None:
    path = eval_log(tmp_path / "log.eval", header(), sample(0), sample(0, "A", epoch=2))
    assert [(o.model, o.records["0"].text) for o in read_outputs(path)] == [
        ("openai/gpt-4o epoch 1", "ANSWER: B"),
        ("openai/gpt-4o epoch 2", "A"),
    ]


def test_an_unfinished_inspect_log_says_so_and_names_missing_samples(tmp_path: Path) -> None:
    head = {key: value for key, value in header(ids=[0, 1, 2]).items() if key != "status"}
    outputs = one(eval_log(tmp_path / "log.eval", head, sample(0), name="_journal/start.json"))
    assert codes(outputs) == ["log_unfinished", "output_missing"]
    assert "2 of 3 samples are not in the log: 1, 2" in str(outputs.problems[1])


def test_a_chunked_inspect_log_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", json.dumps(header()))
        archive.writestr("samples/0_epoch_1/sample.json", "{}")
    with pytest.raises(BadFile, match="chunked form; convert it: inspect log convert"):
        read_outputs(tmp_path / "log.eval")


def zstd_log(path: Path) -> Path:
    """A log with entries in zstd: put in compressed and stored, then renamed to method 93."""
    zstandard = pytest.importorskip("zstandard")
    pack = zstandard.ZstdCompressor().compress
    entries = {"header.json": json.dumps(header()).encode(), "samples/0_epoch_1.json": json.dumps(sample(0)).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries.items():
            archive.writestr(name, pack(content))
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = 0
        for content in entries.values():
            start = data.find(mark, start)
            data[start + offset : start + offset + 2] = (93).to_bytes(2, "little")
            data[start + offset + 14 : start + offset + 18] = len(content).to_bytes(4, "little")
            start += 4
    path.write_bytes(bytes(data))
    return path


def test_a_zstd_log_is_read_where_a_package_for_it_is_there(tmp_path: Path) -> None:
    assert one(zstd_log(tmp_path / "log.eval")).records["0"].text == "ANSWER: B"


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zipfile reads zstd from 3.14 on")
def test_a_zstd_log_without_the_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zstd_log(tmp_path / "log.eval")
    for name in ("backports.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BadFile, match="pip install zstandard"):
        read_outputs(path)


# lm-eval


def lm_row(k: int, filter_: str = "none", **more: Any) -> dict[str, Any]:
    doc = {"question": f"第{k}张是什么？", "choices": TEXTS, "answer": 1}
    request = {"arg_0": f"例题…\n\n第{k}张是什么？\n答案：", "arg_1": {"until": ["\n"]}}
    return {
        "doc_id": k,
        "doc": doc,
        "target": "B",
        "arguments": {"gen_args_0": request},
        "resps": [["答案：B"]],
        "filtered_resps": ["B"],
        "filter": filter_,
        "metrics": ["exact_match"],
        "exact_match": 1.0,
        **more,
    }


def likelihood_row(k: int, scores: list[float]) -> dict[str, Any]:
    arguments = {
        f"gen_args_{n}": {"arg_0": f"第{k}张是什么？\n答案：", "arg_1": f" {text}"} for n, text in enumerate(TEXTS)
    }
    return lm_row(
        k,
        target="1",
        arguments=dict(reversed(arguments.items())),  # sorted keys put gen_args_10 before gen_args_2
        resps=[[[str(score), "False"]] for score in scores],
        metrics=["acc", "acc_norm"],
        acc=1.0,
        acc_norm=0.0,
    )


def test_lm_eval_filters_of_one_document_are_marks_of_one_reply(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "openai__gpt" / "samples_exam_2026-01-01T12-00-00.000001.jsonl",
        lm_row(0, "strict-match", exact_match=0.0),
        lm_row(1, "strict-match"),
        lm_row(0, "flexible-extract"),
        lm_row(1, "flexible-extract"),
    )
    outputs = one(path, benchmark=exam(2))
    assert (outputs.model, outputs.format) == ("openai__gpt", "lm-eval")
    assert [record.text for record in outputs.records.values()] == ["答案：B", "答案：B"]
    assert outputs.verdicts == {
        "exact_match,strict-match": {"i0": False, "i1": True},
        "exact_match,flexible-extract": {"i0": True, "i1": True},
    }


def test_lm_eval_likelihoods_become_scores_by_option(tmp_path: Path) -> None:
    path = lines(tmp_path / "m" / "samples_exam_t.jsonl", likelihood_row(0, [-5.5, -1.25, -9.0]))
    (tmp_path / "m" / "results_t.json").write_text(json.dumps({"model_name": "Qwen/Qwen2-VL-7B"}))
    outputs = one(path)
    assert outputs.model == "Qwen/Qwen2-VL-7B"
    assert outputs.records["0"].scores == {"A": -5.5, "B": -1.25, "C": -9.0}
    assert outputs.benchmark["0"].answer == "B"
    assert outputs.verdicts == {"acc,none": {"0": True}, "acc_norm,none": {"0": False}}


def test_lm_eval_likelihoods_are_compared_unless_another_parser_is_asked_for(tmp_path: Path) -> None:
    path = lines(tmp_path / "m" / "samples_exam_t.jsonl", likelihood_row(0, [-5.5, -1.25, -9.0]))
    (run,) = api.open_runs([path])
    assert (run.protocol.parser, api.score(run).correct) == ("likelihood", 1)
    assert api.score(run, parser="robust").invalid == 1


def test_lm_eval_chat_prompts_are_read_from_their_messages(tmp_path: Path) -> None:
    messages = json.dumps([{"role": "user", "content": [{"type": "text", "text": "第0张是什么？"}]}])
    row = lm_row(0, doc={"label": "x"}, arguments={"gen_args_0": {"arg_0": [messages], "arg_1": {}}})
    assert list(one(lines(tmp_path / "samples_exam_t.jsonl", row), benchmark=exam(1)).records) == ["i0"]


def test_lm_eval_document_twice_under_one_filter_is_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "samples_exam_t.jsonl", lm_row(0), lm_row(0))
    with pytest.raises(BadFile, match=r"exam_t\.jsonl:2: document 0 occurs twice under filter 'none'"):
        read_outputs(path)


def test_lm_eval_line_of_another_shape_names_its_line(tmp_path: Path) -> None:
    path = lines(tmp_path / "samples_exam_t.jsonl", lm_row(0), lm_row(1, resps=[]))
    with pytest.raises(BadFile, match=r"exam_t\.jsonl:2: is not as lm-eval writes it"):
        read_outputs(path)


# Multi-TW


def test_multi_tw_outputs_are_cut_into_question_and_options(tmp_path: Path) -> None:
    sent = "在這個部分，你會聽到對話。\n\n（A）車站（B）學校（C）\n僅輸出正確答案的字母。\n"
    path = lines(
        tmp_path / "outputs.jsonl",
        {"id": "01-L-A-P1-001", "question": sent, "generation": "B", "answer": "B", "index2ans": None},
    )
    outputs = one(path)
    item = outputs.benchmark.items[0]
    assert (outputs.format, dict(item.options), item.answer) == ("multi-tw", {"A": "車站", "B": "學校", "C": ""}, "B")
    assert (item.modality, item.wording.language) == ("audio", "zh-Hant")


# A folder


def test_a_folder_of_two_formats_asks_for_one(tmp_path: Path) -> None:
    lines(tmp_path / "samples_exam_t.jsonl", lm_row(0))
    lines(tmp_path / "1_samples_exam.jsonl", lmms_row(0, "B"))
    with pytest.raises(BadFile, match=r"lm-eval, lmms-eval.*--format"):
        read_outputs(tmp_path)
    assert one(tmp_path, format="lmms-eval").format == "lmms-eval"
