"""A model behind an OpenAI-compatible chat endpoint: OpenAI, DashScope, Gemini, OpenRouter, vLLM, SGLang, Ollama, …"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import aiohttp

from keju.errors import Misuse, RunStopped
from keju.items import NOTHING, MediaKind, Medium
from keju.media_types import mime_of
from keju.models.chat_reply import Events, Stream, parsed, reply_of
from keju.models.dialects import dialect_named
from keju.models.endpoint import Endpoint
from keju.models.keys import HIDDEN, Secret
from keju.models.negotiation import Manner, changed
from keju.models.refusals import ServerError, failure, server_error
from keju.models.request_body import Body, Piece, array, encode, spliced, with_field
from keju.models.server_scores import CHOOSING, OptionScorer, chosen
from keju.prompts import Part, Prompt, Scoring, Text
from keju.records import Reply

USUAL = Manner()
_OURS = {"model", "messages", "stream", "stream_options"}


class OpenAICompatible:
    """One model at one endpoint. `Model` states the contract of `answer`."""

    route: ClassVar[str] = "chat/completions"
    sends: frozenset[MediaKind] = frozenset({"image", "audio"})
    """Media that go to a server, which may drop them: a run checks that they arrive."""
    scores: ClassVar[frozenset[Scoring]] = frozenset({"generate", "choice", "option-likelihood"})
    """Ways of scoring that the route can carry."""

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str,
        dialect: str = "openai",
        key: Secret | None = None,
        key_from: str = "",
        manner: Manner = USUAL,
        extra: Mapping[str, Any] = NOTHING,
        timeout: float = 120.0,
        context_length: int | None = None,
        concurrency: int = 16,
    ) -> None:
        """`base_url` ends before `/chat/completions`. `key_from` says where the key was found, for messages.
        `extra` are request fields that win over keju's own. `timeout` is in seconds, for one attempt.
        `context_length` is the server's window in tokens, where it is known.

        Raises `Misuse` where one of them cannot be.
        """
        self.name = name
        self.concurrency = concurrency
        self.dialect = dialect_named(dialect)
        self._model = model
        self._endpoint = Endpoint(base_url, self.route, who=name, key=key, timeout=timeout)
        self._completions = Endpoint(self._endpoint.shown, "completions", who=name, key=key, timeout=timeout)
        self._key_from = key_from
        self._stated = self._manner = manner
        self._extra = _checked(extra)
        if key and key.is_in(repr(self._extra)):
            raise Misuse(
                "the extra parameters hold the API key, and a run stores them; give it by its variable or file"
            )
        self._scorer = OptionScorer(self._completions, model, who=name, key_from=key_from, extra=self._extra)
        self._context_length = context_length
        self.settings: Mapping[str, Any] = {
            "model": model,
            "endpoint": self._endpoint.shown,
            "dialect": dialect,
            **({} if manner.temperature else {"temperature": "not sent"}),
            **({"extra": dict(extra)} if extra else {}),
        }

    @property
    def discovered(self) -> Mapping[str, Any]:
        """How requests are written by now; `found_out` names what the server's refusals taught."""
        now, stated = self._manner, self._stated
        found_out = [f for f in ("stream", "tokens_field", "temperature") if getattr(now, f) != getattr(stated, f)]
        return {
            "stream": now.stream,
            "tokens_field": now.tokens_field,
            "temperature": "as the protocol says" if now.temperature else "not sent: the model refuses it",
            **({"found_out": found_out} if found_out else {}),
        }

    async def answer(self, prompt: Prompt) -> Reply:
        """One attempt. A server that refuses how it was asked (not as a stream, …) is asked otherwise from then on."""
        if prompt.scoring not in self.scores:
            raise RunStopped(
                f"{self.name} cannot score options by likelihood: choose another protocol, or an embedded/ model"
            )
        if prompt.scoring == "option-likelihood":
            return await self._scorer.answer(prompt)
        outcome = await self._attempt(prompt, manner := self._manner)
        while isinstance(outcome, ServerError):
            if self._manner == manner:  # else another prompt learnt it meanwhile
                better = changed(manner, outcome)
                if better is None:
                    raise failure(outcome, key_from=self._key_from)
                self._manner = better
            outcome = await self._attempt(prompt, manner := self._manner)
        return outcome

    async def close(self) -> None:
        """Close the pooled connections."""
        await self._endpoint.close()
        await self._completions.close()

    async def _attempt(self, prompt: Prompt, manner: Manner) -> Reply | ServerError:
        began = time.perf_counter()
        body = Body(self._pieces(prompt, manner))
        posted = time.perf_counter()
        async with self._endpoint.post(body) as response:
            # Media are read and encoded while they are sent; that is no part of the server's time.
            sent = posted + body.load_seconds + body.encode_seconds
            outcome = await self._receive(response, sent, prompt)
        ended = time.perf_counter()
        if isinstance(outcome, ServerError):
            if not outcome.reached_output_limit:
                return outcome
            outcome = Reply("", "length", warnings=("the output cap left no room for a reply",))
        preprocess = posted - began + body.encode_seconds
        stages = {"load": body.load_seconds, "preprocess": preprocess, "infer": ended - sent}
        name = outcome.model and self._endpoint.hide(outcome.model)
        told = replace(outcome, text=self._endpoint.hide(outcome.text), model=name)
        warnings = (*told.warnings, *self._warnings(prompt, manner, told))
        return replace(told, stages={**stages, **told.stages}, warnings=warnings)

    def _pieces(self, prompt: Prompt, manner: Manner) -> list[Piece]:
        """The request body. Raises `CallFailed` (kind `medium`) for a medium that cannot be read or sent."""
        envelope = {"model": self._model, **self._parameters(prompt, manner), **self._extra}
        message = with_field({"role": "user"}, "content", self._content(prompt))
        return with_field(envelope, "messages", array([message]))

    def _parameters(self, prompt: Prompt, manner: Manner) -> dict[str, Any]:
        generation = prompt.generation
        parameters: dict[str, Any] = {}
        if manner.temperature and generation.temperature is not None:
            parameters["temperature"] = generation.temperature
        if not {"max_tokens", "max_completion_tokens"} & self._extra.keys():
            parameters[manner.tokens_field] = generation.max_tokens
        if prompt.scoring == "choice":
            parameters |= CHOOSING
        elif manner.stream:
            parameters["stream"] = True
            if manner.stream_usage:
                parameters["stream_options"] = {"include_usage": True}
        return parameters

    def _content(self, prompt: Prompt) -> list[Piece]:
        if len(prompt.parts) == 1 and isinstance(prompt.parts[0], Text):
            return [encode(prompt.parts[0].text)]  # servers of text-only models know no list of parts
        return array(self._part(part) for part in prompt.parts)

    def _part(self, part: Part) -> list[Piece]:
        if isinstance(part, Text):
            return [encode({"type": "text", "text": part.text})]
        return self._medium(part)

    def _medium(self, medium: Medium) -> list[Piece]:
        return spliced(self.dialect.part(medium, mime_of(medium.head())), medium)

    async def _receive(self, response: aiohttp.ClientResponse, sent: float, prompt: Prompt) -> Reply | ServerError:
        """The reply or the error that `response` holds; the request went out at `sent` on the performance counter."""
        if response.status == 200 and response.content_type == "text/event-stream":
            return await self._receive_stream(response, sent)
        body = await self._endpoint.body(response)
        if response.status == 200:
            told = parsed(body, self.name)
            reply = self._read(told)
            return chosen(reply, told, tuple(prompt.options), self.name) if prompt.scoring == "choice" else reply
        error = server_error(response.status, _parsed_if_json(body), response.headers, self.name)
        return replace(error, message=self._endpoint.hide(error.message))

    async def _receive_stream(self, response: aiohttp.ClientResponse, sent: float) -> Reply:
        events, stream = Events(), Stream(self.name, sent)
        async for portion in self._endpoint.portions(response):
            for event in events.feed(portion):
                stream.add(self._endpoint.scrub(event))
        for event in events.end():
            stream.add(self._endpoint.scrub(event))
        return stream.reply()

    def _read(self, body: Any) -> Reply:
        return reply_of(body, self.name)

    def _warnings(self, prompt: Prompt, manner: Manner, reply: Reply) -> Iterator[str]:
        temperature = prompt.generation.temperature
        if temperature is not None and not manner.temperature and "temperature" not in self._extra:
            yield f"temperature {temperature:g} was not sent, the model refuses it: replies are not deterministic"
        if HIDDEN in reply.text:
            yield f"the reply held the API key, which was taken out: {HIDDEN}"
        used = reply.usage.input_tokens if reply.usage else None
        if used is not None and self._context_length is not None and used >= self._context_length:
            yield f"the prompt may have been cut: it filled the context of {self._context_length} tokens"


def _checked(extra: Mapping[str, Any]) -> dict[str, Any]:
    if taken := sorted(_OURS & extra.keys()):
        raise Misuse(f"extra parameters cannot set {', '.join(taken)}: keju sets them itself")
    try:
        encode(dict(extra))
    except (TypeError, ValueError) as error:
        raise Misuse(f"extra parameters must be JSON values: {error}") from None
    return dict(extra)


def _parsed_if_json(body: bytes) -> Any:
    from json import loads

    try:
        return loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")
