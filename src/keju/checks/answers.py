"""Rules S on what models answered: items that need no medium, items that tell nothing, keys that are perhaps wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.marks import Marks
from keju.checks.rule import Group, Rule
from keju.items import Item
from keju.phrase import Phrase

GROUP = Group()
Subject = tuple[Benchmark, Marks]


@GROUP.rule(
    "S201",
    "answerable-without-medium",
    "warning",
    "marks",
    title=Phrase("models answer an item without its picture or sound", "不看图、不听录音也能答对"),
    why=Phrase(
        "The item measures knowledge or guessing, not seeing or hearing. Told by runs without media, where drawing "
        "options would rarely do as well.",
        "这道题考的是常识或猜测，而不是看或听。依据是不给媒体的作答，且随机选择很少能有同样的结果。",
    ),
    good="three blind runs, one of them right",
    bad="three blind runs, all of them right",
    thresholds={"p": 0.02},
)
def _blind_items(subject: Subject, rule: Rule) -> Iterator[Finding]:
    benchmark, marks = subject
    blind = [marks.right[name] for name in sorted(marks.blind) if name in marks.right]
    for item in benchmark:
        told = [bool(run[item.id]) for run in blind if item.id in run]
        if item.media and told and _tail(sum(told), len(told), item.chance) < rule["p"]:
            yield rule.finding(
                Phrase(
                    f"{sum(told)} of {len(told)} runs without media are right",
                    f"不给媒体的 {len(told)} 次作答中有 {sum(told)} 次正确",
                ),
                Phrase(
                    "reword the question or the options so that the picture or the sound is needed",
                    "请改写题干或选项，使之必须看图或听录音才能回答",
                ),
                item=item.id,
                right=sum(told),
                runs=len(told),
            )


@GROUP.rule(
    "S202",
    "blind-above-chance",
    "warning",
    "marks",
    title=Phrase("a model without media scores above chance", "不给媒体的模型得分高于随机"),
    why=Phrase(
        "What it knows without seeing is part of every score; the gain from the medium is what is measured.",
        "每个成绩里都含有不看也能答对的部分；媒体带来的提高才是所测的能力。",
    ),
    good="0.26 without the picture, 0.70 with it",
    bad="0.62 without the picture, 0.70 with it",
    thresholds={"p": 0.01},
)
def _blind_runs(subject: Subject, rule: Rule) -> Iterator[Finding]:
    from keju.stats import above_chance

    benchmark, marks = subject
    for name in sorted(marks.blind & marks.right.keys()):
        items = [item for item in benchmark if item.media and item.id in marks.right[name] and item.answer]
        right = sum(bool(marks.right[name][item.id]) for item in items)
        test = above_chance(right, [item.chance for item in items]) if items else None
        if test is None or test.p >= rule["p"]:
            continue
        alone, best = right / len(items), _best_seeing(items, marks)
        gain = (
            Phrase(f"; the best run with media has {best:.2f}", f"；给媒体的最好成绩为 {best:.2f}")
            if best
            else Phrase("", "")
        )
        yield rule.finding(
            Phrase(
                f"{name} has {alone:.2f} without media, by chance {test.expected / len(items):.2f}{gain}",
                f"{name} 不给媒体时为 {alone:.2f}，随机为 {test.expected / len(items):.2f}{gain.zh}",
            ),
            Phrase(
                "report this score beside the others; look at the items of S201",
                "请在报告中一并列出这一成绩，并查看 S201 指出的题",
            ),
            run=name,
            accuracy=alone,
            best=best,
            p=test.p,
        )


@GROUP.rule(
    "S203",
    "nobody-right",
    "warning",
    "marks",
    title=Phrase("no model answers an item", "没有模型答对"),
    why=Phrase(
        "It is very hard, or its key is wrong; where all agree on another option, look at the key first.",
        "要么很难，要么答案有误；如果大家都选了同一个别的选项，请先核对答案。",
    ),
    good="one of five runs is right",
    bad="five runs choose B, and the key is C",
    thresholds={"runs": 4},
)
def _nobody(subject: Subject, rule: Rule) -> Iterator[Finding]:
    benchmark, marks = subject
    for item, told in _seen(benchmark, marks):
        if len(told) >= rule["runs"] and not any(told.values()):
            chosen = Counter(label for name in told if (label := marks.choices.get(name, {}).get(item.id)))
            label, votes = chosen.most_common(1)[0] if chosen else ("", 0)
            agree = votes > 0.75 * len(told)
            rest = Phrase(
                f"; {votes} choose {label}, the key is {item.answer}", f"；{votes} 个选 {label}，答案是 {item.answer}"
            )
            rest = rest if agree else Phrase("", "")
            yield rule.finding(
                Phrase(f"none of {len(told)} runs is right{rest}", f"{len(told)} 次作答都不对{rest.zh}"),
                Phrase("look at the key", "请核对答案"),
                item=item.id,
                severity=None if agree else "note",
                runs=len(told),
                votes=dict(chosen),
            )


@GROUP.rule(
    "S204",
    "everybody-right",
    "note",
    "marks",
    title=Phrase("every model answers an item", "所有模型都答对"),
    why=Phrase(
        "It does not tell models apart; many such items hide the differences of the others.",
        "这道题分不出模型的高下；这样的题多了，会掩盖其他题的差别。",
    ),
    good="four of five runs are right",
    bad="five of five runs are right",
    thresholds={"runs": 5},
)
def _everybody(subject: Subject, rule: Rule) -> Iterator[Finding]:
    benchmark, marks = subject
    for item, told in _seen(benchmark, marks):
        if len(told) >= rule["runs"] and all(told.values()):
            yield rule.finding(
                Phrase(f"all of {len(told)} runs are right", f"{len(told)} 次作答全部正确"),
                Phrase("keep it as an easy item, or make the other options better", "可作为简单题保留，或改进其他选项"),
                item=item.id,
                runs=len(told),
            )


@GROUP.rule(
    "S205",
    "negative-discrimination",
    "warning",
    "marks",
    title=Phrase("the better models answer an item worse", "越好的模型越答错"),
    why=Phrase(
        "The item runs against all the others: its key is often wrong, or two options are right. Measured is the "
        "correlation of the item's marks with the score on the other items.",
        "该题与其他题相反：往往是答案有误，或有两个正确选项。依据是该题对错与其他题得分的相关系数。",
    ),
    good="the best three of six runs are right",
    bad="only the worst two of six runs are right",
    thresholds={"runs": 6, "correlation": -0.5},
)
def _negative(subject: Subject, rule: Rule) -> Iterator[Finding]:
    from keju.stats import item_figures

    seen = list(_seen(*subject))
    runs = subject[1].seeing
    if not seen or not runs:
        return
    right = [[told.get(name, False) for _, told in seen] for name in runs]
    answered = [[name in told for _, told in seen] for name in runs]
    for (item, told), figures in zip(seen, item_figures(right, answered), strict=True):
        correlation = figures.discrimination
        if len(told) >= rule["runs"] and correlation is not None and correlation <= rule["correlation"]:
            yield rule.finding(
                Phrase(
                    f"correlation with the other items over {len(told)} runs: {correlation:.2f}",
                    f"在 {len(told)} 次作答中，与其他题的相关系数为 {correlation:.2f}",
                ),
                Phrase(
                    "look at the key, and whether another option is right too", "请核对答案，并查看是否另有正确选项"
                ),
                item=item.id,
                correlation=correlation,
                runs=len(told),
            )


def _seen(benchmark: Benchmark, marks: Marks) -> Iterator[tuple[Item, dict[str, bool]]]:
    """Each item with a key, and whether each run that saw its media was right."""
    for item in benchmark:
        if item.answer is not None:
            yield item, {name: bool(run[item.id]) for name, run in marks.seeing.items() if item.id in run}


def _best_seeing(items: list[Item], marks: Marks) -> float | None:
    """The best accuracy of the runs that saw the media, over the same items; None where none answered them all."""
    runs = [run for run in marks.seeing.values() if all(item.id in run for item in items)]
    return max((sum(bool(run[item.id]) for item in items) / len(items) for run in runs), default=None)


def _tail(right: int, n: int, chance: float) -> float:
    """Probability that drawing is right `right` times of n or more."""
    return sum(math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(right, n + 1))
