"""Every setting: its name, type, default and meaning. `configuration.py` finds the effective values."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


def flag_name(name: str) -> str:
    """How a setting is written on the command line."""
    return "--" + name.rstrip("_").replace("_", "-")


def _setting(default: Any, meaning: str, *, person_only: bool = False) -> Any:
    """A setting with its help line; `person_only` ones are never taken from a repository's file."""
    return field(default=default, metadata={"help": meaning, "person_only": person_only})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective values. Names are those of the flags, with `_` for `-`; None is "not set"."""

    cache_dir: Path = field(metadata={"help": "where indexes are kept"})
    state_dir: Path = field(metadata={"help": "where living runs have their trees and journals"})
    data_dir: Path = field(metadata={"help": "where the store and the run folders are kept"})

    agent: str | None = _setting(None, "codex, claude, replay, exec or a registered agent (default: the one installed)")
    agent_bin: str | None = _setting(None, "the agent's program", person_only=True)
    agent_version: str | None = _setting(None, "the version that must be there")
    agent_arg: tuple[str, ...] = _setting((), "one more argument for the agent's program (repeat)", person_only=True)
    agent_command: str | None = _setting(None, "exec: the program and its arguments, without a shell", person_only=True)
    agent_events: Literal["codex", "claude", "none"] = _setting("none", "exec: read its output as this agent's stream")
    agent_home_env: str | None = _setting(
        None, "exec: the variable under which it gets its fresh home", person_only=True
    )
    model: str | None = _setting(None, "the model to ask for (default: the agent's own)")
    effort: str | None = _setting(None, "the reasoning effort to ask for")
    provider_url: str | None = _setting(None, "the address of the agent's model API", person_only=True)
    recording: str | None = _setting(None, "replay: the recording to play (default: the bundled one)", person_only=True)

    optimize_context: bool = _setting(False, "put prepared context in front and attach the tools")
    strategy: str = _setting("adaptive-hybrid", "how the context is prepared")
    workflow: Literal["auto", "feature", "bug", "review", "explain", "migration", "incident"] = _setting(
        "auto", "the kind of task"
    )
    budget: int = _setting(6000, "the most tokens to put into the prompt, stable prefix included")
    semantic: bool = _setting(False, "also look by meaning, with a model on this machine or at a URL", person_only=True)
    semantic_url: str | None = _setting(None, "where /embeddings is (default: this machine)", person_only=True)
    semantic_model: str | None = _setting(None, "the model to ask there for vectors", person_only=True)
    semantic_key_env: str | None = _setting(None, "the variable that holds its key", person_only=True)
    rerank: bool = _setting(False, "let a model look again at the order of the first files", person_only=True)
    rerank_url: str | None = _setting(None, "where /rerank is", person_only=True)
    rerank_model: str | None = _setting(None, "the model to ask there for an order", person_only=True)
    rerank_key_env: str | None = _setting(None, "the variable that holds its key", person_only=True)
    rewrite: bool = _setting(False, "let a model put a task that leads nowhere in other words", person_only=True)
    rewrite_url: str | None = _setting(None, "where /chat/completions is", person_only=True)
    rewrite_model: str | None = _setting(None, "the model to ask there for words", person_only=True)
    rewrite_key_env: str | None = _setting(None, "the variable that holds its key", person_only=True)

    no_mcp: bool = _setting(False, "deliver the prefix without the tools")
    no_prefix: bool = _setting(False, "deliver the tools without the prefix")

    sandbox: Literal["workspace", "off"] = _setting("workspace", "the agent's own write-limited mode", person_only=True)
    use_my_config: bool = _setting(False, "let your own agent configuration count", person_only=True)
    trust_project: bool = _setting(False, "let the repository's own agent hooks and tool servers run", person_only=True)
    env: tuple[str, ...] = _setting((), "pass this variable of yours on, by name (repeat)", person_only=True)
    home: Literal["own", "fresh"] = _setting("own", "whose HOME agent, setup and checks see")

    verify: tuple[str, ...] = _setting((), "a check that must exit 0, run after the agent in a fresh copy (repeat)")
    protect: tuple[str, ...] = _setting((), "paths that the checks take from the base, not from the agent (repeat)")
    setup: tuple[str, ...] = _setting((), "make the tree ready, before the agent (repeat)")
    ready: tuple[str, ...] = _setting((), "prove that the tree is ready, before the agent (repeat)")
    copy: tuple[str, ...] = _setting((), "bring these ignored files along (repeat)")
    from_: str = _setting("head", "what to start from: head, dirty (uncommitted work included) or a revision")
    no_submodules: bool = _setting(False, "leave submodules out")
    lfs: Literal["smudge", "pointers"] = _setting("smudge", "what large-file pointers become")

    time_limit: float = _setting(1800.0, "seconds that the agent may take")
    startup_limit: float = _setting(120.0, "seconds until the agent's first sign of life")
    max_turns: int | None = _setting(None, "model calls that the agent may make")
    max_tokens: int | None = _setting(None, "tokens, input and output, that the agent may use")

    capture_content: bool = _setting(False, "keep prompts, replies and tool arguments (redacted)", person_only=True)
    keep: Literal["always", "failed", "never"] = _setting("never", "whether the work tree stays afterwards")
