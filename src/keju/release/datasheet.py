"""DATASHEET.md: how the data came about and what they are for. Figures are counted, prose is the authors'."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from keju.phrase import Phrase
from keju.release.content import Content, split_record_of
from keju.release.prose import QUESTIONS
from keju.release.settings import Settings
from keju.reports.markdown import escaped, to_markdown
from keju.results.description import description

_NONE = Phrase("Not told.", "未说明。")


def datasheet(content: Content) -> str:
    """The page."""
    return "\n".join(_lines(content))


def _lines(content: Content) -> Iterator[str]:
    settings = content.settings
    yield f"# Datasheet of {escaped(settings.title)}\n"
    yield f"Version {settings.version}, {settings.date}. Answers are the creators' own; figures were counted.\n"
    for section, questions in groupby(QUESTIONS.items(), key=lambda pair: pair[1].section):
        yield f"## {section} · {section.zh}\n"
        for key, question in questions:
            yield f"**{question.text}** {question.text.zh}\n"
            yield f"{settings.datasheet.get(key) or f'{_NONE} {_NONE.zh}'}\n"
        if section == "Collection":
            yield from _when(settings)
    yield "## Composition · 构成\n"
    yield from _splits(content)
    yield from (to_markdown(table, level=3) for table in description(content.benchmark))


def _when(settings: Settings) -> Iterator[str]:
    kinds = ", ".join(settings.collection_types)
    yield f"Gathered from {settings.collection_start} to {settings.collection_end}: {escaped(kinds)}.\n"
    seen = settings.people.recognisable == "yes"
    yield f"Persons can be recognised: {'yes, and consented in writing' if seen else 'no'}.\n"


def _splits(content: Content) -> Iterator[str]:
    record = split_record_of(content.benchmark)
    if record.get("generation_method"):
        seed = f", seed {record['random_seed']}" if "random_seed" in record else ""
        yield f"Splits were made thus: {escaped(str(record['generation_method']))}{seed}.\n"
    if content.withheld:
        yield f"Keys withheld: {', '.join(sorted(content.withheld))}.\n"
