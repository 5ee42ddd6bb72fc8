"""Reads the links of a text: which files of a repository they point at, and the text without them."""

from __future__ import annotations

import re
from typing import Final

from .frames import Frame

# Links. One that points into a repository keeps the path; every other is gone, with its words.
_LINKED: Final = re.compile(
    r"(!?)\[([^\]\[\n]{0,300})\]\(\s{0,3}<?[^()\s<>]{1,800}(?:\([^()\s]{0,100}\)[^()\s]{0,300})?>?[^()\n]{0,200}\)"
)
_LINK: Final = re.compile(r"(?:https?|ftp|ssh|git)://[^\s<>\"'`|]+|\bwww\.[\w-]+\.[^\s<>\"'`|]+")
_INTO_REPOSITORY: Final = re.compile(
    r"^https?://[^/\s]+/[^/\s]+/[^/\s]+/(?:-/)?(?:blob|tree|raw|src|blame|edit|src/branch|src/commit"
    r"|src/tag)/[^/\s]+/([^\s?#]+)"
    r"(?:\?[^\s#]*)?(?:#L(\d{1,7}))?"
)  # fmt: skip


def linked_files(text: str) -> tuple[Frame | str, ...]:
    """The files that links into a repository point at: a frame if with a line, else a path."""
    found: list[Frame | str] = []
    for link in _LINK.findall(text)[:200]:
        if match := _INTO_REPOSITORY.match(link.rstrip(").,;:")):
            path = match[1].rstrip("/")
            found.append(Frame(path=path, line=int(match[2]), kind="link") if match[2] else path)
    return tuple(dict.fromkeys(found))


def link_words(text: str) -> str:
    """The paths of all links, as words: all that a task has that is nothing but a link."""
    return " ".join(re.sub(r"^\w+://[^/]*/?|^www\.[^/]*/?", "", link) for link in _LINK.findall(text)[:50])


def without_links(text: str) -> str:
    text = _LINKED.sub(lambda match: " " if match[1] else f" {match[2]} ", text)
    return _LINK.sub(" ", text)
