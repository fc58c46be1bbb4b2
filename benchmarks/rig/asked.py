"""One client asks one exam: what that cost, whether its marks are the planned ones, how the pictures arrived."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rig.clients import LIMIT, Client
from rig.marks import Marks, of_output
from rig.measured import Cost, MockServer, measure
from rig.peer import Peer, beside

REPLY = "ANSWER: {}"
"""What the rule of every tool reads."""


@dataclass(frozen=True)
class Arrival:
    """The pictures as the server got them."""

    pictures: int
    unchanged: int
    """How many have the sha256 of their file."""
    types: Sequence[str]
    mb: float
    """Of one, on average."""


@dataclass(frozen=True)
class Asked:
    """What came of it."""

    cost: Cost
    marks: Marks
    arrival: Arrival | None
    """None where nobody looked: only the smaller exam's pictures are, as it costs the server time."""


def ask(client: Client | Peer, folder: Path, items: int, latency: float, log: Path) -> Asked:
    """Have a client ask the exam in `folder` and leave nothing behind. Raises `RuntimeError` where it fails."""
    look = items == client.sizes[0]
    try:
        with MockServer(latency, reply=REPLY, pictures=look) as server:
            command = client.command(folder, items, server, log)
            given = _size(beside(log))
            cost = measure(command, items=items, server=server, log=log)
        cost = replace(cost, log_bytes=cost.log_bytes + _size(beside(log)) - given)
        return Asked(cost, _marks(client, folder, log, cost), _arrival(folder, cost) if look else None)
    finally:
        shutil.rmtree(log, ignore_errors=True)
        shutil.rmtree(beside(log), ignore_errors=True)


def _marks(client: Client | Peer, folder: Path, log: Path, cost: Cost) -> Marks:
    """A bare client says its accuracy alone; of the others every item is read."""
    if client.name == LIMIT:
        return Marks(cost.items, cost.items if cost.correct else 0, 0)
    if isinstance(client, Client):
        return of_output(folder, log, theirs=False)
    found = sorted(log.glob(client.tool.output))
    if not found:
        raise RuntimeError(f"{client.name} left no {client.tool.output}")
    return of_output(folder, found[-1], theirs=True)


def _arrival(folder: Path, cost: Cost) -> Arrival:
    came = [(f"{int(number):04d}.png", *picture) for number, picture in cost.pictures.items()]
    same = sum(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest, _, _ in came)
    size = sum(size for _, _, size, _ in came) / max(1, len(came)) / 1e6
    return Arrival(len(came), same, sorted({kind for *_, kind in came}), size)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0
