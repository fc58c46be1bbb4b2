"""A small hub on loopback: one data set repository with the endpoints that a snapshot needs."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

COMMIT = "c" * 40


class Hub:
    """Serves `files` as the data set `exams/opera`; `asked` lists the paths requested."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.gated = False

    def answer(self, path: str, asked: Mapping[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if self.gated:
            return 403, {"X-Error-Code": "GatedRepo"}, b"{}"
        if "/exams/opera" not in path:
            return 401, {"X-Error-Code": "RepoNotFound"}, b"{}"
        if "/resolve/" in path:
            data = self.files.get(path.partition("/resolve/")[2].partition("/")[2])
            if data is None:
                return 404, {"X-Error-Code": "EntryNotFound"}, b"{}"
            return 200, {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": COMMIT}, data
        if not path.partition("?")[0].endswith(
            ("/exams/opera", "/revision/main", "/revision/v1", f"/revision/{COMMIT}")
        ) and not re.search("/(tree|paths-info)/", path):
            return 404, {"X-Error-Code": "RevisionNotFound"}, b"{}"
        if "/tree/" in path or "/paths-info/" in path:
            tree = [_entry(n, d) for n, d in self.files.items() if "/tree/" in path or n in asked.get("paths", ())]
            return 200, {}, json.dumps(tree).encode()
        siblings = [{"rfilename": name} for name in self.files]
        info = {"id": "exams/opera", "sha": COMMIT, "siblings": siblings, "private": False, "gated": False, "tags": []}
        return 200, {}, json.dumps(info | {"disabled": False, "downloads": 0, "likes": 0}).encode()


def _entry(name: str, data: bytes) -> dict[str, Any]:
    return {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    """The address of a server that runs while the block does."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            hub.asked.append(self.path)
            asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, headers, body = hub.answer(self.path, parse_qs(asked.decode()))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Tests read `asked` instead."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
