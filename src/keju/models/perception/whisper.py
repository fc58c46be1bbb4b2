"""Speech → text with Whisper (faster-whisper), clips of any length.

The text is in the script that Whisper chose; the cascade puts it into the script of the wording that is asked.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keju.errors import BadFile, CallFailed, MissingExtra, Misuse, RunStopped
from keju.items import MediaKind, Medium
from keju.models.perception.clips import audible
from keju.models.perception.doubts import LOOP, REPEATS, text_doubts
from keju.models.perception.perceiver import Perception
from keju.models.weights import assembled, sha256_of, weights
from keju.models.worker import Worker, fair_threads

COMPUTE = "int8"  # number format of the weights: a quarter of float32's memory, and what processors are quick at
RATE = 16_000  # samples a second, what Whisper is trained on
PUNCTUATED = {"zh": "以下是普通话的句子。"}  # shows Whisper the style: without it Chinese comes unpunctuated

DOUBT_LANGUAGE = 0.5
DOUBT_SPEECH = 0.6  # probability that a stretch holds no speech (threshold of Whisper's own decoder)


class Whisper:
    """Whisper of one size.

    `model` is `base` (weights from packages), a folder with CTranslate2 weights, or a size or name on the model hub,
    which is downloaded once, since it was asked for. `language` is what is spoken, as Whisper writes it (`zh`, `en`);
    where it is None it is detected clip by clip, which nearly doubles the time. `vad` leaves out stretches in which a
    voice detector hears none. `batch` is how many stretches of a long clip are transcribed at once; the voice detector
    cuts them, so it goes with `vad`.
    Raises `MissingExtra`, `BadFile` or `Misuse` where that model cannot be had.
    """

    kind: MediaKind = "audio"

    def __init__(
        self,
        model: str = "base",
        *,
        language: str | None = None,
        vad: bool = False,
        batch: int | None = None,
        threads: int | None = None,
    ) -> None:
        vad = vad or batch is not None
        manner = [language, "vad" if vad and not batch else None, f"batch={batch}" if batch else None]
        spoken = ",".join(word for word in manner if word)
        self.name = f"whisper/{model}" + (f":{spoken}" if spoken else "")
        if find_spec("faster_whisper") is None:
            raise MissingExtra("audio", f"speech recognition ({self.name})")
        self._model, self._language, self._vad, self._batch = model, language, vad, batch
        self._threads = threads or fair_threads()
        self.settings: Mapping[str, Any] = {
            "faster-whisper": metadata.version("faster-whisper"),
            "language": language or "detected",
            "vad": vad,
            "device": "cpu",
            "compute": COMPUTE,
            **({"batch": batch} if batch else {}),
            **_identity(model),
        }
        self._worker: Worker[Any] = Worker(self._load, "keju-whisper")

    def _load(self) -> Any:
        from faster_whisper import WhisperModel

        local = _folder(self._model)
        try:
            model = WhisperModel(
                str(local or self._model),
                device="cpu",
                compute_type=COMPUTE,
                cpu_threads=self._threads,
                local_files_only=local is not None,
            )
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).rstrip(".")
            raise RunStopped(
                f"{self.name} cannot be loaded: {reason}. Without a way to the model hub, name a folder that holds "
                "the weights (whisper//path/to/folder), or use whisper/base"
            ) from error
        if self._language not in (None, *model.supported_languages):
            known = ", ".join(sorted(model.supported_languages))
            raise Misuse(f"{self.name} hears no language {self._language!r}; it knows {known}")
        return model

    async def perceive(self, medium: Medium) -> Perception:
        done = await self._worker.do(lambda model: self._transcribe(model, medium))
        text, warnings = done.result
        return Perception(text, done.seconds, waited=done.waited, warnings=warnings)

    def _transcribe(self, model: Any, medium: Medium) -> tuple[str, tuple[str, ...]]:
        samples = _samples(medium)
        if not audible(samples, RATE):  # in silence Whisper writes what was never said
            return "", ("it is silent, so nothing was transcribed",)
        language, certainty = self._spoken(model, samples)
        transcribe, batched = self._manner(model)
        heard, _ = transcribe(
            samples,
            language=language,
            beam_size=5,
            temperature=0.0,
            condition_on_previous_text=False,
            initial_prompt=PUNCTUATED.get(language),
            vad_filter=self._vad,
            **batched,
        )
        segments = list(heard)
        text = "".join(segment.text for segment in segments).strip()
        return text, (*_doubts(segments, language, certainty), *_odd(text, segments, len(samples) / RATE))

    def _manner(self, model: Any) -> tuple[Callable[..., Any], Mapping[str, Any]]:
        """What transcribes, and its further options."""
        if self._batch is None:
            return model.transcribe, {}
        from faster_whisper import BatchedInferencePipeline

        return BatchedInferencePipeline(model).transcribe, {"batch_size": self._batch}

    def _spoken(self, model: Any, samples: Any) -> tuple[str, float]:
        """Language of the clip, and the probability that it is this one."""
        if self._language:
            return self._language, 1.0
        if model.supported_languages == ["en"]:
            return "en", 1.0  # a model of English only cannot tell
        language, certainty, _ = model.detect_language(samples)
        return language, certainty

    async def close(self) -> None:
        await self._worker.close()


def _identity(model: str) -> Mapping[str, Any]:
    """What names the weights of `model`."""
    if model == "base":
        return {"weights": weights("whisper-base").digest}
    if folder := _folder(model):
        return {"weights": sha256_of(folder / "model.bin")[:16]}
    from faster_whisper import available_models

    if model not in available_models() and model.count("/") != 1:
        raise Misuse(f"there is no Whisper {model!r}: there are base, a folder, {', '.join(available_models())}")
    return {"hub": model}


def _folder(model: str) -> Path | None:
    """Folder with the weights of `model`, or None where the model hub has them."""
    if model == "base":
        return assembled(weights("whisper-base"))
    folder = Path(model).expanduser()
    if not (folder.is_absolute() or model.startswith(".")):
        return None
    if not (folder / "model.bin").is_file():
        raise BadFile(
            f"{folder} holds no Whisper weights: it needs model.bin, config.json, tokenizer.json, vocabulary.*"
        )
    return folder


def _samples(medium: Medium) -> Any:
    """Mono samples at `RATE`, float32 in [-1, 1], shape (n,)."""
    from av import FFmpegError
    from faster_whisper import decode_audio

    data = medium.read()
    try:
        return decode_audio(io.BytesIO(data), sampling_rate=RATE)
    except (FFmpegError, ValueError, LookupError) as error:
        message = f"recording {medium.name} cannot be decoded: {getattr(error, 'strerror', None) or error}"
        raise CallFailed(message, kind="medium", retryable=False) from error


def _doubts(segments: Sequence[Any], language: str, certainty: float) -> tuple[str, ...]:
    doubts = []
    if certainty < DOUBT_LANGUAGE:
        doubts.append(f"the language is uncertain ({language}, {certainty:.0%})")
    if not segments or any(segment.no_speech_prob > DOUBT_SPEECH for segment in segments):
        doubts.append("there may be no speech in it, or not throughout")
    return tuple(doubts)


def _odd(text: str, segments: Sequence[Any], seconds: float) -> tuple[str, ...]:
    """Doubts about the whole text, and a loop within one stretch of it."""
    doubts = text_doubts(text, seconds)
    looped = REPEATS not in doubts and any(segment.compression_ratio > LOOP for segment in segments)
    return (REPEATS, *doubts) if looped else doubts
