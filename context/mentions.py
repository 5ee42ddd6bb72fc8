"""Finds what a task spells out: strings, error codes, names in any case, options, variables, keys, paths, tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LONGEST: Final = 200

_QUOTES: Final = (
    re.compile(r"``?([^`\n]{1,200})``?"),
    re.compile(r'(?<![\w\\])"([^"\n]{1,200})"(?!\w)'),
    re.compile(r"(?<![\w\\'])'([^'\n]{1,200})'(?![\w'])"),
    re.compile(r"[“«「『„]([^“”«»「」『』„\n]{2,200})[”»」』“]"),
)
_BACKTICKS: Final = re.compile(r"`([^`\n]{1,120})`")
_PHRASE: Final = re.compile(r"^[\w'-]+[.,!?]?(?: [\w'-]+[.,!?]?){2,}$")

_CODE: Final = re.compile(r"(?<![\w./#-])(?:[A-Z]\d{3,5}|[A-Z]{2,5}\d{3,6})(?![\w.-]*\w)")
_NO_CODE: Final = re.compile(
    r"^(?:ES|ISO|RFC|PEP|UTF|SHA|AES|RSA|GH|PR|CP|LATIN|GB|UCS|INT|UINT|FLOAT|BASE|ARM|AMD|WIN|RGB|JDK|JSR|JEP|TLS)\d+$"
    r"|^H26[345]$|^[FIU]128$"
)
_LONG_CODE: Final = re.compile(
    r"(?<![\w-])(?:CVE-\d{4}-\d{4,7}|CWE-\d{1,5}|GHSA(?:-[a-z0-9]{4}){3}|RUSTSEC-\d{4}-\d{4}|ORA-\d{4,5}"
    r"|SQLSTATE\[?\s?[0-9A-Z]{5}\]?|(?:ERR|ERROR|E)_[A-Z][A-Z0-9_]+"
    r"|E(?:ACCES|AGAIN|BADF|BUSY|CONNABORTED|CONNREFUSED|CONNRESET|EXIST|FAULT|FBIG|HOSTUNREACH|INTR|INVAL|IO"
    r"|ISDIR|LOOP|MFILE|NAMETOOLONG|NFILE|NOENT|NOMEM|NOSPC|NOSYS|NOTDIR|NOTEMPTY|NOTSUP|NXIO|PERM|PIPE|RANGE"
    r"|ROFS|TIMEDOUT|ADDRINUSE|XDEV|WOULDBLOCK)"
    r"|SIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL|TERM|INT|PIPE|HUP|CHLD)|0x8[0-9A-Fa-f]{7})(?!\w)"
)  # fmt: skip
_STATUS: Final = re.compile(
    r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?: code)?(?: of)?|response code|returns?(?: an?)?"
    r"|error)[ :=]{1,3}`?([1-5]\d\d)\b(?!\.\d)"
    r"|\b([1-5]\d\d) (?:OK|Created|Accepted|No Content|Moved Permanently|Found|Not Modified|Bad Request"
    r"|Unauthorized|Forbidden|Not Found|Method Not Allowed|Not Acceptable"
    r"|Request Timeout|Conflict|Gone|Payload Too Large|Unprocessable|Too Many Requests|Internal Server Error"
    r"|Not Implemented|Bad Gateway|Service Unavailable|Gateway Timeout)\b",
    re.IGNORECASE,
)  # fmt: skip

_OPTION: Final = re.compile(r"(?<![\w/-])--[A-Za-z][\w-]{1,60}")
_VARIABLE: Final = re.compile(
    r"(?:\$(?:env:|\{)?|%|process\.env\.|os\.environ\[?[\"'(.get]{0,6}|(?:getenv|env::var|Getenv"
    r"|ENV)[\[(][\"'])([A-Z][A-Z0-9_]{2,60})\b"
    r"|(?<![\w.])([A-Z][A-Z0-9]*_[A-Z0-9_]{1,60})(?==\S)|\benv(?:ironment)?(?: "
    r"|-)?var(?:iable)?s? `?([A-Z][A-Z0-9_]{2,60})\b|\b([A-Z][A-Z0-9_]{2,60})`? env(?:ironment)?(?: |-)?var",
)  # fmt: skip
_SECTION: Final = re.compile(
    r"(?:^\s*|`)\[{1,2}([A-Za-z][\w-]{0,40}(?:\.[\w\"'-]{1,40}){0,5})\]{1,2}\s*(?:`|$|\n)", re.MULTILINE
)
_SETTING: Final = re.compile(r"`([a-z][\w-]{1,40}(?:\.[\w-]{1,40}){0,5})\s{0,2}[:=](?![:=])\s?[^`\n]{0,80}`")
_ASSIGNED: Final = re.compile(
    r"^\s*(?:- )?\"?([A-Za-z][\w-]{1,40}(?:\.[\w-]{1,40}){0,5})\"?\s{0,3}[:=](?!=)", re.MULTILINE
)
CONFIGURED: Final = frozenset(
    (
        "toml",
        "yaml",
        "yml",
        "ini",
        "cfg",
        "conf",
        "properties",
        "json",
        "jsonc",
        "json5",
        "env",
        "dotenv",
        "editorconfig",
    )
)

_CALL: Final = re.compile(r"(?<![\w-])@?([A-Za-z_][\w]{2,60})(?=\(\)|\([\w\"'\[{*&$.])")
_LOOKS_LIKE_CODE: Final = re.compile(r"\w_\w|[a-z\d][A-Z]|[A-Z]{2,}[a-z]|^[A-Za-z]{1,4}-?\d{2,}$|^__\w+__$")
_KEBAB: Final = re.compile(r"(?<![\w/.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w/-])")

_PATH: Final = re.compile(
    r"(?<![\w/.-])((?:[\w.@+-]+/)+[\w.@+-]*\w|[\w@+-]+(?:\.[\w@+-]+)*\.(?:[a-z]{1,4}|java|scala|swift|astro"
    r"|svelte|proto|ipynb|graphql|gradle|cshtml|razor))(?![\w/])"
)
_NO_PATH: Final = re.compile(
    r"^(?:[\w-]+\.(?:com|org|net|io|dev)|e\.g|i\.e|etc|[nN]/[aA]|and/or|\d[\d./]*|[\w]+/s)$|^www\."
)
_FOLDERS: Final = frozenset(
    ("app", "apps", "bin", "cmd", "components", "config", "core", "crates", "doc", "docs", "examples", "include",
     "internal", "lib", "libs", "modules", "packages", "pkg", "public", "scripts", "server", "source", "src", "test",
     "tests", "tools", "web")
)  # fmt: skip
DOTTED: Final = re.compile(r"(?<![\w./-])([A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)+)(?![\w/])")

_FAILING: Final = (
    re.compile(r"(?<![\w/])([\w./-]+\.py::[\w:]+(?:\[[^\]\n]{0,120}\])?)"),
    re.compile(r"--- FAIL: (\w[\w/.-]*)"),
    re.compile(r"^\s*test (\w[\w:]*)(?: - [\w ]+)? \.\.\. FAILED", re.MULTILINE),
    re.compile(r"^---- (\S{2,200}) stdout ----", re.MULTILINE),
    re.compile(r"^\s*● ([^\n]{2,200}?)\s*$", re.MULTILINE),
    re.compile(r"^\s*(?:×|✕|✗|✖|not ok \d+ -)\s+([^\n]{2,200}?)(?:\s+\(?\d+\s?ms\)?)?\s*$", re.MULTILINE),
    re.compile(r"^\s*rspec (\./\S{1,200}:\d+)", re.MULTILINE),
    re.compile(
        r"^(?:\[ERROR\]\s+)?(?:Tests? in error:?\s+|Failed tests?:\s+)?([A-Z]\w*(?:Test|Tests|TestCase|IT"
        r"|Spec)[.#]\w+)(?=[:\s(]|$)", re.MULTILINE),
    re.compile(r"\b([A-Z]\w*(?:Test|Tests|TestCase|IT|Spec)(?:[.#]|::)\w+)\b"),
    re.compile(r"\[  FAILED  \] ([\w/.]+)"),
    re.compile(r"^\s*(?:FAIL|ERROR): (test\w*) \(([\w.]+)\)", re.MULTILINE),
    re.compile(r"(?<![\w.])(test_\w{3,120}|Test[A-Z]\w{2,120}\.test\w+)(?![\w.]*\w)"),
)  # fmt: skip


def quoted_in(text: str) -> tuple[str, ...]:
    """What stands in quotes or backticks, as written, in the order of the kinds of quotes; never a lone mark."""
    found = (piece.strip() for pattern in _QUOTES for piece in pattern.findall(text))
    return once(piece for piece in found if sum(map(str.isalnum, piece)) > 1)


def codes_in(text: str) -> tuple[str, ...]:
    """Error codes: of compilers and linters, of the system, of HTTP; as written."""
    short = (code for code in _CODE.findall(text) if not _NO_CODE.match(code))
    status = (one or other for one, other in _STATUS.findall(text))
    return once((*_LONG_CODE.findall(text), *short, *status))[:20]


def failing_tests_in(text: str) -> tuple[str, ...]:
    """The names or ids of tests, as test runners and people write them."""
    found = (
        " ".join(each[::-1]) if isinstance(each, tuple) else each for row in _FAILING for each in row.findall(text)
    )
    return once(name.strip().rstrip(".") for name in found)[:20]


def options_in(text: str) -> tuple[str, ...]:
    return once(_OPTION.findall(text))[:20]


def variables_in(text: str) -> tuple[str, ...]:
    """Environment variables: named so, read by code, or set before a command."""
    return once(name for groups in _VARIABLE.findall(text) for name in groups)[:20]


def keys_in(prose: str, configured: str) -> tuple[str, ...]:
    """Configuration keys: sections, settings in backticks, and what a snippet of a configuration file sets."""
    return once(
        (
            *_SECTION.findall(prose),
            *_SETTING.findall(prose),
            *_SECTION.findall(configured),
            *_ASSIGNED.findall(configured),
        )
    )[:30]


def marked_in(text: str) -> tuple[str, ...]:
    """The words that stand in backticks, of names and snippets; not of whole sentences, nor single letters."""
    pieces = (piece for piece in _BACKTICKS.findall(text) if not _PHRASE.match(piece))
    return once(word for piece in pieces for word in re.findall(r"[^\W\d]\w+", piece))


def identifiers_in(text: str) -> tuple[str, ...]:
    """Words that only code would spell so, or that are called."""
    called = frozenset(_CALL.findall(text))
    return once(word for word in re.findall(r"[^\W\d]\w*", text) if word in called or _LOOKS_LIKE_CODE.search(word))


def kebabs_in(pieces: Iterable[str]) -> tuple[str, ...]:
    """Names with dashes; only of quoted pieces, since prose has dashes of its own."""
    return once(name for piece in pieces for name in _KEBAB.findall(piece))


def paths_in(text: str) -> tuple[str, ...]:
    """Paths and file names; not the `either/or` of a sentence."""
    named = (found.strip("/.") for found in _PATH.findall(text))
    return once(path for path in named if not _NO_PATH.match(path) and not _is_choice(path, text))


def _is_choice(path: str, text: str) -> bool:
    """Whether slashes part words and not folders: `SRT/VTT`, `select/poll`. What is in backticks is no choice."""
    parts = path.split("/")
    if len(parts) < 2 or "." in parts[-1] or f"`{path}" in text or f"/{path}" in text:
        return False
    if all(part[:1].isupper() for part in parts):
        return True
    return len(parts) == 2 and all(map(str.isalpha, parts)) and parts[0] not in _FOLDERS


def once(items: Iterable[str]) -> tuple[str, ...]:
    """Each non-empty item one time, in order."""
    return tuple(dict.fromkeys(item for item in items if item))
