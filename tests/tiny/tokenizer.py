"""A small byte-level tokenizer, trained on the spot, and chat templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

CORPUS = (
    "Question: Which color is the mask? Options: A. red B. blue C. green D. black. Answer with one letter only.",
    "问题：图中的脸谱是什么颜色？请仅回答正确选项的字母。A: 红色 B: 蓝色 C: 绿色 D: 黑色",
    "system\nuser\nassistant\nUSER: ASSISTANT: You are a helpful assistant.",
)


def make_tokenizer(special: Sequence[str], template: str | None = None, **roles: Any) -> PreTrainedTokenizerFast:
    """A tokenizer that knows every byte, the special tokens `special` in this order, and a few words.

    `roles` are `bos_token`, `eos_token`, … and a family's `extra_special_tokens`.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=list(special), show_progress=False, initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator(CORPUS * 10, trainer)
    roles.setdefault("model_input_names", ["input_ids", "attention_mask"])
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles)
    named = {value for value in roles.values() if isinstance(value, str)}
    made.add_special_tokens({"additional_special_tokens": [token for token in special if token not in named]})
    made.chat_template = template
    return made


def ids(tokenizer: PreTrainedTokenizerFast, **tokens: str) -> dict[str, int]:
    """The ids of tokens, under the names that a configuration gives them."""
    return {name: tokenizer.convert_tokens_to_ids(token) for name, token in tokens.items()}


def turns(image: str = "<image>", end: str = "\n") -> str:
    """The template `USER: … ASSISTANT:` with a placeholder for each picture."""
    return (
        "{% for m in messages %}{{ m['role'] | upper }}: {% for c in m['content'] %}"
        "{% if c['type'] == 'image' %}" + image + "{% elif c['type'] == 'text' %}{{ c['text'] }}{% endif %}"
        "{% endfor %}" + end + "{% endfor %}{% if add_generation_prompt %}ASSISTANT:{% endif %}"
    )


def im_start(image: str, audio: str = "") -> str:
    """Qwen's template, with a system turn before the first."""
    return (
        "{% for m in messages %}{% if loop.first and m['role'] != 'system' %}<|im_start|>system\n"
        "You are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}"
        "{% if c['type'] == 'image' %}" + image + "{% elif c['type'] == 'audio' %}" + audio + ""
        "{% elif 'text' in c %}{{ c['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )


PLAIN_TURNS = (
    "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] | trim }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
"""A language model's own template: the content of a turn is one string (Llama 3, Phi 3)."""

HEADERS = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{% for c in m['content'] %}{% if c['type'] == 'image' %}<|image|>{% elif c['type'] == 'text' %}{{ c['text'] }}"
    "{% endif %}{% endfor %}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
"""Llama 3.2 Vision's template; it begins with the token that begins a document."""
