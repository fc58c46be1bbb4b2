"""How an endpoint is reached: its address, the key, how long to wait and how much to ask at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from keju.errors import Misuse
from keju.models.catalogue import Provider
from keju.models.keys import Secret, find_key
from keju.models.options import Options

TIMEOUT = 120.0  # seconds; a large picture at a busy server takes a minute


class Access(TypedDict):
    """What every class that speaks to an endpoint is opened with."""

    base_url: str
    key: Secret | None
    key_from: str
    """Where the key was found, for messages."""
    timeout: float
    extra: Mapping[str, Any]
    concurrency: int


def access(provider: Provider, full: str, options: Options, *, remedy: str) -> Access:
    """The way to the model `full` (`PROVIDER/MODEL`); what `options` do not say is the provider's.

    Raises `Misuse` where the address is not known, with `remedy`, or the key is not there.
    """
    base_url = options.base_url or provider.base_url
    if base_url is None:
        raise Misuse(f"{full} needs the address of its server{remedy}")
    variable = options.key_env or provider.key
    required = not provider.key_optional or options.key_env is not None
    return Access(
        base_url=base_url,
        key=find_key(variable, options.key_file, required=required, needed_by=full),
        key_from=f"file {options.key_file}" if options.key_file else variable or "",
        timeout=TIMEOUT if options.timeout is None else options.timeout,
        extra=options.extra or {},
        concurrency=options.concurrency or provider.concurrency,
    )
