"""Rules F3 and F5: ids, and the splits that are made of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.problems import met
from keju.checks.rule import Group, Rule
from keju.errors import BadFile
from keju.formats.json_text import parse_json
from keju.formats.names import folded, safe_name
from keju.formats.tco_sets import CARD_FILES, split_of
from keju.items import Item
from keju.phrase import Phrase, listed

GROUP = Group()
_RECORDS = '000 "Data Records"'
_SCRIPTS = '000 "Quality Assurance and Validation"'

met(
    GROUP,
    "F301",
    "id-twice",
    "error",
    "duplicate_id",
    title=Phrase("two items have one id", "两题编号相同"),
    why=Phrase("Answers are kept by id; only the first item is asked.", "作答按编号记录，只有第一题会被使用。"),
    good="0001, 0002, 0003",
    bad="0001, 0002, 0002",
    remedy=Phrase("give each item its own id", "请让每题的编号各不相同"),
)


met(
    GROUP,
    "F302",
    "id-grammar",
    "warning",
    "id_grammar",
    profile="multi-tw",
    title=Phrase("an id is not VV-S-L-Pn-QQQ", "编号不是 VV-S-L-Pn-QQQ 格式"),
    why=Phrase(
        "Volume, section, level and part are read from the id; breakdowns by level miss this item.",
        "册、部分、等级都从编号读出；按等级统计时会漏掉该题。",
    ),
    good="01-L-A-P1-001",
    bad="1_L_A_1_1",
    paper="001 §2, Table 1",
    remedy=Phrase("write the id like 01-L-A-P1-001", "请把编号写成 01-L-A-P1-001 的样子"),
)


@GROUP.rule(
    "F303",
    "id-not-a-number",
    "warning",
    "benchmark",
    profile="tco",
    title=Phrase("an id is not a number of the usual length", "编号不是统一位数的数字"),
    why=Phrase(
        "The files of an item are matched by a number such as 0001; `1` and `0001` sort apart and are confused.",
        "同一题的文件靠 0001 这样的编号对应；“1”和“0001”排序不同，容易混淆。",
    ),
    good="0001, 0002, …, 1000",
    bad="1, 2, …, or opera-7",
    paper='000 "Data Organization"',
)
def _ids_are_numbers(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    lengths = [len(item.id) for item in benchmark if item.id.isdecimal()]
    usual = max(set(lengths), key=lengths.count) if lengths else 4
    for item in benchmark:
        if not (item.id.isascii() and item.id.isdecimal() and len(item.id) == usual):
            yield rule.finding(
                Phrase(
                    f"the id {item.id!r} is not a number of {usual} digits", f"编号 {item.id!r} 不是 {usual} 位数字"
                ),
                Phrase(f"rename its files to a number of {usual} digits", f"请把它的文件改名为 {usual} 位数字"),
                item=item.id,
            )


@GROUP.rule(
    "F304",
    "id-unsafe",
    "warning",
    "item",
    title=Phrase("an id cannot be a file name everywhere", "编号不能在所有系统中用作文件名"),
    why=Phrase(
        "Ids become names of files; blanks at the ends, slashes and some words are refused by one system or another.",
        "编号会用作文件名；首尾空格、斜杠和某些名称在有的系统中不允许。",
    ),
    good="opera-0001",
    bad="opera/0001, or `CON`",
)
def _ids_are_safe(item: Item, rule: Rule) -> Iterator[Finding]:
    if safe_name(item.id) != item.id:
        yield rule.finding(
            Phrase(
                f"the id {item.id!r} is not a file name on every system", f"编号 {item.id!r} 不能在所有系统中用作文件名"
            ),
            Phrase("use letters, digits, - and _", "请只用字母、数字、- 和 _"),
            item=item.id,
        )


@GROUP.rule(
    "F305",
    "number-gap",
    "note",
    "benchmark",
    title=Phrase("the numbering has gaps", "编号不连续"),
    why=Phrase(
        "A missing number is an item that was dropped, or one that was lost. A dropped one keeps its gap.",
        "缺号可能是删去的题，也可能是丢失的题。删去的题应保留空号。",
    ),
    good="0001, 0002, 0003",
    bad="0001, 0002, 0004",
)
def _gaps(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    series: dict[tuple[str, int], set[int]] = defaultdict(set)
    ids = [item.id for item in benchmark] + [p.item for p in benchmark.problems if p.item and p.left_out]
    for item_id in ids:
        found = re.fullmatch(r"(.*?)(\d{1,6})", item_id, re.ASCII | re.DOTALL)
        if found:
            series[found[1], len(found[2])].add(int(found[2]))
    for (head, width), numbers in sorted(series.items()):
        first, last = min(numbers), max(numbers)
        missing = [number for number in range(first, last + 1) if number not in numbers]
        if missing and len(missing) < len(numbers):  # more holes than numbers: they number something else
            names = listed([f"{head}{number:0{width}d}" for number in missing], 8)
            yield rule.finding(
                Phrase(
                    f"between {head}{first:0{width}d} and {head}{last:0{width}d} there is no {names}",
                    f"{head}{first:0{width}d} 与 {head}{last:0{width}d} 之间缺少 {names.zh}",
                ),
                Phrase(
                    "if they were dropped on purpose, leave the gap; else add them",
                    "如果是有意删去，请保留空号；否则请补上",
                ),
                missing=len(missing),
            )


@GROUP.rule(
    "F306",
    "ids-alike",
    "warning",
    "benchmark",
    title=Phrase("two ids differ by case or width only", "两个编号只有大小写或全半角不同"),
    why=Phrase(
        "People take them for one, and on Windows and macOS their files overwrite each other.",
        "人会当成同一个编号；在 Windows 和 macOS 上，它们的文件会互相覆盖。",
    ),
    good="a1, a2",
    bad="a1, A1",
)
def _ids_alike(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for item in benchmark:
        other = first.setdefault(folded(item.id).casefold().strip(), item.id)
        if other != item.id:
            yield rule.finding(
                Phrase(f"the id {item.id!r} is easily taken for {other!r}", f"编号 {item.id!r} 容易与 {other!r} 混淆"),
                Phrase("give one of them another id", "请给其中一题换一个编号"),
                item=item.id,
            )


met(
    GROUP,
    "F501",
    "split-unreadable",
    "error",
    "split_unreadable",
    title=Phrase("a split list cannot be read", "划分列表无法读取"),
    why=Phrase("Its items belong to no split, so they are neither trained on nor tested.", "其中的题不属于任何划分。"),
    good='["0001", "0002"]',
    bad='{"0001": "train"}',
    paper=_RECORDS,
    remedy=Phrase("write one JSON list of item ids", "请写成一个由题目编号组成的 JSON 列表"),
)


met(
    GROUP,
    "F502",
    "split-unknown-id",
    "error",
    "split_unknown_id",
    title=Phrase("a split lists an item that is not there", "划分列表中有不存在的题目"),
    why=Phrase("The split is smaller than its list says.", "实际的题数比列表少。"),
    good="train.json lists ids of the folder",
    bad="train.json lists 1001 of 1,000 items",
    paper=_SCRIPTS,
    remedy=Phrase("correct the id in the list, or take it out", "请改正列表中的编号，或将其删去"),
)


met(
    GROUP,
    "F503",
    "split-overlap",
    "error",
    "split_overlap",
    title=Phrase("an item stands in two splits", "同一题出现在两个划分中"),
    why=Phrase("A model trained on the one has seen the test.", "用训练集训练的模型等于提前看过了试题。"),
    good="each id in one list",
    bad="0007 in train.json and in test.json",
    paper=_RECORDS,
    remedy=Phrase("keep the item in one list", "请只在一个列表中保留该题"),
)


met(
    GROUP,
    "F504",
    "split-misses",
    "warning",
    "split_misses",
    title=Phrase("no split lists some items", "部分题目不属于任何划分"),
    why=Phrase("They are neither trained on nor tested.", "这些题既不用于训练，也不用于测试。"),
    good="train, val and test together list every item",
    bad="1,000 items and lists of 700, 100 and 199",
    paper=_RECORDS,
    remedy=Phrase("add each of them to one list", "请把每一题加进一个列表"),
)


@GROUP.rule(
    "F505",
    "split-sizes",
    "warning",
    "benchmark",
    title=Phrase("a split is not as large as its metadata says", "划分的题数与说明不符"),
    why=Phrase(
        "Whoever compares with a published score assumes the published sizes.", "与已发表成绩比较时，题数必须一致。"
    ),
    good="split_metadata.json says 700 and train.json lists 700",
    bad="split_metadata.json says 700 and train.json lists 699",
    paper=_RECORDS,
)
def _split_sizes(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    sizes: dict[str, int] = defaultdict(int)
    for item in benchmark:
        sizes[item.split or ""] += 1
    for split, told in _told_sizes(benchmark).items():
        if sizes[split] != told:
            yield rule.finding(
                Phrase(
                    f"split_metadata.json gives {split} {told} items; it has {sizes[split]}",
                    f"split_metadata.json 说 {split} 有 {told} 题，实际为 {sizes[split]} 题",
                ),
                Phrase("correct the list, or the size in the metadata", "请改正列表，或改正说明中的题数"),
                file="split_metadata.json",
                told=told,
                found=sizes[split],
            )


@GROUP.rule(
    "F506",
    "split-missing",
    "warning",
    "benchmark",
    title=Phrase("some items have a split and others have none", "部分题目没有划分"),
    why=Phrase("Items without a split are neither trained on nor tested.", "没有划分的题既不用于训练，也不用于测试。"),
    good="every item has a split, or none has",
    bad='one item without "split"',
)
def _without_split(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    told = {problem.item for problem in benchmark.problems if problem.code == "split_overlap"}
    without = [item.id for item in benchmark if item.split is None and item.id not in told]
    if benchmark.format == "tco" or not without or len(without) == len(benchmark):
        return  # of a TCO folder the reader says which items no list names
    for item_id in without:
        yield rule.finding(
            Phrase("has no split, and others have one", "没有划分，而其他题有"),
            Phrase("put it into a split", "请为该题指定划分"),
            item=item_id,
        )


def _told_sizes(benchmark: Benchmark) -> dict[str, int]:
    """Split → size, wherever `split_metadata.json` gives one by the split's name."""
    files = benchmark.card.get(CARD_FILES)
    text = files.get("split_metadata.json") if isinstance(files, Mapping) else None
    try:
        document = parse_json(text, "") if isinstance(text, str) else None
    except BadFile:
        return {}
    sizes: dict[str, int] = {}
    level = [document]
    while level:
        told = level.pop()
        for key, value in told.items() if isinstance(told, Mapping) else ():
            split = split_of(f"{re.split(r'[_ ]', str(key))[0]}.json")
            if split and isinstance(value, int) and not isinstance(value, bool):
                sizes.setdefault(split, value)
            level.append(value)
    return sizes
