"""A small hub on loopback: one data set repository with the endpoints that a snapshot needs."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c" * 40


class Hub:
    """Serves `files` as the data set `exams/opera`; `asked` lists the paths requested."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.gated = False

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if self.gated:
            return 403, {"X-Error-Code": "GatedRepo"}, b"{}"
        if "/exams/opera" not in path:
            return 401, {"X-Error-Code": "RepoNotFound"}, b"{}"
        if "/resolve/" in path:
            name = path.rsplit(f"/resolve/{COMMIT}/", maxsplit=1)[-1]
            data = self.files.get(name)
            if data is None:
                return 404, {"X-Error-Code": "EntryNotFound"}, b"{}"
            return 200, {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": COMMIT}, data
        if not path.partition("?")[0].endswith(
            ("/exams/opera", "/revision/main", "/revision/v1", f"/revision/{COMMIT}")
        ) and ("/tree/" not in path):
            return 404, {"X-Error-Code": "RevisionNotFound"}, b"{}"
        if "/tree/" in path:
            tree = [{"type": "file", "path": n, "size": len(d), "oid": "0" * 40} for n, d in self.files.items()]
            return 200, {}, json.dumps(tree).encode()
        siblings = [{"rfilename": name} for name in self.files]
        info = {"id": "exams/opera", "sha": COMMIT, "siblings": siblings, "private": False, "gated": False, "tags": []}
        return 200, {}, json.dumps(info | {"disabled": False, "downloads": 0, "likes": 0}).encode()


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    """The address of a server that runs while the block does."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            hub.asked.append(self.path)
            status, headers, body = hub.answer(self.path)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

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
