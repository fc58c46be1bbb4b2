"""Perception: audio or pictures → text, for models that take only text and for authors who ask what can be read off.

`perceiver`  the seam (`Perceiver`, `Perception`) and the names a user may write
`whisper`    speech recognition with Whisper
`ocr`        reading printed text with PP-OCR
`cache`      what was perceived once is kept, for every model
"""

from keju.models.perception.cache import Remembered
from keju.models.perception.ocr import Ocr
from keju.models.perception.opening import open_perceiver
from keju.models.perception.perceiver import Perceiver, Perception
from keju.models.perception.whisper import Whisper

__all__ = ["Ocr", "Perceiver", "Perception", "Remembered", "Whisper", "open_perceiver"]
