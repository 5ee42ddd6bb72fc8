"""Plays a recorded agent: prints what it printed, keeps the logs it kept, edits as it edited and calls tools for real.

    python -m agenvantage.adapters.replay_player RECORDING < prompt

A recording is JSON lines. The first tells who was recorded: {"agent": "codex", "version": "0.171.0"}. Then, in order,

    {"emit": LINE}                            a line for standard output
    {"log": "sessions/….jsonl", "line": LINE} a line for a log below the agent's home
    {"write": {"path": "a.py", "text": "…"}}  an edit, below the working folder
    {"run": "COMMAND"}                        a shell command, for what it does to the files
    {"call": {"tool": "search", "arguments": {…}}}  a call of our tool server; without a server it is skipped

each with an optional `"after"`: seconds to wait before it. In the strings of a LINE stand @CWD@, @HOME@, @PROMPT@,
@PREFIX@, @RESULT@ (of the last call), @NOW@ (ISO 8601), and alone @MS@ and @S@ (milliseconds, seconds since the epoch).
Exit codes: 0 played, 1 the tool server failed, 2 no such recording.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

Json = dict[str, Any]
Ask = Callable[[str, Json], Json]
PROTOCOL: Final = "2025-06-18"
HOME_VARIABLE: Final = "AGENVANTAGE_REPLAY_HOME"
PREFIX_FILE: Final = "agenvantage/prefix.md"


class BadRecording(Exception):
    """The file is no recording."""


class ToolServerFailed(Exception):
    """The agent that was recorded needed its tools."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """Where a recording is played."""

    folder: Path
    home: Path
    prompt: str
    prefix: str
    ask: Ask | None
    result: str = ""

    def filled(self, value: Any) -> Any:
        """The value with what this run puts in the places of what the recorded one had."""
        if isinstance(value, dict):
            return {self.filled(key): self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if not isinstance(value, str) or "@" not in value:
            return value
        if value in ("@MS@", "@S@"):
            return int(time.time() * 1000) if value == "@MS@" else time.time()
        for name, text in self._places().items():
            value = value.replace(name, text)
        return value

    def _places(self) -> Mapping[str, str]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {
            "@CWD@": str(self.folder),
            "@HOME@": str(self.home),
            "@NOW@": now,
            "@PROMPT@": self.prompt,
            "@PREFIX@": self.prefix,
            "@RESULT@": self.result,
        }


def play(steps: Iterator[Json], stage: Stage) -> None:
    """Every step, in order."""
    for step in steps:
        time.sleep(step.get("after", 0))
        done = next((name for name in STEPS if name in step), None)
        if done is None:
            raise BadRecording(f"a step that says nothing known: {json.dumps(step)[:80]}")
        STEPS[done](stage, step)


def _emit(stage: Stage, step: Json) -> None:
    line = step["emit"]
    print(line if isinstance(line, str) else json.dumps(stage.filled(line), ensure_ascii=False), flush=True)


def _log(stage: Stage, step: Json) -> None:
    path = _below(stage.home, stage.filled(step["log"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(json.dumps(stage.filled(step["line"]), ensure_ascii=False) + "\n")


def _write(stage: Stage, step: Json) -> None:
    path = _below(stage.folder, step["write"]["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step["write"]["text"], encoding="utf-8")


def _run(stage: Stage, step: Json) -> None:
    subprocess.run(
        ("sh", "-c", step["run"]), cwd=stage.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


def _call(stage: Stage, step: Json) -> None:
    if stage.ask is None:
        return
    call = step["call"]
    answer = stage.ask("tools/call", {"name": call["tool"], "arguments": call.get("arguments", {})})
    parts = answer.get("content") or []
    stage.result = "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


STEPS: Final[Mapping[str, Callable[[Stage, Json], None]]] = {
    "emit": _emit,
    "log": _log,
    "write": _write,
    "run": _run,
    "call": _call,
}


def _below(root: Path, name: str) -> Path:
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise BadRecording(f"a path that leads out of its folder: {name}")
    return path


# The tool server, by either of its two ways in


def tools(variables: Mapping[str, str]) -> AbstractContextManager[Ask | None]:
    """A way to ask our tool server, shaken hands with; None when this run has none. Raises ToolServerFailed."""
    if variables.get("AGENVANTAGE_MCP_COMMAND"):
        return _by_process(shlex.split(variables["AGENVANTAGE_MCP_COMMAND"]))
    if variables.get("AGENVANTAGE_MCP_URL"):
        return _by_http(variables["AGENVANTAGE_MCP_URL"], variables.get("AGENVANTAGE_MCP_TOKEN", ""))
    return nullcontext()


@contextmanager
def _by_process(command: list[str]) -> Iterator[Ask]:
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    except OSError as missing:
        raise ToolServerFailed(str(missing)) from missing
    assert server.stdin is not None
    assert server.stdout is not None
    inlet, outlet = server.stdin, server.stdout

    def exchange(message: Json) -> Json:
        try:
            inlet.write(json.dumps(message) + "\n")
            inlet.flush()
        except OSError as gone:
            raise ToolServerFailed(str(gone)) from gone
        while "id" in message:
            line = outlet.readline()
            if not line:
                raise ToolServerFailed("it ended")
            answer: Json = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
        return {}

    try:
        yield _greeted(exchange)
    finally:
        inlet.close()
        outlet.close()
        server.wait()


@contextmanager
def _by_http(url: str, token: str) -> Iterator[Ask]:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "127.0.0.1", place.port or 80, timeout=60)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }

    def exchange(message: Json) -> Json:
        try:
            connection.request("POST", place.path or "/", json.dumps(message), headers)
            body = connection.getresponse().read()
        except OSError as gone:
            raise ToolServerFailed(str(gone)) from gone
        answer: Json = json.loads(body) if body.strip() else {}
        return answer

    try:
        yield _greeted(exchange)
    finally:
        connection.close()


def _greeted(exchange: Callable[[Json], Json]) -> Ask:
    count = 0

    def ask(method: str, params: Json) -> Json:
        nonlocal count
        count += 1
        answer = exchange({"jsonrpc": "2.0", "id": count, "method": method, "params": params})
        result = answer.get("result")
        if not isinstance(result, dict):
            raise ToolServerFailed(json.dumps(answer.get("error", "no result")))
        return result

    client = {"name": "replay", "version": "1"}
    ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
    exchange({"jsonrpc": "2.0", "method": "notifications/initialized"})
    ask("tools/list", {})
    return ask


def _steps(path: Path) -> Iterator[Json]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as broken:
        raise BadRecording(str(broken)) from broken
    if not found or not all(isinstance(step, dict) for step in found) or "agent" not in found[0]:
        raise BadRecording(f"{path.name} does not begin with the agent's name")
    return iter(found[1:])


def main() -> int:
    home = Path(os.environ.get(HOME_VARIABLE) or Path.cwd() / ".replay")
    prefix = home / PREFIX_FILE
    try:
        steps = _steps(Path(sys.argv[1]))
        prompt = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        with tools(os.environ) as ask:
            words = prefix.read_text(encoding="utf-8", errors="surrogateescape") if prefix.is_file() else ""
            play(steps, Stage(folder=Path.cwd(), home=home, prompt=prompt, prefix=words, ask=ask))
    except (BadRecording, IndexError) as broken:
        print(f"replay: not a recording: {broken}", file=sys.stderr)
        return 2
    except ToolServerFailed as failed:
        print(f"replay: the tool server failed: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
