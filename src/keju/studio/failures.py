"""What keju's errors say, as the studio tells it: in both languages, with the file as it was uploaded.

Errors are worded in English for the command line. Those that an import, a build or an export can meet are known here by
their text; what is not known is told as it is, beneath a sentence that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from keju.errors import KejuError
from keju.phrase import Phrase

SAID: dict[str, str | Phrase] = {
    # what was uploaded
    "{place}: no benchmark that keju knows. It looked for\n{forms}\n{remedy}": Phrase(
        "{place}: no benchmark that keju knows. It takes keju's own folders, those of the TCO-Dataset and of Multi-TW, "
        "and tables whose columns are called id, question, A, B, C, D and answer",
        "{place}：其中没有 keju 认识的题库。可以导入 keju 自己的文件夹、TCO-Dataset 和 Multi-TW 的文件夹，"
        "以及列名为 id、question、A、B、C、D、answer 的表格",
    ),
    "{place}: could be {names}; say which with --format {name}": Phrase(
        "{place}: could be {names}; upload the files of one of them alone",
        "{place}：可能是 {names}，无法判断是哪一种；请只上传其中一种的文件",
    ),
    "{place}: no usable item as {format}: it holds none": "{place}：按 {format} 读取，其中没有题目",
    "{place}: no usable item as {format}:\n  {reasons}": "{place}：按 {format} 读取，没有一题可用：\n  {reasons}",
    "{place}: cannot be read: {reason}": "{place}：无法读取：{reason}",
    "{place}: is cut short or damaged ({reason})": "{place}：不完整或已损坏（{reason}）；请重新导出后再上传",
    "{place}: would unpack to {size} MiB, far more than such a file holds; it is not read": (
        "{place}：解压后有 {size} MiB，远超这类文件应有的大小，未读取"
    ),
    "benchmark {name}: item id {id} occurs twice; ids must be unique": (
        "题库 {name} 中题目编号 {id} 出现两次；编号不能重复"
    ),
    "medium {name} is not there": "媒体文件 {name} 不存在",
    "medium {name} cannot be read: {reason}": "媒体文件 {name} 无法读取：{reason}",
    # JSON
    "{place}: not JSON: {reason} (column {column})": "{place}：不是有效的 JSON：{reason}（第 {column} 列）",
    "{place}: JSON that keju does not read: {reason}": "{place}：keju 无法读取的 JSON：{reason}",
    "{place}: JSON nested more than {most} levels deep": "{place}：JSON 嵌套超过 {most} 层",
    "{place}: holds half of a surrogate pair (\\ud800-\\udfff), which is no character": (
        "{place}：含有半个代理对（\\ud800-\\udfff），不是字符"
    ),
    "{place}: `wordings` must be an object with at least one language": "{place}：`wordings` 应为至少含一种语言的对象",
    "{place}: expected a JSON object with {names}": "{place}：应为含 {names} 的 JSON 对象",
    "{place}: expected a JSON object: name, title, license, …": "{place}：应为 JSON 对象：name、title、license 等",
    "{place}: unknown field {name}; fields of your own go under `extra`": (
        "{place}：未知字段 {name}；自定义字段请放在 `extra` 下"
    ),
    "{place}: `id` must be a text that is not empty, not {value}": "{place}：`id` 应为非空文本，而不是 {value}",
    "{place}: answer {value} is none of the options {labels}; correct it or write null": (
        "{place}：答案 {value} 不在选项 {labels} 中；请改正或写 null"
    ),
    "{place}: each of `media` needs `kind` (image or audio) and `name`": (
        "{place}：`media` 的每一项都要有 `kind`（image 或 audio）和 `name`"
    ),
    "{place}: every value of `{name}` must be a text": "{place}：`{name}` 的每个值都应为文本",
    "{place}: `{name}` must be a text, not {value}": "{place}：`{name}` 应为文本，而不是 {value}",
    "{place}: `{name}` must be a text": "{place}：`{name}` 应为文本",
    "{place}: `{name}` must be a list of texts": "{place}：`{name}` 应为文本列表",
    "{place} must be an object with question and options": "{place} 应为含 question 和 options 的对象",
    "{place} has no options": "{place} 没有选项",
    "{place}: expected one JSON object a line": "{place}：每行应为一个 JSON 对象",
    "{place}: expected one JSON object": "{place}：应为一个 JSON 对象",
    "{place}: expected a JSON list of items": "{place}：应为题目的 JSON 列表",
    "{place}: no JSON list of items with id, options and answer": (
        "{place}：没有含 id、options、answer 的题目列表（JSON）"
    ),
    "{place}: several item lists ({names}); name the one to read": Phrase(
        "{place}: several item lists ({names}); upload the one that is meant",
        "{place}：有多个题目列表（{names}）；请只上传要用的那一个",
    ),
    "{place}: expected a list of item ids": "{place}：应为题目编号的列表",
    # tables
    "{place}: is empty": "{place}：是空的",
    "{place}: the header has one column only; separate columns by comma, semicolon or tab": (
        "{place}：表头只有一列；请用逗号、分号或制表符分列"
    ),
    "{place}: cannot tell which character separates the columns; use one of comma, semicolon, tab": (
        "{place}：无法判断用哪个字符分列；请统一用逗号、分号或制表符"
    ),
    "{place}: the column {name} occurs twice; give each column its own name": (
        "{place}：列名 {name} 出现两次；各列名称不能相同"
    ),
    "{place}: no header row; the first row must name the columns": "{place}：没有表头；第一行应为列名",
    "{place}: {reason}; check the quotation marks on this line": "{place}：{reason}；请检查这一行的引号",
    "{place}: no column for {names}; it has {there}": "{place}：缺少 {names} 列；现有的列：{there}",
    "{place}: expected one sheet ({suffixes}), found {there}; {remedy}": Phrase(
        "{place}: expected one sheet ({suffixes}), found {there}; upload the one that is meant",
        "{place}：应只有一张表（{suffixes}），实际有 {there}；请只上传要用的那一张",
    ),
    "{place}: the workbook is empty": "{place}：工作簿是空的",
    "{place}: not a readable XLSX workbook ({reason}); save it again as .xlsx": (
        "{place}：不是可读取的 XLSX 工作簿（{reason}）；请重新另存为 .xlsx"
    ),
    "{place}: a worksheet that is too large to be read; keep the questions alone in it": (
        "{place}：工作表太大，无法读取；请只保留题目"
    ),
    "{place}: id {id} came before; ids must be unique": "{place}：编号 {id} 前面已有；编号不能重复",
    "{place}: the row has no `index`": "{place}：这一行没有 `index`",
    "{place}: is not a TSV in UTF-8 with quoted cells ({reason})": (
        "{place}：不是 UTF-8 编码、单元格带引号的 TSV（{reason}）"
    ),
    "{place}: more cells than the header has columns": "{place}：单元格比表头的列还多",
    "{place}: not a readable Parquet file ({reason}); fetch or write it again": (
        "{place}：不是可读取的 Parquet 文件（{reason}）；请重新下载或导出"
    ),
    # runs
    "no run of keju lies in {place} (a folder with run.json), and {error}": (
        "{place} 中没有 keju 的运行结果（含 run.json 的文件夹）；{error}"
    ),
    "{place}: not a file of outputs that keju knows. Known: {known}": (
        "{place}：不是 keju 认识的输出文件。可读取：{known}"
    ),
    "{place}: no file of outputs in this folder. Known: {known}": "{place}：文件夹中没有输出文件。可读取：{known}",
    "{place}: holds outputs in several formats ({names}); choose one with --format": Phrase(
        "{place}: holds outputs in several formats ({names}); upload those of one tool alone",
        "{place}：其中有多种格式的输出（{names}）；请只上传一种工具的输出",
    ),
    "{place} holds no outputs": "{place} 中没有输出",
    "{place}: these outputs do not belong to benchmark {name} ({why})": "{place}：这些输出不属于题库 {name}（{why}）",
    "{place}: not a record ({reason})": "{place}：不是一条运行记录（{reason}）",
    "{place}: holds {count} of the {told} items that run.json counts. {remedy}": Phrase(
        "{place}: holds {count} of the {told} items that run.json counts; upload the whole folder",
        "{place}：run.json 记有 {told} 题，这里只有 {count} 题；请上传完整的文件夹",
    ),
    "{place} is not of the layout that this keju reads ({there}, not {wanted}). {remedy}": Phrase(
        "{place} is not of the layout that this keju reads ({there}, not {wanted}); run again with the same version",
        "{place} 的格式版本是 {there}，这里读取的是 {wanted}；请用相同版本的 keju 重新运行",
    ),
    "{place} is damaged: {reason}. {remedy}": Phrase(
        "{place} is damaged: {reason}; upload the whole folder again",
        "{place} 已损坏：{reason}；请重新上传完整的文件夹",
    ),
    "the run of {model} over {name} holds no items: there is nothing to mark": (
        "{model} 在 {name} 上的运行结果里没有题目，无从判分"
    ),
    # releases
    "{n} items are too few: {splits} would be empty; choose other sizes": (
        "只有 {n} 题，太少：{splits} 会是空的；请改用其他比例"
    ),
    "no item is in split {split}, whose keys should be withheld; there is {there}": (
        "没有题目属于要保留答案的划分 {split}；现有划分：{there}"
    ),
    "{place}: cannot be written: {reason}": "{place}：无法写入：{reason}",
    "{place}: mlcroissant cannot load it: {reason}": "{place}：mlcroissant 无法载入：{reason}",
    "{what} needs the extra `{extra}`. Install it: {command}": Phrase(
        "{what} needs the extra `{extra}`. Whoever runs the server installs it: {command}",
        "{what}需要扩展 `{extra}`。请服务器的管理员安装：{command}",
    ),
    "a release": "生成发布",
    "reading {place}": "读取 {place} ",
    "looking at pictures and sounds": "检查图片和声音",
}
"""What the core says → its Chinese; a `Phrase` where the studio's own English says another remedy."""


def told(error: KejuError) -> Phrase:
    """The error for people of the studio."""
    text = error.args[0] if error.args else ""
    if isinstance(text, Phrase):
        return text
    return _told(text) or Phrase(text, f"无法照现在的样子使用。keju 的说明（英文）：{text}")


@contextmanager
def uploaded(place: Path, name: str) -> Iterator[None]:
    """Within it errors that name a file below `place` on the server name it as it was uploaded: by `name`, or in it."""
    try:
        yield
    except KejuError as error:
        text, *rest = error.args
        error.args = (_renamed(text, place, name), *rest)
        raise


def _renamed(text: str, place: Path, name: str) -> str:
    if isinstance(text, Phrase):
        return Phrase(_renamed(str(text), place, name), _renamed(text.zh, place, name))
    return text.replace(f"{place}/", "").replace(str(place), name)


def _told(text: str) -> Phrase | None:
    for pattern, said in _patterns():
        if found := pattern.fullmatch(text):
            return said.filled(**{name: _told(value) or value for name, value in found.groupdict().items()})
    return None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Phrase], ...]:
    return tuple(
        (re.compile(_fields(core), re.DOTALL), said if isinstance(said, Phrase) else Phrase(core, said))
        for core, said in SAID.items()
    )


def _fields(core: str) -> str:
    """A text with fields as an expression in which each is a group."""
    return re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(core))
