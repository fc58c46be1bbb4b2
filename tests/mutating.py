"""Files as accidents and enemies leave them: valid ones, bent a little. For tests that fuzz readers.

`KEJU_FUZZ` is the number of files that each reader is given (default 40); a night's run takes thousands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from keju.errors import KejuError

FUZZED = settings(
    max_examples=int(os.environ.get("KEJU_FUZZ", "40")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

DEEP = 30_000
"""Levels of brackets: far more than any parser's stack holds."""

ODD_BYTES = (
    *(b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3\x28", b"\r", b"\n\n", b'"', b"'", b",", b"\t"),
    *(b"{", b"}", b"[" * DEEP, b'{"a":' * DEEP, b"-", b"1e999", b"9" * 5000, b"NaN", b"null", b"../../etc/passwd"),
    *(b"\\ud800", b"\x1b[2J", "戏".encode("gb18030"), "\u202e\u2028".encode(), b"%s%n", b"&lol;", b"=1+1"),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**30, 1.5, float("inf"), float("nan"), "", " ", "\0", "A", "../../etc/passwd"),
    *("\ud800", "\x1b[2J", "x" * 3000, [], {}, [[]], [None], [{}], {"": {}}, {"A": 1}, ["A", "A"], [[["A"]]], "1e999"),
)
ENCODINGS = ("utf-16", "utf-8-sig", "gb18030", "latin-1", "utf-32")


def bent(content: bytes) -> st.SearchStrategy[bytes]:
    """`content` with one to three changes: bytes, values of its JSON, or another encoding."""
    changes = _changed_bytes(content) | _encoded(content)
    if _is_json(content):
        changes = changes | _changed_json(content) | _changed_json(content)
    elif _is_toml(content):
        changes = changes | _changed_toml(content) | _changed_toml(content)
    return changes


def bent_folder(files: Mapping[str, bytes]) -> st.SearchStrategy[dict[str, bytes]]:
    """The files of a folder, one of them bent, gone or empty."""

    def with_one(name: str) -> st.SearchStrategy[dict[str, bytes]]:
        gone = {other: content for other, content in files.items() if other != name}
        return st.just(gone) | bent(files[name]).map(lambda content: {**files, name: content})

    return st.sampled_from(sorted(files)).flatmap(with_one)


def lay(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write `files` below the new folder `folder`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Relative name → bytes of every file below `folder`, or of the file `folder` itself."""
    if folder.is_file():
        return {folder.name: folder.read_bytes()}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def read_or_refused(read: Callable[[], Any]) -> None:
    """Only what keju raises on purpose may come out of a reader."""
    try:
        read()
    except KejuError as refusal:
        if not str(refusal).strip():
            pytest.fail("a refusal without a word")
    except Exception as error:  # noqa: BLE001 - whatever else comes out is what this looks for
        pytest.fail(f"{type(error).__name__}: {error}"[:500] + f"  at {_place(error)}")


def _place(error: BaseException) -> str:
    trace, last = error.__traceback__, ""
    while trace:
        code = trace.tb_frame.f_code
        if "/keju/" in code.co_filename:
            last = f"{code.co_filename.rpartition('/keju/')[2]}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    return last


@st.composite
def _changed_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        end = min(len(content), at + draw(st.integers(0, 40)))
        put = draw(st.sampled_from(ODD_BYTES) | st.binary(max_size=4))
        kind = draw(st.sampled_from(("put", "replace", "cut", "end", "again")))
        if kind == "put":
            content = content[:at] + put + content[at:]
        elif kind == "replace":
            content = content[:at] + put + content[end:]
        elif kind == "cut":
            content = content[:at] + content[end:]
        elif kind == "end":
            content = content[:at]
        else:
            content = content[:end] + content[at:end] * draw(st.sampled_from((1, 2, 500))) + content[end:]
    return content


def _encoded(content: bytes) -> st.SearchStrategy[bytes]:
    text = content.decode("utf-8", "replace")
    return st.sampled_from(ENCODINGS).map(lambda name: text.encode(name, "replace"))


def _is_json(content: bytes) -> bool:
    return content[:1] in (b"{", b"[") and _parsed(content) is not None


def _is_toml(content: bytes) -> bool:
    return b" = " in content


def _parsed(content: bytes) -> list[Any] | None:
    """The value of a JSON file, or of each line of a JSON Lines file."""
    try:
        return [json.loads(content)]
    except ValueError:
        try:
            return [json.loads(line) for line in content.split(b"\n") if line.strip()]
        except ValueError:
            return None


@st.composite
def _changed_json(draw: st.DrawFn, content: bytes) -> bytes:
    """One to three values of the document replaced, or their keys gone."""
    values = _parsed(content) or []
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(values))
        if not places:
            break
        holder, key = draw(st.sampled_from(range(len(places))).map(places.__getitem__))
        if draw(st.integers(0, 5)) == 0:
            del holder[key]
        else:
            holder[key] = json.loads(json.dumps(draw(st.sampled_from(ODD_VALUES))))
    return "\n".join(map(json.dumps, values)).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


_ODD_TOML = (
    *('""', "0", "-1", "1e999", "nan", "true", "[]", "[[]]", "{}", '["A"]', '[""]', "1979-05-27", '"\\u0000"', "'('"),
    *('"../../etc/passwd"', '["A", 1]', "{a = 1}", "9" * 5000, "[" * 3000 + "]" * 3000, '"{"', '"{question}{x}"'),
)


@st.composite
def _changed_toml(draw: st.DrawFn, content: bytes) -> bytes:
    """A value of the file replaced, its line gone, or a table of another name."""
    lines = content.decode("utf-8").split("\n")
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        name, equals, _value = lines[at].partition(" = ")
        if equals:
            lines[at] = draw(st.sampled_from([f"{name} = {odd}" for odd in _ODD_TOML] + [""]))
        else:
            lines[at] = draw(st.sampled_from(["", "[x]", "[[x]]", lines[at]]))
    return "\n".join(lines).encode()
