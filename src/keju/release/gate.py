"""What stands in the way of a release before anything is written: settings, licences, consent, the items themselves."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import date

from keju.benchmark import Benchmark
from keju.checks import Finding, check
from keju.phrase import Phrase, listed
from keju.release.licences import LICENCES, OWN, known, may_become, text_of
from keju.release.obstacle import obstacle
from keju.release.prose import QUESTIONS
from keju.release.quality import personal
from keju.release.settings import CONFIG, COVERS, Settings

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_NAMES: Mapping[str, tuple[str, str]] = {
    "title": ("the title", "标题"),
    "description": ("the description", "简介"),
    "url": ("the address where it will stand", "发布网址"),
    "license": ("the licence", "许可协议"),
    "collection_types": ("how material was gathered", "采集方式"),
    "creators": ("the creators", "作者"),
    "sources": ("the sources of texts, pictures and clips", "素材来源"),
}
"""Fields that may not be empty."""


def obstacles(
    benchmark: Benchmark,
    settings: Settings,
    quality: Mapping[str, bytes],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Finding]:
    """Everything that blocks, in the order in which an author deals with it; empty where the release may be built."""
    found = [*_fields(settings), *_prose(settings), *_licences(settings), *_covered(benchmark, settings)]
    found = [replace(each, file=settings.file) for each in [*found, *_consent(settings)]] + list(personal(quality))
    checked = check(benchmark, jobs=jobs, progress=progress)
    errors = [finding for finding in checked if finding.severity == "error"]
    return [*found, *errors, *_absent(benchmark, {finding.item for finding in errors}), *_unchecked(checked)]


def _fields(settings: Settings) -> Iterator[Finding]:
    for name, (english, chinese) in _NAMES.items():
        if not getattr(settings, name) or (name == "creators" and not all(c.name for c in settings.creators)):
            yield _empty(name, english, chinese)
    for name in ("date", "collection_start", "collection_end"):
        if not _is_date(getattr(settings, name)):
            yield _wrong(name, getattr(settings, name), ("a date like 2026-03-31", "形如 2026-03-31 的日期"))
    if not _VERSION.fullmatch(settings.version):
        yield _wrong("version", settings.version, ("three numbers like 1.0.0", "形如 1.0.0 的三个数字"))
    if not _is_guid(settings.canary):
        yield _wrong("canary", settings.canary, ("a GUID; `--init` makes one", "GUID；可用 --init 生成"))
    if settings.version and not settings.changes.get(settings.version):
        yield obstacle(
            "R103",
            Phrase(
                f"[changes] does not say what is new in {settings.version}",
                f"[changes] 没有写 {settings.version} 的变化",
            ),
            Phrase(f'add a line: "{settings.version}" = "What is new."', f'请加一行："{settings.version}" = "……"'),
            CONFIG,
        )


def _prose(settings: Settings) -> Iterator[Finding]:
    for key, question in QUESTIONS.items():
        if question.required and not settings.datasheet.get(key):
            yield obstacle(
                "R104",
                Phrase(f"the datasheet does not answer: {question.text}", f"数据说明没有回答：{question.text.zh}"),
                Phrase(
                    f"write a sentence or more after `{key} =` in [datasheet]; only you can know",
                    f"请在 [datasheet] 的 {key} 后写一两句话；这只有您知道",
                ),
                CONFIG,
            )


def _licences(settings: Settings) -> Iterator[Finding]:
    releases = [(settings.license, settings.license_file, "license_file")]
    if settings.media_license:
        releases.append((settings.media_license, settings.media_license_file, "media_license_file"))
    for name, file, field in releases:
        if name and name not in LICENCES:
            yield _unknown(name)
        elif name and not text_of(name) and not (file and (settings.folder / file).is_file()):
            yield obstacle(
                "R202",
                Phrase(f"the text of {name} is not there, and a release holds it", f"缺少 {name} 的全文，发布中必须有"),
                Phrase(f"save it as a file and name that: {field} = …", f"请存成文件并写：{field} = …"),
                CONFIG,
            )
    for source in settings.sources:
        if source.license != OWN and source.license not in LICENCES:
            yield _unknown(source.license, source.what)
            continue
        for kind in source.covers:
            release = settings.license if kind == "text" else settings.license_of_media
            if release in LICENCES and not may_become(source.license, release):
                yield _incompatible(source.what, source.license, kind, release)


def _covered(benchmark: Benchmark, settings: Settings) -> Iterator[Finding]:
    if strange := sorted({kind for source in settings.sources for kind in source.covers} - set(COVERS)):
        yield _wrong("covers", strange[0], ("some of text, images, audio", "text、images、audio 中的几项"))
    kinds = {medium.kind for item in benchmark for medium in item.media}
    there = ["text"] + (["images"] if "image" in kinds else []) + (["audio"] if "audio" in kinds else [])
    covered = {kind for source in settings.sources for kind in source.covers}
    for kind in there if settings.sources else ():
        if kind not in covered:
            yield obstacle(
                "R204",
                Phrase(f"no source says where the {kind} come from", f"没有说明 {kind} 的来源"),
                Phrase(f'add a [[sources]] block with covers = ["{kind}"]', f'请加 [[sources]]，covers = ["{kind}"]'),
                CONFIG,
            )


def _consent(settings: Settings) -> Iterator[Finding]:
    people = settings.people
    if people.recognisable not in ("yes", "no"):
        yield _wrong("recognisable", people.recognisable, ("`yes` or `no`", "yes 或 no"))
    file = settings.folder / people.consent_file
    if people.recognisable == "yes" and not (people.consent_file and file.is_file() and file.stat().st_size):
        yield obstacle(
            "R301",
            Phrase("people can be recognised, and their consent is not there", "能认出人物，但没有同意书"),
            Phrase(
                "name the file with their signed consent: consent_file = …; it is looked for, never released",
                "请写明同意书文件：consent_file = …；只检查有无，不会发布",
            ),
            CONFIG,
        )


def _absent(benchmark: Benchmark, known: Collection[str | None]) -> Iterator[Finding]:
    """Media that are not there and that no reader missed: of benchmarks made by a program."""
    for item in benchmark:
        for medium in item.media:
            if not medium.exists and item.id not in known:
                yield obstacle(
                    "R402",
                    Phrase(f"{medium.name} is not there", f"找不到 {medium.name}"),
                    Phrase("add the file, or leave the item out", "请补上文件，或去掉该题"),
                    medium.name,
                    item.id,
                )


def _unchecked(findings: list[Finding]) -> Iterator[Finding]:
    """Rules that could not look count as obstacles: nobody knows what they would have found."""
    for finding in findings:
        if finding.code == "F000" and finding.severity != "error":
            yield obstacle("R401", finding.message, finding.remedy)


def _empty(name: str, english: str, chinese: str) -> Finding:
    return obstacle(
        "R101",
        Phrase(f"{english} ({name}) is not told", f"没有写{chinese}（{name}）"),
        Phrase(f"fill in `{name}`", f"请填写 {name}"),
        CONFIG,
    )


def _wrong(name: str, value: str, wanted: tuple[str, str]) -> Finding:
    return obstacle(
        "R102",
        Phrase(f"{name} is {value!r}; it should be {wanted[0]}", f"{name} 是“{value}”，应是{wanted[1]}"),
        Phrase(f"correct `{name}`", f"请改正 {name}"),
        CONFIG,
    )


def _unknown(name: str, what: str = "") -> Finding:
    of = f" of {what!r}" if what else ""
    if not name:
        return obstacle(
            "R201",
            Phrase(f"a source{of} has no licence", f"来源“{what}”没有写许可"),
            Phrase("write `own` for your own work, or its SPDX identifier", "自有作品写 own，其他请写 SPDX 标识"),
            CONFIG,
        )
    return obstacle(
        "R201",
        Phrase(f"the licence{of} is {name!r}, which keju does not know", f"{what}的许可“{name}”无法识别"),
        Phrase(
            f"write its SPDX identifier: {listed(known())}; material without a licence cannot be released",
            f"请写 SPDX 标识：{listed(known()).zh}；没有许可的素材不能发布",
        ),
        CONFIG,
    )


def _incompatible(what: str, source: str, kind: str, release: str) -> Finding:
    allowed = [name for name in known() if may_become(source, name)]
    return obstacle(
        "R203",
        Phrase(
            f"{what!r} is under {source}, and {kind} would be released under {release}, which that does not allow",
            f"“{what}”的许可是 {source}，不允许以 {release} 发布（{kind}）",
        ),
        Phrase(
            f"release under {listed(allowed)}" if allowed else "leave this material out, or ask its owner for another",
            f"请改用 {listed(allowed).zh}" if allowed else "请去掉该素材，或请权利人另行授权",
        ),
        CONFIG,
    )


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_guid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
