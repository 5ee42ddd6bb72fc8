"""Finds a unified diff inside a text: which files and lines it changes, and the text without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Ranges = tuple[tuple[int, int], ...]

_GIT: Final = re.compile(r'^diff --git "?a/(?P<old>.+?)"? "?b/(?P<new>.+?)"?$')
_OLD: Final = re.compile(r'^--- "?(?:a/)?(?P<path>[^\t\n"]+?)"?(?:\t.*)?\s*$')
_NEW: Final = re.compile(r'^\+\+\+ "?(?:b/)?(?P<path>[^\t\n"]+?)"?(?:\t.*)?\s*$')
_HUNK: Final = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$")
_EXTENDED: Final = re.compile(
    r"^(?:index [0-9a-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |similarity index |dissimilarity index "
    r"|(?:rename|copy) (?:from|to) |Binary files |GIT binary patch)"
)
_NOWHERE: Final = "/dev/null"
_MOST_FILES: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file of a diff. `ranges` count lines after the change, `old_ranges` before it, both inclusive.

    A file that is added has no `old_path`, one that is deleted no `new_path`.
    """

    old_path: str | None
    new_path: str | None
    ranges: Ranges = ()
    old_ranges: Ranges = ()
    headings: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The path after the change, or before it where the file is gone."""
        return self.new_path or self.old_path or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The files of a diff, the text around it, and the lines that it adds or takes."""

    files: tuple[ChangedFile, ...]
    around: str
    changed: str


@dataclass(slots=True, kw_only=True)
class _Open:
    """A file whose hunks are still being read; `left` and `right` lines of the current one are to come."""

    old: str | None = None
    new: str | None = None
    ranges: list[tuple[int, int]]
    old_ranges: list[tuple[int, int]]
    headings: list[str]
    left: int = 0
    right: int = 0


def take_diff(text: str) -> Diff:
    """Parts a text from the diff in it. Without a hunk or a `diff --git` line there is none."""
    if "\n@@ -" not in text and "diff --git " not in text:
        return Diff(files=(), around=text, changed="")
    lines = text.split("\n")
    files: list[_Open] = []
    around: list[str] = []
    changed: list[str] = []
    for number, line in enumerate(lines):
        current = files[-1] if files else None
        if current and (current.left > 0 or current.right > 0) and _in_hunk(current, line, changed):
            continue
        if _begins(files, lines, number):
            continue
        if current and (hunk := _HUNK.match(line)):
            _open_hunk(current, hunk)
        elif not (current and (_EXTENDED.match(line) or _named(current, line) or line.startswith("\\ No newline"))):
            around.append(line)
    return Diff(files=tuple(map(_closed, files[:_MOST_FILES])), around="\n".join(around), changed="\n".join(changed))


def _begins(files: list[_Open], lines: Sequence[str], number: int) -> bool:
    """Opens a file where a diff of one begins: at `diff --git`, or at `---` that is followed by `+++` and a hunk."""
    line = lines[number]
    if match := _GIT.match(line):
        files.append(_opened(match["old"], match["new"]))
        return True
    three = lines[number : number + 3]
    if len(three) < 3 or not (line.startswith("--- ") and three[1].startswith("+++ ") and three[2].startswith("@@ -")):
        return False
    old, new = _OLD.match(line), _NEW.match(three[1])
    if old and new and not (files and not files[-1].ranges and files[-1].new in (new["path"], old["path"])):
        files.append(_opened(old["path"], new["path"]))
    return bool(old and new)


def _opened(old: str, new: str) -> _Open:
    return _Open(old=old.strip(), new=new.strip(), ranges=[], old_ranges=[], headings=[])


def _named(current: _Open, line: str) -> bool:
    """Whether a line names a side of the file; a side that is nowhere is taken off."""
    if match := _OLD.match(line):
        current.old = None if match["path"] == _NOWHERE else match["path"]
        return True
    if match := _NEW.match(line):
        current.new = None if match["path"] == _NOWHERE else match["path"]
        return True
    return False


def _open_hunk(current: _Open, hunk: re.Match[str]) -> None:
    old_start, old_count, new_start, new_count, heading = hunk.groups()
    current.left, current.right = int(old_count or 1), int(new_count or 1)
    current.old_ranges.append(_range(int(old_start), current.left))
    current.ranges.append(_range(int(new_start), current.right))
    if heading.strip():
        current.headings.append(heading.strip()[:200])


def _range(start: int, count: int) -> tuple[int, int]:
    """A hunk of no lines stands between two: the first of them is named."""
    return (max(1, start), max(1, start + count - 1)) if count else (max(1, start), max(1, start))


def _in_hunk(current: _Open, line: str, changed: list[str]) -> bool:
    """Takes one line of a hunk. False if it can be none, which ends the hunk early."""
    mark = line[:1]
    if mark not in ("", " ", "+", "-", "\\"):
        current.left = current.right = 0
        return False
    current.left -= mark in ("", " ", "-")
    current.right -= mark in ("", " ", "+")
    if mark in ("+", "-"):
        changed.append(line[1:])
    return True


def _closed(current: _Open) -> ChangedFile:
    return ChangedFile(
        old_path=None if current.old == _NOWHERE else current.old,
        new_path=None if current.new == _NOWHERE else current.new,
        ranges=tuple(current.ranges),
        old_ranges=tuple(current.old_ranges),
        headings=tuple(dict.fromkeys(current.headings)),
    )
