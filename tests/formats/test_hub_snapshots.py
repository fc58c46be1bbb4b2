"""Benchmarks from a hub, against a hub on loopback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from exam_folders import md, png

from keju.errors import BadFile, MissingExtra, Misuse
from keju.formats import load
from servers.hub import COMMIT, Hub, serving

constants = pytest.importorskip("huggingface_hub.constants")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    hub = Hub({"0001.md": md().encode(), "0001.txt": b"C", "0001.png": png(), "README.md": b"# Opera\n"})
    with serving(hub) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield hub


def test_a_snapshot_is_fetched_and_says_where_it_is_from(hub: Hub) -> None:
    benchmark = load("hf:exams/opera")
    assert (benchmark.name, benchmark.format, benchmark.problems) == ("opera", "tco", ())
    assert benchmark["0001"].media[0].read() == png()
    assert benchmark.card["source"] == {"repository": "exams/opera", "revision": COMMIT}
    assert load("hf:exams/opera@v1").items == benchmark.items


def test_a_snapshot_is_used_again_without_a_network(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = load("hf:exams/opera")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nothing listens on the discard port
    assert load("hf:exams/opera").items == fetched.items
    with pytest.raises(BadFile, match="no earlier snapshot"):
        load("hf:exams/other")


@pytest.mark.parametrize(
    ("address", "message"),
    [("hf:exams/none", "no such data set"), ("hf:exams/opera@v9", "no revision 'v9'")],
)
def test_what_the_hub_does_not_have_is_named(hub: Hub, address: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        load(address)


def test_gated_access_names_the_way_in(hub: Hub) -> None:
    hub.gated = True
    with pytest.raises(BadFile, match="HF_TOKEN"):
        load("hf:exams/opera")


def test_an_address_that_is_none() -> None:
    with pytest.raises(Misuse, match="hf:OWNER/NAME"):
        load("hf:opera")


def test_without_the_extra_the_install_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"pip install 'keju\[hub\]'"):
        load("hf:exams/opera")
