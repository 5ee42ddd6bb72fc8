"""Facts that a file states through calls and decorators with a literal argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .syntax import Fact

if TYPE_CHECKING:
    from tree_sitter import Node

INTERESTING: Final[frozenset[str]] = frozenset()


def of_call(language: str, name: str, qualifier: str | None, node: Node) -> tuple[Fact, ...]:
    return ()
