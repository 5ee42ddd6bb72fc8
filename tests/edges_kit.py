"""Small trees for tests of relations: texts by path, read by the real parser, without git and without an index file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from agenvantage.context.import_table import Table
from agenvantage.context.imports import Resolved, resolve
from agenvantage.context.index import RepositoryIndex
from agenvantage.context.languages import language_of, role_of
from agenvantage.context.packages import packages
from agenvantage.context.parse import Analysis, analyse
from agenvantage.context.paths import Paths
from agenvantage.context.syntax import FileFacts, Import, Symbol
from agenvantage.context.words import terms_of


@dataclass(frozen=True)
class TreeFile:
    path: str
    number: int
    role: str
    language: str | None
    skipped: None = None


@cache
def _analysed(path: str, text: str) -> Analysis:
    return analyse(text.encode(), path)


class Tree:
    """What edges ask of an index. Files are numbered as `files` orders them: no answer may depend on that."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.texts = dict(files)
        self.files = tuple(
            TreeFile(path, number, role_of(path), getattr(language_of(path), "name", None))
            for number, path in enumerate(files, 1)
        )
        self.files = tuple(sorted(self.files, key=lambda file: file.path))
        self.by_path = {file.path: file for file in self.files}
        self.memory: dict[str, Any] = {}
        analyses = {path: _analysed(path, text) for path, text in files.items()}
        self._facts = {
            path: FileFacts(symbols=a.symbols, imports=a.imports, uses=a.uses, facts=a.facts)
            for path, a in analyses.items()
        }
        self._terms = {path: frozenset(a.terms) for path, a in analyses.items()}
        self.asked: list[str] = []
        self.store = SimpleNamespace(definitions=self._definitions)

    def facts(self, path: str) -> FileFacts:
        self.asked.append(path)
        return self._facts[path]

    def symbols(self, path: str) -> tuple[Symbol, ...]:
        return self._facts[path].symbols

    def view(self, path: str) -> Any:
        return SimpleNamespace(text=self.texts[path]) if path in self.texts else None

    def paths_of(self, number: int) -> tuple[str, ...]:
        return tuple(file.path for file in self.files if file.number == number)

    def defining(self, name: str) -> tuple[int, ...]:
        return tuple(number for defined, number in self._definitions() if defined == name.lower())

    def mentioning(self, name: str) -> tuple[int, ...] | None:
        terms = terms_of(name)
        return tuple(file.number for file in self.files if terms[0] in self._terms[file.path]) if terms else None

    def _definitions(self) -> Iterable[tuple[str, int]]:
        for file in self.files:
            for name in {symbol.name.lower() for symbol in self._facts[file.path].symbols}:
                yield name, file.number

    def symbol(self, path: str, name: str, container: str | None = None) -> Symbol:
        """The definition of a name, of a class's member where `container` is given."""
        found = [s for s in self.symbols(path) if s.name == name and container in (None, s.container)]
        return found[0]


def tree(files: Mapping[str, str]) -> RepositoryIndex:
    return cast(RepositoryIndex, Tree(files))


def table(paths: Iterable[str], texts: Mapping[str, str] | None = None, **declared: tuple[str, ...]) -> Table:
    """A table of these paths; `texts` are manifests, which are paths too. `declared` names what files declare."""
    known = Paths((*paths, *(texts or {})))
    return Table(
        paths=known,
        packages=packages(known, (texts or {}).get),
        declaring=lambda name: declared.get(name.replace(".", "_"), ()),
    )


def meaning(path: str, module: str, known: Table, names: tuple[str, ...] = ()) -> Resolved:
    return resolve(path, Import(module=module, names=names), known)


def meant(path: str, module: str, known: Table, names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The files that an import means."""
    return tuple(target for target, _ in meaning(path, module, known, names).targets)
