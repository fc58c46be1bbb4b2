"""Questions asked twice, or nearly, among many that are imported at once: each tells of one that came before."""

from __future__ import annotations

import pytest
from building import content, item, person, project

from keju.benchmark import Benchmark
from keju.checks import duplicates
from keju.items import Item as Question
from keju.items import Medium, Wording
from keju.studio import findings, importer
from keju.studio.findings import TWINS
from keju.studio.models import Finding, Role

STEM = (
    "在这出戏里，头戴{}冠、身穿大红蟒袍、腰围玉带、足登厚底靴、手执白马鞭而上场亮相的人物，"
    "从脸谱和身段来看，按传统分工应当属于以下四项中的哪一个行当？"
)
OPTIONS = {"A": "生", "B": "旦", "C": "净", "D": "丑"}


@pytest.fixture
def home():
    return project("custom", languages=["zh-Hans"])


def question(code: str, crown: str, *media: Medium, answer: str = "B") -> Question:
    return Question(code, {"zh-Hans": Wording("zh-Hans", STEM.format(crown), OPTIONS)}, answer, media)


def taken(home, owner, *questions):
    return importer.take(home, owner, Benchmark("set", questions))


def told(home) -> set[tuple[str, str, str]]:
    """(item, rule, twin that its finding names) of open findings."""
    rows = Finding.objects.filter(project=home, rule__in=TWINS, state="open").select_related("item")
    return {(row.item.code, row.rule, row.message["en"].partition("item ")[2][:2]) for row in rows}


def test_each_tells_of_a_twin_that_came_before_it(home, owner):
    same, near, other = question("q2", "金"), question("q3", "银"), question("q4", "凤凰翎毛点翠珍珠八宝")
    taken(home, owner, question("q1", "金"), same, near, other)
    assert told(home) == {("q2", "Q501", "q1"), ("q3", "Q502", "q1")}
    assert Finding.objects.get(item__code="q2", rule="Q501").severity == "error"


def test_what_is_imported_is_compared_with_what_is_here(home, owner, author):
    here = item(home, author, code="a1", image=None, content=content(stem=STEM.format("金")))
    made = here.current
    made.image, here.image = None, None
    made.body = {**made.body, "stem": {"zh-Hans": STEM.format("金")}}
    made.save()
    here.save()
    taken(home, owner, question("q1", "金"))
    assert {code for code, _rule, twin in told(home) if twin == "a1"} == {"q1"}


def test_the_same_words_on_other_pictures_are_no_twins(home, owner):
    from building import png

    pictures = [Medium("image", f"{at}.png", data=png()) for at in range(2)]
    taken(home, owner, *(question(f"q{at}", "金", picture) for at, picture in enumerate(pictures)))
    assert told(home) == set()


def test_all_at_once_finds_what_one_by_one_would_find(home, owner):
    crowns = "金银铜铁锡玉木石竹布"
    taken(home, owner, *(question(f"q{at}", crown) for at, crown in enumerate(crowns)))
    at_once = told(home)
    assert len(at_once) == len(crowns) - 1
    Finding.objects.all().delete()
    other = project("custom", languages=["zh-Hans"])
    boss = person(other, Role.OWNER)
    for at, crown in enumerate(crowns):
        taken(other, boss, question(f"q{at}", crown))
    assert told(other) == at_once


def test_a_finding_that_was_waived_stays_so_and_one_that_is_mended_is_closed(home, owner):
    first, second, third = question("q1", "金"), question("q2", "金"), question("q3", "金")
    taken(home, owner, first, second, third)
    findings.waive(Finding.objects.get(item__code="q2", rule="Q501"), owner, "asked again on purpose")
    taken(home, owner, first, second, question("q3", "凤凰翎毛点翠珍珠八宝"))
    states = dict(Finding.objects.filter(rule="Q501").values_list("item__code", "state"))
    assert states == {"q2": "waived", "q3": "fixed"}


def test_an_import_that_broke_off_is_made_good_by_the_next(home, owner):
    """Twins are looked for at the end: where it does not come to that, the same import finds them."""
    questions = [question("q1", "金"), question("q2", "金"), question("q3", "玉")]

    def cut(done, _total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importer.take(home, owner, Benchmark("set", questions), tell=cut)
    assert told(home) == set()
    report = taken(home, owner, *questions)
    assert (report.same, report.new) == (2, ["q3"])
    assert ("q2", "Q501", "q1") in told(home)


def test_the_work_grows_with_the_number_of_items_and_not_with_its_square(home, owner, monkeypatch):
    compared = []
    whole = duplicates.similar_pairs

    def counted(texts, least):
        compared.append(len(texts))
        return whole(texts, least)

    monkeypatch.setattr(duplicates, "similar_pairs", counted)
    questions = [question(f"q{at:02}", chr(0x4E00 + 37 * at) * 12) for at in range(40)]
    taken(home, owner, *questions)
    assert 40 <= sum(compared) <= 2 * 40
