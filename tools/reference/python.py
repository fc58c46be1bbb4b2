"""Functions, classes and fields: signatures and docstrings as the source has them, read by griffe.

A record type of keju says what a field is right beneath it; those lines are the reference of files and tables alike.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import griffe

from reference.markdown import block, code, table, told

SOURCE = Path(__file__).parents[2] / "src"
FACE = {
    "The steps": ["load", "check", "convert", "run", "open_run", "score", "compare", "extract"],
    "More steps": ["api.arun", "api.open_runs", "api.marks"],
    "What they give": [
        "runs.run.Run",
        "results.scores.Scores",
        "results.mark.Mark",
        "results.pairs.Comparison",
        "protocols.Extraction",
        "checks.Finding",
    ],
    "Errors": ["errors"],
}
STORED = {
    "A benchmark": ["Benchmark", "benchmark.Problem", "Item", "Wording", "Medium"],
    "A line of `records.jsonl`": ["records.Record", "records.Reply", "records.Usage"],
    "Values": ["records.Status", "records.STAGES", "protocols.extraction.Reason"],
    "The run folder": ["runs.store"],
    "A protocol": ["protocols.Protocol", "protocols.Template"],
    "A prompt": ["prompts"],
    "A finding of `keju check`": ["checks.Finding"],
}
MODELS = {
    "The seam": ["models.Model", "models.Fake", "models.open_model", "models.Options"],
    "What can be named": ["models.Provider", "models.Preset", "models.providers", "models.presets"],
}
WRAPPED = {"keju.api.run": lambda: _named("api.arun")}
"""Names that are another function in a wrapper, which shows no signature of its own."""


def pages() -> dict[str, str]:
    """Paths and pages: the face, what is stored, models, statistics, tables."""
    return {
        "reference/python.md": _page("The Python package", "What `import keju` gives, and what comes back.", FACE),
        "reference/stored.md": _page("What is stored", "Fields of records, items, protocols and findings.", STORED),
        "reference/model-seam.md": _page("Models in Python", "What a model is to keju.", MODELS),
        "reference/statistics.md": _page("Statistics", _first("stats"), {"keju.stats": _exported("stats")}),
        "reference/tables.md": _page("Tables and reports", _first("results"), _tables()),
    }


@cache
def _package() -> griffe.Module:
    found = griffe.load("keju", search_paths=[str(SOURCE)], resolve_aliases=True)
    assert isinstance(found, griffe.Module)
    return found


def _named(path: str) -> griffe.Object:
    found = _package()[path]
    return found.final_target if isinstance(found, griffe.Alias) else found


def _exported(module: str) -> list[str]:
    return [f"{module}.{name}" for name in sorted(_named(module).exports or [], key=str.lower)]


def _tables() -> dict[str, list[str]]:
    """Each module of `keju.results` with its functions, then the renderers."""
    found = {"keju.reports": _exported("reports")}
    for name, module in sorted(_named("results").modules.items()):
        public = [f"results.{name}.{each}" for each, what in module.functions.items() if not each.startswith("_")]
        public = [path for path in public if not _named(path).is_alias]
        if public:
            found[f"keju.results.{name}"] = public
    return found


def _first(module: str) -> str:
    return _doc(_named(module)).split("\n\n", maxsplit=1)[0]


def _page(title: str, intro: str, parts: dict[str, list[str]]) -> str:
    written = [f"# {title}\n", intro + "\n"]
    for heading, names in parts.items():
        written += [f"## {heading}\n", *(_told(_named(name), _label(name)) for name in names)]
    return "\n".join(written)


def _label(name: str) -> str:
    return f"keju.{name}"


def _told(what: griffe.Object, label: str) -> str:
    if isinstance(what, griffe.Module):
        classes = [_told(each, f"{label}.{each.name}") for each in what.classes.values() if not each.is_alias]
        return "\n".join([f"### {label}\n", block(_doc(what)), *(classes if label != "keju.errors" else [])])
    parts = [f"### {label}\n"]
    what = WRAPPED.get(what.path, lambda: what)()
    if isinstance(what, griffe.Function):
        parts.append(block(_signature(what, label.rsplit(".", 1)[-1]), "python"))
    elif isinstance(what, griffe.Attribute):
        parts.append(block(f"{what.name} = {what.value}", "python"))
    parts.append(_doc(what) + "\n")
    if isinstance(what, griffe.Class):
        parts += [*_fields(what), *_methods(what)]
    return "\n".join(parts)


def _doc(what: griffe.Object) -> str:
    return told(textwrap.dedent(what.docstring.value)) if what.docstring else ""


def _signature(function: griffe.Function, name: str) -> str:
    """`name(a: int, *, b: str = "x") -> bool`, a line an argument where it is long."""
    told_star = False
    given = []
    for each in function.parameters:
        if each.name in ("self", "cls"):
            continue
        if each.kind is griffe.ParameterKind.keyword_only and not told_star:
            given.append("*")
            told_star = True
        if each.kind is griffe.ParameterKind.var_positional:
            told_star = True
        given.append(_parameter(each))
    back = f" -> {function.returns}" if function.returns else ""
    line = f"{name}({', '.join(given)}){back}"
    if len(line) <= 90:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in given) + f"){back}"


def _parameter(each: griffe.Parameter) -> str:
    star = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(each.kind, "")
    typed = f"{star}{each.name}: {each.annotation}" if each.annotation else f"{star}{each.name}"
    if each.default is None or star:
        return typed
    return f"{typed} = {each.default}" if each.annotation else f"{typed}={each.default}"


def _fields(what: griffe.Class) -> Iterator[str]:
    rows = []
    for name, each in what.members.items():
        if name.startswith("_") or not isinstance(each, griffe.Attribute):
            continue
        rows.append((code(name), code(str(each.annotation or "")), _doc(each).replace("\n", " ")))
    if rows:
        yield table(("field", "type", ""), rows)


def _methods(what: griffe.Class) -> Iterator[str]:
    for name, each in what.members.items():
        if name.startswith("_") or not isinstance(each, griffe.Function):
            continue
        yield f"- {code(_signature(each, name).replace(chr(10), ' '))}  \n  {' '.join(_doc(each).split())}"
    yield ""
