"""Real outputs of published evaluations: their marks are recovered exactly, and our parsers are held against them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from keju.benchmark import Benchmark
from keju.formats import load
from keju.formats.outputs import Outputs, read_outputs
from keju.protocols import extract
from scripts import loaded

pytestmark = pytest.mark.shared


def one(path: Path, benchmark: Benchmark | None = None) -> Outputs:
    (outputs,) = read_outputs(path, benchmark=benchmark)
    return outputs


def labels(outputs: Outputs, parser: str) -> dict[str, str | None]:
    texts = {item.id: outputs.records[item.id].text or "" for item in outputs.benchmark}
    return {item.id: extract(texts[item.id], item.options, parser).label for item in outputs.benchmark}


def right(outputs: Outputs, parser: str) -> int:
    found = labels(outputs, parser)
    return sum(found[item.id] is not None and found[item.id] == item.answer for item in outputs.benchmark)


def test_multi_tw_accuracy_by_modality(shared: Path) -> None:
    outputs = one(shared / "data/multi-tw/outputs.jsonl", load(shared / "data/multi-tw/items.json"))
    assert outputs.problems == ()
    found = labels(outputs, "first-letter")
    counts = Counter((item.modality, found[item.id] == item.answer) for item in outputs.benchmark)
    assert counts == {("image", True): 147, ("image", False): 49, ("audio", True): 169, ("audio", False): 31}


def test_multi_tw_outputs_alone_say_the_same(shared: Path) -> None:
    outputs = one(shared / "data/multi-tw/outputs.jsonl")
    assert right(outputs, "first-letter") == 316
    assert Counter(item.modality for item in outputs.benchmark) == {"image": 196, "audio": 200}
    there = load(shared / "data/multi-tw/items.json")
    assert all(dict(item.options) == dict(there[item.id].options) for item in outputs.benchmark)


@pytest.mark.parametrize("model", ["gpt-4o", "llama3.1-8b"])
def test_ceval_under_two_rules(shared: Path, model: str) -> None:
    """688 items, ids that count anew in each of 26 subjects."""
    folder = shared / "data/outputs-ceval-zhtw"
    known = json.loads((folder / "known_answers.json").read_text(encoding="utf-8"))["models"][model]
    outputs = one(folder / f"{model}.jsonl")
    assert len(outputs.records) == known["n"]
    assert sum(map(bool, outputs.marks.values())) == right(outputs, "first-letter") == known["correct"]
    for parser, valid in (("first-letter", known["published_valid"]), ("strict", known["tco_strict_valid"])):
        assert sum(label is not None for label in labels(outputs, parser).values()) == valid


@pytest.mark.parametrize("model", ["bard", "gpt4", "llava_13b", "minigpt4", "mplugowl"])
def test_mathvista_marks_are_the_published_ones(shared: Path, model: str) -> None:
    folder = shared / "data/outputs-mathvista"
    known = json.loads((folder / "known_answers.json").read_text(encoding="utf-8"))["models"][model]
    outputs = one(folder / f"{model}.jsonl")
    assert (outputs.model, len(outputs.benchmark), sum(map(bool, outputs.marks.values()))) == (
        model,
        known["n"],
        known["correct"],
    )
    assert all(item.answer for item in outputs.benchmark)
    assert [(p.item, p.code) for p in outputs.problems] == [("740", "options_identical")]


@pytest.mark.parametrize(
    ("file", "n", "published"),
    [
        ("outputs-mmmu-pro/gpt-4o_standard10_direct.jsonl", 250, 118),
        ("outputs-mmmu-pro/gpt-4o_vision_cot.jsonl", 250, 143),
        ("outputs-mmmu-pro/gpt-4o_vision_direct.jsonl", 250, 119),
        ("outputs-mmmu-val/qwen_vl.jsonl", 441, 177),
    ],
)
def test_mmmu_marks_are_the_published_ones(shared: Path, file: str, n: int, published: int) -> None:
    outputs = one(shared / "data" / file)
    assert (len(outputs.benchmark), sum(map(bool, outputs.marks.values()))) == (n, published)
    assert all(item.answer for item in outputs.benchmark)


def test_robust_grants_no_refusal_a_mark_that_mmmu_pro_granted(shared: Path) -> None:
    """The published parser reads the I of "I'm sorry" as option I; where it is the key it counted as right."""
    outputs = one(shared / "data/outputs-mmmu-pro/gpt-4o_vision_direct.jsonl")
    found = labels(outputs, "robust")
    lost = [item for item in outputs.benchmark if outputs.marks[item.id] and found[item.id] != item.answer]
    assert lost
    assert all((outputs.records[item.id].text or "").startswith(("I'm sorry", "I’m sorry", "Sorry")) for item in lost)


def test_an_inspect_log_that_inspect_wrote(shared: Path) -> None:
    outputs = one(shared / "data/interop/inspect_ai/mmlu-summary-choices.eval")
    (item,) = outputs.benchmark
    assert (outputs.model, item.answer, dict(item.labels)) == ("openai/gpt-4o", "A", {"subject": "college_physics"})
    assert outputs.records["1"].text == "ANSWER: C"
    assert dict(outputs.marks) == {"1": False}


@pytest.fixture(scope="module")
def gaokao() -> ModuleType:
    return loaded("examples/gaokao_bench.py")


@pytest.mark.parametrize(
    ("name", "n", "published", "several"),
    [
        ("2010-2013_English_MCQs", 105, 98, 0),
        ("2010-2022_Biology_MCQs", 150, 121, 0),
        ("2010-2022_Chinese_Modern_Lit", 87, 53, 0),
        ("2010-2022_History_MCQs", 287, 217, 0),
        ("2010-2022_Math_II_MCQs", 218, 138, 0),
        ("2010-2022_Physics_MCQs", 64, 34, 23),
    ],
)
def test_gaokao_bench_cut_into_single_questions(
    shared: Path, tmp_path: Path, gaokao: ModuleType, name: str, n: int, published: int, several: int
) -> None:
    source = shared / "data/outputs-gaokao-bench" / f"gpt-4-0314_{name}.json"
    outputs = one(gaokao.convert(source, tmp_path))
    assert (len(outputs.benchmark), sum(map(bool, outputs.marks.values()))) == (n, published)
    assert sum(item.answer is None for item in outputs.benchmark) == several
    assert all(any(item.options.values()) for item in outputs.benchmark)
    # Where robust differs, the reply gives several answers or none; the published parser took its last letter.
    for item in outputs.benchmark:
        label = extract(outputs.records[item.id].text or "", item.options, "robust").label
        if item.answer is not None and (label == item.answer) != outputs.marks[item.id]:
            assert label is None
