"""Asks an address once or a few times, within a time limit, and gives back the bytes of a good answer.

https is checked against the machine's certificates; plain http goes to this machine alone. A redirect is a failure,
an answer has a largest size, and the time limit holds for all tries together, however slowly an answer drips in.
"""

from __future__ import annotations

import http.client
import ipaddress
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from ..context.aids import AidFailed, AidName

MOST_BYTES: Final = 64 << 20
_PIECE: Final = 1 << 16
_GRACE_SECONDS: Final = 0.2
_TRY_AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_LONGEST_PAUSE_SECONDS: Final = 5.0
_MEANS: Final = {
    400: "it refused the request (HTTP 400)",
    401: "it refused the key (HTTP 401)",
    403: "it refused the key (HTTP 403)",
    404: "it has no such model or address (HTTP 404)",
    429: "it is over its limit (HTTP 429)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A base address, and the key that it takes, which is never shown."""

    url: str
    key: str | None = field(default=None, repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    def below(self, path: str) -> Place:
        """The place of one of its services; an address that already ends with it stays."""
        parts = urlsplit(self.url)
        base = parts.path.rstrip("/")
        whole = base if base.endswith(path) else base + path
        return replace(self, url=urlunsplit((parts.scheme, parts.netloc, whole, parts.query, "")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How patient we are. `pause` is how a wait passes."""

    seconds: float = 20.0
    tries: int = 3
    pause: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    body: bytes
    requests: int


def fault_of(url: str) -> str | None:
    """Why an address can't be used; None if it can."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is no address"
    if parts.scheme not in ("http", "https") or not host:
        return "it must begin with https:// and name a host"
    if parts.username is not None or parts.password is not None:
        return "it holds a name or a password; give the key by a variable"
    if parts.scheme == "http" and not is_loopback(host):
        return "http is for this machine alone; use https"
    return None


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ask(place: Place, body: bytes, asking: Asking, aid: AidName) -> Answered:
    """POST the JSON. Raises AidFailed."""
    fault = fault_of(place.url) or _key_fault(place.key)
    if fault is not None:
        raise AidFailed(aid, fault)
    deadline = time.monotonic() + asking.seconds
    for number in range(1, asking.tries + 1):
        try:
            return Answered(body=_in_time(place, body, deadline), requests=number)
        except _Again as again:
            pause = min(again.pause if again.pause is not None else 0.5 * 2 ** (number - 1), _LONGEST_PAUSE_SECONDS)
            if number == asking.tries or time.monotonic() + pause >= deadline:
                raise AidFailed(aid, again.why, requests=number) from None
            asking.pause(pause)
        except _Final as final:
            raise AidFailed(aid, final.why, requests=number) from None
    raise AidFailed(aid, "it was not asked")


class _Final(Exception):
    """There is no use in asking again."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class _Again(_Final):
    """It may answer yet; `pause` is how long it wants us to wait."""

    def __init__(self, why: str, pause: float | None = None) -> None:
        super().__init__(why)
        self.pause = pause


def _key_fault(key: str | None) -> str | None:
    if key is None or (key.isascii() and key.isprintable() and " " not in key):
        return None
    return "its key holds characters that no key has"


def _in_time(place: Place, body: bytes, deadline: float) -> bytes:
    """The answer to one try. In a thread, since a socket's own limit starts anew with each byte that drips in."""
    ended: list[bytes | _Final] = []

    def run() -> None:
        try:
            ended.append(_once(place, body, deadline))
        except _Final as why:
            ended.append(why)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()) + _GRACE_SECONDS)
    if not ended:
        raise _Final("it did not answer in time")
    if isinstance(ended[0], _Final):
        raise ended[0]
    return ended[0]


def _once(place: Place, body: bytes, deadline: float) -> bytes:
    headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
    if place.key is not None:
        headers["Authorization"] = f"Bearer {place.key}"
    request = urllib.request.Request(place.url, data=body, headers=headers, method="POST")
    try:
        with _opener(place).open(request, timeout=_left(deadline)) as response:
            return _read(response, deadline)
    except urllib.error.HTTPError as refused:
        refused.close()
        why = _MEANS.get(refused.code, f"it answered with HTTP status {refused.code}")
        if 300 <= refused.code < 400:
            raise _Final("it sent us elsewhere, which is not followed") from None
        raise (_Again(why, _pause(refused)) if refused.code in _TRY_AGAIN else _Final(why)) from None
    except TimeoutError:
        raise _Final("it did not answer in time") from None
    except (OSError, http.client.HTTPException) as fault:
        if isinstance(getattr(fault, "reason", None), TimeoutError):
            raise _Final("it did not answer in time") from None
        raise _Again(f"it could not be reached ({_word(fault)})") from None
    except ValueError:
        raise _Final("its address can't be used") from None


def _opener(place: Place) -> urllib.request.OpenerDirector:
    """http and https and nothing else: no redirects, no files, no stored passwords; a proxy only for the way out."""
    opener = urllib.request.OpenerDirector()
    proxies = urllib.request.ProxyHandler({} if is_loopback(place.host) else None)
    for handler in (
        proxies,
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _read(response: Any, deadline: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise _Final("its answer is too large")
        _left(deadline)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _pause(refused: urllib.error.HTTPError) -> float | None:
    told = refused.headers.get("Retry-After") or ""
    return float(told) if told.isascii() and told.isdecimal() else None


def _word(fault: Exception) -> str:
    """The kind of a fault: its text may hold what must not be shown."""
    return type(getattr(fault, "reason", None) or fault).__name__
