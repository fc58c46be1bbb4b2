"""The leaderboard: marked runs from best to worst, with everything that a reader needs to trust a place in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keju.errors import Misuse
from keju.results import columns as c
from keju.results.scores import Scores
from keju.results.table import Column, Table


def leaderboard(scores: Sequence[Scores], *, published: Iterable[Mapping[str, Any]] = ()) -> Table:
    """Table of marked runs, best first; incomplete runs stand after complete ones, whatever they have.

    `published` are rows of `keju.results.published`, set last and marked. Raises `Misuse` for no runs.
    """
    if not scores:
        raise Misuse("a leaderboard needs at least one run")
    ranked = sorted(scores, key=lambda s: (not s.settled, s.accuracy is None, -(s.accuracy or 0.0)))
    theirs = [{**row, "_published": True} for row in published]
    sources = sorted({row["source"] for row in theirs if "source" in row})
    notes = [*_notes(ranked), *(f"Published rows are from {source}." for source in sources)]
    rows = (*map(_row, ranked), *theirs)
    return Table("leaderboard", "Leaderboard", _columns(ranked), rows, tuple(notes), "排行榜")


def _row(s: Scores) -> dict[str, Any]:
    return {
        "model": s.model,
        "variant": s.variation or None,
        "accuracy": s.accuracy,
        "interval": s.interval.pair if s.interval else None,
        "interval_method": s.interval_method,
        "interval_clustered": s.interval_clustered.pair if s.interval_clustered else None,
        "n": s.n,
        "state": state(s),
        "answered": s.answered,
        "accuracy_answered": s.accuracy_answered,
        "interval_answered": s.interval_answered.pair if s.interval_answered else None,
        "valid_response_rate": s.valid_response_rate,
        "chance": s.chance,
        "p_chance": s.above_chance.p if s.above_chance else None,
        "drawn": s.drawn,
        "expected_accuracy": s.expected_accuracy,
        "accuracy_without_draws": s.accuracy_without_draws,
        "invalid": s.invalid,
        "truncated": s.truncated,
        "blocked": s.blocked,
        "failed": s.failed,
        "pending": s.pending,
        "parser": s.parser,
        "protocol": s.protocol,
    }


def state(s: Scores) -> str:
    """`complete`, or how much is missing, in the words of a table."""
    if s.complete:
        return "complete"
    missing = f"{s.n - s.answered} of {s.n} unanswered"
    return f"{missing}, counted as wrong" if s.settled else f"incomplete: {missing}"


def _columns(scores: Sequence[Scores]) -> tuple[Column, ...]:
    """Columns that would say nothing in any row are left out."""
    open_ends = [c.STATE, c.ANSWERED, c.ACCURACY_ANSWERED, c.INTERVAL_ANSWERED]
    draws = [c.DRAWN, c.EXPECTED, c.UNDRAWN]
    return (
        c.MODEL,
        *([c.VARIANT] if any(s.variant for s in scores) else []),
        c.ACCURACY,
        c.INTERVAL,
        *([c.METHOD] if len({s.interval_method for s in scores}) > 1 else []),
        *([c.INTERVAL_CLUSTERED] if any(s.interval_clustered for s in scores) else []),
        c.N,
        *(open_ends if not all(s.complete for s in scores) else []),
        c.VALID_RATE,
        c.CHANCE,
        c.P_CHANCE,
        *(draws if any(s.drawn for s in scores) else []),
        c.INVALID,
        c.TRUNCATED,
        c.BLOCKED,
        c.FAILED,
        *([c.PENDING] if any(s.pending for s in scores) else []),
        c.PARSER,
        c.PROTOCOL,
    )


def _notes(scores: Sequence[Scores]) -> Iterable[str]:
    yield "Accuracy is right answers over all N items; a reply without a valid label counts as wrong."
    yield from interval_notes({s.interval_method for s in scores})
    yield "Chance is the mean of 1 / options per item; p (above chance) is its exact one-sided Poisson-binomial test."
    if any(s.interval_clustered for s in scores):
        yield "Some items share a picture or clip: 95 % CI (by medium) resamples those groups whole."
    if open_runs := [s for s in scores if not s.settled]:
        names = ", ".join(s.name for s in open_runs)
        yield (
            f"Incomplete: {names}. Over all N, unanswered items are not yet right, so the accuracy is a lower bound; "
            "over the answered it may flatter. Run again to ask what is missing."
        )
    if counted := [s for s in scores if s.settled and not s.complete]:
        yield f"Blocked and failed calls were counted as wrong answers, as asked: {', '.join(s.name for s in counted)}."
    if any(s.drawn for s in scores):
        yield (
            "Drawn: the reply gave no label and the protocol drew an option. Expected accuracy counts each draw at its "
            "chance; accuracy without draws counts none; a drawn answer is no valid response."
        )
    yield from comparability_notes(scores)


def interval_notes(methods: Iterable[str | None]) -> Iterable[str]:
    """What the intervals in a table are."""
    said = {
        "bootstrap": "95 % CI: percentile bootstrap over items, 10,000 resamples, seed 0.",
        "wilson": "Wilson's interval is shown where N < 30, or all or no answers are right: the bootstrap degenerates.",
    }
    present = set(methods)
    yield from (sentence for method, sentence in said.items() if method in present)


def comparability_notes(scores: Sequence[Scores]) -> Iterable[str]:
    """What stands between rows of one table: another protocol, parser, benchmark or number of items."""
    for name, values in (
        ("benchmarks", {s.benchmark for s in scores}),
        ("protocols", {s.protocol for s in scores}),
        ("parsers", {s.parser for s in scores}),
        ("numbers of items", {str(s.n) for s in scores}),
    ):
        if len(values) > 1:
            yield f"Rows differ in their {name} ({', '.join(sorted(values))}): they are not directly comparable."
    if len({s.protocol for s in scores}) == 1 and len({s.prompts for s in scores}) > 1:
        yield "Rows ran under different versions of the same protocol: they are not directly comparable."
    if broken := sorted({i for s in scores for i in s.without_key}):
        listed = ", ".join(broken[:8]) + (f" and {len(broken) - 8} more" if len(broken) > 8 else "")
        yield f"No usable key, so never right (correct the data): {listed}."
