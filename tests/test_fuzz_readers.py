"""Fuzzing: whatever stands in a file, its reader gives a result or refuses it in words, in bounded time and memory.

Each valid file is bent in hundreds of ways (`mutating`); media are decoded in processes of their own, see
`tests/checks/test_measuring.py`, replies are fuzzed in `test_models_replies.py` and `test_extraction.py`.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.checks.media_making import encoded, mp3_frames, scene

import test_outputs_tools as tools
from keju import api
from keju.benchmark import Benchmark
from keju.checks import mp3
from keju.checks.clips import read_clip
from keju.checks.pictures import read_picture
from keju.checks.settings import settings_of
from keju.formats import load
from keju.formats.labels import join_labels
from keju.formats.mapping import load_mapping
from keju.formats.outputs import read_outputs
from keju.formats.ratings import read_ratings
from keju.media_types import mime_of
from keju.models.model import Fake
from keju.models.options import read_model_file
from keju.models.perception.given import transcript_rows
from keju.models.registry import open_model
from keju.people import Sitting, read_sheets
from keju.protocols import load_protocol
from keju.release import build, read_settings, verify
from keju.release.checksums import write_sums
from keju.results.breakdowns import read_dimensions
from keju.runs.asking import Session
from keju.runs.cost import load_prices
from keju.runs.reading import open_run
from keju.runs.study import load_study
from keju.runs.watching import Watch
from making import benchmark, wav
from making import png as picture
from mutating import FUZZED, bent, bent_folder, contents, lay, read_or_refused
from release.filled import a_few
from release.filled import settings as release_settings
from release.filled import toml as release_toml

# Benchmarks of every format

FORMATS = ("tco", "multi-tw", "jsonl", "parquet", "vlmevalkit")
SHIPPED = resources.files("keju.protocols") / "builtin"
MAPPED = """id = "{id}"
question = "{question}"
options = ["{A}", "{B}", "{C}", "{D}"]
answer = "{answer}"
image = ["{image}"]
labels = {genre = "{genre}"}
"""
SHEET = "id,question,A,B,C,D,answer,image,genre\n" + "".join(
    f"{n:04d},图中是？,生,旦,净,丑,{'ABCD'[n % 4]},{n:04d}.png,g{n % 2}\n" for n in range(1, 4)
)


def exam(folder: Path) -> Benchmark:
    """Three items with pictures, in two languages."""
    folder.mkdir(parents=True, exist_ok=True)
    return benchmark(3, folder=folder, name="opera", bilingual=True)


def whole(loaded: Benchmark) -> None:
    """Look at all that a benchmark holds, as a run and a report would."""
    for item in loaded:
        assert item.wording.question is not None
        for medium in item.media:
            _ = medium.exists and medium.identity
    _ = loaded.fingerprint, [str(problem) for problem in loaded.problems]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], Any]], dict[str, bytes]]:
    """Makes the files of a seed once: name → bytes."""
    made: dict[str, dict[str, bytes]] = {}

    def files(name: str, make: Callable[[Path], Any]) -> dict[str, bytes]:
        if name not in made:
            folder = tmp_path_factory.mktemp("seed")
            make(folder)
            made[name] = contents(folder)
        return made[name]

    return files


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[dict[str, bytes]], Path]:
    """Lays files into the same emptied folder, one example after the other."""

    def laid(files: dict[str, bytes]) -> Path:
        shutil.rmtree(tmp_path / "x", ignore_errors=True)
        return lay(tmp_path / "x", files)

    return laid


@pytest.mark.parametrize("format", FORMATS)
@FUZZED
@given(data=st.data())
def test_benchmarks(kept: Any, fresh: Any, tmp_path: Path, format: str, data: st.DataObject) -> None:
    seed = kept(format, lambda folder: api.convert(exam(tmp_path / "made"), format, folder / "exam"))
    folder = fresh(data.draw(bent_folder(seed))) / "exam"
    read_or_refused(lambda: whole(load(folder, format=format, faulty=True)))
    read_or_refused(lambda: whole(load(folder)))


@pytest.mark.parametrize("name", ["exam.csv", "exam.tsv"])
@FUZZED
@given(data=st.data())
def test_sheets_and_tables_of_ones_own(fresh: Any, name: str, data: st.DataObject) -> None:
    text = SHEET if name.endswith("csv") else SHEET.replace(",", "\t")
    folder = fresh({name: data.draw(bent(text.encode())), "my.toml": MAPPED.encode(), "0001.png": picture()})
    read_or_refused(lambda: whole(load(folder / name, faulty=True)))
    read_or_refused(lambda: whole(load(folder / name, mapping=folder / "my.toml")))
    read_or_refused(lambda: join_labels(benchmark(3), folder / name))
    read_or_refused(lambda: read_ratings(folder / name))
    read_or_refused(lambda: read_sheets(folder / name, ["0001", "0002", "0003"]))
    read_or_refused(lambda: read_outputs(folder / name))


@FUZZED
@given(data=st.data())
def test_workbooks(kept: Any, fresh: Any, data: st.DataObject) -> None:
    seed = kept("xlsx", lambda folder: tools.workbook(folder / "m.xlsx", *(tools.vlm_row(n, "B") for n in range(3))))
    file = fresh({"m.xlsx": data.draw(bent_zip(seed["m.xlsx"]))}) / "m.xlsx"
    read_or_refused(lambda: whole(load(file, faulty=True)))
    read_or_refused(lambda: read_outputs(file))
    read_or_refused(lambda: read_ratings(file))
    read_or_refused(lambda: read_sheets(file, ["0", "1"]))


def bent_zip(content: bytes) -> st.SearchStrategy[bytes]:
    """A zip with a bent member, or bent itself."""

    def packed(files: dict[str, bytes]) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, member in files.items():
                archive.writestr(name, member)
        return out.getvalue()

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return bent(content) | bent_folder(members).map(packed)


# What other tools wrote


def inspect_log(folder: Path) -> None:
    tools.eval_log(folder / "m.eval", tools.header(), *tools.SAMPLES[:3])


OUTPUTS: dict[str, Callable[[Path], Any]] = {
    "lmms-eval": lambda folder: tools.lines(
        folder / "m_samples_exam.jsonl", *(tools.lmms_row(n, "B") for n in range(3))
    ),
    "evalscope": lambda folder: tools.lines(
        folder / "predictions" / "mock" / "e.jsonl", *(tools.prediction(n, "ANSWER: B", k=n + 1) for n in range(3))
    ),
    "evalscope reviews": lambda folder: tools.lines(
        folder / "reviews" / "mock" / "e.jsonl",
        *(
            {**tools.review(n, {"acc": 1.0}), "messages": [{"role": "user", "content": tools.prompt(n)}]}
            for n in (0, 1)
        ),
    ),
    "inspect": lambda folder: tools.lines(
        folder / "log.json", {**tools.header(), "samples": [*tools.SAMPLES[:2], tools.SAMPLES[5]]}
    ),
    "lm-eval": lambda folder: tools.lines(folder / "samples_exam.jsonl", tools.lm_row(0), tools.lm_row(1)),
    "plain": lambda folder: tools.lines(
        folder / "m.jsonl",
        *({"id": f"x{n}", "question": "?", "options": ["生", "旦"], "answer": "A", "reply": "B"} for n in (1, 2)),
    ),
}


@pytest.mark.parametrize("tool", OUTPUTS)
@FUZZED
@given(data=st.data())
def test_outputs_of_other_tools(kept: Any, fresh: Any, tool: str, data: st.DataObject) -> None:
    seed = kept(tool, OUTPUTS[tool])
    (name,) = seed
    folder = fresh({name: data.draw(bent(seed[name]))})
    read_or_refused(lambda: read_outputs(folder))
    read_or_refused(lambda: read_outputs(folder, benchmark=tools.exam(3)))


@FUZZED
@given(data=st.data())
def test_logs_of_inspect_as_archives(kept: Any, fresh: Any, data: st.DataObject) -> None:
    seed = kept("eval", inspect_log)
    file = fresh({"m.eval": data.draw(bent_zip(seed["m.eval"]))}) / "m.eval"
    read_or_refused(lambda: read_outputs(file))


# keju's own folders


def a_run(folder: Path) -> None:
    made = exam(folder.parent / f"{folder.name}-media")
    api.run(made, Fake(lambda _prompt: "答案：B", name="fake/m"), protocol="tco", out=folder)


@FUZZED
@given(data=st.data())
def test_run_folders(kept: Any, fresh: Any, tmp_path: Path, data: st.DataObject) -> None:
    """Marking a run, watching it, replaying it, and asking on."""
    seed = {name: content for name, content in kept("run", a_run).items() if not name.endswith("run.lock")}
    runs = fresh(data.draw(bent_folder(seed)))
    folder = runs / "opera" / "fake__m.tco"
    read_or_refused(lambda: api.score(open_run(folder)).accuracy)
    read_or_refused(lambda: Watch([runs]).look())
    read_or_refused(lambda: read_outputs(folder / "records.jsonl"))
    made = exam(tmp_path / "made")
    read_or_refused(
        lambda: api.run(made, Fake(lambda _p: "B", name="fake/m"), protocol="tco", out=runs, session=Session())
    )


def a_sitting(folder: Path) -> None:
    exam_folder = folder / "exam"
    api.convert(exam(folder.parent / f"{folder.name}-media"), "tco", exam_folder)
    made = load(exam_folder)
    sitting = Sitting.draw(folder / "sitting", made, 2, source=str(exam_folder))
    sitting.freeze()
    ids = list(sitting.items)
    sheet = lay(folder / "sheets", {"p.csv": f"id,answer\n{ids[0]},A\n{ids[1]},B\n".encode()}) / "p.csv"
    for one in read_sheets(sheet, ids):
        sitting.add(one)


@FUZZED
@given(data=st.data())
def test_sittings(kept: Any, fresh: Any, data: st.DataObject) -> None:
    seed = kept("sitting", a_sitting)
    own = {name: content for name, content in seed.items() if name.startswith("sitting/")}
    rest = {name: content for name, content in seed.items() if name not in own}
    folder = fresh({**rest, **data.draw(bent_folder(own))})
    read_or_refused(lambda: [run.records for run in Sitting.open(folder / "sitting").runs()])


@settings(FUZZED, max_examples=max(8, FUZZED.max_examples // 8))  # each is looked at by three libraries
@given(data=st.data())
def test_releases(kept: Any, fresh: Any, tmp_path: Path, data: st.DataObject) -> None:
    pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")
    seed = kept("release", lambda folder: build(a_few(1), release_settings(), folder / "out", jobs=1))
    folder = fresh(data.draw(bent_folder(seed))) / "out"
    if folder.is_dir():
        read_or_refused(lambda: verify(folder))
        if (folder / "SHA256SUMS").is_file():
            read_or_refused(lambda: write_sums(folder))
            read_or_refused(lambda: verify(folder))


# Settings

STUDY = """[study]
out = "runs"
benchmarks = ["opera/"]
models = ["openai/gpt-4o", "my-model.toml"]
protocols = ["tco"]
variants = [[], ["language=en"]]
split = "test"
limit = 5
concurrency = 2
"""
MODEL = """model = "openai-compatible/m"
base_url = "http://127.0.0.1:1/v1"
dialect = "openai"
stream = true
timeout = 3
context_length = 4096
concurrency = 4
extra = {top_p = 0.9}
"""
CHECKS = """select = ["Q", "F1"]
ignore = ["Q203"]

[thresholds.I103]
pixels = 400
"""
PRICES = """["openai/gpt-4o"]
input = 2.5
output = 10.0
currency = "USD"
"""
DIMENSIONS = """[image_comprehension]
title = "Image Comprehension"
title_zh = "图像理解"
question_types = ["genre classification", "剧种识别"]
"""
TOML: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "study.toml": (STUDY, lambda file: list(load_study(file))),
    "model.toml": (MODEL, lambda file: (read_model_file(file), open_model(str(file)))),
    "protocol.toml": ((SHIPPED / "tco.toml").read_text("utf-8"), load_protocol),
    "robust.toml": ((SHIPPED / "robust.toml").read_text("utf-8"), load_protocol),
    "mapping.toml": (MAPPED, load_mapping),
    "checks.toml": (CHECKS, lambda file: settings_of(file=file).rules(benchmark(2))),
    "prices.toml": (PRICES, load_prices),
    "dimensions.toml": (DIMENSIONS, read_dimensions),
    "release.toml": (release_toml(), read_settings),
}


@pytest.mark.parametrize("name", TOML)
@FUZZED
@given(data=st.data())
def test_settings(fresh: Any, name: str, data: st.DataObject) -> None:
    text, read = TOML[name]
    file = fresh({name: data.draw(bent(text.encode()))}) / name
    read_or_refused(lambda: read(file))


@FUZZED
@given(data=st.data())
def test_transcripts(fresh: Any, data: st.DataObject) -> None:
    row = {"name": "a.mp3", "text": "一段话", "sha256": "0" * 64, "id": "0001"}
    text = "\n".join(json.dumps(row | {"id": f"{n}"}, ensure_ascii=False) for n in range(3))
    file = fresh({"t.jsonl": data.draw(bent(text.encode()))}) / "t.jsonl"
    read_or_refused(lambda: list(transcript_rows(file)))


# Media

MEDIA = {"png": picture(3), "wav": wav(level=99), "mp3": mp3_frames(64, 4), "jpeg": encoded(scene(1), "JPEG")}


@pytest.mark.parametrize("kind", MEDIA)
@FUZZED
@given(data=st.data())
def test_media_are_looked_at(kind: str, data: st.DataObject) -> None:
    """What keju itself reads of them; the decoders run in processes of their own, see `tests/checks`."""
    content = data.draw(bent(MEDIA[kind]))
    read_or_refused(lambda: mime_of(content[:64]))
    read_or_refused(lambda: mp3.frames(content))
    read_or_refused(lambda: (read_picture if kind in ("png", "jpeg") else read_clip)(content))
