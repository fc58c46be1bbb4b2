"""Which rules look, and with which thresholds: what the command line and a TOML file say."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.checks.check import RULES, rules_for
from keju.checks.rule import Rule
from keju.errors import BadFile, Misuse
from keju.formats.toml_text import read_toml
from keju.items import NOTHING

KEYS = ("select", "ignore", "thresholds")


@dataclass(frozen=True, slots=True)
class Settings:
    select: tuple[str, ...] = ()
    """Codes (`Q103`), beginnings of codes (`Q`, `F1`) or names of rules; none: all that hold for the benchmark."""
    ignore: tuple[str, ...] = ()
    """The same. Where both name a rule, the more exact wins: `--select Q103 --ignore Q` leaves Q103 alone."""
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: NOTHING)
    """Code → threshold → value."""

    def rules(self, benchmark: Benchmark) -> list[Rule]:
        """The rules to look with. A house rule of another profile looks only where it is selected by its full code."""
        usual = {rule.code for rule in rules_for(benchmark)}
        chosen = [rule for rule in RULES.values() if self._wants(rule, usual)]
        return [
            replace(rule, thresholds={**rule.thresholds, **self.thresholds[rule.code]})
            if rule.code in self.thresholds
            else rule
            for rule in chosen
        ]

    def _wants(self, rule: Rule, usual: Iterable[str]) -> bool:
        selected = _exactness(rule, self.select) if self.select else 0
        if rule.code not in usual and selected < len(rule.code):
            return False
        return selected >= 0 and selected > _exactness(rule, self.ignore)


def settings_of(select: Iterable[str] = (), ignore: Iterable[str] = (), file: Path | None = None) -> Settings:
    """Settings of the command line over those of a file: what `select` or `ignore` name replaces the file's own.

    Raises `Misuse` for a rule, and `BadFile` for a key or threshold, that there is not.
    """
    told = _read(file) if file else {}
    chosen, ignored = list(select) or told.get("select", []), list(ignore) or told.get("ignore", [])
    for name in (*chosen, *ignored):
        rules_named(name)
    thresholds = {}
    for name, values in told.get("thresholds", {}).items():
        rule = rules_named(name)[0]
        thresholds[rule.code] = _thresholds(rule, values, f"{file}: thresholds.{name}")
    return Settings(tuple(chosen), tuple(ignored), thresholds)


def rules_named(name: str) -> list[Rule]:
    """The rules that a code, the beginning of one, or a name means. Raises `Misuse` where it means none."""
    if found := [rule for rule in RULES.values() if _exactness(rule, (name,)) >= 0]:
        return found
    near = difflib.get_close_matches(name, [*RULES, *(rule.name for rule in RULES.values())], 1)
    hint = f"; {near[0]} is meant?" if near else ""
    raise Misuse(f"no rule is called {name!r}{hint} `keju check --explain all` lists them")


def _exactness(rule: Rule, names: Iterable[str]) -> int:
    """Length of the longest of `names` that means the rule; -1 where none does."""
    lengths = [len(rule.code) if name == rule.name else len(name) for name in names if _means(name, rule)]
    return max(lengths, default=-1)


def _means(name: str, rule: Rule) -> bool:
    return name == rule.name or (bool(name) and rule.code.startswith(name.upper()))


def _read(file: Path) -> dict[str, Any]:
    told = read_toml(file)
    if unknown := [key for key in told if key not in KEYS]:
        raise BadFile(f"{file}: unknown key {unknown[0]!r}; there are {', '.join(KEYS)}")
    for key in ("select", "ignore"):
        listed = told.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise BadFile(f'{file}: {key} must be a list of codes, as ["Q", "F103"]')
    tables = told.get("thresholds", {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise BadFile(f"{file}: thresholds are tables by code, as [thresholds.I103]")
    return told


def _thresholds(rule: Rule, values: Mapping[str, Any], place: str) -> dict[str, float]:
    for name, value in values.items():
        if name not in rule.thresholds:
            there = ", ".join(rule.thresholds) or "none"
            raise BadFile(f"{place}: {rule.code} has no threshold {name!r}; it has {there}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadFile(f"{place}: {name} must be a number, not {value!r}")
    return dict(values)
