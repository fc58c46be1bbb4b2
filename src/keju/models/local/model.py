"""`hf/NAME`: a model of Transformers in this process, behind the seam `Model`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keju.errors import CallFailed, RunStopped
from keju.items import MediaKind
from keju.models.likelihood import complaint, likeliest
from keju.models.local.batching import Batcher, Done
from keju.models.local.checkpoint import Checkpoint, open_checkpoint
from keju.models.local.hardware import Hardware, choose_hardware
from keju.models.local.inputs import Collator, Inputs
from keju.models.local.media import picture, sound
from keju.models.local.passes import Answer, Passes
from keju.models.local.rows import Content, Picture, Row, Sound, rows_of
from keju.models.local.settings import Settings, settings_of
from keju.models.local.sizes import BatchSize
from keju.prompts import Part, Prompt, Text
from keju.records import Reply, Usage

SEE_AHEAD = ("paligemma",)
"""Families that attend to the whole prompt in both directions: a continuation put there would be seen beforehand."""

WITHOUT = {"audio": "--transcriber whisper/base", "image": "--reader ppocr/v4"}


@dataclass(slots=True)
class _Reading:
    """What reading the media of one prompt took, in seconds, and what is to be said of them."""

    load: float = 0.0
    preprocess: float = 0.0
    warnings: list[str] = field(default_factory=list)


def open_local(name: str, **options: Any) -> Local:
    """The model `name` (an id on the model hub, or a path that begins with `/`, `./` or `~`); `options` are those of
    `Settings`. Reads everything but the weights, which are loaded for the first prompt.

    Raises `MissingExtra`, `BadFile` or `Misuse` where it cannot be had or an option is unknown.
    """
    settings = settings_of(name, options)
    checkpoint = open_checkpoint(name, settings)
    text_config = checkpoint.config.get_text_config()
    own = getattr(checkpoint.config, "dtype", None) or getattr(text_config, "dtype", None)
    return Local(checkpoint, choose_hardware(settings, own), settings)


class Local:
    """Answers greedily, in batches, on this machine. Three ways of scoring:

    `generate`            the family's chat template, then the likeliest token again and again
    `choice`              one forward pass; of the labels, the one with the greatest logit as the next token
    `option-likelihood`   the option whose text, and the mark that ends it, has the greatest sum of log-probabilities
    """

    def __init__(self, checkpoint: Checkpoint, hardware: Hardware, settings: Settings) -> None:
        self.name = f"hf/{checkpoint.name}"
        self._checkpoint, self._hardware = checkpoint, hardware
        self._attention = settings.attention
        self.settings: Mapping[str, Any] = {
            "revision": checkpoint.revision,
            "class": checkpoint.model_class.__name__,
            "processor": type(checkpoint.processor).__name__,
            "template": checkpoint.template_digest,
            "device": hardware.kind,
            "dtype": hardware.dtype,
            "attention": self._attention,
            "decoding": "greedy",
            **({"remote_code": True} if checkpoint.trusted else {}),
        }
        size = settings.batch_size
        self._batcher: Batcher[Row, Inputs, Answer] = Batcher(
            Collator(checkpoint),
            self._pass,
            BatchSize(1, hardware.most_rows) if size == "auto" else BatchSize.fixed(size),
            start=self._load,
            recover=hardware.release,
            clock=hardware.clock,
            readers=settings.workers,
        )
        self.concurrency = 4 * (hardware.most_rows if size == "auto" else size)  # in its pass, collated, to choose from
        self._passes: Passes | None = None
        self._largest = 0

    @property
    def takes(self) -> frozenset[MediaKind]:
        """Kinds of media that it takes itself."""
        return self._checkpoint.takes

    @property
    def discovered(self) -> Mapping[str, Any]:
        """The hardware, the attention kernels, and how large batches became."""
        found = {**self._hardware.facts(), "largest_batch": self._largest, "batch_size": self._batcher.size.now}
        return found | ({"attention": self._passes.attention} if self._passes else {})

    async def answer(self, prompt: Prompt) -> Reply:
        """Raises `RunStopped` where the prompt holds media of a kind that the model does not take, or asks for a
        temperature: they would be dropped unseen."""
        self._refuse(prompt)
        reading = _Reading()
        done = await self._batcher.answer(lambda: self._rows(prompt, reading))
        self._largest = max(self._largest, *(one.rows for one in done))
        stages = {
            "load": reading.load,
            "preprocess": reading.preprocess + sum(one.collated for one in done),
            "queue": max(one.waited for one in done),
            "infer": sum(one.passed for one in done),
        }
        reply = _reply(prompt, done, stages, self._checkpoint.name)
        return replace(reply, warnings=(*reply.warnings, *reading.warnings))

    def _refuse(self, prompt: Prompt) -> None:
        if strange := sorted({medium.kind for medium in prompt.media} - self.takes):
            remedy = " ".join(WITHOUT[kind] for kind in strange)
            raise RunStopped(
                f"{self.name} takes no {' and no '.join(strange)}, which item {prompt.item_id} holds. Turn it into "
                f"text first ({remedy}), or leave it out (--variant media=none)"
            )
        if prompt.scoring == "option-likelihood" and self._checkpoint.config.model_type in SEE_AHEAD:
            raise RunStopped(
                f"{self.name} attends to its prompt in both directions, so a text's likelihood cannot be had from it: "
                "choose another protocol (--protocol choice)"
            )
        if prompt.generation.temperature:
            raise RunStopped(
                f"{self.name} answers greedily, and the protocol asks for temperature {prompt.generation.temperature}: "
                "choose a protocol with temperature 0"
            )

    def _rows(self, prompt: Prompt, reading: _Reading) -> list[Row]:
        if prompt.scoring != "generate" and (why := complaint(prompt)):
            raise CallFailed(why, kind="bad-request", retryable=False)
        end = self._checkpoint.tokenizer.eos_token if self._checkpoint.template else None
        return rows_of(prompt, [self._decoded(part, reading) for part in prompt.parts], end_of_turn=end)

    def _decoded(self, part: Part, reading: _Reading) -> Content:
        """A part as the processor takes it; what that took is added to `reading`."""
        if isinstance(part, Text):
            return part
        began = time.perf_counter()
        data = part.read()
        loaded = time.perf_counter()
        made = Picture(picture(data, part.name)) if part.kind == "image" else self._heard(data, part.name, reading)
        reading.load += loaded - began
        reading.preprocess += time.perf_counter() - loaded
        return made

    def _heard(self, data: bytes, name: str, reading: _Reading) -> Sound:
        rate, window = self._checkpoint.rate, self._checkpoint.window
        samples = sound(data, name, rate)
        seconds = len(samples) / rate
        if window is not None and seconds > window:
            reading.warnings.append(
                f"{name}: of {seconds:.0f} s the model's processor takes in the first {window:.0f} s"
            )
        return Sound(samples, seconds)

    def _load(self) -> None:
        model = self._checkpoint.load(self._hardware, self._attention)
        self._passes = Passes(model, self._checkpoint.tokenizer)

    def _pass(self, inputs: Inputs) -> Sequence[Answer]:
        if self._passes is None:
            raise RunStopped(f"{self.name} has been closed")
        return self._passes(inputs)

    async def close(self) -> None:
        """Let the pass in hand end, drop what waits, and free the memory."""
        await self._batcher.close()
        if self._passes is not None:
            self._passes = None
            self._hardware.release()


def _reply(prompt: Prompt, done: Sequence[Done[Answer]], stages: Mapping[str, float], model: str) -> Reply:
    first = done[0].answer
    if prompt.scoring == "generate":
        usage = Usage(first.input_tokens, first.output_tokens)
        return Reply(first.text, first.finish, usage, stages, model)
    scores = first.scores or dict(zip(prompt.options, (d.answer.log_probability for d in done), strict=True))
    best, warnings = likeliest(scores)
    return Reply(best, "stop", Usage(first.input_tokens), stages, model, scores=scores, warnings=warnings)
