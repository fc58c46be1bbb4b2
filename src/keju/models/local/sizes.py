"""How many rows go into one forward pass, and which errors say that they were too many."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class BatchSize:
    """Rows in one forward pass. It grows while passes succeed, unless it is fixed, and never again reaches a size that
    ran out of memory."""

    now: int
    most: int
    """Largest size that is tried."""

    @classmethod
    def fixed(cls, size: int) -> BatchSize:
        return cls(size, size)

    def succeeded(self, rows: int) -> None:
        """Note that a pass of `rows` went well: a full one is followed by one of twice the size."""
        if rows >= self.now:
            self.now = min(self.most, self.now * 2)

    def too_many(self, rows: int) -> None:
        """Note that a pass of `rows` ran out of memory."""
        self.most = max(1, min(self.most, rows // 2))
        self.now = min(self.now, self.most)


_NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")
_BROKEN = ("device-side assert", "cuda error", "illegal memory access")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether `error` says that the device, or this machine, has no room for so many rows."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _says(error, _NO_MEMORY))


def is_broken_device(error: BaseException) -> bool:
    """Whether `error` leaves the device in a state in which every further pass fails."""
    return isinstance(error, RuntimeError) and not is_out_of_memory(error) and _says(error, _BROKEN)


def _says(error: BaseException, phrases: tuple[str, ...]) -> bool:
    text = str(error).lower()
    return any(phrase in text for phrase in phrases)
