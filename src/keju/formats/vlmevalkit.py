"""VLMEvalKit's data set: one TSV with a picture in base64 on every row, read by pandas when that tool runs.

Columns: `index` (a number), `id` (ours), `question`, `hint`, `A`, `B`, …, `answer`, `image`, and labels. Because pandas
stands between, ids are written with a prefix, or `0001` would come back as 1, and a text that it takes for a missing
value (`None`, `NA`, an empty one) with a space after it, or the option would vanish. Reading undoes both.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pybase64

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile
from keju.formats.format import Format
from keju.formats.language import language_of
from keju.formats.losses import first_wording_only, need_letters, need_media, not_kept, refuse
from keju.formats.names import names_in, safe_name, stem_and_suffix, to_disk
from keju.formats.pandas_cells import kept, original, reads_missing, rewritten
from keju.formats.vlmevalkit_pictures import ADDRESS, Pictures
from keju.formats.workbooks import LONGEST_CELL
from keju.items import LABELS, Item, Wording
from keju.phrase import Phrase

TOOL = "VLMEvalKit"
ID_PREFIX = "id:"
"""Before every id, so that no program takes a column of them for numbers."""
_HEAD = 1 << 14
"""Bytes of a file that are looked at to know it: more than a header row."""
_CELL_LIMIT = (1 << 31) - 1
"""Characters of one field that are read: a row holds whole pictures. The largest C long of every system."""
_OURS = ("index", "id", "language", "split", "question", "hint", "answer", "image", "image_path")
_NO_SPLIT = "none"
"""What VLMEvalKit calls the split of rows that have none; an empty cell would leave them out of its tables."""
_CIRCULAR = re.compile("mmbench|ccbench|circular|mmcr", re.IGNORECASE)
"""Names of data sets that switch VLMEvalKit to circular evaluation, wherever they stand in the name."""


def sniff(path: Path) -> bool:
    if path.is_dir():
        return len(_tables_in(path)) == 1
    if path.suffix.lower() != ".tsv" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD).decode("utf-8-sig", "replace")
    columns = set(next(csv.reader(io.StringIO(head, newline=""), delimiter="\t"), []))
    return {"index", "question", "A", "B"} <= columns and bool({"image", "image_path"} & columns)


def read(path: Path, *, encoding: str | None = None) -> Benchmark:
    """Read the TSV `path`, or the only one in the folder `path`. Raises `BadFile` naming the row that it cannot."""
    file = _the_table(path)
    problems: list[Problem] = []
    items: dict[str, Item] = {}
    pictures = Pictures(file)
    for line, row in _rows(file, encoding):
        item = _item(row, pictures, file, line, problems)
        if item.id in items:
            raise BadFile(f"{file}:{line}: id {item.id!r} came before; ids must be unique")
        items[item.id] = item
    return Benchmark(file.stem, tuple(items.values()), problems=tuple(problems), format="vlmevalkit", root=path)


def losses(benchmark: Benchmark) -> list[Problem]:
    """Raises `Misuse` for items that VLMEvalKit would drop or misread."""
    need_letters(benchmark, TOOL)
    need_media(benchmark, TOOL, ("image",))
    bare = (item for item in benchmark if not item.media)
    refuse(bare, f"{TOOL} drops rows without a picture, and these items have none", "leave them out: --where …")
    tiny = (item for item in benchmark if any(medium.size * 4 <= ADDRESS * 3 for medium in item.media))
    refuse(tiny, f"{TOOL} takes so short a picture for the index of another row", "correct the pictures")
    problems = first_wording_only(benchmark)
    problems += not_kept((item for item in benchmark if item.extra), Phrase("further fields of the source", "其他字段"))
    problems += not_kept((item for item in benchmark if "" in item.labels.values()), Phrase("empty labels", "空标签"))
    if _CIRCULAR.search(benchmark.name):
        name = file_name(benchmark.name)
        message = Phrase(
            f"its name would switch {TOOL} to circular evaluation; the file is called {name}",
            f"这个名称会让 {TOOL} 改用循环评测；文件改名为 {name}",
        )
        problems.append(Problem(None, "name_changed", message))
    problems += [problem for item in benchmark for problem in _met_in(item)]
    return problems + list(_numbers_in(benchmark))


def write(benchmark: Benchmark, path: Path) -> None:
    """Write `NAME.tsv` into the folder `path`, one row at a time."""
    options = LABELS[: max((len(item.options) for item in benchmark), default=0)]
    labels = list(dict.fromkeys(name for item in benchmark for name, value in item.labels.items() if value))
    splits = ["split"] if any(item.split for item in benchmark) else []
    columns = [
        "index",
        "id",
        "language",
        *splits,
        "hint",
        "question",
        *options,
        "answer",
        *map(_column, labels),
        "image",
    ]
    with (path / to_disk(file_name(benchmark.name))).open("w", encoding="utf-8", newline="") as file:
        # Every cell is quoted: a lone carriage return would end the row for pandas and for `csv`.
        writer = csv.DictWriter(file, columns, "", delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        for number, item in enumerate(benchmark, 1):
            writer.writerow({"index": number, **_row(item, splits)})


def file_name(name: str) -> str:
    """Name of the TSV of a benchmark: VLMEvalKit's `--data`, with `.tsv`."""
    return safe_name(_CIRCULAR.sub(lambda found: f"{found[0][:2]}-{found[0][2:]}", name)) + ".tsv"


def written_id(item_id: str) -> str:
    """An id as the column `id` holds it; `own_id` undoes it."""
    return ID_PREFIX + item_id


def own_id(cell: str) -> str:
    """The id that `written_id` was given; other ids as they are."""
    return cell.removeprefix(ID_PREFIX)


def _row(item: Item, splits: list[str]) -> dict[str, str]:
    wording = item.wording
    pictures = [pybase64.b64encode(medium.read()).decode("ascii") for medium in item.media]
    return {
        "id": written_id(item.id),
        "language": wording.language,
        "hint": kept(wording.instruction) if wording.instruction else "",
        "question": kept(wording.question),
        **{label: kept(text) for label, text in wording.options.items()},
        "answer": str(item.answer),
        **{_column(name): kept(value) for name, value in item.labels.items() if value},
        "image": pictures[0] if len(pictures) == 1 else str(pictures),
        **({"split": item.split or _NO_SPLIT} if splits else {}),
    }


def _column(label: str) -> str:
    """The column of a label: its name, marked where a column of ours or an option could be meant."""
    plain = label not in _OURS and label not in LABELS and label == label.strip() and not label.startswith("label:")
    return label if plain and label else f"label:{label}"


def _met_in(item: Item) -> Iterator[Problem]:
    wording = item.wording
    for label, text in wording.options.items():
        if reads_missing(text):
            what = Phrase(
                f"option {label} reads {text!r}, which pandas takes for none; it is written with a space after it",
                f"选项 {label} 是 {text!r}，pandas 会当成空值；写出时在后面加了一个空格",
            )
            yield Problem(item.id, "option_reads_missing", what)
    longest = max(map(len, (wording.question, wording.instruction, *wording.options.values())))
    if longest > LONGEST_CELL:
        what = Phrase(
            f"a text of {longest} characters is cut at {LONGEST_CELL} in its predictions; set PRED_FORMAT=tsv there",
            f"有 {longest} 字的文本，在它的结果表中会在 {LONGEST_CELL} 字处截断；请在那里设 PRED_FORMAT=tsv",
        )
        yield Problem(item.id, "cell_cut", what)


def _numbers_in(benchmark: Benchmark) -> Iterator[Problem]:
    """Option columns that come out of pandas in other words."""
    for label in LABELS:
        texts = [item.options[label] for item in benchmark if label in item.options]
        if rewritten(texts, gaps=len(texts) < len(benchmark)):
            message = Phrase(
                f"every option {label} is a number, and {TOOL} will write them its own way (3.0, 1): add a unit",
                f"选项 {label} 全是数字，{TOOL} 会改写成 3.0 或 1 之类：请加上单位",
            )
            yield Problem(None, "options_numbers", message)


def _rows(file: Path, encoding: str | None) -> Iterator[tuple[int, dict[str, str]]]:
    """(line on which it ends, column → cell) of each row; empty cells are left out."""
    csv.field_size_limit(_CELL_LIMIT)
    try:
        with file.open(encoding=encoding or "utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened, delimiter="\t", strict=True)
            for row in reader:
                if None in row:
                    raise BadFile(f"{file}:{reader.line_num}: more cells than the header has columns")
                yield reader.line_num, {name: cell for name, cell in row.items() if cell}
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadFile(f"{file}: is not a TSV in UTF-8 with quoted cells ({error})") from error
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror or error}") from error


def _item(row: Mapping[str, str], pictures: Pictures, file: Path, line: int, problems: list[Problem]) -> Item:
    if "index" not in row:
        raise BadFile(f"{file}:{line}: the row has no `index`")
    item_id = own_id(row.get("id", row["index"]))
    letters = [label for label in LABELS if label in row]
    if "".join(letters) != LABELS[: len(letters)] or len(letters) < 2:
        raise BadFile(f"{file}:{line}: item {item_id} has options {', '.join(letters) or 'none'}, not A, B, … in order")
    options = {label: original(row[label]) for label in letters}
    question, answer = original(row.get("question", "")), row.get("answer")
    if answer not in options:
        what = Phrase(
            f"the key {answer!r} is none of the options {', '.join(options)}; no reply is right",
            f"答案 {answer!r} 不是选项（{'、'.join(options)}）之一；任何回答都不算对",
        )
        problems.append(Problem(item_id, "answer_unusable" if answer else "answer_missing", what, file.name, line))
        answer = None
    tag = row.get("language") or language_of(question, *options.values())
    known = {*_OURS, *letters}
    return Item(
        item_id,
        {tag: Wording(tag, question, options, original(row.get("hint", "")))},
        answer,
        pictures.of(row, item_id, line, problems),
        {name.removeprefix("label:"): original(text) for name, text in row.items() if name not in known},
        None if row.get("split") == _NO_SPLIT else row.get("split"),
    )


def _tables_in(folder: Path) -> list[Path]:
    tables = (folder / to_disk(name) for name in names_in(folder) if stem_and_suffix(name)[1].lower() == ".tsv")
    return [table for table in tables if sniff(table)]


def _the_table(path: Path) -> Path:
    if not path.is_dir():
        return path
    tables = _tables_in(path)
    if len(tables) != 1:
        there = ", ".join(table.name for table in tables) or "none"
        raise BadFile(f"{path}: expected one TSV of VLMEvalKit, found {there}; name the file to read")
    return tables[0]


FORMAT = Format(
    "vlmevalkit",
    "VLMEvalKit's TSV: columns index, question, A, B, …, answer, and image in base64 or image_path",
    sniff,
    read,
    write,
    losses,
)
