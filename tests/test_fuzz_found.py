"""What fuzzing found, and its relatives: files that exhaust a reader, and files that once left it with a traceback."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import test_outputs_tools as tools
from keju import api
from keju.errors import BadFile, KejuError, Misuse
from keju.formats import load
from keju.formats.archives import DAMAGE
from keju.formats.mapping import load_mapping
from keju.formats.names import in_order
from keju.formats.outputs import read_outputs
from keju.formats.toml_text import parse_toml
from keju.models.keys import Secret
from keju.models.model import Fake
from keju.models.openai_compatible import OpenAICompatible
from keju.people import Sitting
from keju.records import Record
from keju.runs.cost import load_prices
from keju.runs.reading import open_run
from keju.runs.study import load_study
from making import benchmark
from mutating import lay

HEAD = "<?xml version='1.0' encoding='UTF-8'?>"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DEEP = 50_000


def workbook(path: Path, sheet: str | bytes, *, strings: str = "") -> Path:
    """An XLSX of one sheet whose XML is `sheet`."""
    plain = path.with_name("plain.xlsx")
    tools.workbook(plain, {"id": "1", "question": "?", "A": "a", "B": "b", "answer": "A"})
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                content = sheet if isinstance(sheet, bytes) else sheet.encode()
            if name == "xl/sharedStrings.xml" and strings:
                content = strings.encode()
            new.writestr(name, content)
    plain.unlink()
    return path


def sheet(rows: str, dimension: str = "") -> str:
    return f'{HEAD}<worksheet xmlns="{MAIN}">{dimension}<sheetData>{rows}</sheetData></worksheet>'


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


QUESTION = "".join(
    f'<row r="{n}">{"".join(cell(f"{c}{n}", text) for c, text in zip("ABCDE", texts, strict=True))}</row>'
    for n, texts in enumerate((("id", "question", "A", "B", "answer"), ("1", "?", "a", "b", "A")), 1)
)
LAUGHS = (
    "<!DOCTYPE z [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)
BOMBS: dict[str, Callable[[Path], Path]] = {
    "a sheet that unpacks to a gigabyte": lambda p: workbook(p, sheet(QUESTION).encode() + b" " * (600 << 20)),
    "a row of number 999999999": lambda p: workbook(
        p, sheet(QUESTION + f'<row r="999999999">{cell("A999999999", "x")}</row>')
    ),
    "a billion laughs": lambda p: workbook(p, sheet(QUESTION).replace(HEAD, HEAD + LAUGHS).replace(">?<", ">&j;<")),
}

BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from pathlib import Path
from keju.errors import KejuError
from keju.formats import load
from keju.formats.outputs import read_outputs
for read in (load, read_outputs):
    try:
        read(Path(sys.argv[1]))
        print("read")
    except KejuError as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""


def bounded(path: Path) -> list[str]:
    """What the readers of benchmarks and of outputs say of a file, in a process that may hold 3 GB."""
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, str(path)], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits on memory of this kind")
@pytest.mark.parametrize("name", BOMBS)
def test_a_workbook_that_is_a_bomb_is_refused_in_bounded_memory(tmp_path: Path, name: str) -> None:
    said = bounded(BOMBS[name](tmp_path / "exam.xlsx"))
    assert [line.partition(" ")[0] for line in said] == ["BadFile", "BadFile"]


def test_a_workbook_that_calls_itself_the_largest_there_can_be_is_read(tmp_path: Path) -> None:
    """Some programs write that of every sheet; its rows are as wide as their cells."""
    path = workbook(tmp_path / "exam.xlsx", sheet(QUESTION, '<dimension ref="A1:XFD1048576"/>'))
    assert [item.answer for item in load(path)] == ["A"]


def test_no_file_of_the_machine_comes_into_a_workbook(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET", encoding="utf-8")
    entity = f"<!DOCTYPE z [<!ENTITY a SYSTEM '{(tmp_path / 'secret').as_uri()}'>]>"
    path = workbook(tmp_path / "exam.xlsx", sheet(QUESTION).replace(HEAD, HEAD + entity).replace(">?<", ">&a;<"))
    with pytest.raises(BadFile) as caught:
        load(path)
    assert "SECRET" not in str(caught.value)


def inspect_archive(path: Path, content: bytes, method: int, *, size: int | None = None, offset: int = 0) -> Path:
    """A log of one sample whose directory says what a test wants."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(tools.header()))
        archive.writestr(zipfile.ZipInfo("samples/0_epoch_1.json"), content)
    data = bytearray(path.read_bytes())
    entry = data.rfind(b"PK\x01\x02")
    struct.pack_into("<H", data, entry + 10, method)
    struct.pack_into("<I", data, entry + 24, len(content) if size is None else size)
    struct.pack_into("<I", data, entry + 42, struct.unpack_from("<I", data, entry + 42)[0] + offset)
    path.write_bytes(data)
    return path


def test_a_log_that_unpacks_beyond_what_its_directory_says_stops_there(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(json.dumps(tools.sample(0)).encode() + b" " * (1 << 30))
    with pytest.raises(BadFile, match=r"far more than such a file holds|cannot be read"):
        read_outputs(inspect_archive(tmp_path / "a.eval", packed, 93, size=1 << 30))
    if sys.platform != "win32":
        path = inspect_archive(tmp_path / "b.eval", packed, 93, size=100)
        assert bounded(path)[1].startswith("BadFile")


@pytest.mark.parametrize("method", [0, 8, 12, 14, 93, 97])
@pytest.mark.parametrize("offset", [0, 5, 1 << 30])
def test_a_log_with_a_damaged_directory_is_named(tmp_path: Path, method: int, offset: int) -> None:
    path = inspect_archive(tmp_path / "a.eval", b"{}", method, size=2, offset=offset)
    with pytest.raises(BadFile, match=r"a\.eval"):
        read_outputs(path)


def test_what_unpacks_an_archive_may_raise_is_known() -> None:
    assert {zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError} <= set(DAMAGE)


# Settings


@pytest.mark.parametrize(
    "text", ["a = " + "[" * DEEP + "]" * DEEP, "a = " + "[" * 200 + "]" * 200, "a = " + "9" * 5000, "a = '", "a"]
)
def test_toml_that_no_stack_or_number_holds_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadFile, match="here"):
        parse_toml(text, "here")


@pytest.mark.parametrize("price", ["nan", "inf", "-1", "true", '"x"', "[]"])
def test_a_price_is_a_number_that_can_be_paid(tmp_path: Path, price: str) -> None:
    (tmp_path / "p.toml").write_text(f'["m"]\ninput = {price}\noutput = 1', encoding="utf-8")
    with pytest.raises(BadFile, match="needs numbers"):
        load_prices(tmp_path / "p.toml")


@pytest.mark.parametrize(
    "line",
    [
        "labels = [[1]]",
        "labels = [1]",
        "answer_is = []",
        f"extract = {{id = '{'(' * 3000}?P<x>.'}}",
        "extract = {id = '(?P<x>a{99999999999999})'}",
    ],
)
def test_a_mapping_that_cannot_be_meant_names_its_key(tmp_path: Path, line: str) -> None:
    (tmp_path / "m.toml").write_text(f'question = "{{q}}"\n{line}\n', encoding="utf-8")
    with pytest.raises(BadFile, match=line.partition(" ")[0]):
        load_mapping(tmp_path / "m.toml")


@pytest.mark.parametrize("name", ["x" * 5000, "a\\u0000b"])
def test_a_study_names_what_no_file_can_be_called(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.toml").write_text(f'[study]\nbenchmarks = ["{name}"]\nmodels = ["m"]\n', encoding="utf-8")
    (cell_,) = load_study(tmp_path / "s.toml")
    with pytest.raises(KejuError):
        load(cell_.benchmark)


# keju's own folders


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    made = benchmark(3, name="opera")
    api.run(made, Fake(lambda _: "B", name="fake/m"), protocol="tco", out=tmp_path / "runs")
    return tmp_path / "runs" / "opera" / "fake__m.tco"


def replayed(folder: Path) -> object:
    return read_outputs(folder / "records.jsonl", format="keju")


def again(folder: Path) -> Any:
    """The same run once more."""
    made = benchmark(3, name="opera")
    return api.run(made, Fake(lambda _: "B", name="fake/m"), protocol="tco", out=folder.parents[1])


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no model": lambda info: info["fingerprint"].pop("model"),
    "a variant that is a text": lambda info: info["fingerprint"].update(variant="x"),
    "settings that are a list": lambda info: info["fingerprint"].update(settings=[]),
    "a name that is a number": lambda info: info["benchmark"].update(name=7),
    "sessions that are a text": lambda info: info.update(sessions="x"),
    "a session that is a text": lambda info: info.update(sessions=["x"]),
    "seconds that are a text": lambda info: info["sessions"][0].update(wall_s="x"),
    "a problem of other fields": lambda info: info["benchmark"].update(left_out=[{"x": 1}]),
    "problems that are a number": lambda info: info["benchmark"].update(left_out=3),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_whose_description_is_damaged_is_named(ran: Path, change: str) -> None:
    info = json.loads((ran / "run.json").read_text("utf-8"))
    CHANGES[change](info)
    (ran / "run.json").write_text(json.dumps(info), encoding="utf-8")
    with pytest.raises(BadFile, match=r"run\.json"):
        open_run(ran)


@pytest.mark.parametrize(
    "field",
    [
        '"stages": {"infer": null}',
        '"stages": {"infer": NaN}',
        '"stages": []',
        '"usage": true',
        '"usage": {"input_tokens": "x"}',
        '"text": 7',
        '"text": "\\ud800"',
        '"media": {}',
        '"warnings": [[]]',
        '"error": "x"',
        '"id": []',
        '"scores": {"A": "x"}',
        '"perceived": ' + "[" * 5000,
    ],
)
def test_a_record_of_other_kinds_is_no_record(ran: Path, field: str) -> None:
    records = ran / "records.jsonl"
    whole = records.read_bytes()
    records.write_bytes(b'{"id": "0001", "status": "answered", ' + field.encode() + b"}\n" + whole)
    for read in (lambda: dict(open_run(ran).records), lambda: again(ran), lambda: replayed(ran)):
        with pytest.raises(BadFile, match=r"records\.jsonl:1"):
            read()


def test_items_of_a_run_in_another_encoding_do_not_stop_it(ran: Path) -> None:
    text = (ran / "items.jsonl").read_text("utf-8")
    (ran / "items.jsonl").write_bytes(text.encode("utf-16"))
    assert again(ran).complete


def test_fields_of_a_record_that_are_absent_stay_absent() -> None:
    row = {"id": "1", "status": "failed", "error": {"kind": "server"}, "usage": None}
    assert Record.from_json(row).usage is None


SITTINGS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no digest": lambda row: row["items"][0].pop("digest"),
    "an item that is nothing": lambda row: row["items"].__setitem__(0, None),
    "a source that is nothing": lambda row: row["benchmark"].update(source=None),
    "a way to read that there is not": lambda row: row["benchmark"]["read"].update({"": "x"}),
    "a way to read that is a number": lambda row: row["benchmark"]["read"].update(format=3),
    "a language that is a list": lambda row: row.update(language=[]),
}


@pytest.mark.parametrize("change", SITTINGS)
def test_a_sitting_that_is_damaged_is_named(tmp_path: Path, change: str) -> None:
    sitting = Sitting.draw(tmp_path / "s", benchmark(3), 2, source="exam")
    sitting.freeze()
    file = tmp_path / "s" / "sitting.json"
    row = json.loads(file.read_text("utf-8"))
    SITTINGS[change](row)
    file.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(BadFile, match=r"sitting\.json"):
        Sitting.open(tmp_path / "s")


@pytest.mark.parametrize(
    "row", ['{"person": 1}', '{"person": "p", "written": {"1": 2}, "file": "f"}', "[]", "[" * 9000]
)
def test_answers_of_a_person_that_are_damaged_are_named(tmp_path: Path, row: str) -> None:
    sitting = Sitting.draw(tmp_path / "s", benchmark(3), 2, source="exam")
    sitting.freeze()
    lay(tmp_path / "s" / "people", {"p.json": row.encode()})
    with pytest.raises(BadFile, match=r"p\.json.*Import the sheet again"):
        _ = Sitting.open(tmp_path / "s").people


# Benchmarks


def test_an_answer_that_is_a_list_is_named(tmp_path: Path) -> None:
    row = {"id": "1", "wordings": {"en": {"question": "?", "options": {"A": "a", "B": "b"}}}, "answer": ["A"]}
    (tmp_path / "items.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(BadFile, match=r"items\.jsonl:1: answer \['A'\]"):
        load(tmp_path / "items.jsonl")


def test_ids_of_thousands_of_digits_have_an_order(tmp_path: Path) -> None:
    made = benchmark(2)
    digits = ["1" * 6000, "9" * 6000]
    items = tuple(replace(item, id=number) for item, number in zip(made, digits, strict=True))
    api.convert(replace(made, items=items), "jsonl", tmp_path / "out")
    assert sorted(digits, key=in_order) == digits
    assert [item.id for item in load(tmp_path / "out")] == digits


def test_a_key_in_extra_or_in_the_address_is_refused_because_runs_store_both() -> None:
    key = Secret("sk-0123456789abcdef")
    for options in (
        {"base_url": "http://h/v1", "extra": {"headers": {"api-key": "sk-0123456789abcdef"}}},
        {"base_url": "http://h/sk-0123456789abcdef/v1"},
    ):
        with pytest.raises(Misuse, match="stores") as caught:
            OpenAICompatible("f/m", model="m", key=key, **options)  # type: ignore[arg-type]
        assert "0123456789" not in str(caught.value)
