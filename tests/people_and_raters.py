"""Tables on people who sat the exam, and on raters, with every note they can have: for the tests of both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from keju.benchmark import Benchmark
from keju.formats.ratings import Ratings
from keju.people import Sheet
from keju.phrase import Phrase
from keju.records import Record
from keju.results import agreement, handed_in, humans, judged, reliability, sampled
from keju.results.table import Table
from keju.runs.run import Run
from marked_runs import items, marked, run


def sat(n: int) -> list[Run]:
    """Six experts and one person without a group, on `n` items of which one is blank and three cannot be read."""
    of = items("A" * n, genre=["x", "y"] * (n // 2))
    odd = dict(zip((item.id for item in of), ("", "A或B", "Z", "???"), strict=False))
    told = [replace(run(of, "AB" * (n // 2), model=f"p{k}", protocol="robust"), info={"group": "g"}) for k in range(7)]
    records = {**told[6].records, **{item_id: Record(item_id, "answered", text) for item_id, text in odd.items()}}
    return [*told[:6], replace(told[6], records=records, info={"group": None})]


def beside(maker: Callable[[Any, Any], Table]) -> Iterable[Table]:
    for n in (8, 40):
        groups = humans.groups_of(sat(n))
        of = items("A" * 40)
        models = [marked(of, "A" * 40, model="all"), marked(of[:6], "AAAAB!", model="few")]
        yield maker(groups, humans.on_their_items(groups, models))
        yield maker(groups[:1], [])


def draw() -> Iterable[Table]:
    whole = Benchmark("made", items("A" * 8, genre=["Kunqu", "Yue"] * 4, difficulty=["basic"] * 8))
    yield sampled.sampled(whole, replace(whole, items=whole.items[:3]), ["genre", "difficulty", "level"])


def sheets(runs: list[Run]) -> list[Sheet]:
    lines = {item.id: number for number, item in enumerate(runs[0].benchmark, 2)}
    return [Sheet(one.model, one.info["group"], {}, "x.csv", lines) for one in runs]


def handed() -> Iterable[Table]:
    runs = sat(8)
    yield handed_in.handed_in(runs, sheets(runs))


def not_read() -> Iterable[Table]:
    runs = sat(8)
    yield handed_in.unread(runs, sheets(runs), [item.id for item in runs[0].benchmark])


def rated() -> Iterable[judged.Judged]:
    """Two raters and three, with gaps and without, names and scores, varied, skewed and all the same."""
    for rows in (
        [("A", "A"), ("B", "C")] * 12,
        [("A", "A")] * 20 + [("A", "B"), ("B", "A")],
        [("A", "A")] * 9,
        [("A", "B"), ("B", "B")] * 6,
        [("A", "A", "B"), ("B", None, "C"), (None, None, None)] * 5,
        [("A", "B", None), (None, "B", "B"), ("A", "A", None)] * 2,
        [("1", "2", "3"), ("3", "3", "4"), ("5", "4", None)] * 5,
        [("5", "5", "5"), ("5", "4", "5"), ("4", "5", "5"), ("5", "5", "5")] * 5,
        [("1", "5"), ("5", "1"), ("2", "4")],
        [("3", "3")] * 5,
        [(str(n), str(n + n % 3)) for n in range(50)],
    ):
        names = tuple("xyz"[: len(rows[0])])
        for measure in ("", "clarity"):
            labels = {"genre": ("Kunqu", "Yue", None) * 17}
            about = {name: told[: len(rows)] for name, told in labels.items()}
            remark = Phrase("Read as no rating: skip (1).", "视为未评：skip (1)。")
            yield judged.judged(
                Ratings(measure, tuple(map(str, range(len(rows)))), names, tuple(rows), about, (remark,))
            )
    options = {"options": ("3", "4") * 6}
    yield judged.judged(Ratings("", tuple(map(str, range(12))), ("x", "y"), (("A", "B"), ("C", "C")) * 6, options))


def of_raters(maker: Callable[[judged.Judged], Table]) -> Callable[[], Iterable[Table]]:
    return lambda: [maker(data) for data in rated()]


def scores_only() -> Iterable[Table]:
    return [reliability.reliability(data) for data in rated() if not data.labels]


MAKERS: dict[str, Callable[[], Iterable[Table]]] = {
    "human_baseline": lambda: beside(humans.human_baseline),
    "human_differences": lambda: beside(humans.human_differences),
    "people_table": lambda: beside(lambda groups, _: humans.people_table(groups)),
    "human_items": lambda: beside(humans.human_items),
    "sampled": draw,
    "handed_in": handed,
    "unread": not_read,
    "coefficients": of_raters(agreement.coefficients),
    "reliability": scores_only,
    "rater_pairs": of_raters(agreement.rater_pairs),
    "raters": of_raters(agreement.raters),
    "by_label": lambda: [agreement.by_label(data, "genre") for data in rated() if "genre" in data.ratings.labels],
    "disagreements": of_raters(agreement.disagreements),
}
"""Name of the function that makes a table → such tables."""
