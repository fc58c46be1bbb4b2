"""One address that is posted to over pooled connections, with what can go wrong on the way put into keju's errors."""

from __future__ import annotations

import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
from aiohttp.payload import Payload

from keju.errors import CallFailed, KejuError, Misuse, RunStopped
from keju.models.keys import Secret

LARGEST_REPLY = (
    32 * 1024 * 1024
)  # bytes; beyond it a server has gone wrong, and every request in flight could hold as much
CONNECT_SECONDS = 15.0  # a host that has not even accepted by then is not there


class Endpoint:
    """Where requests go. The session opens with the first of them, in the loop that runs then."""

    def __init__(self, base_url: str, route: str, *, who: str, key: Secret | None, timeout: float) -> None:
        """`who` names the model in messages; `timeout` is in seconds, for one attempt from connecting to the last byte.

        Raises `Misuse` where `base_url` is no web address or `timeout` no positive number.
        """
        if not timeout > 0:
            raise Misuse(f"timeout must be a positive number of seconds, not {timeout}")
        self.url, self.shown = _address(base_url, route)
        if key and key.is_in(self.shown):
            raise Misuse("the base URL must not hold the key: a run stores the URL; give the key by a variable or file")
        self._who = who
        self._key = key
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=min(timeout, CONNECT_SECONDS))
        self._headers = {"Authorization": f"Bearer {key.reveal()}"} if key else {}
        self._proxy: str | None = None
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def post(self, body: Payload) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response to `body`, its content still to be read; inside the block every transport error is translated,
        and the key taken out of every error.

        Raises `CallFailed` (kind `timeout`, `connection`, `bad-reply`, `medium`); `RunStopped` for a bad certificate.
        """
        session = self._open()
        try:
            async with session.post(
                self.url, data=body, headers=self._headers, proxy=self._proxy, allow_redirects=False
            ) as response:
                yield response
        except KejuError as error:
            error.args = tuple(self.hide(str(part)) for part in error.args)
            raise
        except TimeoutError:
            raise self._failed(
                "timeout", f"no whole reply from {self.shown} within {self._timeout.total:g} s"
            ) from None
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            raise RunStopped(f"{self._who}: no safe connection to {self.shown}: {error}. Check the base URL") from error
        except aiohttp.ClientResponseError as error:  # what came was not HTTP; its own text would show the whole URL
            raise self._failed("bad-reply", f"{self.shown} broke the HTTP protocol: {error.message}") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__, CallFailed):  # a medium failed while it was sent, not the connection
                raise error.__cause__ from None
            reason = str(error) or type(error).__name__
            raise self._failed("connection", f"the connection to {self.shown} failed: {reason}") from None

    async def portions(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        """The reply's bytes as they come. Raises `CallFailed` beyond `LARGEST_REPLY`."""
        size = 0
        async for portion in response.content.iter_any():
            size += len(portion)
            if size > LARGEST_REPLY:
                raise self._failed("bad-reply", f"the reply is larger than {LARGEST_REPLY >> 20} MiB")
            yield portion

    async def body(self, response: aiohttp.ClientResponse) -> bytes:
        """The reply's bytes, whole, without the key should the server have echoed it."""
        return self.scrub(b"".join([portion async for portion in self.portions(response)]))

    def scrub(self, received: bytes) -> bytes:
        """What was received, without the key."""
        return self._key.scrub(received) if self._key else received

    def hide(self, text: str) -> str:
        """A text that was received, without the key."""
        return self._key.hide(text) if self._key else text

    async def close(self) -> None:
        """Close the connections. A later request opens new ones."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._proxy = _proxy(self.url)
            # The engine bounds what is in flight, so the pool does not; cookies would let one item colour the next.
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=self._timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": "keju"},
            )
        return self._session

    def _failed(self, kind: str, why: str) -> CallFailed:
        return CallFailed(f"{self._who}: {self.hide(why)}", kind=kind, retryable=True)


def _address(base_url: str, route: str) -> tuple[str, str]:
    """The URL to post to, and the base URL as it may be shown: without a query, which may hold a key."""
    try:
        parts = urlsplit(base_url.strip())
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise Misuse(f"base URL {base_url!r} is no web address; it looks like https://host/v1")
    if "@" in parts.netloc:
        raise Misuse("the base URL must not hold a user name or password; give the key by its variable or a key file")
    path = parts.path.rstrip("/").removesuffix(f"/{route}")
    return parts._replace(path=f"{path}/{route}", fragment="").geturl(), f"{parts.scheme}://{parts.netloc}{path}"


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for `url`; never one for this machine itself.

    aiohttp's own `trust_env` would also read ~/.netrc and may send a password found there in place of the key.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
