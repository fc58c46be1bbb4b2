"""What a run will ask and cost, before it is asked; and what it did cost, from a user's price file.

Price file (TOML), money per million tokens:

    ["openai/gpt-4o"]
    input = 2.5
    output = 10.0
    currency = "USD"
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.toml_text import read_toml
from keju.items import Medium
from keju.prompts import Prompt
from keju.records import Record

TOKENS_PER_CHARACTER_CJK = 0.8
"""Rough: current tokenizers need 0.6 to 1.2 tokens for a Han character."""
TOKENS_PER_CHARACTER_LATIN = 0.27
"""Rough: about 3.7 characters a token in English."""
TOKENS_PER_IMAGE = 1100
"""Rough: a 1280×720 picture costs 765 (GPT-4o, high detail) to about 1,200 tokens (Qwen2-VL)."""
TOKENS_PER_AUDIO_KB = 1.6
"""Rough: 128 kbit/s MP3 is 16 kB a second, and a second of audio costs about 25 tokens."""
_CJK_FROM = "\u2e80"


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens."""

    input: float
    output: float
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking some prompts would take. Tokens are estimates; requests and bytes are exact."""

    requests: int
    bytes: int
    """Body bytes, media in base64."""
    input_tokens: int
    output_tokens: int
    """At most: every reply as long as the protocol allows."""
    missing_media: int
    """Items that cannot be asked because a medium is not there."""


def estimate(prompts: Iterable[Prompt]) -> Estimate:
    """Count what `prompts` would send, reading no medium (sizes only)."""
    requests = size = tokens_in = tokens_out = missing = 0
    for prompt in prompts:
        if not all(medium.exists for medium in prompt.media):
            missing += 1
            continue
        requests += 1
        text = prompt.text
        size += len(text.encode()) + sum(_bytes(m) * 4 // 3 for m in prompt.media)
        cjk = sum(character >= _CJK_FROM for character in text)
        tokens_in += round(cjk * TOKENS_PER_CHARACTER_CJK + (len(text) - cjk) * TOKENS_PER_CHARACTER_LATIN)
        tokens_in += sum(_tokens(medium) for medium in prompt.media)
        tokens_out += prompt.generation.max_tokens
    return Estimate(requests, size, tokens_in, tokens_out, missing)


def _bytes(medium: Medium) -> int:
    return medium.size if medium.exists else 0


def _tokens(medium: Medium) -> int:
    return TOKENS_PER_IMAGE if medium.kind == "image" else round(_bytes(medium) / 1000 * TOKENS_PER_AUDIO_KB)


def load_prices(path: Path) -> Mapping[str, Price]:
    """Model → price. Raises `BadFile` naming the model and key that are wrong."""
    tables = read_toml(path)
    prices: dict[str, Price] = {}
    for model, table in tables.items():
        try:
            money = _money(table["input"]), _money(table["output"])
            prices[model] = Price(*money, str(table.get("currency", "USD")))
        except (KeyError, TypeError, ValueError) as error:
            raise BadFile(
                f'{path}: ["{model}"] needs numbers `input` and `output` (per million tokens): {error!r}'
            ) from error
    return prices


def _money(told: Any) -> float:
    """A price. Raises `TypeError` or `ValueError` where it is none."""
    money = float(told)
    if isinstance(told, bool) or not 0 <= money < math.inf:
        raise ValueError(f"{told} is no price")
    return money


def cost_of(records: Iterable[Record], price: Price) -> tuple[float, int]:
    """Money for the tokens that the server counted, and how many replies came without a count."""
    money, uncounted = 0.0, 0
    for record in records:
        if record.usage is None or record.usage.input_tokens is None:
            uncounted += record.has_reply
            continue
        money += record.usage.input_tokens * price.input + (record.usage.output_tokens or 0) * price.output
    return money / 1e6, uncounted
