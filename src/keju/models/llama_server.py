"""llama.cpp's own HTTP server, in this process: OpenAI's routes, and exact log-probabilities of a given text.

It listens on 127.0.0.1, on a free port, behind a key made for the session.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from keju.errors import CallFailed, MissingExtra, RunStopped

TIMEOUT = 300.0  # seconds; a small model on a busy laptop reads 2,048 tokens in under a minute
NEVER_BY_CHANCE = 1000.0  # added to a logit, so that its token is drawn; log-probabilities are reported without it
FIRST_LOOK = 1024  # most likely tokens asked for first; nearly every token sought is among them
WIDER = 16  # how many times more at the next look


class LlamaServer:
    """A GGUF model behind llama.cpp's server. Every method blocks; one caller at a time.

    `context` is in tokens. Raises `MissingExtra` without xllamacpp, `RunStopped` where the model cannot be loaded.
    """

    def __init__(self, gguf: Path, *, context: int, threads: int) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise MissingExtra("embedded", "a language model in this process") from error
        self._key = secrets.token_urlsafe()
        params = xllamacpp.CommonParams()
        params.model.path = str(gguf)
        params.n_ctx, params.n_parallel = context, 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.swa_full = True  # the whole prompt stays cached, so that every option is scored after the same state
        params.warmup = params.ui = params.endpoint_slots = False
        params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [self._key]
        params.verbosity = -1  # silent: its log would be drawn over the progress bar
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise RunStopped(f"llama.cpp cannot load {gguf}: {error}") from error
        self.address: str = self._server.listening_address
        """`http://127.0.0.1:PORT`"""

    @property
    def headers(self) -> dict[str, str]:
        """What a request needs to be let in."""
        return {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}

    def post(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        """The JSON that `route` answers. Raises `CallFailed`."""
        connection = HTTPConnection(self.address.removeprefix("http://"), timeout=TIMEOUT)
        try:
            connection.request("POST", route, json.dumps(body).encode(), self.headers)
            response = connection.getresponse()
            raw = response.read()
        except TimeoutError as error:
            message = f"the embedded model gave no answer within {TIMEOUT:.0f} s"
            raise CallFailed(message, kind="timeout", retryable=True) from error
        except (OSError, HTTPException) as error:
            message = f"the embedded model's server closed the connection: {error}"
            raise CallFailed(message, kind="connection", retryable=True) from error
        finally:
            connection.close()
        if response.status != 200:
            raise _refusal(response.status, raw)
        answer: dict[str, Any] = json.loads(raw)
        return answer

    def tokens(self, text: str, *, begin: bool = False) -> list[int]:
        """Token ids of `text` as plain text; with `begin` after the mark that begins a document."""
        return [token["id"] for token in self._tokens(text, begin=begin)]

    def _tokens(self, text: str, *, begin: bool) -> list[dict[str, Any]]:
        asked = {"content": text, "add_special": begin, "parse_special": False, "with_pieces": True}
        tokens: list[dict[str, Any]] = self.post("/tokenize", asked)["tokens"]
        return tokens

    def read(self, prompt: list[int]) -> None:
        """Read `prompt` from scratch and keep its state for `log_probability`.

        Reused states of other prompts change a score by tenths (other batch sizes round otherwise), and a score would
        then depend on what was asked before.
        """
        self.post("/completion", {"prompt": prompt, "n_predict": 0, "cache_prompt": False})

    def log_probability(self, prompt: list[int], text: str) -> float:
        """Sum of the log-probabilities (nats) of the tokens of `text` after `prompt`, each after those before it.

        `text` is cut into tokens as the model's tokenizer cuts it, whole; a text that did not come back whole is
        never scored: that raises `CallFailed`.
        """
        tokens = self._tokens(text, begin=False)
        ids = [token["id"] for token in tokens]
        if all(isinstance(token["piece"], str) for token in tokens):
            return self._forced(prompt, ids)
        # The server drops the probability of a token that ends inside a character.
        return sum(self._next(prompt + ids[:done], token) for done, token in enumerate(ids))

    def _forced(self, prompt: list[int], ids: Sequence[int]) -> float:
        """All of `ids` in one call, under a grammar that admits nothing else."""
        reply = self.post(
            "/completion",
            {
                "prompt": prompt,
                "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in ids),
                "n_predict": len(ids),
                "n_probs": 1,
                "temperature": 0,
                "return_tokens": True,
                "cache_prompt": True,
            },
        )
        steps = reply["completion_probabilities"]
        if [step["id"] for step in steps] != list(ids):
            message = f"the embedded model returned {len(steps)} of the option's {len(ids)} tokens"
            raise CallFailed(message, kind="bad-reply", retryable=False)
        return float(sum(step["logprob"] for step in steps))

    def _next(self, prompt: list[int], token: int) -> float:
        """Log-probability of one token after `prompt`, looked up among the likeliest, ever wider."""
        newline = self.tokens("\n")[0]  # drawn in its place: a whole character, so that the list is reported
        look = FIRST_LOOK
        seen = 0
        while True:
            reply = self.post(
                "/completion",
                {
                    "prompt": prompt,
                    "n_predict": 1,
                    "n_probs": look,
                    "temperature": 0,
                    "logit_bias": [[newline, NEVER_BY_CHANCE]],
                    "cache_prompt": True,
                },
            )
            likeliest = {e["id"]: e["logprob"] for e in reply["completion_probabilities"][0]["top_logprobs"]}
            if token in likeliest:
                return float(likeliest[token])
            if len(likeliest) <= seen:
                raise CallFailed(f"the embedded model knows no token {token}", kind="bad-reply", retryable=False)
            seen, look = len(likeliest), look * WIDER

    def close(self) -> None:
        """Stop the server and free the model."""
        del self._server


def _refusal(status: int, raw: bytes) -> CallFailed:
    try:
        error = json.loads(raw)["error"]
        message = str(error["message"])
    except (ValueError, LookupError, TypeError):
        message = raw[:200].decode(errors="replace")
    return CallFailed(
        f"the embedded model refused: {message}",
        kind="server" if status >= 500 else "bad-request",
        retryable=False,  # the same prompt in the same process meets the same answer
        status=status,
    )
