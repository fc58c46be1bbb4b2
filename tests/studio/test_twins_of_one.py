"""Twins of one item: found as the rules find them, without comparing all others with each other."""

from __future__ import annotations

from random import Random

import pytest
from building import asset, content, item

from keju.checks import duplicates, similar
from keju.studio import findings
from keju.studio.benchmarks import benchmark_of
from keju.studio.content import Option

STEM = (
    "图中这位演员所扮演的角色在京剧中属于以下哪一个行当？"
    "请先看清楚脸谱、服饰、道具和身段，再从四个选项中选出最合适的一项作为回答"
)
OPTIONS = "生旦净丑末外"


def varied(random: Random):
    """An item's text among few: one that is often the same as another's, or nearly, or with other figures."""
    stem = STEM + random.choice(["", "", "吧", "吧。", "作答", "第1题", "第2题", "1.5", "15"])
    made = content(stem=random.choice([stem, stem, stem[::-1], " "]), key=random.choice([None, 0, 1]))
    options = random.choice([OPTIONS[:4], OPTIONS[:4], OPTIONS[3::-1], OPTIONS[2:]])
    made.options = [Option(text={"zh-Hans": text}) for text in options]
    return made


def by_all(one, everything):
    """What the rules find of one item where they look at all items together, it last."""
    pairs = [(other, other.current) for other in everything if other.pk != one.pk and other.image == one.image]
    together = benchmark_of(one.project, [*pairs, (one, one.current)])
    found = (each for rule in findings._twin_rules() for each in rule.look(together, rule))
    return [each for each in found if each.item == one.code]


@pytest.mark.parametrize("seed", range(4))
def test_one_item_beside_others_is_told_what_all_compared_would_tell(home, owner, seed):
    random = Random(seed)
    pictures = [asset(home, owner) for _ in range(2)]
    drawn = asset(home, owner)
    everything = []
    for at in range(30):
        text = varied(random)
        if random.random() < 0.2:
            text.options[0].asset = random.choice([drawn, pictures[0]]).sha256
        everything.append(item(home, owner, code=f"{at:02}", image=random.choice(pictures), content=text))
    rules = {rule.code for rule in findings._twin_rules()}
    told = {one.code: [f for f in findings.look(one, one.current) if f.code in rules] for one in everything}
    assert told == {one.code: by_all(one, everything) for one in everything}
    assert {each.code for found in told.values() for each in found} == rules


@pytest.mark.parametrize("least", [0.5, 0.8, 0.9])
def test_the_first_that_is_similar_is_the_first_of_all_pairs(least):
    random = Random(3)
    for _ in range(60):
        texts = ["".join(random.choices("生旦净", k=random.randrange(14))) for _ in range(12)]
        *others, last = texts
        pairs = [(one, alike) for one, other, alike in similar.similar_pairs(texts, least) if other == len(others)]
        assert similar.similar_to(last, others, least) == pairs


def test_of_many_that_are_nearly_the_same_all_are_not_compared_with_all(home, owner, monkeypatch):
    monkeypatch.setattr(duplicates, "similar_pairs", None)
    picture = asset(home, owner)
    for at in range(12):
        one = item(home, owner, image=picture, content=content(stem=STEM + OPTIONS[at % 6] * (1 + at // 6)))
    assert [each.code for each in findings.look(one, one.current) if each.code in findings.TWINS] == ["Q502"]
