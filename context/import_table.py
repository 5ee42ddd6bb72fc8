"""What a rule for imports may look at, and the small steps that rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from .packages import Packages
from .paths import Paths, nearest

Target = tuple[str, float]
"""A file that an import may mean, and how certain that is."""

SURE: Final = 0.95
LIKELY: Final = 0.85
"""By a convention that nothing in the tree spells out."""
GUESS: Final = 0.6
"""By a name alone, which just one file has."""
_MOST_ALIKE: Final = 5
_LEAST_SHARE: Final = 0.05


def _nobody(_name: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A tree as the rules see it. `declaring` gives the files that declare a namespace or module of this name."""

    paths: Paths
    packages: Packages = field(default_factory=Packages)
    declaring: Callable[[str], tuple[str, ...]] = _nobody
    memory: dict[Any, Any] = field(default_factory=dict)
    """Answers given before; an answer depends on the tree alone."""


def shared(paths: Iterable[str], certainty: float = SURE) -> tuple[Target, ...]:
    """A group that is imported as a whole: what it is certain of is divided among its files."""
    group = tuple(paths)
    share = max(_LEAST_SHARE, round(certainty / len(group), 3)) if group else certainty
    return tuple((path, share) for path in group)


def one_of(path: str, alike: tuple[str, ...], certainty: float) -> tuple[Target, ...]:
    """The candidate nearest to the importing file; of equally near ones a few share the certainty, many are nothing."""
    if len(alike) <= 1:
        return tuple((other, certainty) for other in alike)
    best = nearest(path, alike)
    if len(best) > _MOST_ALIKE:
        return ()
    return shared(best, certainty - 0.1)


def only(path: str | None, certainty: float = SURE) -> tuple[Target, ...]:
    return ((path, certainty),) if path is not None else ()


def spelled_names(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What is taken and what it is called here: `x as y` and `x => y` are (`x`, `y`), a bare `x` is (`x`, `x`)."""
    pairs = []
    for name in names:
        taken, _, alias = name.strip().replace(" => ", " as ").partition(" as ")
        taken = taken.strip().removeprefix("type ").strip()
        pairs.append((taken, alias.strip() or taken))
    return tuple(pairs)
