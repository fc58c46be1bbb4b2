"""The connection.

Who waits for SQLite's write lock looks for it ten times a second, and gets it only where nobody else does so first: of
people who save without pause the unluckiest waits ten times as long as the others. Here threads queue for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from keju.studio.sqlite.turns import Turns

_OF_FILE: dict[str, Turns] = defaultdict(Turns)
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that holds the file's turn while it writes. Raises `OperationalError` where it waits too long."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turns: Turns | None = None
        self.execute_wrappers.append(self._written)

    def _start_transaction_under_autocommit(self) -> None:
        self._take()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc] # not in Django's stubs
        except BaseException:
            self._give()
            raise

    def _commit(self) -> None:
        with self._last():
            super()._commit()  # type: ignore[misc] # not in Django's stubs

    def _rollback(self) -> None:
        with self._last():
            super()._rollback()  # type: ignore[misc] # not in Django's stubs

    def _close(self) -> None:
        with self._last():
            super()._close()  # type: ignore[misc] # not in Django's stubs

    def _written(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """A statement; one that writes outside of a transaction takes a turn of its own."""
        if self._turns or not sql.startswith(_WRITES):
            return execute(sql, params, many, context)
        self._take()
        with self._last():
            return execute(sql, params, many, context)

    def _take(self) -> None:
        turns = _OF_FILE[str(self.settings_dict["NAME"])]
        if not turns.take(self.settings_dict["OPTIONS"]["timeout"]):
            raise OperationalError("database is locked")
        self._turns = turns

    @contextmanager
    def _last(self) -> Iterator[None]:
        """What ends the turn, if this connection has it."""
        try:
            yield
        finally:
            self._give()

    def _give(self) -> None:
        if self._turns:
            self._turns.give()
            self._turns = None
