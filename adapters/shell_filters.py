"""Which lines of which files a few well-known commands show, by their words alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..telemetry.model import FileRead

Words = tuple[str, ...]
Shown = tuple[FileRead, ...]
Range = tuple[int, int | None]

DEFAULT_LINES: Final = 10
WHOLE: Final[Range] = (1, None)
COUNT: Final = re.compile(r"[+-]?\d+")
SED_PRINT: Final = re.compile(r"(\d+|\$)(?:\s*,\s*(\+?\d+|\$))?\s*(p|!d)")
SED_QUIT: Final = re.compile(r"(\d+)\s*[qQ]")
AWK_RECORD: Final = re.compile(r"\bF?NR\s*(==|>=|<=|>|<)\s*(\d+)")
AWK_RANGE: Final = re.compile(r"^\s*F?NR\s*==\s*(\d+)\s*,\s*F?NR\s*==\s*(\d+)")
BAT_RANGE: Final = re.compile(r"(\d*):(\+?\d*)")


def _files(words: Words, ranges: Sequence[Range]) -> Shown:
    return tuple(FileRead(path=path, start=start, end=end, via="shell") for path in words for start, end in ranges)


def _operands(words: Words, with_value: str = "") -> tuple[Words, dict[str, str]]:
    """Words that are no options, and the options' values. `with_value`: letters of short options that take one."""
    operands: list[str] = []
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif word.startswith("--"):
            name, _, value = word.partition("=")
            options[name] = value
        elif word[1] in with_value:
            options[word[:2]] = word[2:] or (rest.pop(0) if rest else "")
        elif word[-1] in with_value and rest:
            options["-" + word[-1]] = rest.pop(0)
        else:
            options[word] = ""
    return tuple(operands), options


# Readers: what a command shows of the files it names


def _whole(words: Words) -> Shown:
    return _files(_operands(words)[0], (WHOLE,))


def _numbered(words: Words) -> Shown:
    return _files(_operands(words, with_value="bdfhilnsvw")[0], (WHOLE,))


def _head(words: Words) -> Shown:
    return _files(_operands(words, with_value="nc")[0], (_head_range(words),))


def _tail(words: Words) -> Shown:
    operands = _operands(words, with_value="nc")[0]
    return _files(tuple(word for word in operands if not COUNT.fullmatch(word)), (_tail_range(words),))


def _sed(words: Words) -> Shown:
    operands, options = _operands(words, with_value="ef")
    if any(name.startswith(("-i", "--in-place")) for name in options):
        return ()
    named = operands if _has_script(options) else operands[1:]
    return _files(named, _sed_ranges(words))


def _awk(words: Words) -> Shown:
    operands, options = _operands(words, with_value="Fvf")
    program = "" if "-f" in options else (operands[0] if operands else "")
    return _files(tuple(word for word in operands[1:] if "=" not in word), _awk_ranges(program))


def _bat(words: Words) -> Shown:
    operands, options = _operands(words, with_value="rlHm")
    asked = BAT_RANGE.fullmatch(options.get("-r") or options.get("--line-range") or ":")
    return _files(operands, (_bat_range(asked),) if asked else (WHOLE,))


def _jq(words: Words) -> Shown:
    return _files(_operands(words)[0][1:], (WHOLE,))


# Filters: what is left of what came down the pipe


def _same(words: Words, shown: Shown) -> Shown:
    del words
    return shown


def _first_lines(words: Words, shown: Shown) -> Shown:
    return _narrow(shown[:1], (_head_range(words),))


def _last_lines(words: Words, shown: Shown) -> Shown:
    return _narrow(shown[-1:], (_tail_range(words),))


def _sed_lines(words: Words, shown: Shown) -> Shown:
    return _narrow(shown, _sed_ranges(words)) if len(shown) == 1 else shown


def _awk_lines(words: Words, shown: Shown) -> Shown:
    operands = _operands(words, with_value="Fvf")[0]
    return _narrow(shown, _awk_ranges(operands[0] if operands else "")) if len(shown) == 1 else shown


def _narrow(shown: Shown, ranges: Sequence[Range]) -> Shown:
    """Lines counted within what is shown, as lines of the file."""
    return tuple(
        replace(read, start=start, end=end)
        for read in shown
        for start, end in (_within((read.start, read.end), inner) for inner in ranges)
        if end is None or start < 0 or start <= end
    )


def _within(outer: Range, inner: Range) -> Range:
    first, last = outer
    start, end = inner
    if first < 0:
        return outer if inner != WHOLE and start > 0 else inner
    if start < 0:
        return (max(first, last + start + 1), last) if last is not None else inner
    shifted = None if end is None else first + end - 1
    ends = [value for value in (last, shifted) if value is not None]
    return first + start - 1, min(ends) if ends else None


# Ranges


def _head_range(words: Words) -> Range:
    options = _operands(words, with_value="nc")[1]
    count = options.get("-n") or options.get("--lines") or _bare_count(options)
    if "-c" in options or "--bytes" in options or (count is not None and count.startswith("-")):
        return WHOLE
    return (1, int(count)) if count and COUNT.fullmatch(count) else (1, DEFAULT_LINES if count is None else None)


def _tail_range(words: Words) -> Range:
    operands, options = _operands(words, with_value="nc")
    old_style = operands[0] if operands and operands[0].startswith("+") and COUNT.fullmatch(operands[0]) else None
    count = options.get("-n") or options.get("--lines") or _bare_count(options) or old_style
    if "-c" in options or "--bytes" in options or (count is not None and not COUNT.fullmatch(count)):
        return WHOLE
    if count is None:
        return (-DEFAULT_LINES, None)
    return (max(int(count), 1), None) if count.startswith("+") else (-abs(int(count)), None)


def _bare_count(options: Mapping[str, str]) -> str | None:
    """The old way: `head -20`."""
    return next((name[1:] for name in options if name[1:].isdigit()), None)


def _has_script(options: Mapping[str, str]) -> bool:
    return any(name in options for name in ("-e", "-f", "--expression", "--file"))


def _sed_ranges(words: Words) -> tuple[Range, ...]:
    operands, options = _operands(words, with_value="ef")
    script = options.get("-e") or options.get("--expression") or (operands[0] if operands else "")
    quiet = any(name in ("--quiet", "--silent") or (name[1:2] != "-" and "n" in name) for name in options)
    quit_at = SED_QUIT.fullmatch(script.strip())
    if quit_at and not quiet:
        return ((1, int(quit_at.group(1))),)
    parts = [part.strip() for part in re.split(r"[;\n]", script) if part.strip()]
    printed = [SED_PRINT.fullmatch(part) for part in parts if not SED_QUIT.fullmatch(part)]
    wanted = "p" if quiet else "!d"
    if not printed or any(match is None or match.group(3) != wanted for match in printed):
        return (WHOLE,)
    return tuple(_sed_range(match.group(1), match.group(2)) for match in printed if match is not None)


def _sed_range(first: str, last: str | None) -> Range:
    if first == "$":
        return (-1, None)
    start = int(first)
    if last is None:
        return (start, start)
    if last.startswith("+"):
        return (start, start + int(last))
    return (start, None) if last == "$" else (start, max(int(last), start))


def _awk_ranges(program: str) -> tuple[Range, ...]:
    """Lines by record number; a program that chooses lines by what is in them only searches."""
    pattern = program.partition("{")[0].strip()
    between = AWK_RANGE.match(pattern)
    if between:
        return ((int(between.group(1)), int(between.group(2))),)
    bounds = AWK_RECORD.findall(pattern)
    if not bounds:
        return (WHOLE,) if not pattern and program else ()
    if "||" in pattern:
        return tuple(_awk_range([bound]) for bound in bounds)
    return (_awk_range(bounds),)


def _awk_range(bounds: Sequence[tuple[str, str]]) -> Range:
    starts, ends = [1], []
    for sign, digits in bounds:
        line = int(digits)
        if sign in ("==", ">=", ">"):
            starts.append(line + (sign == ">"))
        if sign in ("==", "<=", "<"):
            ends.append(line - (sign == "<"))
    return max(starts), min(ends) if ends else None


def _bat_range(asked: re.Match[str]) -> Range:
    start, end = asked.group(1), asked.group(2)
    first = int(start) if start else 1
    if end.startswith("+"):
        return first, first + int(end[1:] or 0)
    return first, int(end) if end else None


READERS: Final[Mapping[str, Callable[[Words], Shown]]] = {
    "cat": _whole,
    "tac": _whole,
    "less": _whole,
    "more": _whole,
    "nl": _numbered,
    "head": _head,
    "tail": _tail,
    "sed": _sed,
    "gsed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "bat": _bat,
    "batcat": _bat,
    "jq": _jq,
}
# A pipe into any other command shows no line of the file, or only those that a search finds.
FILTERS: Final[Mapping[str, Callable[[Words, Shown], Shown]]] = {
    "cat": _same,
    "less": _same,
    "more": _same,
    "nl": _same,
    "tee": _same,
    "sort": _same,
    "uniq": _same,
    "cut": _same,
    "tr": _same,
    "expand": _same,
    "fold": _same,
    "column": _same,
    "jq": _same,
    "bat": _same,
    "batcat": _same,
    "tac": _same,
    "head": _first_lines,
    "tail": _last_lines,
    "sed": _sed_lines,
    "gsed": _sed_lines,
    "awk": _awk_lines,
    "gawk": _awk_lines,
    "mawk": _awk_lines,
}
