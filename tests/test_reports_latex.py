"""What LaTeX makes of the tables, where it is installed: they compile, nothing is cut off, and no letter is lost."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from keju.phrase import Phrase
from keju.reports import latex_document, to_latex
from keju.results.table import Column, Table

NAMES = (
    "openai/gpt-4o_mini#100%&more",
    "hf/an-organisation-of-a-long-name/A-Model-With-A-Very-Long-Name-72B-Instruct-2026-11-30",
    "a~b^c\\d{e}$f$ \"g\" 'h' `i` --- <j> |k|",
    "[2em]*",
    "é · – — … † ×",
)
CHINESE = (
    '戏_曲 #1 $x_1^2$ {a} ~ \\cmd{ -- "戲曲臉譜" <a|b> [x] †',
    "通义/千问视觉_72B#指令",
    "梅蘭芳（京劇）：「貴妃醉酒」",
)


def table(rows: int, names: tuple[str, ...], notes: int = 3, figures: int = 4, name: str = "a_table&more") -> Table:
    columns = (
        Column("first", "First & foremost", "text", "前者"),
        Column("second", "Second_one", "text", "后者"),
        *(Column(f"share{n}", f"Share {n} %", "share", f"占比{n}") for n in range(figures)),
        Column("interval", "95 % CI", "interval", "95 % 置信区间"),
        Column("p", "p (Holm)", "p", "p（Holm 校正）"),
    )
    figure = {f"share{n}": 0.25 for n in range(figures)} | {"interval": (0.702, 0.757), "p": 0.0001}
    body = [{"first": names[n % len(names)], "second": names[-1 - n % len(names)]} | figure for n in range(rows)]
    note = Phrase(f"{names[0]}: micro 48.3 % (over items), and so on.", f"{names[0]}：微平均 48.3 %（按题），等等。")
    title = "Accuracy by a_b & c"
    return Table(
        name, title, columns, tuple({**row, "_faint": True} for row in body), (note,) * notes, "按甲_乙的准确率"
    )


def compiled(engine: str, text: str, folder: Path) -> str:
    """The log of the last of two passes."""
    (folder / "made.tex").write_text(text, encoding="utf-8")
    line = [engine, "-interaction=nonstopmode", "-halt-on-error", "made.tex"]
    for _ in range(2):
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout[-1500:]
    return (folder / "made.log").read_text(encoding="utf-8", errors="replace")


def complaints(log: str) -> list[str]:
    return re.findall(r"^(?:Overfull|Missing character|LaTeX Warning: Reference).*", log, re.MULTILINE)


def has_chinese_tex() -> bool:
    if not (shutil.which("xelatex") and shutil.which("kpsewhich")):
        return False
    return subprocess.run(["kpsewhich", "ctex.sty"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_chinese_tex(), reason="needs xelatex with the package ctex")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_document_compiles_with_every_table_on_its_pages(language: Any, tmp_path: Path) -> None:
    names = (*NAMES, *CHINESE)
    tables = [
        table(3, names),
        table(39, names, notes=12, name="high"),
        table(70, names, name="long"),
        table(5, names, figures=24, name="wide"),
        table(45, names, figures=9, name="long and wide"),
    ]
    text = latex_document(
        tables, title="A 100 % & more: 报告 #1_x", meta={"runs": ["C:\\runs_1", "~"]}, language=language
    )
    assert complaints(compiled("xelatex", text, tmp_path)) == []


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
def test_a_fragment_without_chinese_compiles_with_plain_latex(tmp_path: Path) -> None:
    parts = [to_latex(table(rows, NAMES, name=f"t{rows}"), best={"share0": "max"}) for rows in (4, 45)]
    needed = parts[0].partition("needs: ")[2].partition(";")[0]
    head = f"\\documentclass[a4paper,landscape]{{article}}\n\\usepackage[T1]{{fontenc}}\n\\usepackage{{{needed}}}\n"
    page = "\\usepackage[margin=18mm]{geometry}\n\\begin{document}\n"
    log = compiled("pdflatex", head + page + "".join(parts) + "\\end{document}\n", tmp_path)
    assert complaints(log) == []


def test_a_table_that_is_higher_than_a_page_is_broken_in_the_document_and_stays_a_float_in_a_paper() -> None:
    high = table(39, NAMES, notes=12)
    assert "longtable}" not in to_latex(high)
    assert r"\begin{longtable}" in latex_document([high], title="", meta={})
    assert r"\begin{longtable}" not in latex_document([table(9, NAMES)], title="", meta={})


def test_wide_columns_get_what_the_others_leave() -> None:
    def share(figures: int) -> float:
        return float(re.findall(r"p\{([0-9.]+)\\linewidth\}", to_latex(table(45, NAMES, figures=figures)))[0])

    assert share(2) > share(9) > 0.1
