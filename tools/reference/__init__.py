"""The reference pages of the site, made from the code each time it is built; none of them is kept.

`commands` from the parsers of the command line · `rules` from the registry of `keju check` · `python` from signatures
and docstrings, read by griffe without importing anything · `shipped` from the protocols, providers and formats that
come with the package · `markdown` what they share.
"""

from __future__ import annotations

from reference import commands, python, rules, shipped

ENGLISH_ONLY = (commands.pages, python.pages, shipped.pages)


def pages(language: str) -> dict[str, str]:
    """Path below the site's root → Markdown. What the code says in English alone is in the English pages only."""
    made = rules.pages(language)
    if language == "en":
        for make in ENGLISH_ONLY:
            made |= make()
    return made
