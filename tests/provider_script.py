"""The script that a pretended model follows: which turn is due, what it says, calls and costs, and what goes wrong.

A script is JSON; every key is optional but `turns`:

    {"turns": [TURN, …],                      the main conversation; past its end the model says "script exhausted"
     "agents": [{"match": "text", "turns": […]}],   conversations whose opening words contain the text: sub-agents
     "defaults": {"usage": {…}, "delay_ms": 0},
     "side_text": "ok"}                       answers requests that offer no tools (titles and the like)

A TURN is one answered request: {"kind": KIND, …} with one of

    read   path, offset, limit                shell  command
    edit   path, old, new  (or create: true)  mcp    server, tool, arguments, search: false to skip the tool search
    tool   name, arguments, namespace, input  multi  calls: several of the above at once
    final  text

and with any of `text`, `reasoning` (said first), `delay_ms` (before each stream event), `fault`, and
`usage`: {input, cached, cache_write, cache_write_1h, output, reasoning}; `input` counts ALL prompt tokens, cached and
written ones included, and `cache_write_1h` is the part of `cache_write` that lives for an hour.

A FAULT is {"type": TYPE, "times": N}; without `times` it always happens.

    http      status, headers, message        failed      code, message: an error event inside the stream
    drop      after_events: cut the line      rate_limit  the same, as a rate limit
    malformed after_events: not JSON          overflow    the prompt is too long
    hang      after_events, seconds: silence  slow        delay_ms before each event

The turn travels in the ids of tool calls, so a request that is tried again gets the same turn, and one server serves
any number of conversations. Only the count of a fault's `times` is remembered.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Turn = dict[str, Any]
USAGE = {"input": 1000, "cached": 0, "cache_write": 0, "cache_write_1h": 0, "output": 50, "reasoning": 0}
_CALL_ID = re.compile(r"scripted_(?P<conversation>\w+)_t(?P<turn>\d+)_(?P<part>\w+)$")
_SEARCH = "search"


@dataclass(frozen=True)
class Due:
    """What is to be played now: a turn of a conversation, perhaps after a hop that only searched for its tool."""

    conversation: str
    number: int
    searched: bool
    turn: Turn
    usage: dict[str, int]
    delay_seconds: float
    fault: dict[str, Any] | None
    side: bool = False

    def call_id(self, part: object) -> str:
        return f"scripted_{self.conversation}_t{self.number}_{part}"

    @property
    def search_id(self) -> str:
        return self.call_id(_SEARCH)

    @property
    def calls(self) -> list[Turn]:
        if self.turn["kind"] == "final":
            return []
        return self.turn["calls"] if self.turn["kind"] == "multi" else [self.turn]


class Script:
    """A script, and how often each of its faults has happened."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._happened: Counter[tuple[str, int]] = Counter()

    def due(self, opening: str, call_ids: Iterable[str], *, side: bool) -> Due:
        """The turn for a request, by its opening words and the ids of the calls it has seen."""
        if side:
            turn = {"kind": "final", "text": self._data.get("side_text", "ok")}
            return self._play("side", 0, False, turn, side=True)
        conversation, turns = self._conversation(opening)
        number, searched = _next(conversation, call_ids)
        turn = turns[number] if number < len(turns) else {"kind": "final", "text": "script exhausted"}
        return self._play(conversation, number, searched, turn)

    def _conversation(self, opening: str) -> tuple[str, list[Turn]]:
        for number, agent in enumerate(self._data.get("agents", ())):
            if agent["match"] in opening:
                return f"agent{number}", agent["turns"]
        return "main", self._data.get("turns", [])

    def _play(self, conversation: str, number: int, searched: bool, turn: Turn, *, side: bool = False) -> Due:
        defaults = self._data.get("defaults", {})
        return Due(
            conversation=conversation,
            number=number,
            searched=searched,
            turn=turn,
            usage=USAGE | defaults.get("usage", {}) | turn.get("usage", {}),
            delay_seconds=turn.get("delay_ms", defaults.get("delay_ms", 0)) / 1000,
            fault=self._fault(conversation, number, turn),
            side=side,
        )

    def _fault(self, conversation: str, number: int, turn: Turn) -> dict[str, Any] | None:
        fault = turn.get("fault")
        if fault is None:
            return None
        with self._lock:
            self._happened[conversation, number] += 1
            return fault if self._happened[conversation, number] <= fault.get("times", float("inf")) else None


def _next(conversation: str, call_ids: Iterable[str]) -> tuple[int, bool]:
    """The turn after the last one of this conversation; the same one again when that only searched for its tool."""
    seen = [
        found for call_id in call_ids if (found := _CALL_ID.search(call_id)) and found["conversation"] == conversation
    ]
    if not seen:
        return 0, False
    number = max(int(found["turn"]) for found in seen)
    parts = {found["part"] for found in seen if int(found["turn"]) == number}
    return (number, True) if parts == {_SEARCH} else (number + 1, False)


def patch_text(call: Turn) -> str:
    """An edit as the envelope that Codex applies."""
    if call.get("create"):
        body = [f"*** Add File: {call['path']}", *("+" + line for line in call["new"].split("\n"))]
    else:
        removed = ["-" + line for line in call["old"].split("\n")]
        added = ["+" + line for line in call["new"].split("\n")]
        body = [f"*** Update File: {call['path']}", "@@", *removed, *added]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch", ""])


def read_command(call: Turn) -> str:
    """A read as a shell command, for hosts without a tool for it."""
    if "offset" not in call and "limit" not in call:
        return f"cat {call['path']}"
    first = call.get("offset", 1)
    return f"sed -n '{first},{first + call.get('limit', 200) - 1}p' {call['path']}"
