"""The coefficients of agreement on labels: which data each can be computed of, and which of them suits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from keju.results.judged import Judged, Scale
from keju.stats import (
    Agreement,
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
)


def first_choice(data: Judged) -> str:
    """The coefficient that suits the data; `coefficients` says why."""
    if not data.labels:
        return f"Krippendorff's alpha, {data.scale}"
    if data.options and len(set(data.options)) > 1:
        return BRENNAN
    if data.gaps:
        return "Krippendorff's alpha, nominal"
    return "Cohen's kappa" if data.raters == 2 else "Fleiss' kappa"


BRENNAN = "Brennan-Prediger kappa"
Compute = Callable[[Judged, int | None], Agreement]


def _cohen(weights: Literal["linear", "quadratic"] | None) -> Compute:
    def compute(data: Judged, _: int | None) -> Agreement:
        return cohen_kappa(*zip(*data.of_pair(0, 1), strict=True), weights=weights, categories=data.categories)

    return compute


def _ac2(weights: Literal["linear", "quadratic"]) -> Compute:
    return lambda data, _: gwet_ac2(data.rows, weights, categories=data.categories)


def _alpha(metric: Scale) -> Compute:
    return lambda data, _: krippendorff_alpha(data.rows, metric)


def _brennan(data: Judged, options: int | None) -> Agreement:
    return brennan_prediger(data.rows, options=options or data.options or _possible(data))


def _possible(data: Judged) -> int:
    return max(len(data.categories), 2)


def _ordered(data: Judged) -> bool:
    return not data.labels


def _measured(data: Judged) -> bool:
    return not data.labels and data.numeric


def _always(_: Judged) -> bool:
    return True


COEFFICIENTS: Sequence[tuple[str, Callable[[Judged], bool], Compute]] = (
    ("Cohen's kappa", lambda data: data.raters == 2, _cohen(None)),
    ("Cohen's kappa, linear weights", lambda data: data.raters == 2 and _ordered(data), _cohen("linear")),
    ("Cohen's kappa, quadratic weights", lambda data: data.raters == 2 and _ordered(data), _cohen("quadratic")),
    ("Fleiss' kappa", _always, lambda data, _: fleiss_kappa(data.rows)),
    ("Conger's kappa", lambda data: data.raters > 2, lambda data, _: conger_kappa(data.rows)),
    (BRENNAN, _always, _brennan),
    ("Gwet's AC1", _always, lambda data, options: gwet_ac1(data.rows, categories=options or _possible(data))),
    ("Gwet's AC2, linear weights", _ordered, _ac2("linear")),
    ("Gwet's AC2, quadratic weights", _ordered, _ac2("quadratic")),
    ("Krippendorff's alpha, nominal", _always, _alpha("nominal")),
    ("Krippendorff's alpha, ordinal", _ordered, _alpha("ordinal")),
    ("Krippendorff's alpha, interval", _measured, _alpha("interval")),
    ("Krippendorff's alpha, ratio", lambda data: _measured(data) and min(data.categories) >= 0, _alpha("ratio")),
)
"""Name, which data it can be computed of, and how."""

CHINESE: Mapping[str, str] = {
    "Cohen's kappa": "Cohen κ 系数",
    "Cohen's kappa, linear weights": "Cohen κ（线性加权）",
    "Cohen's kappa, quadratic weights": "Cohen κ（平方加权）",
    "Fleiss' kappa": "Fleiss κ 系数",
    "Conger's kappa": "Conger κ 系数",
    BRENNAN: "Brennan-Prediger κ 系数",
    "Gwet's AC1": "Gwet AC1 系数",
    "Gwet's AC2, linear weights": "Gwet AC2（线性加权）",
    "Gwet's AC2, quadratic weights": "Gwet AC2（平方加权）",
    "Krippendorff's alpha, nominal": "Krippendorff α（名义）",
    "Krippendorff's alpha, ordinal": "Krippendorff α（有序）",
    "Krippendorff's alpha, interval": "Krippendorff α（等距）",
    "Krippendorff's alpha, ratio": "Krippendorff α（比率）",
}
