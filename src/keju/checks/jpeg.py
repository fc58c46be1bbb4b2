"""JPEG: rows that a decoder made up because the data ended early, behind an end mark that looks right."""

from __future__ import annotations

from typing import Any

from keju.phrase import Phrase

_FILL = 128  # what libjpeg paints where blocks are missing
_ROWS = 8  # least height of a row of blocks


def missing_rows(data: bytes, rows: Any) -> Phrase | None:
    """The reason, or None where all rows are there. `rows`: luma, shape (height, width).

    A picture that ends in plain middle grey is given to FFmpeg, which says when data is missing; libjpeg only fills.
    Of a progressive JPEG with scans missing nothing is seen here: all of its rows are there, only coarser.
    """
    last = rows[-_ROWS:]
    if last.min() != _FILL or last.max() != _FILL:
        return None
    import av

    decoder = av.CodecContext.create("mjpeg", "r")
    decoder.options = {"err_detect": "explode"}
    try:
        decoder.decode(av.Packet(data))
    except av.InvalidDataError:
        return Phrase("its data ends early; the rows below are plain grey", "数据提前结束，下方各行只是灰色填充")
    except av.FFmpegError:
        return None
    return None
