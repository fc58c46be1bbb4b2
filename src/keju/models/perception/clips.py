"""How long a clip plays."""

from __future__ import annotations

import io
from importlib.util import find_spec

from keju.errors import CallFailed
from keju.items import Medium


def clip_seconds(medium: Medium) -> float | None:
    """Seconds that the clip plays, counted packet by packet: an MP3 of varying rate need not say its length.

    None where it cannot be told: the clip is not there or is no audio, or the extra `embedded`, which brings the
    reader of audio files, is not installed.
    """
    if find_spec("av") is None:
        return None
    import av

    try:
        with av.open(io.BytesIO(medium.read()), "r") as container:
            if not container.streams.audio:
                return None
            packets = container.demux(container.streams.audio[0])
            return float(sum(packet.duration * packet.time_base for packet in packets if packet.duration))
    except (CallFailed, av.FFmpegError, ValueError, LookupError):
        return None
