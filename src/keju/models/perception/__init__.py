"""Perception: audio or pictures → text, for models that take only text and for authors who ask what can be read off.

`perceiver`  the seam (`Perceiver`, `Perception`) and the names a user may write
`whisper`    speech recognition with Whisper
`endpoint`   speech recognition at an OpenAI-compatible service
`given`      transcripts that were made before
`ocr`        reading printed text with PP-OCR
`cache`      what was perceived once is kept, for every model
`doubts`     what is odd about a transcript; `clips`: how long a clip plays, and whether it is silent
"""

from keju.models.perception.cache import Remembered
from keju.models.perception.clips import clip_seconds, is_silent
from keju.models.perception.given import Given
from keju.models.perception.ocr import Ocr
from keju.models.perception.opening import open_perceiver
from keju.models.perception.perceiver import Perceiver, Perception
from keju.models.perception.whisper import Whisper

__all__ = [
    "Given",
    "Ocr",
    "Perceiver",
    "Perception",
    "Remembered",
    "Whisper",
    "clip_seconds",
    "is_silent",
    "open_perceiver",
]
