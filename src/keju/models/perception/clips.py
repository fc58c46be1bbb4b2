"""How long a clip plays, and whether anything is heard in it."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any

from keju.errors import CallFailed
from keju.items import Medium
from keju.models.local.media import sound

SILENCE = 1e-3  # -60 dB below full scale: lower than the noise of a quiet room in any recording with speech in it
RATE = 16_000  # samples a second; more say nothing about silence


def clip_seconds(medium: Medium) -> float | None:
    """Seconds that the clip plays, counted packet by packet: an MP3 of varying rate need not say its length.

    None where it cannot be told: the clip is not there or is no audio, or the extra `audio`, which brings the
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


def is_silent(medium: Medium) -> bool | None:
    """Whether nothing is heard in the clip; None where it cannot be told, as in `clip_seconds`."""
    if find_spec("av") is None:
        return None
    try:
        return not audible(sound(medium.read(), medium.name, RATE), RATE)
    except CallFailed:
        return None


def audible(samples: Any, rate: int) -> bool:
    """Whether the loudest tenth of a second is above silence: shorter than a syllable, so that one word in a long
    silence is found. `samples`: float32 in [-1, 1], shape (n,), `rate` of them a second."""
    import numpy as np

    length = rate // 10
    whole = samples[: len(samples) // length * length].reshape(-1, length)
    frames = [*whole, samples[len(whole) * length :]]
    return any(np.sqrt(np.mean(np.square(frame))) > SILENCE for frame in frames if len(frame))
