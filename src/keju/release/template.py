"""The release.toml that authors fill in: every field with what it is for, in English and Chinese."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

from keju.benchmark import Benchmark
from keju.errors import BadFile
from keju.formats.whole_files import write_whole
from keju.release.licences import known, of_kind, spelled
from keju.release.prose import QUESTIONS


def write_template(benchmark: Benchmark, path: Path) -> None:
    """Write a release.toml with what the benchmark's card says filled in. Raises `BadFile` where there is one."""
    if path.exists():
        raise BadFile(f"{path}: is there already; fill it in, or name another file with --config")
    text = "\n".join(_lines(benchmark)) + "\n"
    try:
        write_whole(path, text)
    except OSError as error:
        raise BadFile(f"{path}: cannot be written: {error.strerror or error}") from error


def _lines(benchmark: Benchmark) -> Iterator[str]:
    card = benchmark.card
    yield f"# Release of {benchmark.name}. Fill in every field marked *; the others may stay empty."
    yield "# 发布设置。带 * 的项必须填写，其余可以留空。长文字放在三个引号之间。"
    yield from _field("title", card.get("title", benchmark.name), "* Title", "* 标题")
    yield from _field("title_zh", card.get("title_zh-Hans", ""), "Title in Chinese", "中文标题")
    yield from _field(
        "version",
        "1.0.0",
        "* Version: the first number rises when data change, the second when some are added, the third otherwise",
        "* 版本：改动数据升第一位，增加数据升第二位，其他升第三位",
    )
    yield from _field("date", "", "* Date of the release, YYYY-MM-DD", "* 发布日期，年-月-日")
    yield from _field(
        "license",
        spelled(str(card.get("license") or "CC-BY-4.0")),
        f"* Licence (SPDX); keju brings the text of {', '.join(of_kind('text'))}",
        "* 许可协议（SPDX 标识）",
    )
    yield from _field("media_license", "", "Licence of pictures and clips, if another", "图片与音频的许可，如有不同")
    yield from _field("license_file", "", "File with the text of a licence keju does not bring", "其他许可的全文文件")
    yield from _field("description", card.get("description", ""), "* What it is, in a paragraph", "* 简介，一段话")
    yield from _field("description_zh", card.get("description_zh-Hans", ""), "The same in Chinese", "中文简介")
    yield from _field("url", "", "* Where it will stand: https://…", "* 发布网址")
    yield from _field("doi", "", "DOI, if it has one: 10.…", "DOI，如有")
    yield from _field(
        "canary",
        str(uuid.uuid4()),
        "* Mark by which training on it can be detected; leave it",
        "* 防泄漏标记，请勿修改",
    )
    yield from ("", "# Words to find it by / 关键词", f"keywords = {_list(['multiple-choice', 'multimodal'])}")
    yield from ("", '# * How material was gathered / 采集方式，例如 "Manual Human Curation"', "collection_types = []")
    yield from _field("collection_start", "", "* First day of gathering, YYYY-MM-DD", "* 采集开始日期")
    yield from _field("collection_end", "", "* Last day", "* 采集结束日期")
    yield from ("", "# * One block for each author or institution / 每位作者或单位一段", "[[creators]]")
    yield from ('name = ""', 'family = ""  # of a person / 姓', 'given = ""  # 名', 'affiliation = ""', 'orcid = ""')
    yield from ("", "# * One block for each source of texts, pictures or clips / 每个素材来源一段")
    yield f"# license: own (自有), {', '.join(known())}"
    yield from ("[[sources]]", 'what = ""', 'license = ""', 'covers = ["text", "images", "audio"]')
    yield from (
        'attribution = ""',
        'url = ""',
        "",
        "# * Can somebody be recognised? yes or no / 能否认出某个人？yes 或 no",
    )
    yield from ("[people]", 'recognisable = ""', 'consent_file = ""  # kept, never released / 同意书，不会发布')
    yield from ("", "# * What changed, by version / 各版本的变化", "[changes]", '"1.0.0" = "First release."')
    yield from ("", "# Optional files / 可选文件：agreement, ratings, disputes, human_baseline", "[quality]")
    yield from ("", "# The datasheet / 数据说明", "[datasheet]")
    for key, question in QUESTIONS.items():
        star = "* " if question.required else ""
        yield from (f"# {star}{question.text}", f"# {star}{question.text.zh}", f'{key} = """', '"""', "")


def _field(name: str, value: object, english: str, chinese: str) -> tuple[str, ...]:
    return "", f"# {english}", f"# {chinese}", f"{name} = {json.dumps(str(value), ensure_ascii=False)}"


def _list(values: list[str]) -> str:
    return json.dumps(values, ensure_ascii=False)
