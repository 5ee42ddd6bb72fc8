"""A server of models on this machine that answers as it was told, one reply a request, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Any | Callable[[Any], Any]


@dataclass(frozen=True)
class Reply:
    """`body`: something for JSON, bytes as they are, or a function of the request. `slowly`: seconds between bytes."""

    body: Body = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    slowly: float = 0.0


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: Any


class ModelServer:
    """From `with` to its end. The last reply is given again and again."""

    def __init__(self, *replies: Reply) -> None:
        self._server = _Server(("127.0.0.1", 0), _Exchange)
        self._server.replies = list(replies)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def asked(self) -> list[Asked]:
        return self._server.asked

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.ended.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, *where: Any) -> None:
        super().__init__(*where)
        self.replies: list[Reply] = []
        self.asked: list[Asked] = []
        self.ended = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


class _Exchange(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *arguments: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: Any) -> None:
        self.server.asked.append(Asked(self.path, dict(self.headers), body))
        replies = self.server.replies
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        said = reply.body(body) if callable(reply.body) else reply.body
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(data)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for at in range(len(data) if reply.slowly else 0):
            self.wfile.write(data[at : at + 1])
            time.sleep(reply.slowly)
            if self.server.ended.is_set():
                return
        if not reply.slowly:
            self.wfile.write(data)


def vectors(body: Any, *, dimensions: int = 8) -> Any:
    """An answer of `/embeddings`: a text's vector counts its letters."""
    rows = [[float(text.lower().count(chr(97 + at))) + 0.1 for at in range(dimensions)] for text in body["input"]]
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    return {"data": data[::-1], "usage": {"prompt_tokens": 3 * len(rows), "total_tokens": 3 * len(rows)}}


def order(body: Any) -> Any:
    """An answer of `/rerank`: the longer a text, the better it fits."""
    results = [{"index": at, "relevance_score": float(len(text))} for at, text in enumerate(body["documents"])]
    return {"results": results, "usage": {"total_tokens": 40}}


def chat(said: str) -> Any:
    """An answer of `/chat/completions`."""
    return {
        "choices": [{"message": {"role": "assistant", "content": said}}],
        "usage": {"prompt_tokens": 21, "completion_tokens": 9},
    }
