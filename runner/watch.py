"""Who looks on while a run goes on, and what of it they are told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Protocol

from ..context.redact import redact
from ..telemetry.model import AgentEvent, ToolCall

# Nobody is shown more of one event.
SHOWN_CHARACTERS: Final = 4096


class Watch(Protocol):
    """Somebody who looks on. Nothing a run does depends on it."""

    def step(self, text: str) -> None:
        """A step of the run's own has begun."""

    def event(self, event: AgentEvent) -> None:
        """The agent did something."""


class KnowsSecrets(Protocol):
    """Where a run's secrets are known."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values, as far as they are known by now."""
        ...


class Unwatched:
    """Nobody looks on."""

    def step(self, text: str) -> None:
        del text

    def event(self, event: AgentEvent) -> None:
        del event


@dataclass(frozen=True, slots=True, kw_only=True)
class Discreet:
    """Passes on what a run tells to `watch`, without the secrets that are known by then."""

    watch: Watch
    known: KnowsSecrets

    def step(self, text: str) -> None:
        self.watch.step(self._clean(text))

    def event(self, event: AgentEvent) -> None:
        self.watch.event(
            replace(
                event,
                text=None if event.text is None else self._clean(event.text),
                tool=None if event.tool is None else self._clean_call(event.tool),
                raw=None,
            )
        )

    def _clean_call(self, call: ToolCall) -> ToolCall:
        given = (call.arguments or {}).items()
        return replace(
            call,
            command=None if call.command is None else self._clean(call.command),
            arguments={name: self._clean(value) if isinstance(value, str) else value for name, value in given},
            output=None,
        )

    def _clean(self, text: str) -> str:
        return redact(text[:SHOWN_CHARACTERS], self.known.secrets)
