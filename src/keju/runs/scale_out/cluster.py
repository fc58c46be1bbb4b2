"""A Ray cluster: reaching it, looking whether the replicas fit, and what can go wrong on the way in keju's words."""

from __future__ import annotations

import math
import os
import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from keju.errors import MissingExtra, Misuse

LOCAL = "local"
CONNECT_SECONDS = 5.0  # Ray itself tries for two minutes, and prints all the while
_QUIET = {
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # of its error messages, which it prints on standard output, every line
    "RAY_USAGE_STATS_ENABLED": "0",  # a cluster of ours tells nobody that it was used
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where to ask: so many replicas of the model on a Ray cluster."""

    address: str = LOCAL
    """`HOST:PORT` of the head node, `auto` for the cluster that this machine belongs to, or `local` for a cluster that
    is started on this machine and ends with the run."""
    replicas: int = 1
    cpus: float = 1.0
    """CPUs that each replica reserves."""
    gpus: float | None = None
    """GPUs that each replica reserves; a part of one is possible. None: one for `hf/…` where the cluster has any."""

    def __post_init__(self) -> None:
        if self.replicas < 1:
            raise Misuse(f"replicas must be at least 1, not {self.replicas}")
        if not (0 <= self.cpus < math.inf and 0 <= (self.gpus or 0) < math.inf):
            raise Misuse("CPUs and GPUs of a replica must be 0 or more")
        if self.gpus and self.gpus > 1 and self.gpus != int(self.gpus):
            raise Misuse(f"more than one GPU a replica must be a whole number, not {self.gpus:g}")

    def gpus_for(self, spec: str, there: bool) -> float:
        """GPUs of a replica of the model `spec`, where the cluster has some or not."""
        if self.gpus is not None:
            return self.gpus
        return 1.0 if there and spec.startswith("hf/") else 0.0


def ray_module() -> Any:
    """Ray, told to be quiet. Raises `MissingExtra`."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what its own dependencies will change some day
            import ray
    except ImportError as error:
        raise MissingExtra("ray", "asking on a Ray cluster (--ray)") from error
    return ray


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """Ray, connected to the cluster, in a `with` statement; a connection that was there before is used, and stays.

    Raises `MissingExtra`, or `Misuse` where there is no such cluster or it does not fit this Python.
    """
    ray = ray_module()
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, cluster)
    try:
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, cluster: Cluster) -> None:
    own: dict[str, Any] = {}
    if cluster.address == LOCAL:
        needed = math.ceil(cluster.replicas * cluster.cpus)
        own = {"num_cpus": max(os.cpu_count() or 1, needed), "include_dashboard": False}
    else:
        _look_for(cluster.address)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False, **own)
    except (ray.exceptions.RayError, RuntimeError, ValueError, OSError) as error:
        raise Misuse(f"--ray {cluster.address}: {_remedied(error)}") from error


def _look_for(address: str) -> None:
    """Raises `Misuse` where nothing listens at `address`."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto":
        return
    if not host or not port.isdecimal():
        raise Misuse(f"--ray {address}: write HOST:PORT of the head node, auto, or local")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise Misuse(
            f"--ray {address}: no cluster answers there ({error}). Start one with `ray start --head`, which prints its "
            "address, or write --ray local"
        ) from error


def _remedied(error: Exception) -> str:
    text = str(error).strip()
    told = (text.splitlines() or [type(error).__name__])[0][:300].rstrip(".")
    if "ersion mismatch" in text:
        lines = " ".join(line.strip() for line in text.splitlines())[:400]
        return f"{lines} Every node needs the same Python and Ray: pip install 'ray=={_version()}' there"
    if "uth" in type(error).__name__ or "InvalidAuthToken" in text:
        return (
            "the cluster asks for its token. Set it as on its nodes: export RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN or "
            "RAY_AUTH_TOKEN_PATH"
        )
    if "node_ip_address" in text or "raylet" in text.lower():
        return (
            f"{told}. keju must run on a machine that belongs to the cluster: run `ray start --address=HOST:PORT` here "
            "first"
        )
    if isinstance(error, ConnectionError):
        return (
            f"{told}. Start a cluster with `ray start --head`, or write --ray local. Where the cluster has a token "
            "(RAY_AUTH_MODE=token), it must be set here too"
        )
    return told


def _version() -> str:
    return str(ray_module().__version__)


def has_gpus(ray: Any) -> bool:
    return bool(ray.cluster_resources().get("GPU"))


def refuse_what_does_not_fit(ray: Any, cluster: Cluster, gpus: float) -> None:
    """Raises `Misuse` where the cluster's nodes have no room for so many replicas even when nothing else runs."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    room = sum(_room(node, cluster.cpus, gpus) for node in nodes)
    if room >= cluster.replicas:
        return
    has = f"{len(nodes)} node{'s' * (len(nodes) != 1)} with {_total(nodes, 'CPU')} CPUs and {_total(nodes, 'GPU')} GPUs"
    asked = f"{cluster.replicas} replica{'s' * (cluster.replicas != 1)} of {cluster.cpus:g} CPUs and {gpus:g} GPUs each"
    remedy = f"Write --replicas {room}, or start further nodes" if room else "Ask for less, or start larger nodes"
    if room == 0 and gpus and not any(node.get("GPU") for node in nodes):
        remedy = "Start nodes with GPUs (ray start --num-gpus=…), or ask on processors with --gpus-per-replica 0"
    raise Misuse(f"the cluster at {cluster.address} has {has}: {asked} do not fit. {remedy}")


def _room(node: Mapping[str, float], cpus: float, gpus: float) -> int:
    """Replicas that fit on one node."""
    fits = [node.get(kind, 0.0) / each for kind, each in (("CPU", cpus), ("GPU", gpus)) if each]
    if gpus > 0 and gpus < 1:  # parts of one GPU must lie on that one
        fits.append(node.get("GPU", 0.0) * math.floor(1 / gpus + 1e-9))
    return math.floor(min(fits, default=10_000) + 1e-9)  # without a need there is room for any number


def _total(nodes: list[Mapping[str, float]], kind: str) -> str:
    return f"{sum(node.get(kind, 0.0) for node in nodes):g}"
