"""Dealing items out to replicas: who holds what, what comes back when one is lost, and what nobody gets twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from keju.items import Item

TRIES = 3
"""Replicas that may be lost with an item in hand. Two may be chance, a node that went; the third was asked nothing
else."""


@dataclass
class Hand:
    """What one replica holds: items that it was given and that have not come back."""

    items: dict[str, Item] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)


@dataclass
class Deal:
    """All items of a session, each in one place: still to come, in a replica's hand, put back, or done.

    Items are drawn from `source` as they are dealt, so that no more of them exist than replicas hold.
    """

    source: Iterator[Item]
    left: int
    """Items that `source` still has."""
    again: deque[Item] = field(default_factory=deque)
    """Items that came back from one replica that was lost."""
    suspects: deque[Item] = field(default_factory=deque)
    """Items that came back twice: each is asked alone, so that what kills a replica takes nothing else with it."""
    held: int = 0
    """Items in all hands."""
    losses: dict[str, int] = field(default_factory=dict)
    """Item id → how many replicas were lost while they held it."""

    @property
    def waiting(self) -> int:
        """Items that nobody holds yet."""
        return self.left + len(self.again) + len(self.suspects)

    @property
    def over(self) -> bool:
        """Whether every item is done."""
        return not self.waiting and not self.held

    def give(self, hand: Hand, most: int) -> list[Item]:
        """Up to `most` further items for `hand`; a suspect only into an empty one, and then nothing else."""
        if any(self.losses.get(held, 0) >= TRIES - 1 for held in hand.items):
            return []
        given = list(self._next(most))
        if not given and self.suspects and not hand:
            given = [self.suspects.popleft()]
        hand.items.update((item.id, item) for item in given)
        self.held += len(given)
        return given

    def done(self, hand: Hand, item_id: str) -> Item | None:
        """The item is done, and leaves the hand. None where the hand does not hold it."""
        item = hand.items.pop(item_id, None)
        self.held -= item is not None
        return item

    def lost(self, hand: Hand) -> list[Item]:
        """A replica is lost: what it held goes back. Returns the items that are not to be tried again."""
        given_up: list[Item] = []
        for item in hand.items.values():
            self.losses[item.id] = losses = self.losses.get(item.id, 0) + 1
            place = self.again if losses < TRIES - 1 else self.suspects if losses < TRIES else given_up
            place.append(item)
        self.held -= len(hand)
        hand.items.clear()
        return given_up

    def _next(self, most: int) -> Iterable[Item]:
        for _ in range(most):
            if self.again:
                yield self.again.popleft()
            elif (item := next(self.source, None)) is not None:
                self.left -= 1
                yield item
            else:
                self.left = 0
                return
