"""What keju's errors say to people of the studio: in their language, with the file as they uploaded it."""

from __future__ import annotations

import ast
import inspect
import io
import re
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

import keju
from keju.errors import BadFile, MissingExtra
from keju.phrase import Phrase
from keju.studio import failures, jobs
from keju.studio.models import Job

PACKAGE = Path(inspect.getfile(keju)).parent
AS_IT_IS = "keju 的说明（英文）"


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return buffer.getvalue()


UPLOADS = {
    "no benchmark": ("set.zip", zipped(notes_txt="nothing")),
    "an empty table": ("set.csv", b""),
    "one column": ("set.csv", b"question\nWhat?\n"),
    "a column twice": ("set.csv", b"id,question,A,A,answer\n1,What?,x,y,A\n"),
    "no answer": ("set.csv", b"id,question,A,B\n1,What?,x,y\n"),
    "broken JSON": ("items.jsonl", b'{"id": "1", "wordings": {\n'),
    "a field of another": ("items.jsonl", b'{"id": "1", "wordings": {}, "colour": 1}\n'),
    "no wording": ("items.jsonl", b'{"id": "1", "wordings": {}}\n'),
    "a wrong key": (
        "items.jsonl",
        b'{"id": "1", "wordings": {"en": {"question": "?", "options": {"A": "x"}}}, "answer": "C"}',
    ),
    "no workbook": ("set.xlsx", b"PK nothing"),
    "no Parquet": ("set.parquet", b"PAR1 nothing"),
    "several tables": (
        "set.zip",
        zipped(a_csv="id,question,A,B,answer\n1,?,x,y,A\n", b_csv="id,question,A,B,answer\n"),
    ),
}
RUNS = {
    "no outputs": ("runs.zip", zipped(notes_txt="nothing")),
    "no file of outputs": ("runs.txt", b"nothing"),
    "a damaged run": ("runs.zip", zipped(a__run_json="{}", a__items_jsonl="")),
}


def reported(home, owner, kind, name, data) -> dict[str, str]:
    jobs.start(home, owner, kind, "import", upload=SimpleUploadedFile(name, data))
    return Job.objects.get().report["failed"]


@pytest.mark.parametrize(
    ("kind", "upload"),
    [*((Job.Kind.BENCHMARK, one) for one in UPLOADS.items()), *((Job.Kind.RUNS, one) for one in RUNS.items())],
    ids=lambda one: one[0] if isinstance(one, tuple) else str(one),
)
def test_a_failed_import_says_in_chinese_what_is_wrong_with_which_file(home, owner, kind, upload):
    name, data = upload[1]
    told = reported(home, owner, kind, name, data)
    assert AS_IT_IS not in told["zh-hans"]
    assert re.search("[\u4e00-\u9fff]", told["zh-hans"])
    for text in told.values():
        assert any(place in text for place in (name, "a.csv", "run.json"))
        assert not re.search(r"--\w|/tmp|keju-import|unpacked|\bjobs/", text)  # nothing of the server or command line


def test_what_the_studio_does_not_know_is_told_as_it_is_beneath_a_sentence_in_chinese():
    told = failures.told(BadFile("set.csv: the moon is full"))
    assert str(told) == "set.csv: the moon is full"
    assert told.zh.endswith("：set.csv: the moon is full")
    assert AS_IT_IS in told.zh


def test_a_reason_within_a_reason_is_told_as_well():
    told = failures.told(MissingExtra("parquet", "reading set.parquet"))
    assert told.zh == "读取 set.parquet 需要扩展 `parquet`。请服务器的管理员安装：pip install 'keju[parquet]'"


def test_a_phrase_stays_what_it_says_with_the_file_as_it_was_uploaded(tmp_path):
    with pytest.raises(BadFile) as caught, failures.uploaded(tmp_path, "set.zip"):
        raise BadFile(Phrase(f"{tmp_path}: odd; {tmp_path}/a.csv too", f"{tmp_path}：不对；{tmp_path}/a.csv 也是"))
    told = failures.told(caught.value)
    assert (str(told), told.zh) == ("set.zip: odd; a.csv too", "set.zip：不对；a.csv 也是")


def test_every_sentence_that_is_known_is_one_that_keju_says():
    """Where the core words an error anew, the studio would tell it in English again."""
    said = "\n".join(text for file in PACKAGE.rglob("*.py") if file.name != "failures.py" for text in texts(file))
    assert [core for core in failures.SAID if longest_part(core) not in said] == []


def longest_part(core):
    """Of a text with fields, the longest part that one piece of source is sure to hold whole."""
    return max(re.split(r"\{\w+\}|(?<=[.:;])\s", core), key=len)


def texts(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "\0" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
