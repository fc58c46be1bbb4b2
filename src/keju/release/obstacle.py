"""What blocks a release, as a finding with a remedy."""

from __future__ import annotations

from keju.checks import Finding
from keju.phrase import Phrase


def obstacle(code: str, message: Phrase, remedy: Phrase, file: str | None = None, item: str | None = None) -> Finding:
    """A finding that blocks a release."""
    return Finding(code, "error", message, remedy, item=item, file=file)
