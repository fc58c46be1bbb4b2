"""What a clip is, measured in one decode."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Literal

from keju.checks import mp3
from keju.checks.pictures import NO_REASON, said
from keju.media_types import mime_of
from keju.phrase import Phrase

BYTES = 2**28
"""Largest file that is read, 256 MiB: five hours at 128 kbit/s."""
Trouble = Literal["empty", "too-large", "unknown", "no-sound", "cut", "damaged", "broke-down"]
"""No bytes · a file over `BYTES` · no known format or no audio in it · not one sample · its end is missing · its bytes
are wrong · the decoder took too long or died of it."""
_FULL = 0.9995  # of full scale: 32,752 of 32,768, reached by samples that were cut off there
_CUT_SECONDS, _CUT_SHARE = 0.2, 0.02
"""What a file may lack of the length that it states: encoders add up to 0.1 s at either end, and some leave it in."""
_FORMATS = ("mp3", "wav", "flac", "ogg", "mov", "aac")
"""FFmpeg's readers that are let near a file: those of the formats that keju knows as audio."""


@dataclass(frozen=True, slots=True)
class Clip:
    bytes: int
    sha256: str
    """Hex digest of the file."""
    mime: str | None
    """MIME type by content, None if unknown."""
    trouble: Trouble | None = None
    """Why the sound was not measured, or that not all of it is there; what is not known stands at its default."""
    reason: Phrase = NO_REASON
    """The trouble in words; those of a library stay English."""
    codec: str = ""
    """FFmpeg's name of the coding: `mp3float`, `pcm_s16le`, `gsm_ms`, …"""
    seconds: float = 0.0
    """Length of what was decoded, in seconds."""
    stated: float | None = None
    """Seconds that the file's header states, None where it does not."""
    kbits: float = 0.0
    """Mean bit rate of the sound, tags left out, in kbit/s."""
    varies: bool = False
    """Whether the frames of an MP3 differ in bit rate."""
    rate: int = 0
    """Samples a second."""
    channels: int = 0
    peak: float = 0.0
    """Largest absolute sample, 1.0 is full scale."""
    clipped: float = 0.0
    """Share of samples at full scale."""
    sound: str = ""
    """Digest of the decoded samples: the same for one sound under different tags."""

    @property
    def peak_db(self) -> float:
        """The peak in decibels below full scale; minus infinity for digital silence."""
        return 20 * math.log10(self.peak) if self.peak > 0 else -math.inf


def read_clip(data: bytes) -> Clip:
    """Measure a clip; never raises for what its bytes are."""
    known = Clip(len(data), hashlib.sha256(data).hexdigest(), mime_of(data[:16]))
    if not data:
        return replace(known, trouble="empty", reason=Phrase("the file is empty", "文件为空"))
    if known.mime and not known.mime.startswith("audio/"):
        return replace(known, trouble="unknown", reason=Phrase(f"it is {known.mime}", f"文件是 {known.mime}"))
    frames = mp3.frames(data) if known.mime == "audio/mpeg" else None
    if frames and (promised := frames.promised_seconds) and _is_cut(frames.seconds, promised):
        known = replace(known, seconds=frames.seconds, stated=promised, rate=frames.rate)
        return replace(known, trouble="cut", reason=_cut(frames.seconds, promised))
    return _decoded(known, data, frames)


def _decoded(known: Clip, data: bytes, frames: mp3.Frames | None) -> Clip:
    import av

    av.logging.set_level(None)
    try:
        with av.open(BytesIO(data), "r") as container:
            if not set(container.format.name.split(",")) & set(_FORMATS) or not container.streams.audio:
                return replace(
                    known, trouble="unknown", reason=Phrase("no known audio in it", "其中没有已知格式的音频")
                )
            return _measured(known, container, data, frames)
    except (av.FFmpegError, ValueError, LookupError, EOFError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return replace(known, trouble="damaged" if known.mime else "unknown", reason=said(reason))


def _measured(known: Clip, container: Any, data: bytes, frames: mp3.Frames | None) -> Clip:
    stream = container.streams.audio[0]
    stated = float(stream.duration * stream.time_base) if stream.duration and stream.time_base else None
    if known.mime == "audio/mpeg":  # FFmpeg guesses it from the first frame's bit rate where no header says
        stated = frames.promised_seconds if frames else None
    elif known.mime == "audio/wav":  # FFmpeg believes the file's size
        stated = _wave_seconds(data)
    heard, packed = _Heard(), 0
    for packet in container.demux(stream):
        packed += packet.size
        for frame in packet.decode():
            heard.take(frame)
    known = replace(known, codec=stream.codec_context.name, stated=stated, rate=stream.rate, channels=stream.channels)
    if not heard.samples:
        return replace(known, trouble="no-sound", reason=Phrase("not one sample in it", "没有任何采样"))
    seconds = heard.samples / stream.rate
    kbits, varies = packed * 8 / seconds / 1000, False
    if frames and frames.count:
        kbits = sum(rate * count for rate, count in frames.kbits.items()) / frames.count
        varies = len(frames.kbits) > 1
    whole = replace(
        known,
        seconds=seconds,
        kbits=kbits,
        varies=varies,
        peak=heard.peak,
        clipped=heard.full / (heard.samples * max(1, stream.channels)),
        sound=heard.digest.hexdigest(),
    )
    if stated and _is_cut(seconds, stated):
        return replace(whole, trouble="cut", reason=_cut(seconds, stated))
    return whole


def _wave_seconds(data: bytes) -> float | None:
    """Seconds by the sizes in a WAV's header; None where it was written before its length was known."""
    at, a_second = 12, 0
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if kind == b"fmt " and size >= 16:
            a_second = int.from_bytes(data[at + 16 : at + 20], "little")
        if kind == b"data":
            return size / a_second if a_second and size < 2**31 else None
        at += 8 + size + size % 2
    return None


def _is_cut(there: float, stated: float) -> bool:
    return stated - there > max(_CUT_SECONDS, _CUT_SHARE * stated)


def _cut(there: float, stated: float) -> Phrase:
    return Phrase(
        f"it holds {there:.1f} s of the {stated:.1f} s that its header states",
        f"文件头标称 {stated:.1f} 秒，实际只有 {there:.1f} 秒",
    )


class _Heard:
    """Samples as they come, of any form, never more than a frame in memory."""

    def __init__(self) -> None:
        self.samples = self.full = 0
        self.peak = 0.0
        self.digest = hashlib.sha256()

    def take(self, frame: Any) -> None:
        import numpy as np

        values = frame.to_ndarray()
        self.samples += frame.samples
        self.digest.update(values.tobytes())
        if values.dtype == np.uint8:
            scaled = np.abs(values.astype(np.float32) - 128) / 128
        elif values.dtype.kind == "i":
            scaled = np.abs(values.astype(np.float64)) / -float(np.iinfo(values.dtype).min)
        else:
            scaled = np.abs(np.nan_to_num(values))
        if scaled.size:
            self.peak = max(self.peak, float(scaled.max()))
            self.full += int(np.count_nonzero(scaled >= _FULL))
