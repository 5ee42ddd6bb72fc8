"""The repository map: where things are and which names matter, small enough to stand in front of every task.

It is a function of paths, of the names files define at their top, and of imports: an edit inside a body leaves it
byte-equal. It holds no line number, count, time or absolute path.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final

from .channels import by_stem
from .filed import IndexedFile
from .index import RepositoryIndex
from .syntax import Symbol, tops
from .tokens import count

MAP_VERSION: Final = 1
_NAMES_A_FILE: Final = 6
_MOST_LANDMARKS: Final = 120
_MOST_FOLDERS: Final = 24
_ENTRY: Final = re.compile(
    r"(^|/)(__main__|main|cli|app|application|server|index|lib|mod|api|routes?|router|urls|core|engine|session|client|config)"
    r"\.\w+$",
    re.IGNORECASE,
)
_KIND_ORDER: Final = {
    **dict.fromkeys(("class", "struct", "interface", "trait", "enum", "object", "protocol", "annotation"), 0),
    **dict.fromkeys(("function", "macro", "table", "view"), 1),
    **dict.fromkeys(("type",), 2),
}
_RULES: Final = re.compile(
    r"(^|/)(AGENTS(\.override)?\.md|CLAUDE\.md|GEMINI\.md|CONTRIBUTING(\.\w+)?|\.cursorrules|\.windsurfrules|\.clinerules)$"
    r"|^\.cursor/rules/.+\.mdc?$|^\.github/(copilot-instructions\.md|instructions/.+\.md)$",
)
_MOST_RULES: Final = 12


def rules(index: RepositoryIndex) -> tuple[str, ...]:
    """The repository's own instructions to those who change it, nearest to the root first."""
    found = [file.path for file in index.files if _RULES.search(file.path) and file.skipped is None]
    return tuple(sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_RULES])


def map_tokens(budget: int) -> int:
    """How large the map may be within a packet's budget: the same step for most budgets, so that it stays the same."""
    return next(size for least, size in ((4_000, 1_000), (2_000, 500), (1_000, 250), (0, 120)) if budget >= least)


def repository_map(index: RepositoryIndex, *, most_tokens: int, scope: str = "") -> str:
    """The map of the files under `scope` ('' for all), at most `most_tokens` long; '' when nothing is there."""
    prefix = scope.strip("/")
    files = [file for file in index.files if not prefix or file.path == prefix or file.path.startswith(prefix + "/")]
    key = _key(files, f"{MAP_VERSION} {most_tokens} {prefix}")
    held = index.store.derived(key)
    if held is None:
        held = _draw(index, files, most_tokens, prefix)
        index.keep(key, held)
    return held


def _key(files: Iterable[IndexedFile], settings: str) -> str:
    digest = sha256(settings.encode("utf-8", "backslashreplace"))
    for file in files:
        digest.update(f"{file.path}\0{file.role}\0{file.outline}\n".encode("utf-8", "surrogateescape"))
    return "map:" + digest.hexdigest()[:32]


def _draw(index: RepositoryIndex, files: list[IndexedFile], most_tokens: int, scope: str) -> str:
    head = _head(files, scope)
    if count(head) > most_tokens:
        head = ""
    left = most_tokens - count(head)
    lines: dict[str, str] = {}
    for path in _landmarks(index, files):
        names = _main_names(index.symbols(path))
        if not names and index.by_path[path].parser == "tree-sitter":
            continue
        line = f"{printable(path)}: {', '.join(names)}".removesuffix(": ")
        cost = count(line + "\n")
        if cost > left:
            break
        lines[path] = line
        left -= cost
    return head + "".join(f"{lines[path]}\n" for path in sorted(lines))


def _head(files: list[IndexedFile], scope: str) -> str:
    """Folders with what they are for, and the files that say how the project is built."""
    folders: dict[str, set[str]] = {}
    for file in files:
        folder, inside, _ = file.path[len(scope) :].lstrip("/").partition("/")
        if inside and not folder.startswith("."):
            folders.setdefault(folder + "/", set()).add(file.role)
    named = [f"{printable(folder)} ({_purpose(roles)})" for folder, roles in sorted(folders.items())][:_MOST_FOLDERS]
    builds = sorted(file.path for file in files if file.role == "build" and file.path.count("/") < 2)[:8]
    head = f"Folders: {', '.join(named)}\n" if named else ""
    return head + (f"Build: {', '.join(map(printable, builds))}\n" if builds else "")


def _purpose(roles: set[str]) -> str:
    order = ("source", "test", "doc", "config", "schema", "style", "migration", "ci", "build", "fixture", "data")
    return next((role for role in order if role in roles), min(roles))


def _main_names(symbols: tuple[Symbol, ...]) -> list[str]:
    shown = [each for each in tops(symbols) if each.visibility in (None, "public") and each.kind in _KIND_ORDER]
    ordered = sorted(shown, key=lambda symbol: (_KIND_ORDER[symbol.kind], symbol.start))
    return list(dict.fromkeys(printable(symbol.name) for symbol in ordered))[:_NAMES_A_FILE]


def _landmarks(index: RepositoryIndex, files: list[IndexedFile]) -> list[str]:
    """Source files, the most important first: imported by many, an entry point, near the root, with public names."""
    imported = _imported(index)
    weights = {
        file.path: math.log2(1 + imported.get(file.path, 0.0))
        + (1.0 if _ENTRY.search(file.path) else 0.0)
        - 0.25 * file.path.count("/")
        for file in files
        if file.role == "source" and file.number is not None and file.parser == "tree-sitter"
    }
    if not weights:
        weights = {file.path: -float(file.path.count("/")) for file in files if file.role == "source"}
    return sorted(weights, key=lambda path: (-round(weights[path], 6), path))[:_MOST_LANDMARKS]


def _imported(index: RepositoryIndex) -> dict[str, float]:
    """How many files import each file, as far as their spelling tells."""
    if "imported" not in index.memory:
        degree: dict[str, float] = {}
        stems, folders = by_stem(index), _folders(index)
        seen: set[int | None] = {None}
        for file in index.files:
            if file.number not in seen:
                spellings = [each.module for each in index.facts(file.path).imports]
                for target, share in _targets(file.path, spellings, stems, folders):
                    degree[target] = degree.get(target, 0.0) + share
            seen.add(file.number)
        index.memory["imported"] = {path: round(value, 6) for path, value in degree.items()}
    held: dict[str, float] = index.memory["imported"]
    return held


def _folders(index: RepositoryIndex) -> dict[str, list[str]]:
    """Last folder name → files in such folders."""
    folders: dict[str, list[str]] = {}
    for file in index.files:
        parts = file.path.lower().rsplit("/", 2)
        if len(parts) > 1 and file.role == "source":
            folders.setdefault(parts[-2], []).append(file.path)
    return folders


def _targets(
    importer: str, spellings: Iterable[str], stems: Mapping[str, list[str]], folders: Mapping[str, list[str]]
) -> Iterable[tuple[str, float]]:
    home = importer.lower().split("/")[:-1]
    for spelling in spellings:
        parts = [part for part in re.split(r"[^\w-]+", spelling.lower()) if part]
        found = next((hit for length in (0, 1) if (hit := _best(parts[: len(parts) - length], home, stems))), [])
        if not found and parts and len(parts) > 1:
            found = [path for path in folders.get(parts[-1], ()) if f"{parts[-2]}/{parts[-1]}/" in path.lower()]
        for path in found:
            if path != importer:
                yield path, 1.0 / len(found)


def _best(parts: list[str], home: list[str], stems: Mapping[str, list[str]]) -> list[str]:
    """The one file whose path ends most like the import and lies nearest to the importer; none if in doubt."""
    if not parts:
        return []
    ranked: list[tuple[int, str]] = []
    for path in stems.get(parts[-1], ())[:50]:
        folders = path.lower().split("/")[:-1]
        tail = 0
        for mine, theirs in zip(reversed(folders), reversed(parts[:-1]), strict=False):
            if mine != theirs:
                break
            tail += 1
        near = 0
        for mine, theirs in zip(folders, home, strict=False):
            if mine != theirs:
                break
            near += 1
        ranked.append((4 * tail + near, path))
    best = max((score for score, _ in ranked), default=0)
    chosen = [path for score, path in ranked if score == best]
    return chosen if len(chosen) == 1 and (best > 0 or len(ranked) == 1) else []


def printable(text: str) -> str:
    """A path or name on one line, whatever is in it."""
    shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in shown).replace("`", "'")
