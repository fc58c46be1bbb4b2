"""How an endpoint wants a picture or a clip written into a chat message: the envelope differs, the prompt's text never.

A dialect is two small functions, one for a picture and one for a clip. Each takes the MIME type and returns the JSON
part with `HOLE` where the base64 goes; the bytes are spliced in at the moment of sending.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from keju.errors import CallFailed, Misuse, RunStopped
from keju.items import Medium

HOLE = "\x1f"
"""Stands for the base64 in a part. JSON writes it escaped, and no part holds text from an item."""

PartMaker = Callable[[str], Mapping[str, Any] | str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One endpoint's way of writing media."""

    name: str
    image: PartMaker
    audio: PartMaker | None
    """None where the endpoint takes no audio at all."""
    audio_types: tuple[str, ...] = ("audio/wav", "audio/mpeg")
    """MIME types of clips that the endpoint takes; a clip is sent as it is or not at all."""

    def part(self, medium: Medium, mime: str | None) -> Mapping[str, Any] | str:
        """The part for `medium`, whose bytes are of type `mime` (None: unknown).

        Raises `RunStopped` where the endpoint takes no audio, `CallFailed` (kind `medium`) for an unfit medium.
        """
        if medium.kind == "audio":
            return self._audio_part(medium, mime)
        if mime is None or not mime.startswith("image/"):
            raise _unfit(medium, f"{mime or 'of no known kind'}, not a picture; replace the file")
        return self.image(mime)

    def _audio_part(self, medium: Medium, mime: str | None) -> Mapping[str, Any] | str:
        if self.audio is None:
            raise RunStopped(no_audio(self.name))
        if mime not in self.audio_types:
            takes = ", ".join(FORMAT[one] for one in self.audio_types)
            what = mime or "of no known kind"
            raise _unfit(
                medium, f"{what}, and the dialect {self.name!r} takes {takes}; convert the clip or use --transcriber"
            )
        return self.audio(mime)


def no_audio(dialect: str) -> str:
    """What to tell a user who would send clips where none are taken."""
    return (
        f"the dialect {dialect!r} cannot carry audio, and a server that drops a clip answers without having heard it. "
        "Put a transcriber before the model (--transcriber whisper/base), or choose an endpoint that takes audio"
    )


def _unfit(medium: Medium, why: str) -> CallFailed:
    return CallFailed(f"medium {medium.name} is {why}", kind="medium", retryable=False)


FORMAT = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
    "audio/mp4": "m4a",
}
"""MIME type → the name that `input_audio.format` uses."""


def _image_url(mime: str) -> Mapping[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{HOLE}"}}


def _input_audio(mime: str) -> Mapping[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": HOLE, "format": FORMAT[mime]}}


def _input_audio_uri(mime: str) -> Mapping[str, Any]:
    # DashScope refuses bare base64 and wants the MIME type left out.
    return {"type": "input_audio", "input_audio": {"data": f"data:;base64,{HOLE}", "format": FORMAT[mime]}}


def _audio_url(mime: str) -> Mapping[str, Any]:
    return {"type": "audio_url", "audio_url": {"url": f"data:{mime};base64,{HOLE}"}}


def _bare(_mime: str) -> str:
    return HOLE  # Ollama's own interface carries every medium bare, in a list beside the text


_ANY_AUDIO = tuple(FORMAT)

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("openai", _image_url, _input_audio),
        Dialect("dashscope", _image_url, _input_audio_uri, _ANY_AUDIO),
        Dialect("vllm", _image_url, _input_audio, _ANY_AUDIO),
        Dialect("sglang", _image_url, _audio_url, _ANY_AUDIO),
        Dialect("gemini", _image_url, _input_audio),
        Dialect("openrouter", _image_url, _input_audio, _ANY_AUDIO),
        Dialect("lmdeploy", _image_url, None),
        Dialect("ollama", _image_url, None),
        Dialect("ollama-native", _bare, _bare, ("audio/wav",)),
    )
}
"""Name → dialect, as `providers.toml` and model files name them."""


def dialect_named(name: str) -> Dialect:
    """The dialect. Raises `Misuse` where there is none of that name."""
    if name not in DIALECTS:
        raise Misuse(f"no dialect {name!r}; there are {', '.join(DIALECTS)}")
    return DIALECTS[name]
