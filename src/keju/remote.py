"""Files of an object store: fetched by whoever needs their bytes, once, into the user's cache folder.

`fsspec` opens the stores: `s3://` with s3fs, `gs://` with gcsfs, `hf://` with huggingface_hub, and so on. Credentials
are those that each of them finds by itself; none is kept here. A file in the cache is named by its address and the
version that the store gave it, so a changed object never passes for the one before.
"""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any

from keju.caches import cache_folder, came, used
from keju.errors import CallFailed, Misuse, RunStopped

_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "hf": "huggingface_hub"}
"""What opens a store, by the first part of its addresses."""
_CREDENTIALS = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for a public bucket FSSPEC_S3_ANON=true",
    "gs": "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
    "hf": "set HF_TOKEN",
}
_ANEW: dict[str, dict[str, Any]] = {"hf": {"refresh": True, "expand_info": True}}
"""What a store must be told to look at an object again, not at what it once listed."""
_VERSIONS = ("ETag", "etag", "md5Hash", "content_md5", "blob_id", "generation", "checksum")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "created")
"""Fields in which stores tell one version of an object from another, the surer ones first."""


@dataclass(frozen=True, slots=True)
class Remote:
    """One object as it was when the store was listed."""

    url: str
    size: int
    """Bytes."""
    version: str
    """What the store says of its content: an ETag, a checksum, or the time of its last change."""

    @property
    def place(self) -> Path:
        """Where its bytes are on this machine, once they have been fetched."""
        key = blake2b(f"{self.url}\0{self.size}\0{self.version}".encode(), digest_size=16).hexdigest()
        suffix = PurePosixPath(self.url).suffix.lower()
        return _media() / key[:2] / (key + (suffix if re.fullmatch(r"\.[a-z0-9]{1,5}", suffix) else ""))

    def fetched(self) -> Path:
        """Its file on this machine, fetched now unless it is here; it stays for ten minutes at least (`keju.caches`).

        Raises `CallFailed` (kind `medium`) where it is not to be had or is another by now, `RunStopped` where the cache
        folder cannot be written, `Misuse` where its limit is no number.
        """
        place = self.place
        if not used(place):
            part = place.with_name(f"{place.name}.{os.getpid()}.{threading.get_ident()}.part")
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                part.touch()
            except OSError as error:
                raise _no_cache(error) from error
            try:
                self._fetch(part)
                os.utime(part)  # some stores give a file the object's time
                part.replace(place)
            finally:
                part.unlink(missing_ok=True)
            try:
                came(_media(), self.size)
            except ValueError as error:
                raise Misuse(str(error)) from error
        return place

    def _fetch(self, into: Path) -> None:
        try:
            store, path = open_store(self.url)
            store.get_file(path, str(into))
            # After the bytes: what was old then is no longer what was listed.
            now = of(self.url, store.info(path, **_ANEW.get(_scheme(self.url), {})))
        except Exception as error:  # each store has errors of its own
            if getattr(error, "errno", None) in (28, 30, 122) or getattr(error, "filename", None) == str(into):
                raise _no_cache(error) from error
            lasting = isinstance(error, FileNotFoundError | PermissionError | Misuse)
            raise CallFailed(told(error, self.url), kind="medium", retryable=not lasting) from error
        if now != self or into.stat().st_size != self.size:
            raise CallFailed(
                f"{self.url} has changed since the benchmark was read; start again to ask the new one",
                kind="medium",
                retryable=False,
            )


def _media() -> Path:
    """Where this machine keeps what was fetched."""
    return cache_folder() / "media"


def of(url: str, info: dict[str, Any]) -> Remote:
    """The object at `url`, of which the store says `info`."""
    size = int(info.get("size") or 0)
    said = next((info[name] for name in (*_VERSIONS, *_TIMES) if info.get(name)), "")
    return Remote(url, size, str(said.timestamp() if isinstance(said, datetime) else said).strip('"'))


def is_url(path: object) -> bool:
    """Whether this is an address of a store rather than a path."""
    return re.match(r"[a-z][a-z0-9+.-]+://", str(path)) is not None


def open_store(url: str) -> tuple[Any, str]:
    """The store of `url`, and what the store calls the place. Raises `Misuse` where nothing here opens it."""
    scheme = _scheme(url)
    if re.match(r"[^/]+://[^/@]*:[^/@]*@", url):
        raise Misuse(
            f"{scheme}://…: no password may stand in an address, which runs write down. {_credentials(scheme)}"
        )
    package = _PACKAGES.get(scheme, "fsspec")
    try:
        from fsspec.core import url_to_fs

        hub = os.environ.get("HF_ENDPOINT") if scheme == "hf" else None
        store, path = url_to_fs(url, use_listings_cache=False, **({"endpoint": hub} if hub else {}))
    except ImportError as error:
        raise Misuse(f"reading {url} needs {package}. Install it: pip install {package}") from error
    except ValueError as error:
        raise Misuse(f"{url}: {error}. keju reads s3://, gs://, hf:// and what else fsspec opens") from error
    return store, str(path)


def told(error: Exception, url: str) -> str:
    """What went wrong with a store, and what to do."""
    if isinstance(error, Misuse):
        return str(error)
    scheme, kind = _scheme(url), type(error).__name__
    said = (str(error).strip().splitlines() or [kind])[0][:200].rstrip(".")
    if isinstance(error, PermissionError) or "Credential" in kind or "Unauthorized" in kind:
        return f"{url}: access was refused ({said}). {_credentials(scheme)}"
    if isinstance(error, FileNotFoundError):
        return f"{url}: the store has no such bucket, folder or file. Check the address"
    return f"{url}: the store cannot be reached ({kind}: {said}). Check the network and the address, then try again"


def _scheme(url: str) -> str:
    return url.partition("://")[0]


def _credentials(scheme: str) -> str:
    return f"Credentials: {_CREDENTIALS.get(scheme, 'give them as its package wants them')}"


def _no_cache(error: Exception) -> RunStopped:
    return RunStopped(
        f"the cache folder {cache_folder()} cannot take what is fetched: {getattr(error, 'strerror', None) or error}. "
        "Make room there, or name another folder: export KEJU_CACHE=…"
    )
