"""How many of universal-ctags' definitions we have: `bench_ctags.py REPOSITORY... [--language NAME] [--show COUNT]`.

A definition of ctags' is found when we have one of the same name in the same file whose lines contain its line; each of
ours answers for one of ctags' at most. Per language and ctags kind, with examples of what only one side has.
ctags takes what a script declares in a block or function for global, and some keys of objects and imported names for
definitions: they stand apart, in parentheses, and are not in the sum.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agenvantage.context.languages import language_of
from agenvantage.context.parse import Analysis, analyse

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# ctags' language and its kinds that are definitions. Left out: names of imports (Python I x, Go P), which we hold as
# imports; locals and parameters, which neither side reports.
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "go": ("Go", "Macfimnpstuv"),
    "java": ("Java", "acefgimp"),
    "javascript": ("JavaScript", "CGMScfgmpv"),
    "python": ("Python", "cfmv"),
    "rust": ("Rust", "MPcefgimnstv"),
    "tsx": ("TypeScript", "CGacefgimnpv"),
    "typescript": ("TypeScript", "CGacefgimnpv"),
}
SCRIPTS: Final = frozenset({"javascript", "tsx", "typescript"})
LOCAL: Final = "(local)"
MISREAD: Final = "(no declaration)"
APART: Final = frozenset({LOCAL, MISREAD})
BLOCKS: Final = frozenset({"statement_block", "for_statement", "for_in_statement", "arrow_function", "switch_body"})
NAMESPACES: Final = frozenset({"internal_module", "module"})
VARIABLES: Final = frozenset({"identifier", "shorthand_property_identifier_pattern"})
DECLARES: Final = re.compile(
    r"_(declaration|signature|definition|declarator|assignment)$|^(enum_body|internal_module|module|class|\w*function\w*|\w+_parameter)$"
)
# What binds names below itself, and in which of its fields; in all of its children where none is named.
PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    "array_pattern": (),
    "assignment_pattern": ("left",),
    "object_assignment_pattern": ("left",),
    "object_pattern": (),
    "pair_pattern": ("value",),
    "rest_pattern": (),
}
PASSED_BY: Final = frozenset({".git", "node_modules", ".venv"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One of either side. ctags gives the line of the name; we give all lines of the definition."""

    path: str
    name: str
    kind: str
    start: int
    end: int


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was found, by ctags' kind; what was not; and what ctags has not, by our kind."""

    found: Counter[str] = field(default_factory=Counter)
    missing: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    extra: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    files: int = 0
    passed_by: int = 0

    def add(self, theirs: Iterable[Definition], ours: Sequence[Definition]) -> None:
        left: dict[str, list[Definition]] = defaultdict(list)
        for one in sorted(ours, key=lambda each: each.end - each.start):
            left[one.name].append(one)
        for tag in sorted(theirs, key=lambda each: each.kind in APART):
            same = left[tag.name]
            match = next((one for one in same if one.start <= tag.start <= one.end), None)
            if match is None:
                self.missing[tag.kind].append(tag)
            else:
                same.remove(match)
                self.found[tag.kind] += 1
        for one in (one for rest in left.values() for one in rest):
            self.extra[one.kind].append(one)


def files_of(repository: Path, language: str) -> Iterator[str]:
    for folder, folders, names in os.walk(repository):
        folders[:] = sorted(set(folders) - PASSED_BY)
        for name in sorted(names):
            known = language_of(name)
            if known is not None and known.name == language:
                yield str(Path(folder, name).relative_to(repository))


def tags_of(repository: Path, language: str, paths: Sequence[str]) -> dict[str, list[Definition]]:
    name, kinds = KINDS[language]
    command = ("ctags", f"--kinds-{name}={kinds}", f"--language-force={name}", "--fields=+nK", "--output-format=json",
               "-f", "-", "-L", "-")  # fmt: skip
    done = subprocess.run(command, cwd=repository, input="\n".join(paths), capture_output=True, text=True, check=True)
    tags: dict[str, list[Definition]] = defaultdict(list)
    for row in map(json.loads, done.stdout.splitlines()):
        line, kind = row["line"], row["kind"]
        tags[row["path"]].append(Definition(path=row["path"], name=plain(row["name"]), kind=kind, start=line, end=line))
    return tags


@cache
def parser_of(grammar: str) -> Parser:
    from tree_sitter_language_pack import get_parser

    return get_parser(grammar)  # type: ignore[arg-type]


def declared_in(data: bytes, grammar: str) -> dict[tuple[int, str], bool]:
    """Line and name of all that a script declares, and whether that is a variable in a block, function or loop."""
    found: dict[tuple[int, str], bool] = {}
    stack = [(parser_of(grammar).parse(data).root_node, False, False)]
    while stack:
        node, inside, names = stack.pop()
        if names and node.type not in PATTERNS:
            name = plain((node.text or b"").decode("utf-8", "replace"))
            found[node.start_point.row + 1, name] = inside and node.type in VARIABLES
        opens = node.type in BLOCKS and (node.parent is None or node.parent.type not in NAMESPACES)
        named = names_of(node, names)
        stack += ((child, inside or opens, child in named) for child in node.children)
    return found


def names_of(node: Node, is_name: bool) -> list[Node]:
    """The children that are names bound by this node."""
    if not (DECLARES.search(node.type) or (is_name and node.type in PATTERNS)):
        return []
    fields = PATTERNS.get(node.type, ("name", "property", "pattern", "left"))
    return [child for name in fields for child in node.children_by_field_name(name)] if fields else node.named_children


def plain(name: str) -> str:
    return name.strip("\"'`")


def told_apart(tags: list[Definition], language: str, data: bytes) -> list[Definition]:
    """The tags, with values of a script that are local, or no declaration at all, under a kind of their own."""
    if language not in SCRIPTS:
        return tags
    declared = declared_in(data, language)
    kinds = {True: LOCAL, None: MISREAD}
    return [replace(tag, kind=kinds.get(declared.get((tag.start, tag.name)), tag.kind)) for tag in tags]


def ours_of(found: Analysis, path: str) -> list[Definition]:
    """Our definitions; a package's name, which ctags counts as one, is a fact of ours."""
    symbols = [Definition(path=path, name=s.name, kind=s.kind, start=s.start, end=s.end) for s in found.symbols]
    facts = (f for f in found.facts if f.kind == "package")
    return symbols + [Definition(path=path, name=f.name, kind="package", start=f.line, end=f.line) for f in facts]


def compare(repository: Path, language: str, tally: Tally) -> None:
    paths = list(files_of(repository, language))
    tags = tags_of(repository, language, paths)
    for path in paths:
        data = repository.joinpath(path).read_bytes()
        found = analyse(data, path)
        if found.skipped or found.problem:
            tally.passed_by += 1
            continue
        tally.files += 1
        tally.add(told_apart(tags.get(path, []), language, data), ours_of(found, path))


def report(language: str, tally: Tally, show: int) -> None:
    found = sum(count for kind, count in tally.found.items() if kind not in APART)
    missed = sum(len(ones) for kind, ones in tally.missing.items() if kind not in APART)
    extra = sum(map(len, tally.extra.values()))
    print(f"\n{language}: {tally.files} files ({tally.passed_by} passed by as generated, minified or too large)")
    print(f"  recall {share(found, missed)}  {found} of {found + missed};  only ours: {extra}")
    for kind in sorted({*tally.found, *tally.missing}):
        missing = tally.missing.get(kind, [])
        print(f"  {kind:<16} {share(tally.found[kind], len(missing))}  {tally.found[kind]} found, {len(missing)} not")
        examples(missing, show)
    for kind, ones in sorted(tally.extra.items()):
        print(f"  only ours: {kind} {len(ones)}")
        examples(ones, show)


def share(found: int, missed: int) -> str:
    return f"{found / (found + missed):.4f}" if found + missed else "     —"


def examples(ones: Sequence[Definition], count: int) -> None:
    """Spread over all of them, so that one file does not stand for the rest."""
    step = max(1, len(ones) // count) if count else 0
    for one in ones[::step][:count] if step else ():
        print(f"      {one.path}:{one.start} {one.name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--language", choices=sorted(KINDS), action="append")
    parser.add_argument("--show", type=int, default=0, help="examples for each kind")
    told = parser.parse_args()
    for language in told.language or sorted(KINDS):
        tally = Tally()
        for repository in told.repositories:
            compare(repository, language, tally)
        if tally.files:
            report(language, tally, told.show)


if __name__ == "__main__":
    main()
