"""A replica as the driver sees it: started, handed items, lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from keju.errors import Misuse, RunStopped
from keju.formats.unpacked import is_unpacked
from keju.items import Item, Medium
from keju.runs.scale_out.replica import Opened, Place, Report, Stop

PATIENCE = 120.0
"""Seconds for which a place is waited for while no replica works. A node that is started anew takes about as long."""


@dataclass
class Remote:
    """A replica on a node of the cluster."""

    handle: Any
    ray: Any
    place: Place
    opened: Opened

    @classmethod
    async def started(cls, start: Callable[[], Any], ray: Any, *, patience: float | None = None) -> Remote:
        """A new replica, its model open. Waits for a place, at most `patience` seconds.

        Raises what the model raises when it is opened, `Misuse` where keju is another there, `RunStopped` where no
        place is given, and one of `losses` where it is gone before it is ready.
        """
        handle = start()
        try:
            place = await asyncio.wait_for(_result(handle.where.remote()), patience)
            _refuse_other_version(place)
            opened: Opened | Stop = await _result(handle.open.remote())
            if isinstance(opened, Stop):
                raise opened.error()
        except TimeoutError:
            ray.kill(handle)
            raise RunStopped(
                f"the cluster gave no place to a replica within {PATIENCE:.0f} s: others use it. `ray status` shows "
                "what is free"
            ) from None
        except BaseException:
            ray.kill(handle)
            raise
        return cls(handle, ray, place, opened)

    async def begin(self, *settings: Any, **more: Any) -> None:
        """Make its engine; see `Replica.begin`."""
        await _result(self.handle.begin.remote(*settings, **more))

    async def exchange(self, items: Sequence[Item]) -> Report:
        """Hand it further items and wait for a report. Raises one of `losses` where the replica is gone."""
        packed = [_packed(item) for item in items]
        absent = frozenset(str(m.path) for item in packed for m in item.media if m.path and not m.exists)
        report: Report = await _result(self.handle.exchange.remote(packed, absent))
        return report

    async def close(self) -> Mapping[str, Any]:
        """Let it close the model; what the model found out about itself."""
        found: Mapping[str, Any] = await _result(self.handle.close.remote())
        return found

    def kill(self) -> None:
        """End it, also where it is only out of sight: it must not ask on what others are given."""
        with suppress(self.ray.exceptions.RayError):
            self.ray.kill(self.handle)


def losses(ray: Any) -> tuple[type[Exception], ...]:
    """What Ray raises when a replica is gone."""
    kinds = ray.exceptions
    return kinds.RayActorError, kinds.WorkerCrashedError, kinds.NodeDiedError, kinds.ObjectLostError


def cause(error: BaseException) -> str:
    """What Ray says of a loss, in one line."""
    if type(error).__name__ == "ActorUnavailableError":
        return "it is not reached any more"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "detail:" in line or "because" in line] or lines or [type(error).__name__]
    told = telling[-1].rpartition("detail:")[2].strip()
    return told.partition(". Some common causes")[0][:200].rstrip(".")


def _result(ref: Any) -> Coroutine[Any, Any, Any]:
    async def result() -> Any:
        return await ref

    return result()


def _refuse_other_version(place: Place) -> None:
    here = version("keju")
    if place.version != here:
        raise Misuse(
            f"node {place.address} has keju {place.version}, and this is {here}. Install one version on every node: "
            f"pip install 'keju[ray]=={here}'"
        )


def _packed(item: Item) -> Item:
    """The item as it travels: what was unpacked into a temporary file of this process goes along as bytes."""
    if not any(medium.path and is_unpacked(medium.path) for medium in item.media):
        return item
    return replace(item, media=tuple(map(_carried, item.media)))


def _carried(medium: Medium) -> Medium:
    if medium.path is None or not is_unpacked(medium.path):
        return medium
    return replace(medium, path=None, data=medium.read())
