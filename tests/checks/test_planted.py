"""A thousand items with two hundred faults of forty kinds: each is found where it is, and nothing else is."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from checks.planting import KINDS, Planted, lay_out, plant
from keju.checks import RULES, Finding, check
from keju.checks.mending import mend
from keju.formats import load
from keju.formats.names import folded, stem_and_suffix

pytest.importorskip("PIL", reason="the extra `checks` is not installed")


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Planted], list[Finding]]:
    folder = lay_out(tmp_path_factory.mktemp("planted") / "opera", 1000)
    planted = plant(folder, each=5)
    return planted, check(load(folder))


def _is_at(finding: Finding, stem: str) -> bool:
    """Whether a finding about the item alone names one of its files, or the list or table that speaks of it."""
    return folded(stem_and_suffix(finding.file or "")[0]) == stem or finding.file in ELSEWHERE


ELSEWHERE = ("labels.csv", "train.json", "val.json", "test.json", "split_metadata.json")


def _speaks_of(finding: Finding, stem: str) -> bool:
    """Whether a finding is about the item; one about many items names them in its words."""
    return finding.item == stem or bool(re.search(rf"\b{stem}\b", f"{finding.file} {finding.message}"))


def test_two_hundred_faults_of_forty_kinds_are_planted(spoilt: tuple[list[Planted], list[Finding]]) -> None:
    planted, _ = spoilt
    assert len(planted) == 200
    assert len({fault.rule for fault in planted}) == 40 == len(KINDS)
    assert {name for fault in planted for name in fault.rules} <= {rule.name for rule in RULES.values()}


def test_every_fault_is_found_where_it_is(spoilt: tuple[list[Planted], list[Finding]]) -> None:
    planted, findings = spoilt
    by_rule: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_rule[RULES[finding.code].name].append(finding)
    missed = [
        fault
        for fault in planted
        if not any(_speaks_of(finding, fault.item) for name in fault.rules for finding in by_rule[name])
    ]
    assert missed == []


def test_every_finding_on_one_item_names_the_right_file(spoilt: tuple[list[Planted], list[Finding]]) -> None:
    of_items = [finding for finding in spoilt[1] if finding.item]
    assert len(of_items) > 150
    assert [finding for finding in of_items if not _is_at(finding, finding.item or "")] == []


def test_nothing_is_found_on_items_that_are_as_they_were(spoilt: tuple[list[Planted], list[Finding]]) -> None:
    planted, findings = spoilt
    spoilt_items = {fault.item for fault in planted}
    clean = {f"{number:04d}" for number in range(1, 1001)} - spoilt_items
    others = [finding for finding in findings if clean & {finding.item, stem_and_suffix(finding.file or "")[0]}]
    assert others == []


def test_every_finding_says_in_both_languages_what_to_do(spoilt: tuple[list[Planted], list[Finding]]) -> None:
    for finding in spoilt[1]:
        assert re.search("[a-z]{2}", finding.remedy), finding
        assert re.search("[\u4e00-\u9fff]", finding.remedy.zh), finding
        assert re.search("[\u4e00-\u9fff]", finding.message.zh), finding


def test_a_clean_folder_is_clean(tmp_path: Path) -> None:
    assert check(load(lay_out(tmp_path / "opera", 60))) == []


def test_repairs_mend_their_kinds_and_make_no_new_fault(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "opera", 100)
    plant(folder, each=1)
    before = {RULES[finding.code].name for finding in check(load(folder))}
    mend(load(folder))
    after = {RULES[finding.code].name for finding in check(load(folder))}
    assert before - after >= {
        "answer-form",
        "byte-order-mark",
        "encoding-not-utf8",
        "invisible-in-file",
        "line-ends",
        "name-spelling",
    }
    assert after <= before
