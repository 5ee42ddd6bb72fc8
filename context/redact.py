"""Takes secrets out of text: known key shapes, secret-looking assignments, and literal values that are given.

Redacting twice changes nothing, line numbers stay (a removed block leaves its line breaks), and a replacement inside
a JSON string leaves valid JSON: a match never holds a quote, and a backslash only as a whole `\\n`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache, reduce
from operator import or_
from typing import Final
from urllib.parse import quote

MARK: Final = "[redacted]"
_ROUNDS: Final = 4
_SHORTEST_LITERAL: Final = 4
_MOST_HELD: Final = 100_000

# Where a secret may begin: not inside a word, or behind an escaped line break of a JSON string.
_EDGE: Final = r"(?:(?<![A-Za-z0-9_-])|(?<=\\n)|(?<=\\t)|(?<=\\r))"
# A value that code computes or a person still has to fill in is no secret.
_FILLED: Final = r"(?!\[redacted\])(?![{$<%])"
# Spelled in character classes, not with (?i): the scanner is ten times faster with a set of first letters.
_SECRET_NAME: Final = (
    r"[AaSsPpTtCc](?:(?<=[Aa])[Pp][Ii][_-]?[Kk][Ee][Yy]|(?<=[Aa])[Cc][Cc][Ee][Ss][Ss][_-]?[Kk][Ee][Yy]|(?<=[Ss])[Ee][Cc][Rr][Ee][Tt]"
    r"|(?<=[Pp])[Rr][Ii][Vv][Aa][Tt][Ee][_-]?[Kk][Ee][Yy]|(?<=[Tt])[Oo][Kk][Ee][Nn]|(?<=[Pp])[Aa][Ss][Ss](?:[Ww][Oo][Rr][Dd]|[Ww][Dd]"
    r"|[Pp][Hh][Rr][Aa][Ss][Ee])|(?<=[Cc])[Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll][Ss]?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """A pattern whose group `s` is the secret; it is tried only where one of its `hints` occurs.

    `upper_name`: what stands before the match must be the rest of an upper-case name at the start of a word.
    `tail`: a cheap pattern of what each match ends with; where it is nowhere, nothing matches.
    `later`: each match has this after its first hint, with no blank between.
    `word`: one of the words in each match has this pattern in it; told from the hints where it is not given.
    """

    pattern: str
    hints: tuple[str, ...] = ()
    upper_name: bool = False
    tail: str | None = None
    word: str | None = None
    later: str | None = None


_SHAPES: Final = (
    _Shape(
        pattern=r"(?P<s>-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[A-Za-z0-9+/=\s:,]|-(?!-)){40,}"
        r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?)",
        hints=("PRIVATE KEY",),
    ),
    _Shape(pattern=_EDGE + r"(?P<s>sk-(?:ant-|proj-|svcacct-)?(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,})", hints=("sk-",)),
    _Shape(
        pattern=_EDGE + r"(?P<s>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,})",
        hints=("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
    ),
    _Shape(
        pattern=_EDGE + r"(?P<s>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?![A-Za-z0-9])",
        hints=("AKIA", "ASIA", "ABIA", "ACCA"),
    ),
    _Shape(
        pattern=_EDGE + r"(?P<s>AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})",
        hints=("AIza", "ya29.", "GOCSPX-"),
    ),
    _Shape(pattern=_EDGE + r"(?P<s>xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})", hints=("xox", "xapp-")),
    _Shape(pattern=r"hooks\.slack\.com/services/(?P<s>[A-Za-z0-9/]{20,})", hints=("hooks.slack.com",)),
    _Shape(
        pattern=_EDGE + r"(?P<s>[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{36}"
        r"|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{40,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
        hints=("k_live_", "k_test_", "whsec_", "npm_", "pypi-", "hf_", "dop_v1_", "SG."),
    ),
    _Shape(pattern=_EDGE + r"(?P<s>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)", hints=("eyJ",)),
    _Shape(
        pattern=r"(?:[Aa]uthorization|AUTHORIZATION)\\?[\"']?\s*[:=]\s*\\?[\"']?(?:(?i:bearer|basic|token)\s+)?"
        r"(?P<s>(?=[^\s\"'\\]*[0-9])[A-Za-z0-9._~+/=-]{8,})",
        hints=("uthorization", "AUTHORIZATION"),
    ),
    _Shape(pattern=r"[Bb]earer\s+(?P<s>(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{12,}=*)", hints=("earer",)),
    _Shape(
        pattern=r"://[^\s/:@\"'<>{}\\]*:(?P<s>" + _FILLED + r"[^\s/@\"'<>{}\\]{3,})@",
        hints=("://",),
        later="@",
    ),
    _Shape(pattern=r"://(?P<s>(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,})@", hints=("://",), later="@"),
    _Shape(
        pattern=r"[?&](?i:[a-z_-]*(?:token|api[_-]?key|secret|passw(?:or)?d|signature|credential)|key|sig|auth)="
        r"(?P<s>" + _FILLED + r"[^\s\"'&#<>{}\\`)\]]{6,})",
        word=r"(?i:token|key|secret|password|passwd|signature|credential|sig|auth)\Z",
    ),
    # name = "value", "name": "value", name: 'value' (also inside a JSON string); the value holds letters and digits
    _Shape(
        pattern=_SECRET_NAME + r"(?:[_-](?:[Ii][Dd]|[Kk][Ee][Yy]|value))?\\?[\"']?\s*(?::=|=>|[:=])\s*(?P<q>\\?[\"'`])"
        r"(?P<s>" + _FILLED + r"(?=[^\s\"'`\\]*[0-9])(?=[^\s\"'`\\]*[A-Za-z])[^\s\"'`\\{}<>()]{8,})(?P=q)",
        tail=r"[:=>]\s*\\?[\"'`](?=[^\s\"'`\\]*[0-9])[^\s\"'`\\{}<>()]{8}",
        word=r"(?i:secret|token|password|passwd|passphrase|credential|api_?key|access_?key|private_?key|\Akey)",
    ),
    # NAME_KEY=value as in an environment file or a dump of the environment, but no dotted name and no small number
    _Shape(
        pattern=r"[KTSPC](?:(?<=K)EY|(?<=T)OKEN|(?<=S)ECRET|(?<=P)ASSWORD|(?<=P)ASSWD|(?<=P)ASS|(?<=P)WD|(?<=C)REDENTIALS?)="
        r"(?P<s>" + _FILLED + r"(?!\d{1,6}(?![^\s\"'\\]))(?![A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![^\s\"'\\]))"
        r"[^\s\"'`\\,;&|()<>{}\[\]$]{5,}+)(?![(\[{])",
        hints=("KEY=", "TOKEN=", "SECRET=", "PASSWORD=", "PASSWD=", "PASS=", "PWD=", "CREDENTIAL=", "CREDENTIALS="),
        upper_name=True,
    ),
)  # fmt: skip


def redact(text: str, secrets: Iterable[str] = (), *, words: Iterable[str] | None = None) -> str:
    """The text with every known secret replaced by `[redacted]`. Literal `secrets` under 4 characters are ignored.

    `words`, where they are at hand, are all identifiers and words of the text: few of them can be part of a secret.
    """
    literal = _literal(tuple(sorted(set(secrets))))
    shapes = _PATTERNS if words is None else _possible(words)
    for _ in range(_ROUNDS):
        cleaned = _once(text, literal, shapes)
        if cleaned == text:
            break
        text, shapes = cleaned, _PATTERNS
    return text


def redact_bytes(data: bytes, secrets: Iterable[str] = ()) -> bytes:
    """`redact` for raw streams: every byte that is not part of a secret stays as it is, UTF-8 or not."""
    text = data.decode("utf-8", "surrogateescape")
    cleaned = redact(text, secrets)
    return data if cleaned == text else cleaned.encode("utf-8", "surrogateescape")


def _once(text: str, literal: re.Pattern[str] | None, shapes: Iterable[_Pattern]) -> str:
    if literal is not None:
        text = literal.sub(MARK, text)
    for pattern, tail, shape in shapes:
        if _may_match(text, tail, shape):
            text = pattern.sub(_named_secret if shape.upper_name else _without_secret, text)
    return text


def _may_match(text: str, tail: re.Pattern[str] | None, shape: _Shape) -> bool:
    if shape.hints and not any(map(text.__contains__, shape.hints)):
        return False
    if shape.later is not None and not _follows(text, shape.hints[0], shape.later):
        return False
    return tail is None or tail.search(text) is not None


def _follows(text: str, hint: str, later: str) -> bool:
    """Whether one follows the other with no blank between, somewhere; now and then where there is one, too."""
    pieces = text.split(hint)
    return any(later in piece and later in piece.split(None, 1)[0] for piece in pieces[1:])


def _possible(words: Iterable[str]) -> tuple[_Pattern, ...]:
    """The shapes that a text of these words may hold."""
    found = set(map(_IN_WORD.__getitem__, words))
    return _ALWAYS if found <= _NOTHING else _together(frozenset(found))


@lru_cache(maxsize=4_096)
def _together(found: frozenset[int]) -> tuple[_Pattern, ...]:
    """The shapes of these sets of shapes, each set as bits."""
    bits = reduce(or_, found)
    return tuple(each for at, each in enumerate(_PATTERNS) if _WORDS[at] is None or bits >> at & 1)


class _InWord(dict[str, int]):
    """Word → the shapes that it may be part of, as bits; started anew when it has grown large."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_HELD:
            self.clear()
        found = enumerate(_WORDS) if _ANY_WORD.search(word.casefold()) else ()
        bits = self[word] = sum(1 << at for at, pattern in found if pattern and pattern.search(word))
        return bits


def _words_of(shape: _Shape) -> re.Pattern[str] | None:
    """What one of the words in each match has in it; None where that can't be told."""
    if shape.word is not None:
        return re.compile(shape.word)
    told = [_word_of(hint) for hint in shape.hints]
    return re.compile("|".join(told)) if all(told) else None


def _word_of(hint: str) -> str:
    """The longest word in a hint, held to begin or end where the hint goes on."""
    found = max(_WORD.finditer(hint), key=lambda word: len(word.group()), default=None)
    if found is None:
        return ""
    begins, ends = r"\A" if found.start() else "", r"\Z" if found.end() < len(hint) else ""
    return f"{begins}{found.group()}{ends}"


_Pattern = tuple[re.Pattern[str], "re.Pattern[str] | None", _Shape]
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def _without_secret(found: re.Match[str]) -> str:
    start, end = found.start("s") - found.start(), found.end("s") - found.start()
    whole = found.group()
    return whole[:start] + MARK + "\n" * whole.count("\n", start, end) + whole[end:]


def _named_secret(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - 80) : found.start()]
    return _without_secret(found) if _NAME_BEGINS.search(before) else found.group()


@lru_cache(maxsize=64)
def _literal(secrets: tuple[str, ...]) -> re.Pattern[str] | None:
    """One pattern for all given values, longest first, also as JSON and URLs spell them.

    The mark itself comes first, so that a value can't match inside one.
    """
    spelled = {form for secret in secrets if _worth(secret) for form in _spellings(secret)}
    if not spelled:
        return None
    longest_first = sorted(spelled, key=lambda form: (-len(form), form))
    return re.compile("|".join((re.escape(MARK), *map(re.escape, longest_first))))


def _worth(secret: str) -> bool:
    return len(secret) >= _SHORTEST_LITERAL and secret not in MARK


def _spellings(secret: str) -> tuple[str, ...]:
    in_url = quote(secret, safe="", errors="replace")
    return secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], in_url


_PATTERNS: Final[tuple[_Pattern, ...]] = tuple(
    (re.compile(shape.pattern), re.compile(shape.tail) if shape.tail else None, shape) for shape in _SHAPES
)
_WORDS: Final = tuple(map(_words_of, _SHAPES))
_ALWAYS: Final = tuple(each for each, words in zip(_PATTERNS, _WORDS, strict=True) if words is None)
# In small letters, and not with a flag: the scanner is faster with a set of first letters.
_ANY_WORD: Final = re.compile(
    "|".join(
        re.sub(r"(?<!\\)[A-Z]", lambda letter: letter[0].lower(), each.pattern) for each in _WORDS if each
    ).replace("(?i:", "(?:")
)
_IN_WORD: Final = _InWord()
_NOTHING: Final = frozenset({0})
_NAME_BEGINS: Final = re.compile(r"(?:^|[\s\"'`;,]|\\[nrt])[A-Z0-9_]*\Z", re.MULTILINE)

_SECRET_FILES: Final = (
    ".env", ".env.*", "*.env", ".dev.vars", ".dev.vars.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks",
    "*.keystore", "*.kdbx", "*.ppk", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".npmrc",
    ".pypirc", ".git-credentials", ".htpasswd", "credentials", "credentials.json", "client_secret*.json",
    "service-account*.json", "service_account*.json", "secrets.y*ml", "secrets.json", "secrets.toml", "*.tfstate",
    "*.tfstate.backup", "*.tfvars", "*.ovpn", ".vault_pass*", ".pgpass", ".my.cnf",
)  # fmt: skip
_SECRET_FOLDERS: Final = frozenset({".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker"})
_HARMLESS_ENDINGS: Final = (".example", ".sample", ".template", ".dist", ".tmpl", ".defaults")


_SECRET_FILE: Final = re.compile("|".join(map(translate, _SECRET_FILES)))


def secret_path(path: str) -> bool:
    """Whether a file of this name holds secrets by convention: never indexed, never shown."""
    *folders, name = path.lower().replace("\\", "/").split("/")
    if name.endswith(_HARMLESS_ENDINGS):
        return False
    return not _SECRET_FOLDERS.isdisjoint(folders) or _SECRET_FILE.match(name) is not None
