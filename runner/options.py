"""Turns settings into command-line options, so that a setting is described once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

import typer

from .settings import Settings, flag_name

Function = TypeVar("Function", bound=Callable[..., Any])

PLACES: Final = ("cache_dir", "state_dir", "data_dir")
AIDS: Final = tuple(
    f"{aid}{ending}" for aid in ("semantic", "rerank", "rewrite") for ending in ("", "_url", "_model", "_key_env")
)
PLAN: Final = ("budget", "workflow", "strategy", "cache_dir", *AIDS)

_SETTINGS: Final = {setting.name: setting for setting in fields(Settings)}
RUN: Final = tuple(_SETTINGS)
_TYPES: Final = get_type_hints(Settings)
_KINDS: Final[dict[Any, Any]] = {
    bool: bool | None,
    int: int | None,
    float: float | None,
    Path: Path | None,
    int | None: int | None,
    tuple[str, ...]: list[str] | None,
}


def takes(*names: str) -> Callable[[Function], Function]:
    """Give a command the options of these settings; it receives them as keywords, None where not given."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        added = [_parameter(name) for name in names]
        function.__signature__ = signature.replace(parameters=own + added)  # type: ignore[attr-defined]
        function.__annotations__ |= {one.name: one.annotation for one in added}
        return function

    return decorate


def _parameter(name: str) -> inspect.Parameter:
    kind = _TYPES[name]
    meaning = _SETTINGS[name].metadata["help"] + _choices(kind)
    option = typer.Option(flag_name(name), help=meaning, show_default=False)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[_KINDS.get(kind, str | None), option]
    )


def _choices(kind: Any) -> str:
    return f" [{', '.join(get_args(kind))}]" if get_origin(kind) is Literal else ""
