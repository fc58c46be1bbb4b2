"""Options scored at a server that gives log-probabilities.

choice              one more field of a chat request: of the labels, the one most likely to begin the reply
option-likelihood   `/completions` with `echo`, which vLLM and SGLang know: log-probabilities of the prompt's own tokens
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aiohttp.payload import BytesPayload

from keju.errors import CallFailed, RunStopped
from keju.models.chat_reply import bad_reply, name_of, parsed, raise_error, usage_of
from keju.models.endpoint import Endpoint
from keju.models.likelihood import complaint, continuation, likeliest
from keju.models.refusals import failure, server_error
from keju.models.request_body import encode
from keju.prompts import Prompt
from keju.records import Reply, Usage

TOP = 20  # likeliest tokens that are asked for: the most that OpenAI and vLLM give
CHOOSING = {"logprobs": True, "top_logprobs": TOP}
"""Fields of a chat request whose reply is to be chosen from the labels."""


def chosen(reply: Reply, body: Any, labels: Sequence[str], where: str) -> Reply:
    """What the probabilities of the first token choose, in place of what was written; a label's are summed over the
    tokens that write it, with and without a space. Raises `RunStopped` where the server gives none."""
    try:
        first = body["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        found = [(str(entry["token"]).strip(), float(entry["logprob"])) for entry in first]
    except (LookupError, TypeError, ValueError):
        raise RunStopped(f"{where} gives no log-probabilities of its tokens: choose another protocol") from None
    shares = {label: sum(math.exp(logprob) for token, logprob in found if token == label) for label in labels}
    scores = {label: math.log(share) for label, share in shares.items() if share}
    if not scores:
        note = f"none of the labels is among the {len(found)} likeliest tokens"
        return replace(reply, text="", finish="stop", warnings=(*reply.warnings, note))
    best, warnings = likeliest(scores)
    return replace(reply, text=best, finish="stop", scores=scores, warnings=(*reply.warnings, *warnings))


@dataclass(frozen=True, slots=True)
class _Echo:
    """The tokens of a text and their log-probabilities, as the server read it back."""

    tokens: Sequence[str]
    logprobs: Sequence[float | None]
    """None for a first token, which nothing stands before."""
    usage: Usage | None
    model: str | None


class OptionScorer:
    """Sums the log-probabilities of each option's text, and the newline that closes it, after the prompt."""

    def __init__(self, endpoint: Endpoint, model: str, *, who: str, key_from: str, extra: Mapping[str, Any]) -> None:
        self._endpoint, self._model, self._who, self._key_from = endpoint, model, who, key_from
        self._extra = extra

    async def answer(self, prompt: Prompt) -> Reply:
        """One call for the prompt and one an option. Raises `RunStopped` for media, which such a call cannot hold."""
        if prompt.media:
            raise RunStopped(
                f"{self._who} scores options as plain text, and item {prompt.item_id} holds media: choose another "
                "protocol, turn them into text (--transcriber, --reader), or leave them out (--variant media=none)"
            )
        if why := complaint(prompt):
            raise CallFailed(why, kind="bad-request", retryable=False)
        began = time.perf_counter()
        texts = [prompt.text, *(prompt.text + continuation(prompt, text) for text in prompt.options.values())]
        alone, *whole = await asyncio.gather(*(self._read_back(text) for text in texts))
        scores = {label: self._added(alone, echo) for label, echo in zip(prompt.options, whole, strict=True)}
        best, warnings = likeliest(scores)
        stages = {"infer": time.perf_counter() - began}
        return Reply(best, "stop", alone.usage, stages, alone.model, scores=scores, warnings=warnings)

    def _added(self, alone: _Echo, whole: _Echo) -> float:
        """Log-probability from the first token in which the whole differs from the prompt alone: tokenizers may join
        across the seam."""
        pairs = enumerate(zip(alone.tokens, whole.tokens, strict=False))
        same = next((at for at, (a, b) in pairs if a != b), min(len(alone.tokens), len(whole.tokens)))
        added = [logprob for logprob in whole.logprobs[same:] if logprob is not None]
        if not added:
            raise bad_reply(self._who, "the option's tokens did not come back")
        return math.fsum(added)

    async def _read_back(self, text: str) -> _Echo:
        asked = {"model": self._model, "prompt": text, "echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0}
        payload = BytesPayload(encode({**self._extra, **asked}), content_type="application/json")
        async with self._endpoint.post(payload) as response:
            body = parsed(await self._endpoint.body(response), self._who)
            if response.status != 200:
                raise failure(server_error(response.status, body, response.headers, self._who), key_from=self._key_from)
            raise_error(body, self._who)
            return self._echo(body)

    def _echo(self, body: Any) -> _Echo:
        usage = usage_of(body.get("usage")) if isinstance(body, dict) else None
        try:
            told = body["choices"][0]["logprobs"]
            tokens, logprobs = list(told["tokens"]), list(told["token_logprobs"])
        except (LookupError, TypeError):
            raise RunStopped(
                f"{self._who} does not read a prompt back with its log-probabilities (echo): choose another protocol"
            ) from None
        read = usage.input_tokens if usage and usage.input_tokens else len(tokens) - 1  # one new token was asked for
        if read > len(tokens) or len(tokens) != len(logprobs):
            raise RunStopped(f"{self._who} reads back only part of a prompt: choose another protocol")
        name = name_of(body)
        return _Echo(tokens[:read], logprobs[:read], usage, name and self._endpoint.hide(name))
