"""The text of one revision of an item: what its author writes, and nothing that is counted or filtered.

Options are one list shared by all languages, and the key is an index into it: a translation cannot have another number
of options or another key.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Text = dict[str, str]
"""Language tag → text: `{"zh-Hans": "这是什么行当？", "en": "Which role is this?"}`."""


class Option(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: Text = {}
    strategy: str | None = None
    """Code of the `Term` that says how a distractor was made; None of the key."""
    asset: str | None = None
    """sha256 of the asset that is the option, where the option is a picture or a clip."""


class Content(BaseModel):
    model_config = ConfigDict(extra="forbid")

    stem: Text = {}
    options: Annotated[list[Option], Field(max_length=6)] = []
    key: int | None = None
    """Index of the right option; None while it is not set."""
    rationale: Text = {}
    """Why the key is right, for reviewers; never shown to people or models who answer."""
    instruction: Text = {}
    """The exam's own instruction to the candidate (Multi-TW)."""

    @property
    def sha256(self) -> str:
        """Digest of the content as canonical JSON: equal contents have equal digests."""
        text = json.dumps(self.model_dump(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def languages(self) -> list[str]:
        """Languages in which there is a stem or an option."""
        return list(dict.fromkeys([*self.stem, *(tag for option in self.options for tag in option.text)]))
