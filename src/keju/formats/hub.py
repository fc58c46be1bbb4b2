"""Benchmarks on a Hugging Face hub: `hf:OWNER/NAME[@REVISION]` → a snapshot folder on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path

from keju.errors import BadFile, MissingExtra, Misuse

PREFIX = "hf:"
_ADDRESS = re.compile(r"hf:([\w.-]+/[\w.-]+)(?:@([^@\s]+))?")


def snapshot(address: str) -> tuple[Path, str, str]:
    """Fetch a data set repository, or reuse the snapshot that is here already; (folder, repository, commit).

    The hub is that of `HF_ENDPOINT`; `HF_TOKEN` opens gated repositories; with `HF_HUB_OFFLINE`, or without a network,
    only what was fetched before is used. Raises `BadFile` where there is no such repository, revision or hub.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise Misuse(f"{address!r} is no hub address; write hf:OWNER/NAME or hf:OWNER/NAME@REVISION")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import (
            GatedRepoError,
            HfHubHTTPError,
            HFValidationError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )
    except ImportError as error:
        raise MissingExtra("hub", f"reading {address}") from error
    repository, revision = found[1], found[2]
    endpoint = os.environ.get("HF_ENDPOINT") or None
    try:
        folder = snapshot_download(repository, repo_type="dataset", revision=revision, endpoint=endpoint)
    except GatedRepoError as error:
        raise BadFile(f"{address}: access is gated; accept its terms on the hub and set HF_TOKEN") from error
    except RevisionNotFoundError as error:
        raise BadFile(f"{address}: the repository has no revision {revision!r}") from error
    except RepositoryNotFoundError as error:
        raise BadFile(f"{address}: the hub has no such data set, or it is private (set HF_TOKEN)") from error
    except LocalEntryNotFoundError as error:
        raise BadFile(f"{address}: the hub cannot be reached and no earlier snapshot is here") from error
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        raise BadFile(f"{address}: cannot be fetched: {error}") from error
    return Path(folder), repository, Path(folder).name
