"""Statistics of exams: arrays in, small frozen records out. Nothing here knows of items, runs or files.

`intervals` of one accuracy · `paired` two candidates on the same items · `families` many tests at once · `many` k candidates
at once · `chance` better than drawing · `heterogeneity` between groups · `classification` precision, recall, F1 ·
`correlation` of ranks · `durations` of calls · `power` before the run · `agreement` of raters on labels, `ratings` on scales.
A NaN, an empty group or unequal lengths raise `Misuse` that names what is wrong; nothing is dropped in silence.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keju.stats.agreement import Agreement as Agreement
    from keju.stats.agreement import brennan_prediger as brennan_prediger
    from keju.stats.agreement import cohen_kappa as cohen_kappa
    from keju.stats.agreement import fleiss_kappa as fleiss_kappa
    from keju.stats.agreement import gwet_ac1 as gwet_ac1
    from keju.stats.agreement import krippendorff_alpha as krippendorff_alpha
    from keju.stats.chance import AboveChance as AboveChance
    from keju.stats.chance import above_chance as above_chance
    from keju.stats.classification import Classification as Classification
    from keju.stats.classification import classification as classification
    from keju.stats.correlation import Correlation as Correlation
    from keju.stats.correlation import spearman as spearman
    from keju.stats.durations import Durations as Durations
    from keju.stats.durations import durations as durations
    from keju.stats.families import Family as Family
    from keju.stats.families import holm as holm
    from keju.stats.heterogeneity import Heterogeneity as Heterogeneity
    from keju.stats.heterogeneity import heterogeneity as heterogeneity
    from keju.stats.intervals import Interval as Interval
    from keju.stats.intervals import accuracy_interval as accuracy_interval
    from keju.stats.intervals import clustered_interval as clustered_interval
    from keju.stats.many import CochranQ as CochranQ
    from keju.stats.many import cochran_q as cochran_q
    from keju.stats.paired import AllPairs as AllPairs
    from keju.stats.paired import Difference as Difference
    from keju.stats.paired import McNemar as McNemar
    from keju.stats.paired import all_pairs as all_pairs
    from keju.stats.paired import mcnemar as mcnemar
    from keju.stats.paired import mcnemar_counts as mcnemar_counts
    from keju.stats.paired import paired_difference as paired_difference
    from keju.stats.power import detectable_difference as detectable_difference
    from keju.stats.power import items_needed as items_needed
    from keju.stats.ratings import ICC as ICC
    from keju.stats.ratings import Reliability as Reliability
    from keju.stats.ratings import icc as icc

_HOME = {
    "agreement": ("Agreement", "brennan_prediger", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha"),
    "chance": ("AboveChance", "above_chance"),
    "classification": ("Classification", "classification"),
    "correlation": ("Correlation", "spearman"),
    "durations": ("Durations", "durations"),
    "families": ("Family", "holm"),
    "heterogeneity": ("Heterogeneity", "heterogeneity"),
    "intervals": ("Interval", "accuracy_interval", "clustered_interval"),
    "many": ("CochranQ", "cochran_q"),
    "paired": ("AllPairs", "Difference", "McNemar", "all_pairs", "mcnemar", "mcnemar_counts", "paired_difference"),
    "power": ("detectable_difference", "items_needed"),
    "ratings": ("ICC", "Reliability", "icc"),
}
