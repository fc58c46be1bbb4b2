"""Bytes become text only where their encoding is sure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.errors import Misuse
from keju.formats.encodings import EncodingUnclear, decode, without_invisible

HANS = "图中角色属于哪个行当？\n(A) 生\n(B) 旦\n(C) 净\n(D) 丑\n"
HANT = "圖中的人在哪裡？\n(A) 在車站\n(B) 在郵局\n(C) 在圖書館\n"


@pytest.mark.parametrize(
    ("text", "encoding", "detected", "code"),
    [
        (HANS, "utf-8", "utf-8", None),
        (HANS, "utf-8-sig", "utf-8-sig", "encoding_bom"),
        (HANS, "gbk", "gb18030", "encoding_not_utf8"),
        (HANT, "big5", "big5", "encoding_not_utf8"),
        (HANS, "utf-16", "utf-16", "encoding_not_utf8"),
        (HANT, "utf-32", "utf-32", "encoding_not_utf8"),
    ],
)
def test_the_encoding_is_told_and_reported(text: str, encoding: str, detected: str, code: str | None) -> None:
    decoded = decode(text.encode(encoding), "0001.md")
    assert (decoded.text, decoded.encoding, decoded.code) == (text, detected, code)


@pytest.mark.shared
def test_real_files_are_read_right_or_refused(shared: Path) -> None:
    folder = shared / "data" / "text-encodings"
    for name, truth in json.loads((folder / "truth.json").read_text(encoding="utf-8")).items():
        data = (folder / name).read_bytes()
        try:
            decoded = decode(data, name)
        except EncodingUnclear:
            decoded = decode(data, name, truth["encoding"])
        assert decoded.text == data.decode(truth["encoding"]), name


@given(
    st.text(
        st.sampled_from("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工"),
        min_size=1,
    )
)
def test_simplified_text_is_never_taken_for_another(text: str) -> None:
    """Right, or a question to the user; never other characters."""
    try:
        assert decode(text.encode("gb18030"), "x").text == text
    except EncodingUnclear as error:
        assert "--encoding" in str(error)  # noqa: PT017


def test_two_encodings_that_fit_are_ambiguous_until_one_is_named() -> None:
    data = next(
        text.encode("gb18030")
        for text in ("爸爸", "伟大", "北京", "汉字", "你好", "中国")
        if _is_ambiguous(text.encode("gb18030"))
    )
    with pytest.raises(EncodingUnclear, match="gb18030 and as big5") as caught:
        decode(data, "0001.md")
    assert caught.value.code == "encoding_ambiguous"
    assert decode(data, "0001.md", "gb18030").text == data.decode("gb18030")


def _is_ambiguous(data: bytes) -> bool:
    try:
        decode(data, "")
    except EncodingUnclear as error:
        return error.code == "encoding_ambiguous"
    return False


@pytest.mark.parametrize(
    "data", [b"\xff\xff\xff", b"caf\xe9 noir", HANS.encode("utf-16-le"), HANS.encode("gbk")[:-8] + b"\xff"]
)
def test_what_fits_nothing_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(EncodingUnclear, match=r"^0001\.md: "):
        decode(data, "0001.md")


def test_an_encoding_that_does_not_exist_is_the_callers_mistake() -> None:
    with pytest.raises(Misuse, match="unknown encoding"):
        decode(b"\xff", "x", "no-such")


def test_invisible_characters_are_passed_over_with_their_places() -> None:
    assert without_invisible("图\n\u200b(A) 生\u200b") == ("图\n(A) 生", [(2, 1, "U+200B"), (2, 7, "U+200B")])


@pytest.mark.parametrize("data", [b"id,question\n1,a\0b\n", "编号,题目\n一,二\0三\n".encode()])
def test_nul_bytes_are_named(data: bytes) -> None:
    with pytest.raises(EncodingUnclear, match="holds NUL bytes"):
        decode(data, "exam.csv")
