"""evalscope's output folder: `predictions/<model>/<benchmark>_<subset>.jsonl`, and its marks under `reviews/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.outputs import chat, fields, texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.outcomes import record_of, seconds
from keju.formats.outputs.rows import Row, Sheet

NAME = "evalscope"
SHAPE = "a folder with `predictions/<model>/` and `reviews/<model>/`, or one file of these"


@dataclass(frozen=True, slots=True)
class Subset:
    """The two files of one subset of a data set."""

    root: Path
    model: str
    stem: str

    def file(self, kind: str) -> Path:
        return self.root / kind / self.model / f"{self.stem}.jsonl"

    @property
    def dataset(self) -> str:
        """The stem without its subset, as the reports beside tell it; the whole stem where there is none."""
        reports = [report.stem for report in (self.root / "reports" / self.model).glob("*.json")]
        return max((name for name in reports if f"{self.stem}_".startswith(f"{name}_")), key=len, default=self.stem)


def fits(head: Head) -> bool:
    if head.kind == "folder":
        return bool(_subsets(head.path))
    return head.kind == "jsonl" and "index" in head.names and head.has_any(("model_output", "sample_score"))


def read(path: Path) -> list[Sheet]:
    """The outputs of each model on each data set; its subsets are joined. Raises `BadFile`."""
    if path.is_file() and path.parent.parent.name not in ("predictions", "reviews"):
        return [Sheet(path.stem, path.stem, NAME, tuple(_rows([path])))]
    groups: dict[tuple[Path, str, str], list[Subset]] = {}
    for subset in _subsets(path):
        groups.setdefault((subset.root, subset.model, subset.dataset), []).append(subset)
    return [Sheet(model, dataset, NAME, tuple(_joined(subsets))) for (_, model, dataset), subsets in groups.items()]


def _subsets(path: Path) -> list[Subset]:
    if path.is_file():
        return [Subset(path.absolute().parents[2], path.parent.name, path.stem)]
    root = next((p.parent for p in (path, path.parent) if p.name in ("predictions", "reviews")), path)
    within = path.name if root == path.parent.parent else None  # one model's folder was given
    found = {
        Subset(file.parents[2], file.parent.name, file.stem)
        for kind in ("predictions", "reviews")
        for file in root.rglob(f"{kind}/*/*.jsonl")
        if within in (None, file.parent.name)
    }
    return sorted(found, key=lambda subset: (str(subset.root), subset.model, subset.stem))


def _joined(subsets: list[Subset]) -> Iterable[Row]:
    """Rows of all subsets; where there are several, ids and labels tell them apart, for `index` counts anew in each."""
    for subset in subsets:
        for row in _rows([file for kind in ("predictions", "reviews") if (file := subset.file(kind)).is_file()]):
            if len(subsets) == 1:
                yield row
            else:
                name = subset.stem.removeprefix(f"{subset.dataset}_")
                record = replace(row.record, id=f"{name}/{row.record.id}")
                yield replace(row, record=record, labels={**row.labels, "subset": name})


def _rows(files: Iterable[Path]) -> Iterable[Row]:
    """One row an index: what the prediction says, with key and marks from the review."""
    rows: dict[int, Row] = {}
    for file in files:
        seen: dict[int, int] = {}
        for number, line in texts.json_lines(file):
            with texts.written_by(NAME, f"{file}:{number}"):
                row = _row(line, file, number)
            if (first := seen.setdefault(row.position, number)) != number:
                raise BadFile(f"{file}:{number}: index {row.position} occurs twice (first on line {first}); keep one")
            before = rows.get(row.position)
            rows[row.position] = replace(before, gold=row.gold, verdicts=row.verdicts, read=row.read) if before else row
    return rows.values()


def _row(line: Mapping[str, Any], file: Path, number: int) -> Row:
    score = line.get("sample_score")
    reviewed = score.get("score", {}) if isinstance(score, dict) else {}
    output = line.get("model_output")
    position = int(line["index"])
    prompt, media = chat.asked(line.get("messages") or ())
    record = _record(str(position), output) if output else record_of(str(position), reviewed.get("prediction"))
    return Row(
        record,
        str(file),
        number,
        position,
        question=prompt,
        gold=line.get("target"),
        labels=fields.labels_of(line.get("metadata") or {}),
        media=media,
        verdicts=_verdicts(reviewed),
        read=reviewed.get("extracted_prediction"),
    )


def _record(item_id: str, output: Mapping[str, Any]) -> Any:
    choice = (output.get("choices") or [{}])[0]
    perf = output.get("perf_metrics") or {}
    return record_of(
        item_id,
        chat.text_of(choice["message"].get("content")) if "message" in choice else None,
        stop=choice.get("stop_reason"),
        error=output.get("error"),
        usage=output.get("usage"),
        stages=seconds(infer=output.get("time"), first_token=perf.get("ttft")),
        model=output.get("model"),
    )


def _verdicts(score: Mapping[str, Any]) -> dict[str, bool | None]:
    values = score.get("value") or {}
    good = score.get("status", "success") == "success"
    main = score.get("main_score_name")
    ordered = sorted(values, key=lambda name: name != main)
    return {name: fields.verdict_of(values[name]) if good else None for name in ordered}
