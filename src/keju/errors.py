"""What can go wrong, as a tree.

    KejuError
    ├── Misuse            you asked for something that cannot be: bad argument, unknown name (exit 2)
    │   ├── BadFile       a file or folder is not what it should be; names file, line and remedy
    │   ├── MissingExtra  an optional part is not installed; says the exact install line
    │   ├── NotHeld       a run lacks what a table asks of it, and other runs may have it (results/tally.py)
    │   └── MissingKey    a model needs an API key and there is none; says which variable to set
    ├── Refused           going on would mix or spoil results: fingerprint differs, folder locked (exit 4)
    ├── RunStopped        no further call can help: no credit, wrong key, disk full (exit 3)
    └── CallFailed        the world failed: one attempt at one model call gave no reply
        └── Blocked       a content filter refused the item

A `CallFailed` never leaves a run: the engine retries it or stores it as a failure. The others reach the user.
"""

from __future__ import annotations


class KejuError(Exception):
    """Base of every error that keju raises on purpose."""


class Misuse(KejuError):
    """The request cannot be met as it stands; the message says what to change."""


class BadFile(Misuse):
    """A file or folder is not what was expected. The message names the place and the remedy."""


class MissingExtra(Misuse):
    """An optional part of keju is not installed."""

    def __init__(self, extra: str, needed_for: str) -> None:
        super().__init__(f"{needed_for} needs the extra `{extra}`. Install it: pip install 'keju[{extra}]'")


class MissingKey(Misuse):
    """A model needs an API key, and none was found where the message says."""


class Refused(KejuError):
    """Going on would mix results that do not belong together. The message names the difference."""


class RunStopped(KejuError):
    """The run cannot go on: every further call would fail alike. What is answered is kept."""


class CallFailed(KejuError):
    """One attempt at one model call gave no reply.

    `kind` is one of `rate-limit`, `server`, `timeout`, `connection`, `bad-request`, `bad-reply`, `medium`, `model`.
    `retry_after` is the server's own wait in seconds, where it named one.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        retryable: bool,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.status = status
        self.retry_after = retry_after


class Blocked(CallFailed):
    """The server's content filter refused the prompt or the reply. Asking again gives the same result."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message, kind="blocked", retryable=False, status=status)
