"""From rows to tensors, with the family's own chat template and processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keju.models.local.checkpoint import Checkpoint
from keju.models.local.rows import Picture, Row, Sound
from keju.prompts import Text


@dataclass(frozen=True, slots=True)
class Inputs:
    """A batch as the model takes it."""

    rows: Sequence[Row]
    tensors: Mapping[str, Any]
    """Arguments of the model's `forward`; padded on the left, or on the right where continuations are scored."""
    scored: Sequence[int] = ()
    """Of each row, how many tokens at its end are the continuation."""


class Collator:
    """Makes the inputs of rows that share a key."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._processor, self._tokenizer = checkpoint.processor, checkpoint.tokenizer
        self._template = checkpoint.template
        self._rate = checkpoint.rate if "audio" in checkpoint.takes else None
        tokens: dict[type, str] = {Picture: "image_token", Sound: "audio_token"}
        self._placeholders = {kind: str(getattr(self._processor, name, "")) for kind, name in tokens.items()}
        self._in_blocks = bool(checkpoint.takes) and self._knows_media()
        self._sanitized = True

    def __call__(self, rows: Sequence[Row]) -> Inputs:
        if rows[0].task == "score":
            return self._scored(rows)
        if self._template and (self._in_blocks or self._processor is self._tokenizer):
            return Inputs(rows, self._templated(rows))
        return Inputs(rows, self._processed(rows, [self._written(row) for row in rows], side="left"))

    def _knows_media(self) -> bool:
        """Whether the chat template writes placeholders for media. A language model's own, inherited by a model that
        sees, does not: there the placeholders are part of the turn's text."""
        from jinja2 import TemplateError

        if not self._template:
            return False
        kinds = {Picture: "image", Sound: "audio"}
        known = {kinds[kind]: token for kind, token in self._placeholders.items() if token}
        blocks = [*({"type": kind} for kind in known), {"type": "text", "text": "?"}]
        try:
            text = self._rendered([{"role": "user", "content": blocks}])
        except (TemplateError, TypeError, ValueError):
            return False
        return any(token in text for token in known.values())

    def _rendered(self, talk: list[dict[str, Any]]) -> str:
        text: str = self._tokenizer.apply_chat_template(
            talk, chat_template=self._template, add_generation_prompt=True, tokenize=False
        )
        return text

    def _templated(self, rows: Sequence[Row]) -> Mapping[str, Any]:
        """Template and processor in one step, in which control tokens in an item's text stay plain text."""
        asked: dict[str, Any] = {
            "add_generation_prompt": True,
            "tokenize": True,
            "return_dict": True,
            "return_tensors": "pt",
            "sanitize_control_tokens": self._sanitized,
        }
        asked |= {"processor_kwargs": {"padding": True}} if self._in_blocks else {"padding": True}
        talks = [self._talk(row) for row in rows]
        try:
            tensors: Mapping[str, Any] = self._processor.apply_chat_template(
                talks, chat_template=self._template, **asked
            )
        except ValueError as error:
            if not self._sanitized or "sanitize" not in str(error):
                raise
            self._sanitized = False  # this tokenizer cannot tell control tokens from text
            return self._templated(rows)
        return tensors

    def _scored(self, rows: Sequence[Row]) -> Inputs:
        """Prompts with their continuations. How many tokens a continuation has is counted where the two are one text,
        from the first token in which they differ from the prompt alone: tokenizers may join across the seam."""
        prompts = [self._written(row) for row in rows]
        whole = [prompt + row.continuation for prompt, row in zip(prompts, rows, strict=True)]
        counts = [self._added(prompt, text) for prompt, text in zip(prompts, whole, strict=True)]
        return Inputs(rows, self._processed(rows, whole, side="right"), counts)

    def _added(self, prompt: str, whole: str) -> int:
        before, after = (self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prompt, whole))
        same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
        return len(after) - same

    def _written(self, row: Row) -> str:
        """The text of a row, with a placeholder for each medium, as the processor takes it."""
        return self._rendered(self._talk(row)) if self._template else self._plain(row, between="")

    def _plain(self, row: Row, *, between: str) -> str:
        """All parts as one text, `between` a placeholder and what follows it."""
        parts = (p.text + "\n" if isinstance(p, Text) else self._placeholders[type(p)] + between for p in row.content)
        return "".join(parts).removesuffix("\n")

    def _talk(self, row: Row) -> list[dict[str, Any]]:
        """One turn of the user: parts, or one string for a template that knows no parts."""
        content = [_block(p) for p in row.content] if self._in_blocks else self._plain(row, between="\n")
        return [{"role": "user", "content": content}]

    def _processed(self, rows: Sequence[Row], texts: list[str], *, side: str) -> Mapping[str, Any]:
        how: dict[str, Any] = {"padding": True, "padding_side": side, "return_tensors": "pt"}
        begin = self._tokenizer.bos_token
        how["add_special_tokens"] = not (begin and texts[0].startswith(begin))  # else it would begin twice
        if rows[0].pictures:
            how["images"] = [row.pictures for row in rows]
        if rows[0].sounds:
            how["audio"] = [samples for row in rows for samples in row.sounds]
            how["audio_kwargs"] = {"sampling_rate": self._rate}
        tensors: Mapping[str, Any] = self._processor(text=texts, **how)
        return tensors


def _block(part: Text | Picture | Sound) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Picture):
        return {"type": "image", "image": part.pixels}
    return {"type": "audio", "audio": part.samples}
