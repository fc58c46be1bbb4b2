"""From the names that a user may write after `--transcriber` and `--reader` to perceivers."""

from __future__ import annotations

import re

from keju.errors import Misuse
from keju.models.perception.ocr import Ocr
from keju.models.perception.perceiver import Perceiver
from keju.models.perception.whisper import Whisper

KNOWN = (
    "whisper/base, whisper/FOLDER, whisper/SIZE or whisper/ORGANISATION/NAME of the model hub, "
    "each with :LANGUAGE after it where one language is spoken throughout (whisper/base:zh), and ppocr/v4"
)


def open_perceiver(name: str) -> Perceiver:
    """The perceiver called `name`: `whisper/base` (embedded), `whisper//path/to/weights`, `whisper/large-v3` (from the
    model hub), `ppocr/v4`. `whisper/base:zh` hears Mandarin without detecting the language first.

    Raises `Misuse` for other names, `MissingExtra` where its packages are not installed.
    """
    provider, _, model = name.partition("/")
    if provider == "whisper" and model:
        spoken = re.fullmatch("(.+):([a-z]{2,3})", model)
        return Whisper(spoken[1], language=spoken[2]) if spoken else Whisper(model)
    if name == Ocr.name:
        return Ocr()
    raise Misuse(f"nothing is called {name!r} that turns media into text: there are {KNOWN}")
