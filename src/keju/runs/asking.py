"""Ask what is missing in a run folder: the path from a plan to a run, in one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.models.model import Model
from keju.protocols import Protocol
from keju.runs.engine import Asking, Progress, Silent
from keju.runs.names import run_folder
from keju.runs.reading import open_run
from keju.runs.run import Run
from keju.runs.scale_out.cluster import Cluster
from keju.runs.scale_out.replicas import Replicas
from keju.runs.scale_out.spread import Spread
from keju.runs.store import Plan, RunFolder
from keju.runs.transport import Transport


@dataclass(frozen=True)
class Session:
    """How to ask; none of it changes an answer."""

    concurrency: int | None = None
    """Calls in flight, on a cluster in each replica; None: what the model prefers."""
    transport: Transport = field(default_factory=Transport)
    check_media: bool = True
    """Ask one item of each modality again without its medium, and warn when the server counts the same tokens."""
    ask_changed: bool = False
    """Ask items again whose wording or media changed since they were answered, instead of refusing."""
    cluster: Cluster | None = None
    """Ask in replicas of the model on a Ray cluster; None: in this process."""


async def ask(
    benchmark: Benchmark,
    model: Model | Replicas,
    protocol: Protocol,
    *,
    out: Path,
    variant: Mapping[str, str] | None = None,
    folder: Path | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask `model` every item of `benchmark` that its run folder does not hold yet, and return the run.

    The folder follows from benchmark, model, protocol and variant below `out`, unless `folder` names it.
    Failed and blocked items of earlier sessions are asked again; delivered replies never.
    Raises `Refused` where the folder holds answers to something else or is being written.
    """
    session, progress = session or Session(), progress or Silent()
    concurrency = model.concurrency if session.concurrency is None else session.concurrency
    if concurrency < 1:
        raise Misuse(f"concurrency must be at least 1, not {concurrency}")
    plan = Plan(benchmark, model.name, model.settings, protocol, variant or {})
    folder = folder or run_folder(out, benchmark.name, model.name, protocol.name, plan.variant)
    with RunFolder(folder, plan, ask_changed=session.ask_changed) as store:
        for note in store.notes:
            progress.note(note)
        todo = store.todo(benchmark.items)
        progress.started(len(benchmark), len(benchmark) - len(todo))
        told = (protocol, store.append, session.transport, concurrency, progress, session.check_media)
        asking = Spread(model, *told) if isinstance(model, Replicas) else Asking(model, *told)
        store.begin(concurrency=concurrency, **_where(model))
        try:
            await (asking.all(todo, len(todo)) if isinstance(asking, Spread) else asking.all(todo))
            if asking.stopped:
                progress.note(f"stopped: {asking.stopped}")
        finally:
            progress.finished()
            store.end(**_outcome(asking, store, model))
    return open_run(folder)


def _where(model: Model | Replicas) -> dict[str, Any]:
    """For the session: the cluster that asks, nothing where it is this process."""
    return {"ray": model.facts} if isinstance(model, Replicas) else {}


def _outcome(asking: Asking | Spread, store: RunFolder, model: Model | Replicas) -> dict[str, Any]:
    states = Counter(store.statuses.values())
    facts: dict[str, Any] = {"requests": asking.asked, "peak_in_flight": asking.peak, "records": dict(states)}
    facts |= _where(model)
    if asking.stopped:
        facts["stopped"] = asking.stopped
    if discovered := getattr(model, "discovered", None):
        facts["effective"] = dict(discovered)
    return facts
