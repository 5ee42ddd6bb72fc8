"""What a reader notes on its way through a text, put in order at the end. For readers that work without a parser."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final

from .model import NodeKind, Visibility
from .syntax import Fact, FactKind, Import, Symbol, Syntax, Use, UseKind

MOST_SYMBOLS: Final = 4_000
_MOST_USES: Final = 2_000
_MOST_LINES_OF_A_USE: Final = 50
_NAME_CHARACTERS: Final = 120
_SIGNATURE_CHARACTERS: Final = 200
_SPACE: Final = re.compile(r"\s+")
_BREAK: Final = re.compile(r"\n")


def one_line(text: str, most: int = _SIGNATURE_CHARACTERS) -> str:
    """The text with each run of white space as one blank, cut to so many characters."""
    return _SPACE.sub(" ", text[: 2 * most]).strip()[:most]


@dataclass(slots=True)
class Notebook:
    """Takes down findings in any order; `syntax` gives them back sorted, merged and capped."""

    text: str
    symbols: list[Symbol] = field(default_factory=list)
    imports: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    uses: dict[tuple[UseKind, str, str | None], set[int]] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    _ends: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._ends = [found.start() for found in _BREAK.finditer(self.text)]

    def line(self, offset: int) -> int:
        """The 1-based line on which this character stands."""
        return bisect_left(self._ends, offset) + 1

    def lines(self, begins: int, ends: int) -> tuple[int, int]:
        """First and last line of the characters from `begins` up to `ends`."""
        return self.line(begins), self.line(max(begins, ends - 1))

    def symbol(
        self,
        kind: NodeKind,
        name: str,
        lines: tuple[int, int],
        signature: str,
        *,
        container: str | None = None,
        visibility: Visibility | None = None,
        doc: str | None = None,
    ) -> None:
        name = one_line(name, _NAME_CHARACTERS)
        if name:
            found = Symbol(
                kind=kind,
                name=name,
                start=lines[0],
                end=max(lines),
                signature=one_line(signature),
                container=container,
                visibility=visibility,
                doc=doc,
            )
            self.symbols.append(found)

    def imports_from(self, module: str, line: int, *names: str) -> None:
        module = module.strip()
        if module:
            self.imports.setdefault((line, module), []).extend(name for name in names if name)

    def use(self, kind: UseKind, name: str, line: int, of: str | None = None) -> None:
        if name and len(name) <= _NAME_CHARACTERS and (len(self.uses) < _MOST_USES or (kind, name, of) in self.uses):
            self.uses.setdefault((kind, name, of), set()).add(line)

    def fact(self, kind: FactKind, name: str, line: int, detail: str | None = None) -> None:
        if name:
            self.facts.append(Fact(kind=kind, name=name, line=line, detail=detail))

    def syntax(self) -> Syntax:
        symbols = sorted(self.symbols, key=lambda each: (each.start, -each.end, each.name, each.kind))
        facts = {(each.line, each.kind, each.name, each.detail or ""): each for each in self.facts}
        return Syntax(
            symbols=tuple(dict.fromkeys(symbols))[:MOST_SYMBOLS],
            imports=tuple(
                Import(module=module, names=tuple(dict.fromkeys(names)), line=line)
                for (line, module), names in sorted(self.imports.items())
            ),
            uses=tuple(
                Use(kind=kind, name=name, qualifier=of, lines=tuple(sorted(lines)[:_MOST_LINES_OF_A_USE]))
                for (kind, name, of), lines in sorted(
                    self.uses.items(), key=lambda item: (*item[0][:2], item[0][2] or "")
                )
            ),
            facts=tuple(facts[key] for key in sorted(facts)),
            comments=tuple(self.comments),
            parser="patterns",
        )
