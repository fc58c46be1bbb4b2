"""What comes with the package as data: protocols, providers, the papers' models, formats and mappings."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from keju.formats import FORMATS
from keju.formats.outputs import READERS
from keju.models.catalogue import presets, providers
from keju.models.dialects import DIALECTS
from keju.protocols import builtin_protocols
from reference.markdown import block, code, plain, table


def pages() -> dict[str, str]:
    return {
        "reference/protocols.md": _protocols(),
        "reference/providers.md": _providers(),
        "reference/formats.md": _formats(),
    }


def _protocols() -> str:
    parts = ["# Protocols as shipped\n", "A run stores its protocol whole. These are the files that keju brings.\n"]
    for name in builtin_protocols():
        text = files("keju.protocols").joinpath("builtin", f"{name}.toml").read_text(encoding="utf-8")
        parts += [f"## {name}\n", block(text, "toml")]
    return "\n".join(parts)


def _providers() -> str:
    served = [
        (code(p.name), plain(p.title), code(p.dialect), code(p.base_url or ""), code(p.key or ""), str(p.concurrency))
        for p in providers()
    ]
    models = [
        (
            plain(p.name),
            plain(p.paper),
            code(p.run),
            ", ".join(p.modalities),
            f"{p.parameters:g}" if p.parameters else "",
            code(p.transcriber or ""),
            plain(p.license),
        )
        for p in presets()
    ]
    return "\n".join(
        [
            "# Providers and the papers' models\n",
            "## Providers\n",
            "The first part of `-m PROVIDER/MODEL`.\n",
            table(("name", "is", "dialect", "address", "key", "calls in flight"), served),
            "## Dialects\n",
            "How pictures and clips are written into a message: " + ", ".join(map(code, DIALECTS)) + ".\n",
            "## The papers' models\n",
            "Named as the papers print them; `-m` takes that name.\n",
            table(("model", "paper", "is asked as", "takes", "billions", "transcriber", "licence"), models),
        ]
    )


def _formats() -> str:
    kept = [
        (code(each.name), plain(each.title), "yes" if each.read else "", "yes" if each.write else "", each.split or "")
        for each in FORMATS.values()
    ]
    return "\n".join(
        [
            "# Formats and mappings\n",
            "## Benchmarks\n",
            "`--format NAME` reads, `keju convert --to NAME` writes.\n",
            table(("name", "looks like", "read", "written", "split that is written"), kept),
            "## Runs of other tools\n",
            "`keju score --format NAME`: " + ", ".join(map(code, READERS)) + ".\n",
            "## Mappings\n",
            "`--mapping NAME` reads a known data set.\n",
            table(("name", "data set", "licence", "how to get it"), _mappings()),
        ]
    )


def _mappings() -> list[tuple[str, str, str, str]]:
    rows = []
    for file in sorted(files("keju.formats").joinpath("mappings").iterdir(), key=lambda each: each.name):
        told = tomllib.loads(file.read_text(encoding="utf-8"))
        name = file.name.removesuffix(".toml")
        rows.append((code(name), plain(told["title"]), plain(told["license"]), plain(told.get("get", ""))))
    return rows
