"""An object store on loopback that speaks S3, for tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def bucket() -> Iterator[Any]:
    """A store as fsspec opens it, with an empty bucket `bucket`; the environment leads to it, here and in what starts
    from here. Skips where moto or s3fs is not installed."""
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        moto = pytest.importorskip("moto.server", reason="moto is not installed")
        import fsspec

        server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "made-up")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "made-up")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_MAX_ATTEMPTS", "1")
        patch.delenv("AWS_PROFILE", raising=False)
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        store = fsspec.filesystem("s3", use_listings_cache=False)
        if store.exists("bucket"):  # what moto holds outlives its server
            store.rm("bucket", recursive=True)
        store.mkdir("bucket")
        yield store
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        server.stop()
