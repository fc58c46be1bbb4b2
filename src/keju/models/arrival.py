"""Did the medium arrive? A server may drop a picture or a clip without a word, and answer all the same."""

from __future__ import annotations

from dataclasses import replace

from keju.models.model import Model
from keju.prompts import Prompt, Text
from keju.records import Reply


def without_media(prompt: Prompt) -> Prompt:
    """The same prompt with its text parts only."""
    return replace(prompt, parts=tuple(part for part in prompt.parts if isinstance(part, Text)))


async def check_arrival(model: Model, prompt_with: Prompt, prompt_without: Prompt) -> str | None:
    """Ask twice, with the media and without, and compare what the server counted. Returns a warning, or None.

    Raises what `Model.answer` raises.
    """
    seen = await model.answer(prompt_with)
    return arrival_warning(prompt_with, seen, await model.answer(prompt_without))


def arrival_warning(prompt: Prompt, with_media: Reply, without: Reply) -> str | None:
    """A warning where the server counted no more tokens with the media than without; None where it counts none."""
    seen, blind = (reply.usage.input_tokens if reply.usage else None for reply in (with_media, without))
    if seen is None or blind is None or seen > blind:
        return None
    kinds = " and ".join(sorted({medium.kind for medium in prompt.media}))
    return (
        f"the {kinds} of item {prompt.item_id} may never have reached the model: "
        f"the server counted {seen} tokens with it and {blind} without. "
        f"Check that the model takes {kinds} and that the dialect is the server's"
    )
