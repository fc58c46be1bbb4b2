"""From the names that a user may write after `--transcriber` and `--reader` to perceivers."""

from __future__ import annotations

import re
from pathlib import Path

from keju.errors import BadFile, Misuse
from keju.models.access import access
from keju.models.catalogue import Provider, providers
from keju.models.options import Options, read_model_file
from keju.models.perception.given import Given
from keju.models.perception.ocr import Ocr
from keju.models.perception.perceiver import Perceiver
from keju.models.perception.whisper import Whisper

KNOWN = (
    "whisper/base, whisper/FOLDER, whisper/SIZE or whisper/ORGANISATION/NAME of the model hub, PROVIDER/MODEL of a "
    "speech service (openai/whisper-1), each with :LANGUAGE after it where one language is spoken throughout "
    "(whisper/base:zh); a model file in TOML; transcripts.jsonl, made before; and ppocr/v4"
)

_MANNER = re.compile(r"(?P<model>.+):(?P<manner>(?:[a-z]{2,3}|batch=[1-9]\d{0,3})(?:,(?:vad|batch=[1-9]\d{0,3}))*)")
"""A name, and after the colon how to listen: `zh`, `vad`, `batch=8`, with commas between."""


def open_perceiver(name: str) -> Perceiver:
    """The perceiver called `name`.

    `whisper/base` (embedded), `whisper//path/to/weights`, `whisper/large-v3` (from the model hub): `whisper/base:zh`
    hears Mandarin without detecting the language first, `:vad` leaves out what holds no voice, `:batch=8` transcribes
    8 stretches of a long clip at once. `openai/whisper-1:zh`: a speech service. `my-server.toml`: one at an address of
    its own. `transcripts.jsonl`: what was transcribed before. `ppocr/v4`: printed text.

    Raises `Misuse` for other names, `MissingExtra` where its packages are not installed, `BadFile` for a bad file.
    """
    if name.endswith(".jsonl"):
        return Given(Path(name))
    if name.endswith(".toml"):
        spec, options = read_model_file(Path(name))
        return _service(spec, options, f"model file {name}")
    if name == Ocr.name:
        return Ocr()
    provider, _, model = name.partition("/")
    if provider == "whisper" and model:
        return _whisper(model)
    if model and any(known.name == provider for known in providers()):
        return _service(name, Options(), name)
    raise Misuse(f"nothing is called {name!r} that turns media into text: there are {KNOWN}")


def _whisper(model: str) -> Whisper:
    found = _MANNER.fullmatch(model)
    if not found:
        return Whisper(model)
    manner = found["manner"].split(",")
    language = next((word for word in manner if word != "vad" and "=" not in word), None)
    batch = next((int(word.removeprefix("batch=")) for word in manner if "=" in word), None)
    return Whisper(found["model"], language=language, vad="vad" in manner, batch=batch)


def _service(name: str, options: Options, place: str) -> Perceiver:
    from keju.models.perception.endpoint import EndpointTranscriber

    spoken = re.fullmatch("(.+):([a-z]{2,3})", name)
    full, language = (spoken[1], spoken[2]) if spoken else (name, None)
    _refuse_meaningless(options, place)
    remedy = f""". Write a model file: model = {full!r}, base_url = "http://host:port/v1", and name it: """
    reached = access(_provider(full, place), full, options, remedy=f"{remedy}--transcriber FILE.toml")
    return EndpointTranscriber(full, model=full.partition("/")[2], language=language, **reached)


def _provider(full: str, place: str) -> Provider:
    name, _, model = full.partition("/")
    for provider in providers():
        if provider.name == name and model:
            return provider
    served = ", ".join(provider.name for provider in providers())
    raise BadFile(f"{place}: {full!r} is no speech service; write PROVIDER/MODEL with one of {served}")


def _refuse_meaningless(options: Options, place: str) -> None:
    means = {"base_url", "key_env", "key_file", "timeout", "extra", "concurrency"}
    given = {name for name in Options.__slots__ if getattr(options, name) is not None}
    if strange := sorted(given - means):
        raise BadFile(
            f"{place}: {', '.join(strange)} means nothing to a transcriber; it knows {', '.join(sorted(means))}"
        )
