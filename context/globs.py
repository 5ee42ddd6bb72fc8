"""Matches paths with the globs of rule files: `*`, `**`, `?`, `[a-z]` and `{ts,tsx}`; no glob makes it slow."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import Final

_MOST_ALTERNATIVES: Final = 64
_LONGEST: Final = 300
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def fits(path: str, glob: str) -> bool:
    """Whether a glob means a path. One without a slash means that name in any folder, with one at its end, a folder."""
    parts = tuple(path.split("/"))
    return any(_leads(names, parts) for names in _spelled_out(glob))


def _leads(names: tuple[re.Pattern[str] | None, ...], parts: tuple[str, ...]) -> bool:
    """All places that the names may have come to are held at once."""
    places = {0}
    for name in names:
        if name is None:
            places = set(range(min(places), len(parts) + 1))
        else:
            places = {at + 1 for at in places if at < len(parts) and name.match(parts[at])}
        if not places:
            return False
    return len(parts) in places


@lru_cache(maxsize=4_096)
def _spelled_out(glob: str) -> tuple[tuple[re.Pattern[str] | None, ...], ...]:
    """Each alternative of the braces, name by name; None for any number of folders."""
    if not glob.strip() or len(glob) > _LONGEST:
        return ()
    return tuple(_names(each) for each in _alternatives(glob.strip()))


def _alternatives(glob: str) -> list[str]:
    done: list[str] = []
    open_ones = [glob]
    while open_ones and len(done) + len(open_ones) <= _MOST_ALTERNATIVES:
        one = open_ones.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.append(one)
        else:
            open_ones += [one[: braces.start()] + choice + one[braces.end() :] for choice in braces[1].split(",")]
    return done


def _names(glob: str) -> tuple[re.Pattern[str] | None, ...]:
    rooted = glob.startswith(("/", "./"))
    bare = glob.removeprefix("./").strip("/")
    spelled = bare.split("/") + (["**"] if glob.endswith("/") else [])
    if len(spelled) == 1 and not rooted and bare != "*":
        spelled = ["**", *spelled]
    elif bare == "*":
        spelled = ["**"]
    found: list[re.Pattern[str] | None] = []
    for name in spelled:
        if name != "**":
            found.append(re.compile(translate(name)))
        elif found[-1:] != [None]:
            found.append(None)
    return tuple(found)
