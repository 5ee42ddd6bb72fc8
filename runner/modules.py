"""Submodules of a tree, filled from the person's local module store: no network, no link back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..context.errors import CannotProceed, GitFailed
from ..context.git import Repository, git, has_object, names, place
from .copies import Origin, check_out, lend, make, of_submodule


class SubmoduleMissing(CannotProceed):
    """A submodule of the base is not available on this machine."""

    error_type = "submodule_missing"

    def __init__(self, path: str, commit: str | None = None) -> None:
        lacking = f" at commit {commit[:12]}" if commit else ""
        super().__init__(
            f"The submodule '{path}' is not available locally{lacking}.",
            f"Run `git submodule update --init -- {path}` once, or start with --no-submodules.",
        )
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Submodule:
    """A submodule that was filled from the local module store. `path` is relative to the tree's root."""

    path: str
    commit: str
    store: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A repository whose submodules are looked for: `prefix` is its own place in the tree, empty or ending with `/`."""

    prefix: str
    commit: str
    stores: tuple[Path, ...]
    """Folders that may hold `modules/<name>`."""


def find(source: Repository, mirror: Path, commit: str) -> tuple[Submodule, ...]:
    """Every submodule of `commit`, those inside others too, with its place in the local store; parents come first.

    Their objects are lent to the mirror. Raises SubmoduleMissing.
    """
    stores = tuple(dict.fromkeys((source.git_dir, source.common_dir)))
    return tuple(_below(source, mirror, _Place(prefix="", commit=commit, stores=stores)))


def _below(source: Repository, mirror: Path, place_: _Place) -> Iterator[Submodule]:
    for path, (name, commit) in _declared(mirror, place_.commit).items():
        full = place_.prefix + path
        store = _store(source, place_.stores, name, full)
        if store is None:
            raise SubmoduleMissing(full)
        if not has_object(mirror, f"{commit}^{{commit}}", environment=place(mirror, alternates=[store / "objects"])):
            raise SubmoduleMissing(full, commit)
        lend(mirror, (store / "objects",))
        yield Submodule(path=full, commit=commit, store=store)
        yield from _below(source, mirror, _Place(prefix=f"{full}/", commit=commit, stores=(store,)))


def _declared(mirror: Path, commit: str) -> dict[str, tuple[str, str]]:
    """Path → (name, commit) of the submodules that `.gitmodules` knows; a link without an entry stays empty."""
    here = place(mirror)
    try:
        entries = names(git(mirror, "config", "--blob", f"{commit}:.gitmodules", "--list", "-z", environment=here))
    except GitFailed:
        return {}
    pairs = (entry.partition("\n") for entry in entries)
    named = {value: key[len("submodule.") : -len(".path")] for key, _, value in pairs if key.endswith(".path")}
    links = {}
    for entry in names(git(mirror, "ls-tree", "-r", "-z", commit, environment=here)):
        facts, _, path = entry.partition("\t")
        if facts.startswith("160000 ") and path in named:
            links[path] = (named[path], facts.split()[2])
    return links


def _store(source: Repository, stores: tuple[Path, ...], name: str, path: str) -> Path | None:
    """Where the module's repository lies. A name that climbs out of the store is not followed."""
    if ".." not in name.split("/"):
        for store in stores:
            if (store / "modules" / name / "objects").is_dir():
                return store / "modules" / name
    inside = source.root / path / ".git"
    return inside.resolve() if not source.bare and (inside / "objects").is_dir() else None


def fill(root: Path, origin: Origin, modules: tuple[Submodule, ...]) -> tuple[Submodule, ...]:
    """Make each submodule a self-contained repository in its place; what a sparse checkout leaves out is skipped."""
    filled = []
    for module in modules:
        folder = root / module.path
        if folder.is_dir() and not folder.is_symlink() and not os.listdir(folder):  # noqa: PTH208
            make(folder, of_submodule(origin, module.store))
            check_out(folder, module.commit)
            filled.append(module)
    return tuple(filled)
