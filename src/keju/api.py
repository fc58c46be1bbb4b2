"""The face of keju in Python: each function is one step of formats → Benchmark → run → scores → tables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from keju import checks, formats, variants
from keju.benchmark import Benchmark, Problem
from keju.checks import Finding, Marks, Rule
from keju.errors import BadFile, Misuse
from keju.formats.outputs import Outputs, read_outputs
from keju.formats.places import is_there
from keju.models.model import Model
from keju.models.registry import open_model
from keju.people.sitting import FILE as SITTING
from keju.people.sitting import Sitting
from keju.protocols import Protocol, load_protocol
from keju.results.naming import told_apart
from keju.runs.asking import Session, ask
from keju.runs.engine import Progress
from keju.runs.foreign import remark, run_of
from keju.runs.reading import find_runs
from keju.runs.reading import open_run as open_folder
from keju.runs.run import Run
from keju.runs.scale_out.cluster import Cluster
from keju.runs.scale_out.replicas import Replicas, open_replicas

if TYPE_CHECKING:
    from keju.results.pairs import Comparison
    from keju.results.scores import Scores

_Asked = ParamSpec("_Asked")


def load(
    path: str | Path,
    *,
    format: str | None = None,
    mapping: str | Path | None = None,
    labels: str | Path | None = None,
    encoding: str | None = None,
) -> Benchmark:
    """Read a benchmark: a folder or file in any format keju reads, `hf:OWNER/NAME[@REVISION]`, an address in an object
    store (`s3://BUCKET/EXAM`), or the demo's name.

    What could not be read is in `.problems`, item by item. Raises `BadFile` where nothing can be read at all.
    """
    side_table = Path(labels) if labels else None
    return formats.load(path, format=format, mapping=mapping, labels=side_table, encoding=encoding)


def check(
    benchmark: Benchmark,
    *,
    rules: Sequence[Rule] | None = None,
    marks: Marks | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Finding]:
    """What is wrong or doubtful in a benchmark, in the order of its files; see `keju.checks.check`."""
    return checks.check(benchmark, rules=rules, marks=marks, jobs=jobs, progress=progress)


def marks(scores: Iterable[Scores]) -> Marks:
    """Marked runs as the rules on runs look at them: who was right on which item, and what each chose.

    Runs that reordered the options say nothing of choices: their letters are others.
    """
    named = {score.name: score for score in told_apart(scores)}
    return Marks(
        right={
            name: {
                mark.id: mark.correct if mark.valid else None
                for mark in score.items
                if mark.status in ("answered", "truncated")
            }
            for name, score in named.items()
        },
        choices={
            name: {mark.id: mark.label for mark in score.items if mark.label and mark.valid}
            for name, score in named.items()
            if not {"shuffle", "rotate"} & score.variant.keys()
        },
        blind=frozenset(name for name, score in named.items() if score.variant.get("media") == "none"),
    )


def convert(benchmark: Benchmark, format: str, path: str | Path, *, split: str | None = None) -> tuple[Problem, ...]:
    """Write a benchmark in another format; what that cannot hold is returned.

    `split` names the one to write, or `all`: formats for training write `train` unless asked otherwise.
    """
    return formats.write(benchmark, Path(path), format, split=split)


async def arun(
    benchmark: Benchmark,
    model: str | Path | Model,
    *,
    protocol: str | Path | Protocol | None = None,
    variant: Iterable[str] = (),
    out: str | Path = "runs",
    session: Session | None = None,
    progress: Progress | None = None,
    **model_options: Any,
) -> Run:
    """Ask a model every item that its run folder below `out` does not hold yet; the same call resumes it.

    `model` is `provider/name`, a TOML file, or any `Model`; `model_options` go to `keju.models.registry.open_model`.
    With `session=Session(cluster=Cluster(…))` replicas of it ask on a Ray cluster; then it is given by its name.
    `protocol` defaults to that of the benchmark's own paper, see `default_protocol`.
    A run may come back incomplete: look at `.complete`; asking again asks what is missing.
    `run` asks to the end; `arun` is awaited, by callers that have an event loop of their own.
    """
    chosen = variants.parse_variants(variant)
    asked = variants.apply(benchmark, chosen)
    session = session or Session()
    opened = await _opened(model, asked, session.cluster, model_options)
    if not isinstance(protocol, Protocol):
        protocol = load_protocol(protocol or default_protocol(benchmark, opened))
    try:
        return await ask(
            asked,
            opened,
            protocol,
            out=Path(out),
            variant=variants.describe(chosen),
            session=session,
            progress=progress,
        )
    finally:
        await opened.close()


async def _opened(
    model: str | Path | Model, asked: Benchmark, cluster: Cluster | None, options: dict[str, Any]
) -> Model | Replicas:
    if cluster is None:
        return open_model(model, benchmark=asked, **options) if isinstance(model, (str, Path)) else model
    if not isinstance(model, (str, Path)):
        raise Misuse("on a cluster each replica opens its own model: give it by its name, as after -m")
    return await open_replicas(cluster, model, asked, options)


def _to_the_end(asking: Callable[_Asked, Coroutine[Any, Any, Run]]) -> Callable[_Asked, Run]:
    """`asking` for callers without an event loop: run to its end, on uvloop where that is installed."""

    @wraps(asking, assigned=("__module__", "__doc__"))
    def run(*args: _Asked.args, **options: _Asked.kwargs) -> Run:
        if _loop_is_running():
            raise Misuse("an event loop is running already: use `await keju.api.arun(…)`")
        try:
            import uvloop
        except ImportError:
            return asyncio.run(asking(*args, **options))
        return uvloop.run(asking(*args, **options))

    return run


run = _to_the_end(arun)


def default_protocol(benchmark: Benchmark, model: Model | Replicas | None) -> str:
    """The protocol of the paper whose layout the benchmark has (`tco` for other formats); embedded language models
    cannot answer with a letter and say what they need themselves. None stands for a model behind an endpoint."""
    wants: str | None = getattr(model, "default_protocol", None)
    return wants or ("multi-tw" if benchmark.format == "multi-tw" else "tco")


def open_run(folder: str | Path) -> Run:
    """The run that a run folder holds."""
    return open_folder(folder)


def open_runs(
    paths: Iterable[str | Path],
    *,
    benchmark: Benchmark | None = None,
    format: str | None = None,
    protocol: str | None = None,
) -> list[Run]:
    """Every run at or below `paths`: keju's run folders, sittings of people, and files that other tools wrote.

    `benchmark` re-marks with its keys and labels: of keju's runs those items whose question is unchanged, of other
    tools' files the items they name. Raises `BadFile` where a path holds no run,
    `Misuse` for a `protocol` where all runs say theirs.
    """
    runs: list[Run] = []
    for path in dict.fromkeys(map(Path, paths)):
        if not is_there(path):
            raise BadFile(f"{path} does not exist")
        folders = find_runs([path]) if format is None else []
        if (path / SITTING).is_file():
            runs += Sitting.open(path).runs(benchmark)
        elif folders:
            opened = [open_folder(folder) for folder in folders]
            runs += [remark(run, benchmark) for run in opened] if benchmark else opened
        else:
            runs += [run_of(outputs, protocol) for outputs in _outputs(path, benchmark, format)]
    if protocol and not any("imported" in run.info for run in runs):
        raise Misuse(
            f"a protocol ({protocol}) is for files of other tools, which do not say theirs; runs of keju do. To mark "
            "them under another rule, choose a parser"
        )
    return runs


def _outputs(path: Path, benchmark: Benchmark | None, format: str | None) -> list[Outputs]:
    try:
        return read_outputs(path, benchmark=benchmark, format=format)
    except BadFile as error:
        if format is None and path.is_dir():
            raise BadFile(f"no run of keju lies in {path} (a folder with run.json), and {error}") from error
        raise


def score(run: Run, *, parser: str | None = None, count_failures_as_wrong: bool = False) -> Scores:
    """Mark a run. Costs no model call; `parser` marks the same replies under another rule."""
    from keju.results.scores import score as score_run  # NumPy: not before the first request

    return score_run(run, parser=parser, count_failures_as_wrong=count_failures_as_wrong)


def compare(a: Scores, b: Scores, *, common: bool = False) -> Comparison:
    """Paired comparison over the same items: difference, its interval, discordant pairs, McNemar's exact p."""
    from keju.results.pairs import compare as compare_scores

    return compare_scores(a, b, common=common)


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
