"""Tables as LaTeX: a fragment for `\\input` in a paper, and a whole document that compiles with Chinese text in it.

Both are for XeLaTeX or LuaLaTeX. A fragment asks of the paper's preamble what its first line names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any, Literal

from rich.cells import cell_len

from keju.items import NOTHING
from keju.printable import printable
from keju.reports.latex_room import WIDE_CELL, Room
from keju.reports.numbers import raw
from keju.reports.wording import Language, about, cells, for_people, heading, is_text, notes, title, word
from keju.results.table import Column, Table

LONG_TABLE = 40
"""Rows beyond which a table is broken over pages; a landscape A4 page holds about as many."""

_NAMED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
} | {character: f"\\{character}" for character in "&%$#_{}"}
_NEEDS = "% needs: booktabs, graphicx, longtable, array, xcolor, textcomp; Chinese text also ctex (xelatex or lualatex)"


def to_latex(table: Table, *, language: Language = "en", best: Mapping[str, Literal["max", "min"]] = NOTHING) -> str:
    """The table as a fragment: a float with caption and label `tab:NAME`, or a `longtable` beyond `LONG_TABLE` rows.

    `best` names the columns whose highest (`max`) or lowest (`min`) value is set bold; faint rows do not compete.
    """
    return _fragment(table, language, best)


def _fragment(
    table: Table, language: Language, best: Mapping[str, Literal["max", "min"]], *, on_a_page: bool = False
) -> str:
    """`on_a_page`: on that of the document, which a float must not exceed; the columns of a paper are its author's."""
    table = for_people(table)
    head = " & ".join(latex_escaped(heading(column, language)) for column in table.columns) + r" \\"
    winners = {column.key: _best(table, column, best[column.key]) for column in table.columns if column.key in best}
    drawn = [cells(table, row, language) for row in table.rows]
    body = [_row(table, row, texts, winners) for row, texts in zip(table.rows, drawn, strict=True)]
    caption = rf"\caption{{{latex_escaped(title(table, language))}}}\label{{tab:{_label(table.name)}}}"
    said = notes(table, language)
    under = [rf"{latex_escaped(note)}\par" for note in said]
    under = [r"\par\smallskip\raggedright\footnotesize", *under] if under else []
    room = Room([heading(column, language) for column in table.columns], drawn, _wide(table.columns, drawn), said)
    long = len(table.rows) > LONG_TABLE or (on_a_page and room.is_long)
    lines = (_long if long else _float)(table.columns, room, caption, head, body, under)
    return "\n".join([_NEEDS, *lines, ""])


def latex_document(
    tables: Sequence[Table],
    *,
    title: str,
    meta: Mapping[str, Any],
    language: Language = "en",
    best: Mapping[str, Literal["max", "min"]] = NOTHING,
) -> str:
    """A whole document with every table, for `xelatex` or `lualatex`."""
    said = [rf"\noindent {latex_escaped(key)}: {latex_escaped(value)}\par" for key, value in about(meta)]
    body = "\n".join(_fragment(table, language, best, on_a_page=True) for table in tables)
    return _DOCUMENT.substitute(
        title=latex_escaped(title), about="\n".join(said), body=body, table=word("table", language)
    )


def latex_escaped(text: str) -> str:
    """`text` as LaTeX sets it letter by letter; runs of white space become one space."""
    joined = " ".join(printable(text).split())
    named = "".join(_NAMED.get(character, character) for character in joined)
    return re.sub("-(?=-)", "-{}", named)  # `--` would become a dash


def _float(
    columns: Sequence[Column], room: Room, caption: str, head: str, body: list[str], under: list[str]
) -> list[str]:
    shrunk = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    shape = _shape(columns, room.wide, room.float_widths)
    tabular = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    caption += r"\vspace{\abovecaptionskip}"  # LaTeX leaves that room only below a table
    return [r"\begin{table}", r"\centering", caption, shrunk, *tabular, r"\end{tabular}}", *under, r"\end{table}"]


def _long(
    columns: Sequence[Column], room: Room, caption: str, head: str, body: list[str], under: list[str]
) -> list[str]:
    top = [caption + r"\\", r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    size, widths = room.size
    start = rf"{{{size}\setlength{{\tabcolsep}}{{4pt}}"
    return [
        start,
        rf"\begin{{longtable}}{{{_shape(columns, room.wide, widths)}}}",
        *top,
        *body,
        r"\end{longtable}",
        *under,
        r"\par}",
    ]


def _wide(columns: Sequence[Column], drawn: Sequence[Sequence[str]]) -> list[bool]:
    """Which columns are set as paragraphs."""
    return [is_text(c) and any(cell_len(row[i]) > WIDE_CELL for row in drawn) for i, c in enumerate(columns)]


def _shape(columns: Sequence[Column], wide: Sequence[bool], widths: Sequence[float]) -> str:
    shares = iter(widths)
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{next(shares):.2f}\linewidth}}"
        if is_wide
        else "l"
        if is_text(column)
        else "r"
        for column, is_wide in zip(columns, wide, strict=True)
    )


def _row(table: Table, row: Mapping[str, Any], texts: Sequence[str], winners: Mapping[str, Any]) -> str:
    faint = bool(row.get("_faint"))
    styled = [_styled(text, c, row, winners, faint) for text, c in zip(texts, table.columns, strict=True)]
    guard = "{}" if styled and styled[0][:1] in ("[", "*") else ""  # after `\\` both would be an argument of it
    return f"{guard}{' & '.join(styled)} \\\\"


def _styled(text: str, column: Column, row: Mapping[str, Any], winners: Mapping[str, Any], faint: bool) -> str:
    set_text = latex_escaped(text)
    if not is_text(column):
        set_text = re.sub("^-", "$-$", set_text).replace(r" \%", r"\,\%").replace("< ", "$<$ ")
    if faint:
        return rf"\textcolor{{gray}}{{{set_text}}}"
    winner = winners.get(column.key)
    return rf"\textbf{{{set_text}}}" if winner is not None and raw(column, row) == winner else set_text


def _best(table: Table, column: Column, which: Literal["max", "min"]) -> Any:
    values = [raw(column, row) for row in table.rows if not row.get("_faint")]
    measured = [value for value in values if isinstance(value, int | float)]
    return (max if which == "max" else min)(measured, default=None)


def _label(name: str) -> str:
    return re.sub(r"[^\w-]", "-", name, flags=re.ASCII)


_DOCUMENT = Template(r"""% !TeX program = xelatex
% Compile twice with xelatex or lualatex.
\documentclass[a4paper,landscape]{article}
\usepackage{iftex}
\RequireTUTeX
\usepackage[margin=18mm]{geometry}
\usepackage{booktabs,graphicx,longtable,array,xcolor,textcomp,float}
\floatplacement{table}{H}
\newif\ifctex
\IfFileExists{ctex.sty}{\ctextrue}{}
\ifLuaTeX\IfFileExists{luatexja.sty}{}{\ctexfalse}\fi
\ifctex
  \usepackage[scheme=plain]{ctex}
  \IfFontExistsTF{Noto Serif CJK SC}{\setCJKmainfont{Noto Serif CJK SC}}{}
\else % one font for both scripts
  \usepackage{fontspec}
  \setmainfont{Noto Serif CJK SC}
  \ifXeTeX\XeTeXlinebreaklocale "zh"\fi
\fi
\title{$title}
\author{}
\date{}
\renewcommand{\tablename}{$table}
\begin{document}
\maketitle
$about

$body
\end{document}
""")
