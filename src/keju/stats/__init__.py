"""Statistics of exams: arrays in, small frozen records out. Nothing here knows of items, runs or files.

`intervals` of one accuracy · `paired` two candidates on the same items · `many` k candidates at once · `families` many
tests at once · `chance` better than drawing · `groups` differences between groups · `uniformity` of keys ·
`marginals` of letters given and due · `item_analysis` what each item is worth ·
`classification` precision, recall, F1 · `correlation` of ranks · `timing` of calls · `edit_distance` of transcripts ·
`power` before the run · `two_way` people and items at once · `agreement` of raters on labels (`rated`),
`ratings` on scales; `marks` and `resampling` serve them.
SciPy is imported by the functions that need it: it costs half a second.
A NaN, an empty group or unequal lengths raise `Misuse` that names what is wrong; nothing is dropped in silence.
"""

from keju.stats.agreement import (
    Agreement,
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
)
from keju.stats.chance import AboveChance, above_chance
from keju.stats.classification import Classification, Quality, precision_recall, precision_recall_counts
from keju.stats.correlation import Correlation, spearman
from keju.stats.edit_distance import ErrorRate, error_interval, error_rate
from keju.stats.families import Family, holm
from keju.stats.groups import Heterogeneity, heterogeneity
from keju.stats.intervals import Interval, accuracy_interval, clustered_interval
from keju.stats.item_analysis import ItemFigures, item_figures, kr20
from keju.stats.many import CochranQ, cochran_q
from keju.stats.marginals import MarginalHomogeneity, marginal_homogeneity
from keju.stats.paired import AllPairs, Difference, McNemar, all_pairs, mcnemar, mcnemar_counts, paired_difference
from keju.stats.power import detectable_difference, items_needed
from keju.stats.ratings import ICC, Reliability, icc
from keju.stats.timing import Durations, durations
from keju.stats.two_way import two_way_difference, two_way_interval
from keju.stats.uniformity import Uniformity, uniformity

__all__ = [
    "ICC",
    "AboveChance",
    "Agreement",
    "AllPairs",
    "Classification",
    "CochranQ",
    "Correlation",
    "Difference",
    "Durations",
    "ErrorRate",
    "Family",
    "Heterogeneity",
    "Interval",
    "ItemFigures",
    "MarginalHomogeneity",
    "McNemar",
    "Quality",
    "Reliability",
    "Uniformity",
    "above_chance",
    "accuracy_interval",
    "all_pairs",
    "brennan_prediger",
    "clustered_interval",
    "cochran_q",
    "cohen_kappa",
    "conger_kappa",
    "detectable_difference",
    "durations",
    "error_interval",
    "error_rate",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "heterogeneity",
    "holm",
    "icc",
    "item_figures",
    "items_needed",
    "kr20",
    "krippendorff_alpha",
    "marginal_homogeneity",
    "mcnemar",
    "mcnemar_counts",
    "paired_difference",
    "precision_recall",
    "precision_recall_counts",
    "spearman",
    "two_way_difference",
    "two_way_interval",
    "uniformity",
]
