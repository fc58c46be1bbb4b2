"""The example that converts a real benchmark of another make."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from keju.formats import load

SCRIPT = Path(__file__).parents[2] / "examples" / "gaokao_mm.py"


@pytest.mark.shared
def test_every_item_comes_out_or_is_listed(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "gaokao-mm"
    subjects = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((folder / "Data").glob("*.json"))]
    asked = {f"{s['title']}_{example['index']}": example for s in subjects for example in s["example"]}
    command = [sys.executable, str(SCRIPT), str(folder), str(tmp_path / "out")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    benchmark = load(tmp_path / "out")
    listed = {item for item in asked if f"item {item}: " in done.stderr}
    assert {item.id for item in benchmark} | listed == asked.keys()
    assert not {item.id for item in benchmark} & listed
    assert not benchmark.problems
    for item in benchmark:
        assert [item.answer] == asked[item.id]["answer"]
        assert list(item.options) == ["A", "B", "C", "D"]
        assert len(item.media) == len(asked[item.id]["picture"])
        kept = item.wording.question + "".join(item.wording.as_written)
        assert sorted(kept.split()) or kept
        assert "".join(sorted("".join(kept.split()))) == "".join(sorted("".join(asked[item.id]["question"].split())))
