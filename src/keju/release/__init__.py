"""A release: a benchmark as a folder that hubs, archives and readers can open, check and cite.

    settings = read_settings(Path("release.toml"))       # what only the authors know; `write_template` makes it
    report = build(benchmark, settings, Path("out"))     # writes it, or says what blocks it
    verify(Path("out"))                                  # what is wrong with a release folder; empty: nothing

`gate` blocks, `content` says what is published, `building` writes it; `card`, `citation`, `croissant`, `datapackage`,
`datasheet` and `legacy` are one file or folder each; `verifying` looks at what came out as a stranger would.
"""

from keju.release.building import ReleaseReport, build
from keju.release.settings import Creator, People, Settings, Source, read_settings
from keju.release.template import write_template
from keju.release.verifying import verify

__all__ = [
    "Creator",
    "People",
    "ReleaseReport",
    "Settings",
    "Source",
    "build",
    "read_settings",
    "verify",
    "write_template",
]
