"""Who a repository says is responsible for which files: its CODEOWNERS file, as GitHub or GitLab reads it.

The last rule that matches a file counts, in each section of its own. Lines that the forge would not heed are told as
problems. Owners are kept as they are spelled; whether such a person or team exists is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal

from .files import read

Forge = Literal["github", "gitlab"]

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""The first of these that exists counts."""
_MOST_BYTES: Final = 1_000_000
_MOST_PROBLEMS: Final = 100

_FIELD: Final = re.compile(r"(?:\\.|[^\s\\])+")
_SECTION: Final = re.compile(r"(\^?)\[([^\]]+)\](?:\[(\d{1,4})\])?(?:\s+(.*))?")
_OWNER: Final = re.compile(r"@{1,2}[\w-][\w.-]*(?:/[\w.-]+)*|[^\s@]+@[^\s@]+\.[^\s@]+")
_TOKEN: Final = re.compile(
    r"\\(?P<plain>.)|(?P<star>\*+)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<among>(?:\\.|[^\[\]\\])+)\]|(?P<other>.)",
    re.DOTALL,
)
_RANGE: Final = re.compile(r"\\?(.)(?:-\\?(.))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRule:
    """One line. No `owners` means that nobody owns what it matches; with `excludes`, its section says nothing of it."""

    line: int
    pattern: str
    owners: tuple[str, ...] = ()
    section: str | None = None
    excludes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerSection:
    """A named part of a GitLab file. `approvals` is None where the file does not say how many are needed."""

    name: str
    line: int
    optional: bool = False
    approvals: int | None = None
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerProblem:
    """A line, 1-based, that the forge does not heed, or only in part."""

    line: int
    what: str


@dataclass(frozen=True, kw_only=True)
class Owners:
    """A CODEOWNERS file: `place` is its path in the repository."""

    place: str
    forge: Forge = "github"
    rules: tuple[OwnerRule, ...] = ()
    sections: tuple[OwnerSection, ...] = ()
    problems: tuple[OwnerProblem, ...] = ()

    def owners_of(self, path: str) -> tuple[str, ...] | None:
        """Who owns a file, each once; nobody when a rule says so; None when no rule is about it."""
        rules = self.rules_of(path)
        return tuple(dict.fromkeys(owner for rule in rules for owner in rule.owners)) if rules else None

    def rules_of(self, path: str) -> tuple[OwnerRule, ...]:
        """The rule of each section that counts for a file, in the file's order."""
        parts = tuple(path.split("/"))
        firsts, anywhere = self._by_first
        counting: dict[str | None, OwnerRule] = {}
        excluded: set[str | None] = set()
        for at in sorted((*firsts.get(parts[0], ()), *anywhere), reverse=True):
            rule = self.rules[at]
            if (rule.excludes or rule.section not in counting) and _matches(rule.pattern, self.forge, parts):
                if rule.excludes:
                    excluded.add(rule.section)
                else:
                    counting[rule.section] = rule
        found = (rule for section, rule in counting.items() if section not in excluded)
        return tuple(sorted(found, key=lambda rule: rule.line))

    @cached_property
    def _by_first(self) -> tuple[dict[str, list[int]], list[int]]:
        """Which rules are only about what lies in (or is) one name at the top, and the others."""
        firsts: dict[str, list[int]] = {}
        anywhere: list[int] = []
        for at, rule in enumerate(self.rules):
            first = next(iter(_steps(rule.pattern, self.forge).names), None)
            if isinstance(first, str):
                firsts.setdefault(first, []).append(at)
            else:
                anywhere.append(at)
        return firsts, anywhere


def read_owners(root: Path) -> Owners | None:
    """The repository's own file; None when it has none."""
    for place in PLACES:
        data = read(root, place)
        if data is None:
            continue
        if len(data) > _MOST_BYTES:
            too_long = OwnerProblem(line=1, what=f"The file is over {_MOST_BYTES} bytes and was not read.")
            return Owners(place=place, problems=(too_long,))
        return parse_owners(data.decode("utf-8", "surrogateescape"), place)
    return None


def parse_owners(text: str, place: str = PLACES[0]) -> Owners:
    """What the text of such a file says, read as the forge that looks in this place does."""
    lines = tuple(enumerate((line.strip() for line in text.removeprefix("\ufeff").split("\n")), start=1))
    told = tuple((number, line) for number, line in lines if line and not line.startswith("#"))
    if place.startswith(".gitlab/") or (place != PLACES[0] and any(_SECTION.fullmatch(line) for _, line in told)):
        return _gitlab(told, place)
    return _github(told, place)


def _github(lines: tuple[tuple[int, str], ...], place: str) -> Owners:
    rules, problems = [], []
    for number, line in lines:
        pattern, *rest = _FIELD.findall(line) or ("",)
        owners = tuple(_before_comment(rest))
        fault = _fault(pattern) or next((_no_owner(owner) for owner in owners if not _OWNER.fullmatch(owner)), None)
        if fault:
            problems.append(OwnerProblem(line=number, what=fault))
        else:
            rules.append(OwnerRule(line=number, pattern=pattern, owners=owners))
    return Owners(place=place, rules=tuple(rules), problems=tuple(problems[:_MOST_PROBLEMS]))


def _fault(pattern: str) -> str | None:
    """What GitHub has against a pattern."""
    if pattern.startswith("!"):
        return "A pattern can't be negated with `!`."
    if pattern.startswith("\\#"):
        return "A pattern can't begin with an escaped `#`."
    if re.search(r"(?<!\\)[\[\]]", pattern):
        return "A pattern can't have `[ ]` in it."
    return None if pattern else "There is no pattern."


def _no_owner(word: str) -> str:
    return f"{word[:80]!r} is no @name, @organization/team or address."


def _before_comment(words: list[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("#"):
            return
        yield word


def _gitlab(lines: tuple[tuple[int, str], ...], place: str) -> Owners:
    rules: list[OwnerRule] = []
    problems: list[OwnerProblem] = []
    sections: dict[str, OwnerSection] = {}
    current: OwnerSection | None = None
    for number, line in lines:
        head = _SECTION.fullmatch(line)
        if head:
            current = _section(number, head)
            known = sections.setdefault(current.name.casefold(), current)
            sections[current.name.casefold()] = _joined(known, current)
            current = replace(current, name=known.name)
        elif line.startswith(("[", "^[")):
            problems.append(OwnerProblem(line=number, what="The head of a section is not closed, or has more in it."))
        else:
            rule, said = _entry(number, line, current)
            rules.append(rule)
            problems += said
    return Owners(
        place=place,
        forge="gitlab",
        rules=tuple(rules),
        sections=tuple(sections.values()),
        problems=tuple(problems[:_MOST_PROBLEMS]),
    )


def _section(number: int, head: re.Match[str]) -> OwnerSection:
    caret, name, approvals, rest = head.groups()
    return OwnerSection(
        name=name.strip(),
        line=number,
        optional=bool(caret),
        approvals=int(approvals) if approvals else None,
        owners=tuple(filter(_OWNER.fullmatch, (rest or "").split())),
    )


def _joined(one: OwnerSection, other: OwnerSection) -> OwnerSection:
    """Sections of one name are one, required if any of them is."""
    return replace(
        one,
        optional=one.optional and other.optional,
        approvals=other.approvals if one.approvals is None else one.approvals,
    )


def _entry(number: int, line: str, section: OwnerSection | None) -> tuple[OwnerRule, tuple[OwnerProblem, ...]]:
    """A rule; words that are no owners are passed over, and so is a `#`: owners behind it count."""
    pattern, *words = _FIELD.findall(line) or ("",)
    owners = tuple(filter(_OWNER.fullmatch, words))
    strange = tuple(_no_owner(word) for word in _before_comment(words) if word not in owners)
    excludes = pattern.startswith("!")
    rule = OwnerRule(
        line=number,
        pattern=pattern.removeprefix("!"),
        owners=() if excludes else owners or (section.owners if section else ()),
        section=section.name if section else None,
        excludes=excludes,
    )
    return rule, tuple(OwnerProblem(line=number, what=what) for what in strange)


_Name = str | re.Pattern[str] | None
"""One name on the way down: as spelled, by a pattern, or None for any number of names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """A pattern, name by name. They lead to the file itself, to a folder around it, or to either."""

    names: tuple[_Name, ...]
    ends: Literal["file", "folder", "either", "never"]


def _matches(pattern: str, forge: Forge, parts: tuple[str, ...]) -> bool:
    """Whether a pattern is about a file. All places that it may have come to are held: no pattern makes this slow."""
    steps = _steps(pattern, forge)
    places = {0}
    for name in steps.names:
        if name is None:
            places = set(range(min(places), len(parts) + 1))
        else:
            places = {at + 1 for at in places if at < len(parts) and _is(name, parts[at])}
        if not places:
            return False
    here, inside = len(parts) in places, min(places) < len(parts)
    return {"file": here, "folder": inside, "either": here or inside, "never": False}[steps.ends]


def _is(name: str | re.Pattern[str], part: str) -> bool:
    return name == part if isinstance(name, str) else name.fullmatch(part) is not None


@lru_cache(maxsize=20_000)
def _steps(pattern: str, forge: Forge) -> _Steps:
    names = pattern.removeprefix("/").removesuffix("/").split("/")
    if names == [""]:
        return _Steps(names=(), ends="folder" if forge == "gitlab" else "never")
    if pattern == "*":
        return _Steps(names=(), ends="folder")
    rooted = pattern.startswith("/") or (forge == "github" and len(names) > 1)
    folder = pattern.endswith("/")
    ends: Literal["file", "folder", "either"] = (
        "folder" if folder else "file" if forge == "gitlab" or names[-1] == "*" else "either"
    )
    if names[-1] == "**" and not folder:
        # To GitHub all that is inside; to GitLab no more than `*`.
        ends, names = ("folder", names[:-1]) if forge == "github" else ("file", [*names[:-1], "*"])
    found: list[_Name] = [] if rooted else [None]
    for matcher in map(_matcher, names):
        if matcher is not None or found[-1:] != [None]:
            found.append(matcher)
    return _Steps(names=tuple(found), ends=ends)


def _matcher(name: str) -> _Name:
    if name == "**":
        return None
    tokens = tuple(_TOKEN.finditer(name))
    if not any(token["star"] or token["one"] or token["among"] for token in tokens):
        return "".join(token["plain"] or token["other"] for token in tokens)
    pieces = [""]
    for token in tokens:
        if token["star"]:
            pieces.append("")
        else:
            pieces[-1] += _spelled(token)
    # The first place where a piece fits is the right one; atomic, so that many stars take no longer than few.
    first, *middle = pieces
    last = f".*{middle.pop()}" if middle else ""
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + last, re.DOTALL)


def _spelled(token: re.Match[str]) -> str:
    """One character of a name as a regular expression."""
    if token["one"]:
        return "."
    if not token["among"]:
        return re.escape(token["plain"] or token["other"])
    ranges = (found.groups() for found in _RANGE.finditer(token["among"]))
    among = "".join(
        re.escape(low) + (f"-{re.escape(high)}" if high else "") for low, high in ranges if not high or low <= high
    )
    return f"[{'^' if token['not'] else ''}{among}]" if among else "(?!)"
