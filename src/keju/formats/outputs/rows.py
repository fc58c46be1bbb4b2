"""What other tools' files say, in keju's words: a reader makes `Sheet`s of `Row`s, joining makes them `Outputs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.items import NOTHING, Medium
from keju.records import Record


@dataclass(frozen=True, slots=True)
class Theirs:
    """What another tool took from a reply, and by which key it marked."""

    read: str | None
    """One of the item's labels; `""` where the tool found none, or something that is no option; None where the file
    does not say."""
    key: str | None
    """One of the item's labels; None where the file has no usable key."""


@dataclass(frozen=True, slots=True)
class Row:
    """One output and what the file says of its item, before it is joined to one."""

    record: Record
    """What came back. Its `id` is the one in the file, or empty where the file gives none."""
    file: str
    line: int
    """Line of the text file, row of the sheet, or number of the sample, from 1."""
    position: int
    """Place of the item in the tool's data set, from 0."""
    question: str = ""
    """The question, or the whole prompt that holds it; empty where the file has neither."""
    options: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Label → text, as far as the file has them. An empty text is not known."""
    gold: Any = None
    """The key as the file writes it: a label, an option's text, an index (int), a list of these, or None."""
    labels: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    language: str | None = None
    """As the file names it (`english`, `zh`); None: to be seen from the text."""
    media: tuple[Medium, ...] = ()
    verdicts: Mapping[str, bool | None] = field(default_factory=lambda: NOTHING)
    """The tool's own marks by name (metric, scorer, filter); None: it gave none."""
    read: Any = None
    """What the tool's parser took from the reply, as the file writes it: as `gold`; None where the file does not say.

    `Outputs.theirs` has it as a label."""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The outputs of one model on one data set, as a reader found them."""

    model: str
    name: str
    """The data set's name, as far as the file tells."""
    format: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Outputs:
    """One model's outputs, joined to the items that they answer. `keju.results` can mark them like a run."""

    model: str
    benchmark: Benchmark
    """The one given, or one built from the questions, options and keys in the file."""
    records: Mapping[str, Record]
    """Item id → record, in benchmark order; items without an output have none."""
    verdicts: Mapping[str, Mapping[str, bool | None]]
    """The other tool's own marks: name of its metric → item id → right, wrong, or None (not marked)."""
    problems: tuple[Problem, ...]
    """What was met while reading and joining."""
    format: str
    theirs: Mapping[str, Theirs] = field(default_factory=lambda: NOTHING)
    """Item id → what the tool read and its key, for the items that the file has."""

    @property
    def marks(self) -> Mapping[str, bool | None]:
        """The other tool's first set of marks, by item id; empty where the file has none."""
        return next(iter(self.verdicts.values()), NOTHING)
