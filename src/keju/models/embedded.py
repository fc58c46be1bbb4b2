"""Small real models that come as packages and run in this process, on any laptop's processor.

`embedded/cascade`      speech → text and picture → text, then a small language model that scores the options' texts
`embedded/blind`        the same language model, which hears and sees nothing: the control
`embedded/overlap`      the same perception, then the option that shares most characters with what was perceived
`embedded/gemma3-270m`  the language model alone, for text
`embedded/smollm2`      another one, English, under an open-source licence
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any

from keju.errors import MissingExtra, Misuse, RunStopped
from keju.models.cascade import Cascade
from keju.models.likelihood import complaint, continuation, likeliest
from keju.models.llama_server import LlamaServer
from keju.models.model import Model
from keju.models.perception import Ocr, Whisper
from keju.models.weights import Ingredient, Weights, assembled, ingredients, weights
from keju.models.worker import Worker, fair_threads
from keju.prompts import Prompt, Text
from keju.records import Finish, Reply, Usage

LANGUAGE_MODELS = {"gemma3-270m": False, "smollm2": True}
"""Name → whether it was trained for chat."""

COMPOSED = ("cascade", "blind", "overlap")


@dataclass(frozen=True, slots=True)
class Options:
    """How an embedded model is set up."""

    llm: str = "gemma3-270m"
    """The language model inside a composed one; a name of `LANGUAGE_MODELS`."""
    language: str | None = None
    """What is spoken in the clips, as Whisper writes it (`zh`); None: detected clip by clip."""
    use_cache: bool = True
    """False: perceive every medium anew, as for cold latencies."""
    context: int = 2048
    """The language model's room in tokens: transcript, question and the longest option."""
    threads: int | None = None
    """For each library; None: half the processors."""


def open_embedded(name: str, **options: Any) -> Model:
    """The embedded model `name`, with or without `embedded/` before it; `options` are those of `Options`.

    Raises `Misuse` for an unknown name or option, `MissingExtra` where the packages are not installed.
    """
    name = name.removeprefix("embedded/")
    _known("embedded model", name, (*COMPOSED, *LANGUAGE_MODELS))
    given = _options(name, options)
    if name in LANGUAGE_MODELS:
        return LanguageModel(name, given.context, given.threads)
    answering = _overlap() if name == "overlap" else LanguageModel(given.llm, given.context, given.threads)
    if name == "blind":
        return Blind(answering)
    return Cascade(
        answering,
        transcriber=Whisper(language=given.language, threads=given.threads),
        reader=Ocr(threads=given.threads),
        use_cache=given.use_cache,
        name=f"embedded/{name}",
    )


def _options(name: str, options: Mapping[str, Any]) -> Options:
    for option in options:
        _known(f"option of embedded/{name}", option, tuple(field.name for field in fields(Options)))
    given = Options(**options)
    _known("language model", given.llm, tuple(LANGUAGE_MODELS))
    for option in ("context", "threads"):
        value = getattr(given, option)
        if value is not None and (not isinstance(value, int) or value < 1):
            raise Misuse(f"{option} must be a whole number from 1, not {value!r}")
    return given


def _known(what: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        near = difflib.get_close_matches(str(given), known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise Misuse(f"no {what} {given!r}: there are {', '.join(known)}{hint}")


def _overlap() -> Model:
    from keju.models.baselines import open_baseline

    return open_baseline("overlap")


def licences(name: str = "embedded/cascade", *, llm: str = "gemma3-270m") -> tuple[Ingredient, ...]:
    """Name, licence, source and size of everything that the embedded model `name` runs; to be shown before it runs."""
    name = name.removeprefix("embedded/")
    perceives, speaks = name in ("cascade", "overlap"), name != "overlap"
    language_model = name if name in LANGUAGE_MODELS else llm
    return ingredients(
        (("faster-whisper", "rapidocr") if perceives else ()) + (("xllamacpp",) if speaks else ()),
        (("whisper-base",) if perceives else ()) + ((language_model,) if speaks else ()),
    )


class LanguageModel:
    """A small language model on llama.cpp's server in this process.

    Under the scoring `option-likelihood` its answer is the option whose text, closed by a newline, has the greatest
    sum of log-probabilities after the prompt's text. Under `generate` it writes, which models of this size do poorly.
    """

    default_protocol = "option-likelihood"
    concurrency = 2  # one is scored while the next one waits

    def __init__(self, name: str, context: int = 2048, threads: int | None = None) -> None:
        if find_spec("xllamacpp") is None:
            raise MissingExtra("embedded", f"embedded/{name}")
        self.name = f"embedded/{name}"
        self._chat = LANGUAGE_MODELS[name]
        self._weights: Weights = weights(name)
        self._context, self._threads = context, threads or fair_threads()
        self.settings: Mapping[str, Any] = {"weights": self._weights.digest, "context": context}
        self._worker = Worker(self._start, "keju-language-model", unload=LlamaServer.close)

    def _start(self) -> LlamaServer:
        folder = assembled(self._weights)
        return LlamaServer(folder / self._weights.main.name, context=self._context, threads=self._threads)

    async def address(self) -> str:
        """Where the server listens (`http://127.0.0.1:PORT`), after starting it if need be."""
        return (await self._worker.do(lambda server: server.address)).result

    async def answer(self, prompt: Prompt) -> Reply:
        """Raises `RunStopped` where the prompt holds media: they would be dropped unseen."""
        self._refuse_media(prompt)
        if prompt.scoring == "choice":
            raise RunStopped(f"{self.name} gives no probabilities of labels; use --protocol option-likelihood")
        answer = self._choose if prompt.scoring == "option-likelihood" else self._write
        done = await self._worker.do(lambda server: answer(server, prompt))
        return replace(done.result, model=self._weights.name, stages={"queue": done.waited, "infer": done.seconds})

    def _refuse_media(self, prompt: Prompt) -> None:
        flags = {"audio": "--transcriber whisper/base", "image": "--reader ppocr/v4"}
        if kinds := sorted({medium.kind for medium in prompt.media}):
            remedy = " ".join(flags[kind] for kind in kinds)
            raise RunStopped(
                f"{self.name} takes text only, and item {prompt.item_id} holds {' and '.join(kinds)}. "
                f"Turn it into text first ({remedy}), or leave it out (--variant media=none)"
            )

    def _choose(self, server: LlamaServer, prompt: Prompt) -> Reply:
        if why := complaint(prompt):
            return Reply("", warnings=(why,))
        context = server.tokens(prompt.text, begin=True)
        server.read(context)
        scores = {
            label: server.log_probability(context, continuation(prompt, text)) for label, text in prompt.options.items()
        }
        best, warnings = likeliest(scores)
        return Reply(best, scores=scores, usage=Usage(input_tokens=len(context)), warnings=warnings)

    def _write(self, server: LlamaServer, prompt: Prompt) -> Reply:
        asked: dict[str, Any] = {"max_tokens": prompt.generation.max_tokens}
        if prompt.generation.temperature is not None:
            asked["temperature"] = prompt.generation.temperature
        if self._chat:
            messages = [{"role": "user", "content": prompt.text}]
            said = server.post("/v1/chat/completions", {**asked, "messages": messages})
        else:
            said = server.post("/v1/completions", {**asked, "prompt": prompt.text})
        choice, used = said["choices"][0], said["usage"]
        text = choice["message"]["content"] if self._chat else choice["text"]
        finish: Finish = "length" if choice["finish_reason"] == "length" else "stop"
        return Reply(text or "", finish, Usage(used["prompt_tokens"], used["completion_tokens"]))

    async def close(self) -> None:
        await self._worker.close()


class Blind:
    """`model` without any picture or sound: what can be answered from the words alone."""

    def __init__(self, model: Model, *, name: str = "embedded/blind") -> None:
        self.name = name
        self.settings: Mapping[str, Any] = {"media": "left out", "model": {"name": model.name, **model.settings}}
        self.concurrency = model.concurrency
        self.default_protocol: str | None = getattr(model, "default_protocol", None)
        self._model = model

    async def answer(self, prompt: Prompt) -> Reply:
        words = tuple(part for part in prompt.parts if isinstance(part, Text))
        return await self._model.answer(replace(prompt, parts=words))

    async def close(self) -> None:
        await self._model.close()
