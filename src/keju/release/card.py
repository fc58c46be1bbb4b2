"""README.md: the data set card, whose head a hub reads and whose body people read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from keju.benchmark import Benchmark
from keju.formats.parquet import configs
from keju.release.citation import cited
from keju.release.content import ANSWER_DIGEST, Content, Shard
from keju.release.licences import LICENCES, OWN
from keju.release.paths import CITATION, DATASHEET, LICENSE, MEDIA_LICENSE, SUMS
from keju.release.settings import Settings
from keju.reports.markdown import escaped, to_markdown
from keju.results.counts import counted

_HUB_LICENCES = {name.lower() for name in LICENCES if not name.startswith("ODC")} | {"odc-by"}
"""Identifiers that the hub's cards take; others are written as `other` with name and link."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LABELS = ("genre", "question_type", "difficulty", "task", "level", "modality")
"""Labels by which the papers present their items; those that vary are counted on the card."""


def card(content: Content, shards: Mapping[str, Shard]) -> str:
    """The card. `shards` are the Parquet files by the hub's name of each split."""
    body = "\n".join(_body(content, shards))
    return f"---\n{_head(content, shards)}---\n\n{body}"


def hub_license(settings: Settings) -> list[str]:
    """The lines of the head that say the licence."""
    name = settings.license.lower().replace("odc-by-1.0", "odc-by")
    if name in _HUB_LICENCES and not settings.media_license:
        return [f"license: {name}"]
    names = settings.license + (f" (media: {settings.media_license})" if settings.media_license else "")
    return ["license: other", f"license_name: {_text(names)}", f"license_link: {LICENSE}"]


def _head(content: Content, shards: Mapping[str, Shard]) -> str:
    benchmark, settings = content.benchmark, content.settings
    plain = replace(benchmark, card={"title": settings.title})  # the licence has lines of its own
    tags = sorted({tag for item in benchmark for tag in item.wordings})
    lines = [*hub_license(settings), f"language_details: {_text(', '.join(tags))}"]
    lines += _listed("annotations_creators", settings.annotations_creators)
    lines += _listed("language_creators", settings.language_creators)
    lines += _listed("multilinguality", ["translation" if len(tags) > 1 else "monolingual"])
    lines += _listed("size_categories", [_size(len(benchmark))])
    lines += _listed("source_datasets", ["original"])
    lines += _listed("task_categories", _tasks(benchmark))
    lines += _listed("tags", [*settings.keywords, "croissant"])
    lines += ["dataset_info:", "  config_name: default", "  splits:"]
    for name, shard in shards.items():
        lines += [f"  - name: {_text(name)}", f"    num_bytes: {shard.size}", f"    num_examples: {shard.rows}"]
    total = sum(shard.size for shard in shards.values())
    lines += [f"  download_size: {total}", f"  dataset_size: {total}"]
    return configs(plain, {name: shard.path for name, shard in shards.items()}) + "\n".join(lines) + "\n"


def _body(content: Content, shards: Mapping[str, Shard]) -> Iterator[str]:
    benchmark, settings = content.benchmark, content.settings
    yield f"# {escaped(settings.title)}\n"
    if settings.title_zh:
        yield f"{escaped(settings.title_zh)}\n"
    yield f"{settings.description}\n"
    if settings.description_zh:
        yield f"{settings.description_zh}\n"
    yield f"Version {settings.version}, {settings.date}. {len(benchmark)} items.\n"
    yield from _tables(benchmark, shards)
    yield _HOW_TO_OPEN
    yield from _withheld(content)
    yield from _licence(settings)
    yield f"## Citation\n\n{escaped(cited(settings))}\n\n`{CITATION}` has it for programs.\n"
    yield f"## More\n\n`{DATASHEET}` tells how the data came about, what they are for, and what they cannot show.\n"
    yield f"`{SUMS}` has the digest of every file: `sha256sum --check {SUMS}`, or `keju release --verify .`\n"
    yield f"## Canary\n\n{CANARY_TEXT}\n\ncanary GUID {settings.canary}\n"


CANARY_TEXT = "These data are for examining models. They should not be in any training corpus."


def _tables(benchmark: Benchmark, shards: Mapping[str, Shard]) -> Iterator[str]:
    rows = "\n".join(f"| {name} | {shard.rows} | `{shard.path}` |" for name, shard in shards.items())
    yield f"## Splits\n\n| Split | Items | File |\n|---|--:|---|\n{rows}\n"
    for label in _LABELS:
        table = counted(benchmark, label)
        if len(table.rows) > 1:
            yield to_markdown(table)


def _withheld(content: Content) -> Iterator[str]:
    if content.withheld:
        names = ", ".join(sorted(content.withheld))
        yield (
            f"## Withheld keys\n\nThe keys of {names} are withheld: `answer` is null. `{ANSWER_DIGEST}` in `extra` is "
            "the SHA-256 of salt, line feed, id, line feed and key; the salt is secret, and shows later that no key "
            "was changed.\n"
        )


def _licence(settings: Settings) -> Iterator[str]:
    yield f"## Licence\n\nQuestions, options and keys: {_linked(settings.license)}, see `{LICENSE}`.\n"
    if settings.media_license:
        yield f"Pictures and clips: {_linked(settings.media_license)}, see `{MEDIA_LICENSE}`.\n"
    yield "| Source | Of | Licence | Credit |\n|---|---|---|---|"
    for source in settings.sources:
        licence = "the creators' own work" if source.license == OWN else source.license
        credit = " ".join(part for part in (source.attribution, source.url) if part)
        cells = (source.what, ", ".join(source.covers), licence, credit)
        yield f"| {' | '.join(map(escaped, cells))} |"
    yield ""


def _linked(name: str) -> str:
    licence = LICENCES.get(name)
    return f"[{licence.title}]({licence.url})" if licence else escaped(name)


def _tasks(benchmark: Benchmark) -> list[str]:
    kinds = {medium.kind for item in benchmark for medium in item.media}
    tasks = ["visual-question-answering"] if "image" in kinds else []
    tasks += ["audio-text-to-text"] if "audio" in kinds else []
    return [*(tasks or ["question-answering"]), "multiple-choice"]


def _size(items: int) -> str:
    return next((name for limit, name in _SIZES if items < limit), "n>1M")


def _listed(name: str, values: Sequence[str]) -> list[str]:
    return [f"{name}:", *(f"- {_text(value)}" for value in values)] if values else []


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


_HOW_TO_OPEN = """## How to open it

```python
from datasets import Audio, load_dataset

data = load_dataset("path/of/this/folder")
# Clips stay bytes, and need no decoder: data.cast_column("audio", Audio(decode=False))
```

```python
import keju

benchmark = keju.load("path/of/this/folder")
```

`items/items.jsonl` holds the same items, a line each, their media in `media/`; `items/items.schema.json` says what a
line holds. `croissant.json` and `datapackage.json` describe the files for programs. `legacy/`, where there is one,
holds the items in the layouts of the TCO-Dataset and Multi-TW papers.
"""
