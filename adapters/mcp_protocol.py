"""The Model Context Protocol as values: one JSON message in, at most one out; no input or output of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from .. import __version__

SERVER_INFO: Final = {"name": "agenvantage", "version": __version__}
CAPABILITIES: Final = {"tools": {"listChanged": False}}

VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
COUNTER_OFFER: Final = "2025-11-25"
"""Answered to a version we don't know: the newest that still has a handshake."""
UNNAMED: Final = "2025-03-26"
"""What HTTP means by a request without a version header."""
STATELESS: Final = frozenset({"2026-07-28"})
"""Versions whose requests each name their own version, and whose results are typed."""
BATCHING: Final = frozenset({"2024-11-05", "2025-03-26"})

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

Json = dict[str, Any]


class Refused(Exception):
    """A request that gets a JSON-RPC error for an answer."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.error: Json = {"code": code, "message": message} | ({"data": data} if data else {})


class Tools(Protocol):
    """What a conversation needs of the tools behind it."""

    instructions: str
    listing: tuple[Json, ...]

    def greeted(self, client: Mapping[str, Any], version: str) -> None:
        """A client introduced itself."""

    def listed(self) -> None:
        """A client was told which tools there are."""

    def call(self, name: str, arguments: Json, meta: Mapping[str, Any]) -> Json:
        """The result of one use of a tool; its own failure is a result too. Raises LookupError for an unknown name."""
        ...


def parse(data: bytes | str) -> object:
    """One JSON text. Raises Refused when it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Refused(PARSE_ERROR, "Not JSON.") from None


def encode(reply: object) -> bytes:
    """One line of plain ASCII, whatever is inside."""
    return json.dumps(reply, separators=(",", ":")).encode()


def failure(identity: object, refused: Refused) -> Json:
    return {"jsonrpc": "2.0", "id": identity, "error": refused.error}


def is_identity(value: object) -> bool:
    """What a request may have for an id."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def cancelled(message: object) -> object | None:
    """The id of the request that this message calls off."""
    if not isinstance(message, dict) or message.get("method") != "notifications/cancelled":
        return None
    params = message.get("params")
    return params.get("requestId") if isinstance(params, dict) else None


class Conversation:
    """One client's talk with the server. All it remembers is the version that was agreed on."""

    def __init__(self, tools: Tools, version: str | None = None) -> None:
        self._tools = tools
        self._version = version

    def reply(self, message: object) -> object | None:
        """The answer to a message or a batch; None when none is due."""
        if not isinstance(message, list):
            return self._reply_one(message)
        if not message or self._version not in BATCHING:
            return failure(None, Refused(INVALID_REQUEST, "Batches are not part of this protocol version."))
        answers = [answer for part in message if (answer := self._reply_one(part)) is not None]
        return answers or None

    def _reply_one(self, message: object) -> Json | None:
        if not isinstance(message, dict):
            return failure(None, Refused(INVALID_REQUEST, "A message is an object."))
        if "method" not in message and ("result" in message or "error" in message):
            return None
        identity, method = message.get("id"), message.get("method")
        wanted = "id" in message
        if not isinstance(method, str) or (wanted and not is_identity(identity)):
            return failure(None, Refused(INVALID_REQUEST, "A request has a method, and an id: a string or a number."))
        if not wanted:
            return None
        try:
            return {"jsonrpc": "2.0", "id": identity, "result": self._result(method, message.get("params"))}
        except Refused as refused:
            return failure(identity, refused)

    def _result(self, method: str, params: object) -> Json:
        given: Json = {} if params is None else params if isinstance(params, dict) else _refuse_params()
        meta = given.get("_meta")
        version = self._settle(meta if isinstance(meta, dict) else {})
        if method not in METHODS:
            raise Refused(METHOD_NOT_FOUND, f"There is no method {method[:100]!r}.")
        result = METHODS[method](self._tools, given)
        if method == "initialize":
            version = self._version = result["protocolVersion"]
        if version in STATELESS:
            return {"resultType": "complete"} | (FRESHNESS if method in CACHEABLE else {}) | result
        return result

    def _settle(self, meta: Mapping[str, Any]) -> str | None:
        """The version that this request is in; a request may name its own."""
        named = meta.get(VERSION_KEY)
        if named is None:
            return self._version
        if not isinstance(named, str):
            raise Refused(INVALID_PARAMS, "The protocol version is a string.")
        if named not in STATELESS:
            raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", _supported(named))
        return named


CACHEABLE: Final = frozenset({"tools/list", "server/discover"})
FRESHNESS: Final[Json] = {"ttlMs": 3_600_000, "cacheScope": "private"}
"""The list never changes while a server lives."""


def _supported(requested: str) -> Json:
    return {"supported": list(reversed(VERSIONS)), "requested": requested}


def _refuse_params() -> Json:
    raise Refused(INVALID_PARAMS, "Parameters are an object.")


def _initialize(tools: Tools, params: Json) -> Json:
    offered = params.get("protocolVersion")
    version = offered if isinstance(offered, str) and offered in VERSIONS else COUNTER_OFFER
    client = params.get("clientInfo")
    tools.greeted(client if isinstance(client, dict) else {}, version)
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER_INFO,
        "instructions": tools.instructions,
    }


def _discover(tools: Tools, params: Json) -> Json:
    meta = params.get("_meta")
    client = meta.get(CLIENT_KEY) if isinstance(meta, dict) else None
    version = meta.get(VERSION_KEY, UNNAMED) if isinstance(meta, dict) else UNNAMED
    tools.greeted(client if isinstance(client, dict) else {}, version)
    return {
        "supportedVersions": list(reversed(VERSIONS)),
        "capabilities": CAPABILITIES,
        "instructions": tools.instructions,
        "_meta": {SERVER_KEY: SERVER_INFO},
    }


def _ping(_tools: Tools, _params: Json) -> Json:
    return {}


def _list_tools(tools: Tools, _params: Json) -> Json:
    tools.listed()
    return {"tools": list(tools.listing)}


def _call_tool(tools: Tools, params: Json) -> Json:
    name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    if not isinstance(name, str):
        raise Refused(INVALID_PARAMS, "A call names its tool.")
    if arguments is not None and not isinstance(arguments, dict):
        raise Refused(INVALID_PARAMS, "The arguments of a tool are an object.")
    try:
        return tools.call(name, arguments or {}, meta if isinstance(meta, dict) else {})
    except LookupError:
        raise Refused(INVALID_PARAMS, f"Unknown tool: {name[:100]}") from None


METHODS: Final[dict[str, Callable[[Tools, Json], Json]]] = {
    "initialize": _initialize,
    "ping": _ping,
    "server/discover": _discover,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
