"""Ollama's own chat interface, for what its OpenAI route cannot carry: audio, and the size of the context.

`extra` are fields of the request; its `options` (`{num_ctx = 8192}`) join those that the protocol sets.
"""

from __future__ import annotations

from typing import Any, ClassVar

from keju.models.chat_reply import bad_reply, content_text, finish_of, name_of, raise_error, storable, usage_of
from keju.models.negotiation import Manner
from keju.models.openai_compatible import OpenAICompatible
from keju.models.request_body import Piece, array, with_field
from keju.prompts import Prompt, Scoring
from keju.records import Reply


class OllamaNative(OpenAICompatible):
    """One model behind `/api/chat`, which takes media as bare base64 beside the text."""

    route: ClassVar[str] = "chat"
    scores: ClassVar[frozenset[Scoring]] = frozenset({"generate"})

    def _pieces(self, prompt: Prompt, manner: Manner) -> list[Piece]:  # noqa: ARG002
        options: dict[str, Any] = {"num_predict": prompt.generation.max_tokens}
        if prompt.generation.temperature is not None:
            options["temperature"] = prompt.generation.temperature
        options |= self._extra.get("options", {})
        envelope = {"model": self._model, "stream": False, **self._extra, "options": options}
        media = array(map(self._medium, prompt.media))
        message = with_field({"role": "user", "content": prompt.text}, "images", media)
        return with_field(envelope, "messages", array([message]))

    def _read(self, body: Any) -> Reply:
        message = body.get("message") if isinstance(body, dict) else None
        if not isinstance(message, dict):
            raise_error(body, self.name)
            raise bad_reply(self.name, "the reply holds no message")
        text = storable(content_text(message.get("content"), self.name))
        counts = {"prompt_tokens": body.get("prompt_eval_count"), "completion_tokens": body.get("eval_count")}
        return Reply(text, finish_of(body.get("done_reason"), self.name), usage_of(counts), model=name_of(body))
