"""A run as a log of Inspect AI, to be looked through with `inspect view` and read by its tools.

The file is a zip of JSON. It is written with deflate, which every Python reads; Inspect itself writes zstd.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from keju.errors import Misuse
from keju.protocols import PARSERS
from keju.reports.inspect_media import SHOWN, MediaShown
from keju.reports.inspect_samples import sample_of, summary_of
from keju.results.scores import Scores, score
from keju.runs.run import Run

VERSION = 2  # of Inspect's log
_TIME = (1980, 1, 1, 0, 0, 0)  # the zip's oldest: the same run gives the same bytes
_UNKNOWN = "1970-01-01T00:00:00+00:00"
"""Time of runs that another tool asked without saying when."""


def write_inspect_log(run: Run, folder: str | Path, *, media: MediaShown = "none") -> Path:
    """Write the run as `TIME_BENCHMARK_ID.eval` into `folder`, with a score by every parser; the path.

    Failed calls are samples with an error, blocked ones have the stop reason `content_filter`; neither has a score.
    Items not asked yet are named in the header only. Raises `Misuse` where pictures are wanted and none is at hand.
    """
    if media not in SHOWN:
        raise Misuse(f"media are shown as {', '.join(SHOWN)}, not {media!r}")
    if media != "none" and not any(medium.exists for item in run.benchmark for medium in item.media):
        raise Misuse(f"the run of {run.model} holds no media itself; name the benchmark that does (--benchmark PATH)")
    scored = {name: score(run, parser=name) for name in _parsers(run)}
    header = _header(run, scored)
    path = Path(folder) / _file_name(header["eval"])
    unfinished = path.with_suffix(".partial")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            start = {"version": VERSION, "eval": header["eval"], "plan": header["plan"]}
            _put(archive, "_journal/start.json", start)
            summaries = list(_samples(archive, run, scored, media))
            _put(archive, "summaries.json", summaries)
            _put(archive, "header.json", header)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _parsers(run: Run) -> list[str]:
    """The run's own parser first, then the others that read what it holds."""
    own = run.protocol.parser
    return (
        [own]
        if own == "likelihood"
        else list(dict.fromkeys([own, *(name for name in PARSERS if name != "likelihood")]))
    )


def _samples(
    archive: zipfile.ZipFile, run: Run, scored: Mapping[str, Scores], media: MediaShown
) -> Iterable[dict[str, Any]]:
    for item_id in run.records:
        marks = {name: scores.by_id[item_id] for name, scores in scored.items()}
        sample = sample_of(run, item_id, marks, media)
        _put(archive, f"samples/{item_id}_epoch_1.json", sample)
        yield summary_of(sample)


def _header(run: Run, scored: Mapping[str, Scores]) -> dict[str, Any]:
    times = sorted(record.at for record in run.records.values() if record.at)
    begun, ended = (times[0], times[-1]) if times else (_UNKNOWN, _UNKNOWN)
    generation = {"max_tokens": run.protocol.generation.max_tokens, "temperature": run.protocol.generation.temperature}
    config = {name: value for name, value in generation.items() if value is not None}
    failed = sum(record.status == "failed" for record in run.records.values())
    pending = len(run.benchmark) - len(run.records)
    return {
        "version": VERSION,
        "status": "cancelled" if pending else "success",
        "eval": _spec(run, run.info.get("created") or begun, config, scored),
        "plan": {
            "name": "plan",
            "steps": [{"solver": "keju", "params": {"protocol": run.protocol.name}}],
            "config": config,
        },
        "results": {
            "total_samples": len(run.benchmark),
            "completed_samples": len(run.records) - failed,
            "scores": [_result(name, scores) for name, scores in scored.items()],
        },
        "stats": {"started_at": begun, "completed_at": ended, "model_usage": {}},
    }


def _spec(run: Run, created: str, config: Mapping[str, Any], scored: Mapping[str, Scores]) -> dict[str, Any]:
    identity = json.dumps([run.model, run.benchmark.name, run.protocol.digest, sorted(run.variant.items()), created])
    task_id = hashlib.sha256(identity.encode()).hexdigest()[:22]  # as long as Inspect's own
    metrics: list[dict[str, Any]] = [{"name": name, "options": {}} for name in ("accuracy", "stderr")]
    return {
        "created": created,
        "eval_id": task_id,
        "run_id": task_id,
        "task_id": task_id,
        "task": run.benchmark.name,
        "dataset": {
            "name": run.benchmark.name,
            "samples": len(run.benchmark),
            "sample_ids": [item.id for item in run.benchmark],
            "shuffled": False,
        },
        "model": run.model,
        "model_generate_config": config,
        "config": {"epochs": 1, "fail_on_error": False},
        "packages": {"keju": run.info.get("environment", {}).get("packages", {}).get("keju", "unknown")},
        "metadata": {"protocol": run.protocol.name, "variant": dict(run.variant), "written_by": "keju"},
        "scorers": [{"name": name, "options": {}, "metrics": metrics, "metadata": {}} for name in scored],
    }


def _result(parser: str, scores: Scores) -> dict[str, Any]:
    """Inspect's accuracy is over the samples that have a score; keju's own, over all N, stands beside it."""
    n, right = scores.answered, scores.accuracy_answered or 0.0
    values = {
        "accuracy": right,
        "stderr": math.sqrt(right * (1 - right) / (n - 1)) if n > 1 else 0.0,
        "accuracy_over_all": scores.accuracy or 0.0,
        "valid_response_rate": scores.valid_response_rate or 0.0,
    }
    return {
        "name": parser,
        "scorer": parser,
        "scored_samples": n,
        "unscored_samples": scores.n - n,
        "params": {},
        "metrics": {name: {"name": name, "value": value, "params": {}} for name, value in values.items()},
    }


def _file_name(spec: Mapping[str, Any]) -> str:
    task = re.sub(r"[^\w.-]+|_", "-", spec["task"])
    stem = f"{spec['created']}_{task}_{spec['task_id']}"
    return stem.replace(":", "-").replace("+", "-") + ".eval"


def _put(archive: zipfile.ZipFile, name: str, value: Any) -> None:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, json.dumps(value, ensure_ascii=False, allow_nan=False))
