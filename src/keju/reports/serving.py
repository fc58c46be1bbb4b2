"""A live page over HTTP, for browsers on this computer: the page, its state, the media of its items, nothing else."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from socketserver import ThreadingTCPServer
from typing import Any, cast

from keju.errors import CallFailed, Misuse
from keju.items import NOTHING, Medium
from keju.reports.live import Gallery, Live

IDLE = 60
"""Seconds after which a connection that asks nothing is closed."""
GUARDS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Go with every answer: no other page may embed this one or what it shows, or learn its address."""
PLAYED = {"Accept-Ranges": "bytes", "Content-Security-Policy": "default-src 'none'; sandbox"}
"""Go with a medium: players skip in it, and opened by itself it runs nothing, whatever it is."""
TEXT = "text/plain; charset=utf-8"


class Server(ThreadingTCPServer):
    """Listens from the moment it is made; `serve_forever` answers. Raises `Misuse` where it cannot listen."""

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # on Windows two servers would share the port

    def __init__(self, host: str, port: int, live: Live, gallery: Gallery) -> None:
        self.host, self.live, self.gallery = host, live, gallery
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except OverflowError as error:
            raise Misuse(f"there is no port {port}: --port takes 1 to 65535, or 0 for any free one") from error
        except (OSError, UnicodeError) as error:  # the port is taken; no computer has the name
            reason = getattr(error, "strerror", None) or error
            raise Misuse(f"{host}, port {port}: {reason}. Choose another with --port, or 0 for any free one") from error

    @property
    def url(self) -> str:
        """Address of the page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.server_address[1]}/"

    @property
    def local(self) -> bool:
        """Whether only this computer reaches it."""
        return ip_address(str(self.server_address[0])).is_loopback

    def knows(self, host: str) -> bool:
        """Whether a browser that asked for `host` meant this server. A foreign name that leads here is a trap: its page
        would read the answers as its own. An address leads nowhere else."""
        name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
        name = name.removeprefix("[").removesuffix("]").lower()
        return name in ("localhost", self.host.lower()) or _is_address(name)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who left is nothing to speak of."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "keju"
    sys_version = ""
    timeout = IDLE

    def do_GET(self) -> None:
        server = cast(Server, self.server)
        path = self.path.partition("?")[0]
        if not server.knows(self.headers.get("Host", "")):
            self._send(HTTPStatus.MISDIRECTED_REQUEST, b"This is another server than the one you asked for.\n")
        elif path == "/":
            self._send(
                HTTPStatus.OK, server.live.page().encode("utf-8", "backslashreplace"), "text/html; charset=utf-8"
            )
        elif path == "/state":
            state = json.dumps(server.live.state(), ensure_ascii=False).encode("utf-8", "backslashreplace")
            self._send(HTTPStatus.OK, state, "application/json")
        elif path == "/favicon.ico":
            self._send(HTTPStatus.NO_CONTENT)
        elif medium := server.gallery.get(path.removeprefix("/media/")):
            self._send_medium(medium)
        else:
            self._send(HTTPStatus.NOT_FOUND, b"There is nothing here.\n")

    do_HEAD = do_GET  # noqa: N815 (the standard library calls it so)

    def _send_medium(self, medium: Medium) -> None:
        """The original bytes, or the part that a player asks for."""
        try:
            content, kind = medium.read(), medium.mime
        except CallFailed:
            self._send(HTTPStatus.NOT_FOUND, b"The file cannot be read any more.\n")
            return
        first, last = _part(self.headers.get("Range"), len(content))
        if last - first + 1 == len(content):
            self._send(HTTPStatus.OK, content, kind, PLAYED)
        elif first > last:
            where = {"Content-Range": f"bytes */{len(content)}"}
            self._send(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, b"", kind, PLAYED | where)
        else:
            where = {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
            self._send(HTTPStatus.PARTIAL_CONTENT, content[first : last + 1], kind, PLAYED | where)

    def _send(
        self, status: HTTPStatus, content: bytes = b"", kind: str = TEXT, more: Mapping[str, str] = NOTHING
    ) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), "Cache-Control": "no-store"}
        for name, value in (headers | GUARDS | dict(more)).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal is for the run."""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _part(wanted: str | None, size: int) -> tuple[int, int]:
    """First and last byte of the one range asked for; all of them where none is, or several."""
    match = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", wanted or "", re.ASCII)
    if match is None or match.groups() == ("", ""):
        return 0, size - 1
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last) if last else size, size - 1)
