"""The quality files of a release: agreement, ratings, disputes and human baseline, under pseudonyms.

Free notes of people are left out: they may name somebody. Figures are those of the dashboard.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from keju.items import LABELS
from keju.reports.csv import guarded
from keju.reports.json import to_json
from keju.results.table import Table
from keju.studio import agreeing, rating
from keju.studio.models import Assignment, Batch, Dispute, Event, Profile, Project, Response
from keju.studio.responses import SCALES
from keju.studio.screening import agreement, tallies


def quality_of(project: Project, withheld: Collection[str] = ()) -> dict[str, bytes]:
    """Name of a quality file → its bytes; a file of which there is nothing to say is left out.

    `withheld`: ids of items whose keys are not published; what people answered to them would tell.
    """
    names = dict(Profile.objects.values_list("user_id", "pseudonym"))
    tables = {
        "ratings": _judgements(project, names),
        "disputes": _disputes(project, names),
        "human_baseline": _baseline(project),
    }
    found = {name: table_of([_without_answer(row, withheld) for row in rows]) for name, rows in tables.items() if rows}
    if told := _agreement(project):
        found["agreement"] = (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode()
    return found


def _without_answer(row: dict[str, Any], withheld: Collection[str]) -> dict[str, Any]:
    return {**row, "answer": ""} if "answer" in row and row["item"] in withheld else row


def table_of(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as CSV that no spreadsheet computes."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows({n: guarded(v) if isinstance(v, str) else v for n, v in row.items()} for row in rows)
    return text.getvalue().encode()


def _judgements(project: Project, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """One row a person and item: the blind answer, or the ratings."""
    kinds = (Batch.Kind.REANNOTATE, Batch.Kind.RATE)
    done = Assignment.objects.filter(batch__project=project, batch__kind__in=kinds, state=Assignment.State.DONE)
    standing = Response.objects.filter(assignment__in=done, superseded_by__isnull=True)
    related = ("assignment__batch", "assignment__item", "assignment__revision")
    rows = [_judgement(response, names) for response in standing.select_related(*related)]
    return sorted(rows, key=lambda row: (row["item"], row["kind"], row["rater"]))


def _judgement(response: Response, names: Mapping[int, str]) -> dict[str, Any]:
    one, told = response.assignment, response.data
    answer = told.get("answer")
    return {
        "item": one.item.code if one.item else "",
        "revision": one.revision.number if one.revision else "",
        "rater": names.get(one.user_id or 0, ""),
        "kind": one.batch.kind,
        "answer": LABELS[answer] if isinstance(answer, int) else "",
        "problem": told.get("problem") or "",
        "confidence": _cell(told.get("confidence")),
        **{scale: _cell(told.get(scale)) for scale in SCALES},
    }


def _disputes(project: Project, names: Mapping[int, str]) -> list[dict[str, Any]]:
    found = Dispute.objects.filter(item__project=project).select_related(
        "item", "revision", "category", "evidence", "result"
    )
    return [
        {
            "item": dispute.item.code,
            "revision": dispute.revision.number,
            "cause": dispute.cause,
            "category": dispute.category.code if dispute.category else "",
            "evidence": dispute.evidence.code if dispute.evidence else "",
            "decision": dispute.decision or "open",
            "third_expert": names.get(dispute.third_expert_id or 0, ""),
            "result_revision": dispute.result.number if dispute.result else "",
        }
        for dispute in found.order_by("item__code", "pk")
    ]


def _baseline(project: Project) -> list[dict[str, Any]]:
    """Every answer of those who finished, of all sittings."""
    from keju.studio.sitting_results import answers

    sittings = project.batches.filter(kind=Batch.Kind.BASELINE).order_by("pk")
    return [
        {"sitting": batch.name, **{column: _cell(row[column]) for column in row}}
        for batch in sittings
        for row in answers(batch).rows
    ]


def _agreement(project: Project) -> dict[str, Any]:
    """Each round's figures with their n, and the conflicts of interest that single-user mode let pass."""
    told: dict[str, Any] = {}
    kinds: dict[Batch.Kind, Callable[[Batch], dict[str, Any]]] = {
        Batch.Kind.SCREEN: _of_screening,
        Batch.Kind.REANNOTATE: lambda batch: _of_tables(agreeing.tables_of(batch)),
        Batch.Kind.RATE: lambda batch: _of_tables(rating.tables_of(batch)),
    }
    for kind, figures in kinds.items():
        rounds = project.batches.filter(kind=kind).order_by("pk")
        if made := [{"round": batch.name, **found} for batch in rounds if (found := figures(batch))]:
            told[kind.value] = made
    if broken := conflicts(project):
        told["conflicts_of_interest"] = broken
    return told


def conflicts(project: Project) -> list[dict[str, Any]]:
    """Rules that were broken in single-user mode: which, and how often."""
    counts: dict[str, int] = {}
    for data in Event.objects.filter(project=project, data__has_key="conflict").values_list("data", flat=True):
        counts[data["conflict"]] = counts.get(data["conflict"], 0) + 1
    return [{"rule": rule, "times": times} for rule, times in sorted(counts.items())]


def _of_screening(batch: Batch) -> dict[str, Any]:
    found = agreement(tallies(batch))
    if found is None:
        return {}
    interval = found.interval
    return {
        "coefficient": found.coefficient,
        "value": found.value,
        "interval": [interval.low, interval.high] if interval else None,
        "raw_agreement": found.observed,
        "by_chance": found.expected,
        "items": found.items,
    }


def _of_tables(tables: Sequence[Table]) -> dict[str, Any]:
    """Tables of results as `keju agreement --json` prints them."""
    return {"tables": json.loads(to_json(tables))["tables"]} if tables else {}


def _cell(value: Any) -> Any:
    return "" if value is None else value
