"""What a server would not accept, found out once per model and then left out or written otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from keju.models.refusals import ServerError

_ONLY_STREAM = re.compile(
    r"only.{0,30}stream|stream.{0,60}(only|required|must|enable|set to true)", re.IGNORECASE | re.DOTALL
)
_REFUSED = re.compile(
    r"not support|unsupported|only the default|not allowed|deprecated|not permitted|extra", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Manner:
    """How requests to one model are written."""

    stream: bool = False
    tokens_field: str = "max_tokens"
    """`max_tokens`, or `max_completion_tokens` where a reasoning model insists."""
    temperature: bool = True
    """Whether the temperature is sent at all."""
    stream_usage: bool = True
    """Whether a stream is asked to report usage."""


def changed(manner: Manner, error: ServerError) -> Manner | None:
    """The manner that avoids `error`, or None where the manner is not to blame."""
    if error.status not in (400, 422):
        return None
    message, param = error.message, error.param or ""
    if manner.stream and manner.stream_usage and (param == "stream_options" or "stream_options" in message):
        return replace(manner, stream_usage=False)
    if not manner.stream and _ONLY_STREAM.search(message):
        return replace(manner, stream=True)
    if manner.tokens_field == "max_tokens" and "max_completion_tokens" in message:
        return replace(manner, tokens_field="max_completion_tokens")
    if manner.temperature and (param == "temperature" or "temperature" in message) and _REFUSED.search(message):
        return replace(manner, temperature=False)
    return None
