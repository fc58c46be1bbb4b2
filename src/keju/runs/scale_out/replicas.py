"""The replicas of one model on a cluster, behind what a run must know of a model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import BadFile, MissingExtra, MissingKey, Misuse, Refused, RunStopped
from keju.items import Item
from keju.models.options import Options, meant
from keju.models.registry import open_model
from keju.runs.scale_out.cluster import Cluster, connected, has_gpus, refuse_what_does_not_fit
from keju.runs.scale_out.remote import PATIENCE, Remote, cause, losses
from keju.runs.scale_out.replica import Order, Replica


async def open_replicas(
    cluster: Cluster, spec: str | Path, benchmark: Benchmark, options: Mapping[str, Any]
) -> Replicas:
    """Reach the cluster and open the model in a first replica there; the others follow when there is something to ask.

    `spec` and `options` are those of `open_model`. Raises `Misuse` where the cluster cannot be reached, has no room,
    or the model cannot be opened there.
    """
    order = order_of(spec, benchmark, options)
    with ExitStack() as stack:
        ray = stack.enter_context(connected(cluster))
        gpus = cluster.gpus_for(order.spec, has_gpus(ray))
        refuse_what_does_not_fit(ray, cluster, gpus)
        start = _starter(ray, cluster, gpus, _over_all_gpus(order) if gpus > 1 else order)
        try:
            first = await Remote.started(start, ray, patience=PATIENCE)
        except losses(ray) as error:
            raise RunStopped(
                f"no replica can be started on the cluster: {cause(error)}. keju must be installed on every node: "
                f"pip install 'keju[ray]=={version('keju')}'"
            ) from error
        return Replicas(cluster, gpus, first, start, ray, stack.pop_all())


class Replicas:
    """A model that answers elsewhere: what a run must know of it, and its replicas."""

    def __init__(
        self,
        cluster: Cluster,
        gpus: float,
        first: Remote,
        start: Callable[[], Any],
        ray: Any,
        connection: ExitStack,
    ) -> None:
        self.name, self.settings = first.opened.name, first.opened.settings
        self.concurrency = first.opened.concurrency
        """Calls in flight in each replica."""
        self.default_protocol = first.opened.default_protocol
        self.cluster, self.ray = cluster, ray
        self.discovered: dict[str, Any] = {}
        """What the replica that ended last found out about its model."""
        self.lost = 0
        self._nodes: Counter[tuple[str, str]] = Counter()
        self._first: Remote | None = first
        self._start = start
        self._gpus = gpus
        self._connection = connection

    @property
    def facts(self) -> dict[str, Any]:
        """For the session in `run.json`."""
        nodes = [{"address": address, "replicas": number} for (_, address), number in self._nodes.items()]
        return {
            "address": self.cluster.address,
            "replicas": self.cluster.replicas,
            "cpus_per_replica": self.cluster.cpus,
            "gpus_per_replica": self._gpus,
            "nodes": nodes,
            "lost": self.lost,
        }

    async def replica(self) -> Remote:
        """A replica with its model open: the first one, then further ones. Waits until the cluster has room.

        Raises what the model raises when it is opened, `Refused` where it is another one there.
        """
        remote, self._first = self._first, None
        remote = remote or await Remote.started(self._start, self.ray)
        if differences := _different(self.settings, remote.opened.settings):
            remote.kill()
            raise Refused(
                f"node {remote.place.address} opens another {self.name} ({differences}), and the answers of one run "
                "must come from one. Let nodes of one kind ask, or settle it with --extra"
            )
        self._nodes[remote.place.node, remote.place.address] += 1
        return remote

    async def close(self) -> None:
        """Leave the cluster; one that was started for this run ends."""
        if self._first:
            self._first.kill()
        self._connection.close()


def _starter(ray: Any, cluster: Cluster, gpus: float, order: Order) -> Callable[[], Any]:
    """Makes actors. Ray restarts none: whoever dealt the items must know what was lost."""
    actor = ray.remote(Replica).options(
        num_cpus=cluster.cpus, num_gpus=gpus, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
    )
    return lambda: actor.remote(order)


def order_of(spec: str | Path, benchmark: Benchmark, options: Mapping[str, Any]) -> Order:
    """What replicas of the model will open, looked at before there is a cluster.

    Raises `Misuse` where its name or an option cannot be. What a node may have and this machine lacks is left to the
    node: keys, extras, files.
    """
    name, given = meant(spec, options)
    if name.startswith(("baseline/", "replay:")):
        raise Misuse(f"{name} answers at once in this process; leave --ray out")
    order = Order(name, _said(given), _sample(benchmark), str(Path.cwd()))
    _refuse_what_cannot_be(order)
    return order


def _refuse_what_cannot_be(order: Order) -> None:
    given = {name: value for name, value in order.options.items() if name != "key_file"}
    elsewhere = suppress(MissingKey, MissingExtra, BadFile)
    for perceiver in (given.get("transcriber"), given.get("reader")):
        if isinstance(perceiver, str):
            from keju.models.perception import open_perceiver

            with elsewhere:
                open_perceiver(perceiver)
    if order.spec.startswith("hf/"):  # opened, it would read its checkpoint
        from keju.models.local.settings import settings_of

        batch = {name: given[name] for name in ("batch_size",) if name in given}
        settings_of(order.spec.removeprefix("hf/"), {**given.get("extra", {}), **batch})
    else:
        with elsewhere:
            open_model(order.spec, benchmark=order.sample, **given)


def _sample(benchmark: Benchmark) -> Benchmark:
    kinds: dict[str, Item] = {}
    for item in benchmark:
        kinds.setdefault(item.modality, item)
    return Benchmark(benchmark.name, tuple(kinds.values()), format=benchmark.format)


def _said(options: Options) -> dict[str, Any]:
    named = {field.name: getattr(options, field.name) for field in fields(options)}
    return {name: value for name, value in named.items() if value is not None}


def _over_all_gpus(order: Order) -> Order:
    """A local model would leave all but one of its GPUs idle unless told otherwise."""
    if not order.spec.startswith("hf/"):
        return order
    extra = {"device": "spread", **(order.options.get("extra") or {})}
    return replace(order, options={**order.options, "extra": extra})


def _different(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    names = [name for name in sorted(ours.keys() | theirs.keys()) if ours.get(name) != theirs.get(name)]
    return "; ".join(f"{name}: {json.dumps(ours.get(name))} → {json.dumps(theirs.get(name))}" for name in names)
