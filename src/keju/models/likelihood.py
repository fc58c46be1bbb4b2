"""Options scored by likelihood, wherever the model runs: how an option continues its prompt, what the scores choose."""

from __future__ import annotations

from collections.abc import Mapping

from keju.prompts import Prompt

UNSPACED = ("zh", "ja", "th", "lo", "km", "my")
"""Languages (BCP-47) that put no space before an answer."""


def continuation(prompt: Prompt, text: str) -> str:
    """An option's text as it stands after the prompt of a model that was trained for no chat; a newline closes it."""
    gap = "" if prompt.language.lower().split("-")[0] in UNSPACED else " "
    return f"{gap}{text.strip()}\n"


def complaint(prompt: Prompt) -> str | None:
    """Why the options cannot be scored, or None where they can."""
    silent = [label for label, text in prompt.options.items() if not text.strip()]
    if prompt.scoring == "option-likelihood" and silent:
        return f"options without text cannot be scored by likelihood: {', '.join(silent)}"
    return None if prompt.options else "there are no options to choose among"


def likeliest(scores: Mapping[str, float]) -> tuple[str, tuple[str, ...]]:
    """The label with the greatest score, and warnings. Of a tie none is chosen."""
    best = [label for label, score in scores.items() if score == max(scores.values())]
    return (best[0], ()) if len(best) == 1 else ("", (f"equally likely: {', '.join(best)}",))
