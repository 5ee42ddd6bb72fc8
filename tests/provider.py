"""A model provider that plays a script, on the loopback interface: drives real agents with no network and no key.

    with ScriptedProvider({"turns": [{"kind": "final", "text": "done"}]}) as provider:
        …  # provider.openai_url, provider.anthropic_url; afterwards provider.requests

or `python tests/provider.py --script five.json --port-file port --log requests.jsonl`.
`provider_script.py` tells what a script may say.
"""

from __future__ import annotations

import argparse
import gzip
import json
import socket
import sys
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import provider_anthropic
import provider_openai
from provider_script import Due, Script

Json = dict[str, Any]
DIALECTS = {"/responses": provider_openai, "/messages": provider_anthropic}
UNPACK = {"gzip": gzip.decompress, "deflate": zlib.decompress}
SECRET_HEADERS = ("authorization", "x-api-key")


class ScriptedProvider:
    """The provider, from `with` to its end. Every request is kept, and appended to `log` when there is one."""

    def __init__(self, script: Json, *, models: Iterable[str] = ("scripted-model",), log: Path | None = None) -> None:
        self._server = _Server(Script(script), tuple(models), log)

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> tuple[Json, ...]:
        """All that were answered or given up, in order of arrival; model calls have a `turn`."""
        return tuple(sorted(self._server.records, key=lambda record: record["n"]))

    @property
    def turns(self) -> tuple[Json, ...]:
        """The model calls of agents: no side requests, no lists of models."""
        return tuple(record for record in self.requests if "turn" in record and not record["side"])

    def __enter__(self) -> ScriptedProvider:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, script: Script, models: tuple[str, ...], log: Path | None) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.script = script
        self.models = models
        self.log = log
        self.records: list[Json] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._serial = 0

    def next_serial(self) -> int:
        with self._lock:
            self._serial += 1
            return self._serial

    def record(self, entry: Json) -> None:
        with self._lock:
            self.records.append(entry)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Cut(Exception):
    """The script wants the line cut here."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *arguments: Any) -> None:
        """Silent: requests are recorded."""

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        serial, started, note = self.server.next_serial(), time.time(), {}
        raw = self._body()
        body = _json(raw)
        try:
            self._route(body, len(raw), serial, note)
        except _Cut as cut:
            note["cut"] = str(cut)
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
        except ConnectionError:
            note["client_gone"] = True
            self.close_connection = True
        finally:
            headers = {name: "…" if name.lower() in SECRET_HEADERS else value for name, value in self.headers.items()}
            self.server.record({
                "n": serial, "at": started, "seconds": round(time.time() - started, 4), "method": self.command,
                "path": self.path, "headers": headers, "body": body, "body_bytes": len(raw), **note,
            })  # fmt: skip

    def _route(self, body: Json, size: int, serial: int, note: Json) -> None:
        path = self.path.split("?")[0].rstrip("/")
        dialect = next((dialect for end, dialect in DIALECTS.items() if path.endswith(end)), None)
        if self.headers.get("Upgrade", "").lower() == "websocket":
            self._send(426, {"error": {"message": "no websockets here"}})
        elif self.command == "POST" and dialect is not None:
            self._play(dialect, body, serial, note)
        elif path.endswith("/count_tokens"):
            self._send(200, {"input_tokens": max(1, size // 4)})
        elif path.endswith("/models"):
            listed = [
                {"id": name, "object": "model", "type": "model", "display_name": name} for name in self.server.models
            ]
            self._send(200, {"object": "list", "data": listed, "has_more": False})
        else:
            self._send(200 if path == "" else 404, {})

    def _play(self, dialect: Any, body: Json, serial: int, note: Json) -> None:
        due: Due = dialect.due(self.server.script, body)
        fault = due.fault or {}
        note |= {"conversation": due.conversation, "turn": due.number, "kind": due.turn["kind"], "side": due.side}
        note |= {"searched": due.searched, "fault": fault.get("type"), "usage": due.usage}
        refusal = dialect.refusal(fault) if fault else None
        if refusal is not None:
            self._send(*refusal, headers=fault.get("headers", {}))
        elif body.get("stream"):
            self._stream(dialect.events(due, body, serial), due, serial)
        else:
            self._send(200, dialect.whole(due, body, serial))

    def _stream(self, events: Iterator[Json], due: Due, serial: int) -> None:
        self.close_connection = True
        self.send_response(200)
        for name, value in (
            ("Content-Type", "text/event-stream"),
            ("Cache-Control", "no-cache"),
            ("Connection", "close"),
            ("request-id", f"req_{serial}"),
            ("x-request-id", f"req_{serial}"),
        ):
            self.send_header(name, value)
        self.end_headers()
        for data in disturbed(events, due, self.server.closing):
            self.wfile.write(data)
            self.wfile.flush()

    def _send(self, status: int, answer: Json, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            raw = b"".join(self._chunks())
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        unpack = UNPACK.get(self.headers.get("Content-Encoding", "").lower())
        return unpack(raw) if unpack else raw

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()


def disturbed(events: Iterable[Json], due: Due, closing: threading.Event) -> Iterator[bytes]:
    """The events as server-sent ones, with what the script wants to go wrong on the way."""
    fault = due.fault or {"type": None}
    pause = fault.get("delay_ms", 500) / 1000 if fault["type"] == "slow" else due.delay_seconds
    for sent, event in enumerate(events):
        if fault["type"] == "drop" and sent >= fault.get("after_events", 2):
            raise _Cut("drop")
        if fault["type"] == "malformed" and sent >= fault.get("after_events", 1):
            yield b"event: " + event["type"].encode() + b"\ndata: {not json\xff\n\n"
            raise _Cut("malformed")
        if fault["type"] == "hang" and sent >= fault.get("after_events", 1):
            closing.wait(fault.get("seconds", 600))
            raise _Cut("hang")
        if pause:
            closing.wait(pause)
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _json(raw: bytes) -> Json:
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", type=Path, required=True, help="JSON, see provider_script.py")
    parser.add_argument("--port-file", type=Path, help="the port is written here once it listens")
    parser.add_argument("--log", type=Path, help="append every request as one JSON line")
    parser.add_argument("--models", default="scripted-model", help="what the list of models says, by comma")
    given = parser.parse_args()
    script = json.loads(given.script.read_text(encoding="utf-8"))
    with ScriptedProvider(script, models=given.models.split(","), log=given.log) as provider:
        if given.port_file:
            part = given.port_file.with_name(given.port_file.name + ".part")
            part.write_text(str(provider.port))
            part.replace(given.port_file)
        print(f"scripted provider on {provider.anthropic_url}", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
