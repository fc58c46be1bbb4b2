"""Files sent whole or in part: a clip can be played from the middle only where the server answers ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_PORTION = 2**16


def ranged(request: HttpRequest, file: Path, content_type: str) -> HttpResponseBase:
    """The file, or the one range of it that is asked for (RFC 9110 §14); several ranges get the whole."""
    size = file.stat().st_size
    told = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    if told is None or told.groups() == ("", ""):
        whole = FileResponse(file.open("rb"), content_type=content_type)
        whole["Accept-Ranges"] = "bytes"
        return whole
    first, last = told.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if start > end:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    part = StreamingHttpResponse(_part(file, start, end - start + 1), status=206, content_type=content_type)
    part["Content-Range"], part["Content-Length"] = f"bytes {start}-{end}/{size}", str(end - start + 1)
    part["Accept-Ranges"] = "bytes"
    return part


def _part(file: Path, start: int, length: int) -> Iterator[bytes]:
    with file.open("rb") as opened:
        opened.seek(start)
        while length > 0 and (portion := opened.read(min(_PORTION, length))):
            length -= len(portion)
            yield portion
