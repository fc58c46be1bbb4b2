"""The forward pass: replies written greedily, labels compared, continuations scored."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keju.errors import CallFailed
from keju.models.local.inputs import Inputs
from keju.records import Finish

SPACED = ("", "\u2581", "\u0120")  # a word's beginning in SentencePiece and in byte-level vocabularies


@dataclass(frozen=True, slots=True)
class Answer:
    """What a pass gave for one row."""

    text: str = ""
    finish: Finish = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    scores: Mapping[str, float] | None = None
    """Log-probability by label, of a row that chose."""
    log_probability: float = 0.0
    """Sum over the continuation's tokens (nats), of a row that was scored."""


class Passes:
    """A model and its tokenizer, which answer inputs."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._greedy = model.generation_config = _greedy(model.generation_config, tokenizer)
        self._keeps = "logits_to_keep" in inspect.signature(model.forward).parameters

    @property
    def attention(self) -> str:
        """The attention kernels in use: one, or one for each part of the model (`text_config: eager, …`)."""
        config = self._model.config
        parts = {name: part for name in sorted(config.sub_configs) if (part := getattr(config, name, None)) is not None}
        kernels = {name: str(part._attn_implementation) for name, part in (parts or {"": config}).items()}
        alike = len(set(kernels.values())) == 1
        return next(iter(kernels.values())) if alike else ", ".join(f"{n}: {k}" for n, k in kernels.items())

    def __call__(self, inputs: Inputs) -> Sequence[Answer]:
        import torch

        answer = {"write": self._write, "choose": self._choose, "score": self._score}[inputs.rows[0].task]
        with torch.inference_mode():
            return answer(inputs, self._moved(inputs.tensors))

    def _moved(self, tensors: Mapping[str, Any]) -> dict[str, Any]:
        device, dtype = self._model.device, self._model.dtype
        return {
            name: t if not hasattr(t, "to") else t.to(device, dtype) if t.is_floating_point() else t.to(device)
            for name, t in tensors.items()
            if name != "labels"  # of training: PaliGemma's processor makes some
        }

    def _write(self, inputs: Inputs, tensors: Mapping[str, Any]) -> list[Answer]:
        most = inputs.rows[0].max_tokens
        made = self._model.generate(**tensors, generation_config=self._greedy, max_new_tokens=most)
        new = made[:, tensors["input_ids"].shape[1] :].tolist()
        return [self._reply(ids, read, most) for ids, read in zip(new, _lengths(tensors), strict=True)]

    def _reply(self, ids: list[int], read: int, most: int) -> Answer:
        ends = self._greedy.eos_token_id or []
        end = next((at for at, token in enumerate(ids) if token in ends), None)
        written = ids if end is None else ids[:end]
        text: str = self._tokenizer.decode(written, skip_special_tokens=True)
        finish: Finish = "length" if end is None and len(ids) >= most else "stop"
        return Answer(text, finish, read, len(written) + (end is not None))

    def _choose(self, inputs: Inputs, tensors: Mapping[str, Any]) -> list[Answer]:
        """One step of generation: it sees to positions and masks as each family needs them, and its logits are kept."""
        made = self._model.generate(
            **tensors,
            generation_config=self._greedy,
            max_new_tokens=1,
            return_dict_in_generate=True,
            output_logits=True,
        )
        likely = made.logits[0].float().log_softmax(-1).cpu()
        return [
            Answer(input_tokens=read, scores=self._label_scores(row.labels, of))
            for row, of, read in zip(inputs.rows, likely, _lengths(tensors), strict=True)
        ]

    def _label_scores(self, labels: Sequence[str], likely: Any) -> dict[str, float]:
        return {label: likely[label_tokens(self._tokenizer, label)].logsumexp(-1).item() for label in labels}

    def _score(self, inputs: Inputs, tensors: Mapping[str, Any]) -> list[Answer]:
        import torch

        ids, lengths = tensors["input_ids"].cpu(), _lengths(tensors)
        first = min(length - count for length, count in zip(lengths, inputs.scored, strict=True)) - 1
        kept = {"logits_to_keep": ids.shape[1] - first} if self._keeps else {}
        logits = self._model(**tensors, **kept).logits
        offset = ids.shape[1] - logits.shape[1]
        answers = []
        for of, tokens, length, count in zip(logits, ids, lengths, inputs.scored, strict=True):
            at = torch.arange(length - count, length)
            likely = of[(at - 1 - offset).to(of.device)].float().log_softmax(-1).cpu()
            total = likely.gather(-1, tokens[at].unsqueeze(-1)).double().sum().item()
            answers.append(Answer(input_tokens=length - count, log_probability=total))
        return answers


def label_tokens(tokenizer: Any, label: str) -> list[int]:
    """The tokens that write `label` at the beginning of a reply, with and without a space before it.

    Raises `CallFailed` where no single token does.
    """
    vocabulary = tokenizer.get_vocab()
    found = [vocabulary[mark + label] for mark in SPACED if mark + label in vocabulary]
    if not found:
        message = f"the label {label!r} is no single token of this model, so its logits cannot be compared"
        raise CallFailed(message, kind="bad-request", retryable=False)
    return found


def _lengths(tensors: Mapping[str, Any]) -> list[int]:
    """Tokens of each row without padding."""
    counts: list[int] = tensors["attention_mask"].sum(-1).tolist()
    return counts


def _greedy(own: Any, tokenizer: Any) -> Any:
    """Settings of generation that take the likeliest token and nothing else of the checkpoint's (sampling, penalties)
    but where a reply ends."""
    from transformers import GenerationConfig

    ends = own.eos_token_id if own.eos_token_id is not None else tokenizer.eos_token_id
    return GenerationConfig(
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        eos_token_id=[ends] if isinstance(ends, int) else ends,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=own.bos_token_id,
    )
