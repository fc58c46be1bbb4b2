"""Reading the printed text in a picture with PP-OCRv4 (rapidocr). It reads; it does not see."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from keju.errors import MissingExtra
from keju.items import MediaKind, Medium
from keju.models.local.media import picture
from keju.models.perception.perceiver import Perception
from keju.models.worker import Worker, fair_threads

Read = Callable[[Any], tuple[list[list[Any]] | None, Any]]
"""BGR array (height, width, 3) of uint8 → [[box, text, score], …] from top to bottom or None, and timings."""


class Ocr:
    """PP-OCRv4, Chinese and English, with the weights that come inside its package. Its text is one line a box, from
    top to bottom, in the script in which it is printed."""

    name = "ppocr/v4"
    kind: MediaKind = "image"

    def __init__(self, *, threads: int | None = None) -> None:
        if find_spec("rapidocr_onnxruntime") is None:
            raise MissingExtra("embedded", "reading text in pictures (ppocr/v4)")
        self._threads = threads or fair_threads()
        self.settings: Mapping[str, Any] = {"rapidocr-onnxruntime": metadata.version("rapidocr-onnxruntime")}
        self._worker: Worker[Read] = Worker(self._load, "keju-ocr")

    def _load(self) -> Read:
        from rapidocr_onnxruntime import RapidOCR

        logging.getLogger("RapidOCR").setLevel(logging.ERROR)  # it warns of every picture without text
        reader: Read = RapidOCR(intra_op_num_threads=self._threads, inter_op_num_threads=1)
        return reader

    async def perceive(self, medium: Medium) -> Perception:
        done = await self._worker.do(lambda read: _lines(read, medium))
        warnings = () if done.result else ("no text was read in it",)
        return Perception("\n".join(done.result), done.seconds, waited=done.waited, warnings=warnings)

    async def close(self) -> None:
        await self._worker.close()


def _lines(read: Read, medium: Medium) -> list[str]:
    boxes, _ = read(_pixels(medium))
    return [text for _, text, _ in boxes or ()]


def _pixels(medium: Medium) -> Any:
    """The picture upright, on white where it is transparent, as BGR."""
    import numpy as np

    return np.asarray(picture(medium.read(), medium.name))[:, :, ::-1]
