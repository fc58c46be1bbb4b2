"""Folders and replies of others: no file outside is read, nothing is unpickled or run, no reply becomes a command."""

from __future__ import annotations

import ast
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from keju import api
from keju.benchmark import Benchmark
from keju.formats import load
from keju.models.model import Fake
from making import benchmark, png
from mutating import contents

SECRET = png(77)
SOURCE = Path(__file__).parents[1] / "src" / "keju"

# Paths

WAYS_OUT = {
    "above": "../secret.png",
    "far above": "media/../../secret.png",
    "absolute": "{}",
    "by backslashes": "..\\secret.png",
    "by a link": "link.png",
    "by a linked folder": "linked/secret.png",
    "encoded": "%2E%2E/secret.png",
    "as an address": "file://{}",
    "in full width": "．．/secret.png",
}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "secret.png").write_bytes(SECRET)
    return tmp_path / "secret.png"


def exam(folder: Path, format: str) -> Path:
    """An exam of three pictures in a format."""
    (folder / "made").mkdir()
    api.convert(benchmark(3, folder=folder / "made", name="opera"), format, folder / "exam")
    return folder / "exam"


def lead_out(folder: Path, way: str, outside: Path) -> None:
    """Every mention of the first picture becomes a way out; there is a link of that name, and a linked folder."""
    (folder / "link.png").symlink_to(outside)
    (folder / "linked").symlink_to(outside.parent)
    for name, content in contents(folder).items():
        if b"0001.png" in content and not name.endswith((".png", ".parquet")):
            target = json.dumps(way.format(outside))[1:-1].encode()
            told = re.sub(rb"(?:[\w./-]*/)?0001\.png", lambda _, target=target: target, content)
            (folder / name).write_bytes(told)


def media_of(benchmark: Benchmark) -> list[bytes]:
    return [medium.read() for item in benchmark for medium in item.media if medium.exists]


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("format", ["tco", "jsonl", "multi-tw", "vlmevalkit"])
def test_no_format_reads_a_file_outside_its_folder(tmp_path: Path, outside: Path, format: str, way: str) -> None:
    folder = exam(tmp_path, format)
    lead_out(folder, WAYS_OUT[way], outside)
    assert SECRET not in media_of(load(folder, format=format, faulty=True))


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("name", ["exam.csv", "exam.tsv", "mapped.jsonl"])
def test_no_table_reads_a_file_outside_its_folder(tmp_path: Path, outside: Path, name: str, way: str) -> None:
    folder = tmp_path / "exam"
    folder.mkdir()
    (folder / "link.png").symlink_to(outside)
    (folder / "linked").symlink_to(outside.parent)
    row = {"id": "1", "question": "?", "A": "a", "B": "b", "answer": "A", "image": WAYS_OUT[way].format(outside)}
    between = "\t" if name.endswith("tsv") else ","
    text = json.dumps(row) if name.endswith("jsonl") else f"{between.join(row)}\n{between.join(row.values())}\n"
    (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "m.toml").write_text(
        'id = "{id}"\nquestion = "{question}"\noptions = ["{A}", "{B}"]\nanswer = "{answer}"\nimage = "{image}"\n'
    )
    mapping = tmp_path / "m.toml" if name.endswith("jsonl") else None
    assert SECRET not in media_of(load(folder / name, mapping=mapping, faulty=True))


# Code


def calls() -> list[str]:
    """Names of what the source calls or imports, with their places."""
    found = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = node.func if isinstance(node, ast.Call) else None
            told = ast.unparse(name) if name is not None else ""
            told += " ".join(alias.name for alias in node.names) if isinstance(node, ast.Import) else ""
            told += str(node.module) if isinstance(node, ast.ImportFrom) else ""
            found += [f"{told}  {path.relative_to(SOURCE)}"] if told else []
    return found


@pytest.mark.parametrize("way", ["pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "torch.load", "np.load"])
def test_nothing_is_unpickled(way: str) -> None:
    assert [call for call in calls() if re.match(rf"{re.escape(way)}\b", call)] == []


def test_no_text_is_run() -> None:
    """`eval` of a model is PyTorch's word for no training."""
    assert [call for call in calls() if re.match(r"(eval|exec|compile|os\.system|os\.popen)\b ", call)] == []
    assert not any("shell=True" in path.read_text("utf-8") for path in SOURCE.rglob("*.py"))


# Replies

HOSTILE = (
    "<script>document.title='taken'</script>",
    r"\input{/etc/passwd}\write18{id}\end{document}",
    "[click](javascript:alert(1)) ![x](http://example.org/x.png) <img src=x onerror=alert(1)>",
    '=HYPERLINK("http://example.org","B")',
    "@SUM(1)|cmd '/C calc'!A0",
    "{{7*7}} {% debug %} ${7*7} #{7*7}",
    "\x1b]0;owned\x07\u202eB",
    "]]> --> </script></style></textarea>",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a report on replies that mean harm: name → bytes, members of the workbook among them."""
    place = tmp_path_factory.mktemp("hostile")
    replies: Any = iter(HOSTILE)
    api.run(benchmark(len(HOSTILE), name="opera"), Fake(lambda _: next(replies), name="f/<b>m</b>"), out=place / "runs")
    from keju.cli import main

    assert main(["report", str(place / "runs"), "-o", str(place / "report")]) == 0
    files = contents(place / "report")
    with zipfile.ZipFile(place / "report" / "report.xlsx") as book:
        return files | {f"xlsx/{name}": book.read(name) for name in book.namelist()}


def test_a_reply_is_no_html(report: dict[str, bytes]) -> None:
    page = report["report.html"].decode()
    for harm in ("<script>document.title", "<img src=x", "<b>m</b>", 'javascript:alert(1))"', "</script></style>"):
        assert harm not in page
    assert "Content-Security-Policy" in page


def test_a_reply_is_no_command_of_latex(report: dict[str, bytes]) -> None:
    texts = [content.decode() for name, content in report.items() if name.endswith(".tex")]
    assert texts
    for text in texts:
        assert not re.search(r"\\(input\{/etc|write18|immediate|openout|read\b)", text)
        assert text.count(r"\end{document}") <= 1


def test_a_reply_is_no_link_of_markdown(report: dict[str, bytes]) -> None:
    text = report["report.md"].decode()
    assert not re.search(r"(?<!\\)\]\(javascript:", text)
    assert not re.search(r"(?<!\\)<(script|img)", text)


def test_a_reply_is_no_formula(report: dict[str, bytes]) -> None:
    for name, content in report.items():
        if name.startswith("xlsx/xl/worksheets"):
            assert b"<f>" not in content
        if name.endswith(".csv"):
            assert not re.search(r'(?m)(^|,)"?[=@]', content.decode())


def test_no_file_of_a_report_holds_a_control_character(report: dict[str, bytes]) -> None:
    for name, content in report.items():
        if name.endswith((".html", ".md", ".tex", ".csv")):
            assert not set(content.decode()) & set("\x1b\x07\u202e"), name
