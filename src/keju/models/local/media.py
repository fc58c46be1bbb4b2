"""From a medium's bytes to what an image processor or a feature extractor takes. Nothing is resized here."""

from __future__ import annotations

import io
import struct
from itertools import chain
from typing import Any

from keju.checks.pictures import eight_bits
from keju.errors import CallFailed, MissingExtra


def picture(data: bytes, name: str) -> Any:
    """The picture upright, in RGB, on white where it is transparent, as a `PIL.Image` of its own size.

    Raises `CallFailed` of kind `medium` where it cannot be decoded.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    broken = (OSError, ValueError, SyntaxError, EOFError, LookupError, struct.error, Image.DecompressionBombError)
    try:
        with Image.open(io.BytesIO(data)) as opened:
            upright = ImageOps.exif_transpose(opened)  # a copy, also where nothing is to be turned
            if upright.mode == "RGB":
                return upright
            layered = eight_bits(upright).convert("RGBA")
    except broken as error:
        reason = "no known picture format" if isinstance(error, UnidentifiedImageError) else error
        message = f"picture {name} cannot be decoded: {reason}"
        raise CallFailed(message, kind="medium", retryable=False) from error
    page = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(page, layered).convert("RGB")


def sound(data: bytes, name: str, rate: int) -> Any:
    """The clip's samples: mono, `rate` a second, float32 in [-1, 1], shape (n,).

    Raises `CallFailed` of kind `medium` where it cannot be decoded or holds no sound.
    """
    import numpy as np

    try:
        import av
    except ImportError as error:
        raise MissingExtra("local", "decoding audio") from error
    try:
        with av.open(io.BytesIO(data), "r") as container:
            resampler = av.AudioResampler(format="flt", layout="mono", rate=rate)
            frames = chain(container.decode(audio=0), [None])
            portions = [out.to_ndarray().reshape(-1) for frame in frames for out in resampler.resample(frame)]
    except (av.FFmpegError, ValueError, LookupError, EOFError) as error:
        message = f"recording {name} cannot be decoded: {getattr(error, 'strerror', None) or error}"
        raise CallFailed(message, kind="medium", retryable=False) from error
    if not portions:
        raise CallFailed(f"recording {name} holds no sound", kind="medium", retryable=False)
    return np.concatenate(portions).astype(np.float32, copy=False)
