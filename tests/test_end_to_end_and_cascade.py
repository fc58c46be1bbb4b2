"""Tables 3 and 4 of paper 001 on real local models: one that hears, against a transcriber and a model that sees."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import keju
from keju.benchmark import Benchmark
from keju.cli import main
from keju.errors import Misuse
from keju.models.perception import Whisper
from tiny.torchvision_ops import make_importable

torch = pytest.importorskip("torch", reason="the extra `local` is not installed")
make_importable()
families = pytest.importorskip("tiny.families", reason="the extra `local` is not installed")
pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")

pytestmark = [pytest.mark.local, pytest.mark.embedded]


def exam() -> Benchmark:
    """Two of the demo's items with pictures and two about one clip."""
    demo = keju.load("teahouse")
    return replace(
        demo, items=tuple(i for kind in ("image", "audio") for i in demo.select(where={"modality": kind}, limit=2))
    )


def named(folder: Path, *families_: str) -> Mapping[str, str]:
    """What to pass to `-m` for a tiny model of each family."""
    torch.manual_seed(0)
    for family in families_:
        (folder / family).mkdir()
        families.SEEING[family](folder / family)
    return {family: f"hf/{folder / family}" for family in families_}


def rows_of(path: Path) -> list[dict[str, Any]]:
    tables = {table["name"]: table for table in json.loads(path.read_text(encoding="utf-8"))["tables"]}
    return list(tables["latency_by_modality"]["rows"])


def test_the_table_of_end_to_end_against_cascade_falls_out_of_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    try:
        Whisper(language="zh")
    except Misuse as absent:
        pytest.skip(str(absent))
    asked_of, models = exam(), named(tmp_path, "qwen2_5_omni", "qwen2_vl")
    asked: dict[str, Any] = {"protocol": "choice", "batch_size": 4}
    hears = keju.run(asked_of, models["qwen2_5_omni"], out=tmp_path / "runs", **asked)
    cascade = {**asked, "transcriber": "whisper/base:zh"}
    cold = keju.run(asked_of, models["qwen2_vl"], out=tmp_path / "runs", **cascade)
    warm = keju.run(asked_of, models["qwen2_vl"], out=tmp_path / "warm", **cascade)
    for run in (hears, cold, warm):
        assert run.complete
    for item in asked_of:
        heard = " ".join((cold.records[item.id].perceived or {}).values())
        assert (len(set(heard) & set(item.extra.get("transcript", ""))) > 5) is (item.modality == "audio")
        assert not hears.records[item.id].perceived

    assert main(["report", str(tmp_path / "runs"), str(tmp_path / "warm"), "-o", str(tmp_path / "report")]) == 0
    rows = {(row["model"], row["perception"]): row for row in rows_of(tmp_path / "report" / "report.json")}
    omni = rows[models["qwen2_5_omni"], "none"]
    slow = rows[f"whisper/base:zh+{models['qwen2_vl']} #1", "measured"]
    quick = rows[f"whisper/base:zh+{models['qwen2_vl']} #2", "cached"]
    for row in (omni, slow, quick):
        assert (row["n"], row["timed"]) == (4, 4)
        assert row["accuracy"] == (row["accuracy_image"] + row["accuracy_audio"]) / 2
    transcribed = sum(record.stages.get("transcribe", 0.0) for record in cold.records.values())
    assert slow["inference_s"] > transcribed > 0.1
    assert quick["inference_s"] < slow["inference_s"] - transcribed / 2
    assert slow["accuracy"] == quick["accuracy"]
