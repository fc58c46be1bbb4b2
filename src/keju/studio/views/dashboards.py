"""Progress of a project. Everyone who works on it sees how far it is; what may tell keys or people is its owners'."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from keju.results.table import Table
from keju.studio import progress
from keju.studio.access import Desk, page
from keju.studio.charts import Series, columns
from keju.studio.policy import Verb
from keju.studio.tables import shown


@require_GET
@page(Verb.SEE_PROJECT)
def dashboard(desk: Desk) -> HttpResponse:
    weeks = progress.weeks(desk.project)
    drawn = [_series(weeks, "begun", "begun"), _series(weeks, "accepted", "done")]
    context: dict[str, Any] = {"desk": desk, "states": shown(progress.states(desk.project)), "weeks": shown(weeks)}
    context |= {"series": drawn, "chart": columns([str(row["week"])[5:] for row in weeks.rows], drawn)}
    if desk.may(Verb.SEE_ASSETS):  # re-annotators are kept from what may tell keys, in sum as well
        benchmark = progress.live(desk.project)
        context["balances"] = [shown(table) for table in progress.balances(desk.project, benchmark)]
        context["findings"] = shown(progress.findings(desk.project))
    if desk.may(Verb.MANAGE):
        found = progress.keys(benchmark)
        context["owners"] = [
            shown(table)
            for table in (
                *([found] if found else []),
                *progress.agreements(desk.project),
                progress.authors(desk.project),
                progress.load(desk.project),
            )
        ]
    return render(desk.request, "studio/dashboard/dashboard.html", context)


def _series(weeks: Table, key: str, style: str) -> Series:
    """One column of the table of weeks, under its own heading."""
    heads = {column.key: head.text for column, head in zip(weeks.columns, shown(weeks).heads, strict=True)}
    return Series(heads[key], style, tuple(row[key] for row in weeks.rows))
