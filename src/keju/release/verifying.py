"""A release folder checked as a stranger gets it: by its digests, by its descriptions, and by what is in its files.

`mlcroissant validate` passes a changed or missing file, absent licence, creator or address, and a wrong data type. So
the descriptions are made anew from the files and compared, and every record set is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.checks import Finding
from keju.errors import BadFile
from keju.formats import multi_tw, parquet, tco
from keju.formats.json_text import parse_json
from keju.formats.names import in_order
from keju.formats.parquet_files import opened
from keju.items import Item
from keju.phrase import Phrase, listed
from keju.release import paths
from keju.release.checksums import read_sums
from keju.release.content import Shard, items_text, released_name
from keju.release.croissant import CONFORMS, distribution, record_sets
from keju.release.datapackage import item_schema, resources
from keju.release.legacy import MULTI_TW, TCO
from keju.release.licences import LICENCES, text_of
from keju.release.loading import loaded_counts
from keju.release.obstacle import obstacle
from keju.release.prose import QUESTIONS

_FETCH = Phrase("fetch the release again, or build it anew", "请重新下载，或重新构建")
_BUILD = Phrase("build the release anew with `keju release`", "请用 keju release 重新构建")
_PROPERTIES = (
    "name",
    "description",
    "license",
    "url",
    "version",
    "datePublished",
    "creator",
    "citeAs",
    "isLiveDataset",
)
_RAI = (
    "rai:dataCollectionType",
    "rai:dataCollectionTimeframe",
    *(f"rai:{question.rai}" for question in QUESTIONS.values() if question.rai and question.required),
)
"""Properties that croissant.json must have: Croissant 1.1's required and recommended, and RAI's as far as we ask."""


def verify(folder: Path) -> list[Finding]:
    """What is wrong with the release in `folder`; empty where it is whole. Raises `BadFile` where it is no folder."""
    if not folder.is_dir():
        raise BadFile(f"{folder}: no such folder; name the folder that `keju release` wrote")
    if found := list(_digests(folder)):
        return found
    try:
        told = {name: _object(folder / name) for name in (paths.CROISSANT, paths.DATAPACKAGE)}
        found = [*_properties(told[paths.CROISSANT]), *_licences(folder, told)]
        benchmark = parquet.read(folder / "data")
        found += [*_items(folder, benchmark), *_legacy(folder, benchmark), *_described(folder, benchmark, told)]
    except BadFile as error:
        return [obstacle("R506", Phrase(str(error), str(error)), _FETCH)]
    return found or list(_records(folder, shards_in(folder)))


def shards_in(folder: Path) -> dict[str, Shard]:
    """The Parquet files of a release, by the hub's name of their split."""
    shards = {}
    for path in sorted((folder / "data").glob("*-00000-of-00001.parquet")):
        with opened(path) as table:
            name = path.name.removesuffix("-00000-of-00001.parquet")
            shards[name] = Shard(f"data/{path.name}", table.metadata.num_rows, path.stat().st_size)
    if not shards:
        raise BadFile(f"{folder / 'data'}: no Parquet file; fetch the release again")
    return shards


def _digests(folder: Path) -> Iterator[Finding]:
    try:
        sums = read_sums(folder)
    except BadFile as error:
        yield obstacle("R502", Phrase(str(error), str(error)), _FETCH, paths.SUMS)
        return
    there = set(paths.files_in(folder)) - {paths.SUMS}
    for name in sorted({*sums, *paths.REQUIRED} - there):
        yield obstacle("R502", Phrase("the file is missing", "缺少文件"), _FETCH, name)
    for name in sorted(there - set(sums)):
        remedy = Phrase("remove it; nothing says where it is from", "请删除；没有来源说明")
        yield obstacle("R503", Phrase("the file is not of this release", "不属于本次发布的文件"), remedy, name)
    for name in sorted(there & set(sums)):
        if (folder / name).is_symlink() or paths.sha256_of(folder / name) != sums[name]:
            yield obstacle("R501", Phrase("the file was changed", "文件已被改动"), _FETCH, name)


def _properties(croissant: Mapping[str, Any]) -> Iterator[Finding]:
    lacking = [name for name in (*_PROPERTIES, *_RAI) if croissant.get(name) in (None, "", [], {})]
    if lacking:
        what = Phrase(f"lacks {listed(lacking)}", f"缺少 {listed(lacking).zh}")
        yield obstacle("R504", what, _BUILD, paths.CROISSANT)
    if not set(CONFORMS) <= set(_several(croissant.get("conformsTo"))):
        what = Phrase("does not say that it is Croissant 1.1 with RAI 1.0", "没有声明符合 Croissant 1.1 与 RAI 1.0")
        yield obstacle("R504", what, _BUILD, paths.CROISSANT)


def _licences(folder: Path, told: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    package, croissant = told[paths.DATAPACKAGE], told[paths.CROISSANT]
    names = [str(entry.get("name")) for entry in _several(package.get("licenses"))]
    for name in names:
        if name not in LICENCES:
            what = Phrase(f"the licence {name!r} is unknown", f"许可“{name}”无法识别")
            yield obstacle("R505", what, _BUILD, paths.DATAPACKAGE)
    if [LICENCES[name].url for name in names if name in LICENCES] != _several(croissant.get("license")):
        what = Phrase(f"names other licences than {paths.DATAPACKAGE}", f"许可与 {paths.DATAPACKAGE} 不一致")
        yield obstacle("R505", what, _BUILD, paths.CROISSANT)
    for name, file in zip(names, (paths.LICENSE, paths.MEDIA_LICENSE), strict=False):
        text = text_of(name)
        if not (folder / file).is_file() or (text and _text(folder / file) != text):
            yield obstacle("R505", Phrase(f"is not the text of {name}", f"不是 {name} 的全文"), _BUILD, file)
    licensed = {entry.get("path") for entry in _several(package.get("resources")) if entry.get("licenses")}
    after = {paths.DATAPACKAGE, paths.CROISSANT, paths.SUMS}
    for name in sorted(set(paths.files_in(folder)) - licensed - after):
        what = Phrase("nothing says under which licence it is", "没有说明许可")
        yield obstacle("R505", what, _BUILD, name)


def _items(folder: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Whether items.jsonl, media and lists of splits say what the Parquet files say."""
    if _text(folder / paths.ITEMS) != items_text(benchmark):
        yield _differs(paths.ITEMS)
    if _object(folder / paths.ITEM_SCHEMA) != item_schema(benchmark):
        yield _differs(paths.ITEM_SCHEMA)
    digests = {released_name(medium): medium.sha256 for item in benchmark for medium in item.media if medium.exists}
    there = {name for name in paths.files_in(folder) if name.startswith("media/")}
    for name in sorted(there ^ set(digests)):
        yield _differs(name)
    for name in sorted(there & set(digests)):
        if paths.sha256_of(folder / name) != digests[name]:
            yield _differs(name)
    lists: dict[str, list[str]] = {}
    for item in benchmark:
        if item.split:
            lists.setdefault(f"splits/{item.split}.json", []).append(item.id)
    listed_files = {name for name in paths.files_in(folder) if name.startswith("splits/")} - {paths.SPLIT_RECORD}
    for name in sorted({*lists, *listed_files}):
        ids = parse_json(_text(folder / name), name) if name in listed_files else None
        if ids != sorted(lists.get(name, []), key=in_order):
            yield _differs(name)


def _legacy(folder: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Whether the items in the papers' layouts are the same."""
    for name, reader in ((TCO, tco.read), (MULTI_TW, multi_tw.read)):
        if not (folder / name).exists():
            continue
        for item in reader(folder / name):
            if item.id not in benchmark or _said(item) != _said(benchmark[item.id]):
                yield _differs(name, item.id)


def _said(item: Item) -> tuple[Any, ...]:
    media = sorted(medium.sha256 for medium in item.media if medium.exists)
    return item.wording.question, dict(item.options), item.answer, media


def _described(folder: Path, benchmark: Benchmark, told: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Whether the descriptions are those that the files would get now."""
    croissant, package = told[paths.CROISSANT], told[paths.DATAPACKAGE]
    made = {"distribution": distribution(folder), "recordSet": record_sets(folder, shards_in(folder))}
    for name, value in made.items():
        if croissant.get(name) != value:
            what = Phrase(f"`{name}` does not describe the files that are here", f"{name} 与文件不符")
            yield obstacle("R507", what, _BUILD, paths.CROISSANT)
    names = [str(entry.get("name")) for entry in _several(package.get("licenses"))]
    if names and package.get("resources") != resources(benchmark, names[0], names[-1], folder):
        what = Phrase("`resources` does not describe the files that are here", "resources 与文件不符")
        yield obstacle("R507", what, _BUILD, paths.DATAPACKAGE)


def _records(folder: Path, shards: Mapping[str, Shard]) -> Iterator[Finding]:
    wanted = {"splits": len(shards), "items": sum(shard.rows for shard in shards.values())}
    try:
        counts = loaded_counts(folder / paths.CROISSANT)
    except BadFile as error:
        yield obstacle("R508", Phrase(str(error), str(error)), _BUILD, paths.CROISSANT)
        return
    if counts != wanted:
        what = Phrase(f"record sets hold {counts}; the files hold {wanted}", f"记录集有 {counts}，文件有 {wanted}")
        yield obstacle("R508", what, _BUILD, paths.CROISSANT)


def _differs(name: str, item: str | None = None) -> Finding:
    what = Phrase("does not say what the Parquet files say", "与 Parquet 文件的内容不一致")
    return obstacle("R509", what, _BUILD, name, item)


def _object(path: Path) -> dict[str, Any]:
    value = parse_json(_text(path), path)
    if not isinstance(value, dict):
        raise BadFile(f"{path}: expected a JSON object")
    return value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: cannot be read: {error}") from error


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
