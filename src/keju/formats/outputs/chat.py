"""Messages of a chat, in the shape that Inspect and evalscope share: contents are texts or lists of typed parts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from keju.items import Medium


def text_of(content: Any) -> str | None:
    """The text parts of a message's content, joined, without its reasoning parts; None where it is null."""
    if content is None or isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")


def asked(messages: Iterable[Mapping[str, Any]]) -> tuple[str, tuple[Medium, ...]]:
    """(text, media) of the messages before the first reply."""
    texts: list[str] = []
    media: list[Medium] = []
    for message in messages:
        if message.get("role") == "assistant":
            break
        content = message.get("content")
        texts.append(text_of(content) or "")
        for part in content if isinstance(content, list) else ():
            if (kind := part.get("type")) in ("image", "audio"):
                media.append(Medium(kind, _name(str(part.get(kind, "")), kind)))
    return "\n".join(texts), tuple(media)


def _name(source: str, kind: str) -> str:
    """The path; of a medium that is inside the file, a name that is the same where its bytes are."""
    embedded = source.startswith(("data:", "attachment:")) or not source
    return f"{kind}-{hashlib.sha256(source.encode()).hexdigest()[:16]}" if embedded else source.replace("\\", "/")
