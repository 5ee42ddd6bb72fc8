"""The tools by HTTP: our MCP server on the loopback interface, in this very process, behind a bearer token."""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from .mcp_log import CallLog, Handshake, greetings, served_calls
from .mcp_protocol import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    STATELESS,
    UNNAMED,
    UNSUPPORTED_VERSION,
    VERSIONS,
    Conversation,
    Refused,
    encode,
    failure,
    parse,
)
from .mcp_tools import TreeTools

if TYPE_CHECKING:
    from ..telemetry.model import ServedCall

PATH: Final = "/mcp"
LARGEST_BODY_BYTES: Final = 8 * 1024 * 1024
IDLE_SECONDS: Final = 600
_LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_STATUS: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""What a stateless version says of an error in HTTP's own words; older versions always answer 200."""


class HttpServer:
    """The tools over one tree on a free port of 127.0.0.1, from `start()` to `close()`. Raises NoSuchTree."""

    def __init__(self, root: Path, *, cache_dir: Path | None, identity: str | None, log: Path | None) -> None:
        self._log = CallLog(log)
        self._tools = TreeTools(root, cache_dir=cache_dir, identity=identity, log=self._log)
        self.token = secrets.token_urlsafe(32)
        self.url = ""
        self._server: _Listener | None = None

    def start(self) -> tuple[str, str]:
        """The address of the MCP endpoint, and the token that it asks for."""
        listener = _Listener(self._tools, self.token)
        threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        self._server = listener
        self.url = listener.url
        return self.url, self.token

    @property
    def address(self) -> tuple[str, str]:
        """The address and the token, once it was started."""
        if self._server is None:
            raise RuntimeError("the server was not started")
        return self._server.url, self.token

    @property
    def calls(self) -> tuple[ServedCall, ...]:
        return served_calls(tuple(self._log.entries))

    @property
    def handshakes(self) -> tuple[Handshake, ...]:
        return greetings(tuple(self._log.entries))

    def wait(self) -> None:
        """Until interrupted."""
        threading.Event().wait()

    def close(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        self._tools.close()
        self._log.close()

    def __enter__(self) -> HttpServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 32

    def __init__(self, tools: TreeTools, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.tools = tools
        self.authorization = f"Bearer {token}".encode()
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in _LOCAL_NAMES)
        self.origins = frozenset(f"http://{host}" for host in self.hosts)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{PATH}"

    def server_bind(self) -> None:
        """As the base does, but without asking the name service who we are."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up in the middle is no news."""


class _Exchange(BaseHTTPRequestHandler):
    """One connection. Every request stands for itself: there are no sessions, and nothing is ever pushed."""

    server: _Listener
    protocol_version = "HTTP/1.1"
    server_version = "agenvantage"
    sys_version = ""
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Silent: the call log is the record."""

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            return
        refusal = self._turned_away()
        if refusal is not None:
            self._send(*refusal)
            return
        status, reply = answer(self.server.tools, body, self.headers)
        self._send(status, b"" if reply is None else encode(reply))

    def do_GET(self) -> None:
        self._refuse_method()

    def do_DELETE(self) -> None:
        self._refuse_method()

    def _refuse_method(self) -> None:
        refusal = self._turned_away()
        self._send(*(refusal or (405, b"")))

    def _body(self) -> bytes | None:
        """None when the length is not to be trusted; the connection then ends."""
        length = self.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) <= LARGEST_BODY_BYTES:
            return self.rfile.read(int(length))
        self.close_connection = True
        self._send(413 if length.isdecimal() else 411, b"")
        return None

    def _turned_away(self) -> tuple[int, bytes] | None:
        """Strangers first: another host name or origin is a web page that was talked into calling us."""
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            return 403, b""
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() not in self.server.origins:
            return 403, b""
        given = self.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self.server.authorization):
            return 401, b""
        return None if self.path.split("?")[0] == PATH else (404, b"")

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        if status == 405:
            self.send_header("Allow", "POST")
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def answer(tools: TreeTools, body: bytes, headers: Message) -> tuple[int, object | None]:
    """The status and the JSON reply to one POST; None where nothing is due."""
    version = headers.get("MCP-Protocol-Version", UNNAMED)
    try:
        message = parse(body)
        if version not in VERSIONS:
            raise Refused(INVALID_REQUEST, f"Unsupported protocol version {version[:40]!r}.")
        if version in STATELESS:
            _compare(message, headers)
    except Refused as refused:
        return 400, failure(_identity_of(body), refused)
    reply = Conversation(tools, version).reply(message)
    if reply is None:
        return 202, None
    error = reply.get("error") if isinstance(reply, dict) else None
    return (_STATUS.get(error["code"], 200) if error and version in STATELESS else 200), reply


def _identity_of(body: bytes) -> object:
    try:
        message = parse(body)
    except Refused:
        return None
    return message.get("id") if isinstance(message, dict) else None


def _compare(message: object, headers: Message) -> None:
    """What a request says of itself in its headers must be what it is. Raises Refused."""
    if not isinstance(message, dict) or "id" not in message:
        return
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    if headers.get("Mcp-Method") != message.get("method"):
        raise Refused(HEADER_MISMATCH, "The Mcp-Method header does not match the request's method.")
    if message.get("method") == "tools/call" and headers.get("Mcp-Name") != name:
        raise Refused(HEADER_MISMATCH, "The Mcp-Name header does not match the tool that is called.")
