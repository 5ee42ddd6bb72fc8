"""What must not be written down of a file that was brought along."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ..context.redact import secret_path
from .environment import could_be_secret, is_secret_name

# A secrets file is small; of a larger one the rest holds no values that a person typed.
_READ_BYTES: Final = 1 << 20
# `NAME=value`, `"name": "value"`, `name: value`
_ASSIGNED: Final = re.compile(r"""^[ \t]*(?:export[ \t]+)?["']?([\w.-]+)["']?[ \t]*[:=][ \t]*(\S.*?)[ \t,]*$""", re.M)
_QUOTED: Final = re.compile(r"""(["'`])(.*)\1""")
_SHORTEST_UNNAMED: Final = 8


def seeded_values(root: Path, seeded: Iterable[str]) -> tuple[str, ...]:
    """Values in those of the `seeded` files below `root` whose names say that they hold secrets (`.env` and the like).

    Any value counts there that could be one, whatever its name; a plain word or a small number does not.
    """
    texts = (_text(root / path) for path in seeded if secret_path(path))
    return tuple(sorted({value for text in texts for value in _values(text)}))


def _values(text: str) -> Iterable[str]:
    for name, given in _ASSIGNED.findall(text):
        quoted = _QUOTED.fullmatch(given)
        value = quoted.group(2) if quoted else given.split(" #")[0].rstrip()
        if could_be_secret(value) and (is_secret_name(name) or _tells_something(value)):
            yield value
        if (password := _password(value)) is not None:
            yield password


def _tells_something(value: str) -> bool:
    """Not a word or a number that stands in any text (`production`, `8080`, `true`)."""
    return len(value) >= _SHORTEST_UNNAMED and not value.isalpha() and "://localhost" not in value


def _password(value: str) -> str | None:
    try:
        return urlsplit(value).password or None
    except ValueError:
        return None


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return file.read(_READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
