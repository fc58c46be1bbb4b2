"""What waitress does with a request over the limit: it reads it and keeps nothing, so that Django can answer in words.

Left to itself it answers with a line of its own and closes the connection at once, and a browser that is still sending
then shows a broken connection instead of any answer.
"""

from __future__ import annotations

from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.utilities import RequestEntityTooLarge


class Parser(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """Counts the body of a request that is too large and stores nothing; its `Content-Length` stays in the header."""

    expect_continue: bool

    _unread: int | None = None
    """Bytes of a refused body that are still to come; None where nothing is refused."""

    def received(self, data: bytes) -> int:
        """Bytes of `data` that were taken, as waitress asks."""
        if self._unread is not None:
            taken = min(len(data), self._unread)
            self._unread -= taken
            self.completed = self._unread == 0
            return taken
        taken = int(super().received(data))
        if isinstance(self.error, RequestEntityTooLarge):
            self._refuse()
        return taken

    def _refuse(self) -> None:
        self.error = None
        self.close()  # what of it was stored
        self.body_rcv = None
        if self.chunked or self.expect_continue:  # no end is known, or the sender waits for a word before it sends
            self.headers.setdefault("CONTENT_LENGTH", str(self.adj.max_request_body_size + 1))
            self.expect_continue, self.connection_close, self._unread = False, True, 0
        else:
            self.completed, self._unread = False, self.content_length


class Channel(HTTPChannel):  # type: ignore[misc]
    parser_class = Parser


def watch(server: Any) -> None:
    """Let a server of waitress, on one address or on several, receive as above."""
    for one in (server, *(getattr(server, "map", None) or {}).values()):
        if hasattr(one, "channel_class"):
            one.channel_class = Channel
