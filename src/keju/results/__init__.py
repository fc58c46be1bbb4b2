"""Marked runs and the tables made of them. Pure functions: records in, figures out; nothing here asks or draws.

`scores` marks a run, item by item (`mark`), `scan` a large one as columns (`deciding` the labels); `tally` is what they
have in common · `leaderboard` ranks marked runs · `breakdowns` by label · `pairs` tests one against another (`pairing`
their items, `joined` where they are columns) · `bilingual` one model, two wordings · `parsers` one run, every rule ·
`size` parameters against accuracy · `latency` where the time went · `marked` the items behind the figures · `published`
what the papers report.
`circular` and `bias` answers that go by place · `invalid` replies without a label (`replies`) · `item_analysis` what
items are worth (`item_advice`) · `power` what N items can show · `other_marks` another tool's marks beside ours.
`humans` people and models on the same items (`sampled`, `handed_in`) · `agreement` of raters (`judged`,
`coefficients`, `reliability`) ·
`description` what a benchmark consists of (`counts`, `lengths`, `answers`, `media`, `spread`) · `split_balance` how
alike splits are.
`table` is what `keju.reports` draws, `columns` what several tables share; `labels` says labels in them, `figures`
rounds for cells and sentences. Import from the module
(`from keju.results.leaderboard import leaderboard`): modules and functions share names, so none is re-exported here.
"""
