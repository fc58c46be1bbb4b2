"""What a server's refusal means: try again, give this item up, or stop the run.

    content filter, safety, inspection    Blocked      this item will never be answered
    no credit, wrong key, wrong address   RunStopped   no item will be answered
    429, 5xx, 408, a broken reply         CallFailed   retryable
    any other 4xx                         CallFailed   this request is wrong, and stays wrong

A server's codes decide where it gives any, its usual words where it does not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from keju.errors import Blocked, CallFailed, KejuError, RunStopped
from keju.models.keys import without_starred
from keju.printable import printable

LONGEST_MESSAGE = 500  # characters of a server's text that are kept: enough for its reason, too few for a page of HTML

_BLOCKED_CODES = {
    "content_filter",
    "content_policy_violation",
    "data_inspection_failed",
    "datainspectionfailed",
    "responsibleaipolicyviolation",
    "moderation_blocked",
    "prompt_blocked",
}
_BLOCKED_WORDS = re.compile(
    r"content[_ ]filter|content management policy|data[_ ]?inspection|inappropriate content|safety system"
    r"|input was flagged|content policy",
    re.IGNORECASE,
)
BLOCKING_FINISHES = {"content_filter", "safety", "prohibited_content", "blocklist", "recitation", "sensitive"}
"""`finish_reason`s by which a reply was withheld, in lower case."""

_NO_CREDIT_CODES = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "insufficient_balance",
    "arrearage",
    "payment_required",
}
_NO_CREDIT_WORDS = re.compile(
    r"no credit|insufficient (credit|balance|fund)|credit balance is too low|out of credits|余额不足|欠费",
    re.IGNORECASE,
)
_BAD_KEY_WORDS = re.compile(
    r"(invalid|incorrect|not valid)[^.]{0,30}api[-_ ]?key|api[-_ ]?key[^.]{0,30}not valid", re.IGNORECASE
)
_OUTPUT_LIMIT = re.compile(r"could not finish the message because max_tokens", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>\s*(.*?)\s*</title>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error as a server told it, in whichever of the usual shapes."""

    status: int
    message: str
    codes: frozenset[str] = frozenset()
    """Its codes, types and status names, in lower case."""
    param: str | None = None
    """The request field it complains of."""
    retry_after: float | None = None
    where: str = field(default="", compare=False)
    """Model and place, for messages."""

    @property
    def says(self) -> str:
        return f"{self.where}: HTTP {self.status}: {self.message}"

    @property
    def reached_output_limit(self) -> bool:
        """Whether it is the odd 400 by which a reasoning model reports an output cap that left no room for a reply."""
        return self.status == 400 and bool(_OUTPUT_LIMIT.search(self.message))


def server_error(status: int, body: Any, headers: Mapping[str, str], where: str) -> ServerError:
    """Read an error body: parsed JSON of any shape, or its text where it was no JSON."""
    while isinstance(body, list) and body:  # Gemini's compatible endpoint wraps its error in a list
        body = body[0]
    told = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(told, dict):
        return ServerError(status, _plain(told), retry_after=_wait(headers, {}), where=where)
    inner = told.get("innererror")
    places = (told, "code"), (told, "type"), (told, "status"), (inner if isinstance(inner, dict) else {}, "code")
    message = told.get("message") or told.get("detail") or told
    param = told.get("param")
    return ServerError(
        _status(status, told.get("code")),
        _plain(message),
        frozenset(str(place[name]).lower() for place, name in places if place.get(name) is not None),
        param if isinstance(param, str) else None,
        _wait(headers, told),
        where,
    )


def failure(error: ServerError, *, key_from: str = "") -> KejuError:
    """The exception that `error` deserves. `key_from` says where the key was found."""
    status = error.status
    from_place = f" from {key_from}" if key_from else ""
    if _is_blocked(error):
        return Blocked(error.says, status=status)
    if error.codes & _NO_CREDIT_CODES or status == 402 or _NO_CREDIT_WORDS.search(error.message):
        return RunStopped(f"{error.says}. The account has no credit or quota left: top it up, then run again to resume")
    if status in (401, 403) or (status == 400 and _BAD_KEY_WORDS.search(error.message)):
        return RunStopped(
            f"{error.says}. The server refuses the key{from_place}: check it and what it may use, then run again"
        )
    if status in (404, 405) or 300 <= status < 400:
        return RunStopped(f"{error.says}. Check the model's name and the base URL (--base-url), then run again")
    kind, retryable = _kind(status)
    return CallFailed(error.says, kind=kind, retryable=retryable, status=status, retry_after=error.retry_after)


def _is_blocked(error: ServerError) -> bool:
    if error.status == 429 or error.status >= 500:
        return False
    return bool(error.codes & _BLOCKED_CODES or _BLOCKED_WORDS.search(error.message))


def _kind(status: int) -> tuple[str, bool]:
    if status == 429:
        return "rate-limit", True
    if status == 408:
        return "timeout", True
    if status in (409, 425) or status >= 500 or status < 400:  # an error inside a 200 is a gateway's upstream trouble
        return "server", True
    return "bad-request", False


def _status(status: int, code: Any) -> int:
    """The HTTP status, or the one that a 200 hides in its error code."""
    hidden = int(code) if str(code).isdigit() and len(str(code)) == 3 else 0
    return hidden if status < 400 and hidden >= 400 else status


def _plain(told: Any) -> str:
    text = told if isinstance(told, str) else "" if told is None else repr(told)
    if "<html" in text[:1000].lower():
        title = _TITLE.search(text)
        text = f"an HTML page instead of JSON ({title.group(1) if title else 'without a title'})"
    text = " ".join(without_starred(text.encode("utf-8", "replace").decode()).split()) or "no reason given"
    text = printable(text)
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "…"


def _wait(headers: Mapping[str, str], told: Mapping[str, Any]) -> float | None:
    """Seconds that the server asks to wait: `Retry-After` (seconds or a date), or Google's RetryInfo."""
    value = headers.get("Retry-After", "").strip() or _retry_delay(told.get("details"))
    try:
        seconds = float(value)
    except ValueError:
        return _until(value)
    return max(seconds, 0.0) if seconds < float("inf") else None


def _retry_delay(details: Any) -> str:
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and "retryDelay" in detail:
            return str(detail["retryDelay"]).removesuffix("s")
    return ""


def _until(date: str) -> float | None:
    try:
        return max(parsedate_to_datetime(date).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError, OSError):
        return None
