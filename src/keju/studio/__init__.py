"""The studio: a team builds a benchmark in the browser. A Django project; it keeps items and judgements, counts nothing
by itself (`keju.stats` does) and hands on a `Benchmark`.

`models` what is kept · `content` the text of a revision · `policy` who may do what · `workflow` states of an item ·
`presenting` what each audience sees of an item · `journal` the audit log · `benchmarks` items as a `Benchmark` ·
`views`, `urls`, `templates`, `static` the pages · `serving` starts it.
"""
