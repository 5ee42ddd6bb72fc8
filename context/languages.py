"""Which language a file is in, and what role it plays, told from its path alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .model import Role, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """`grammar` and `query` are None where we only cut the text into windows of lines."""

    name: str
    endings: tuple[str, ...]
    grammar: str | None = None
    query: str | None = None


LANGUAGES: Final = (
    Language(name="python", endings=("py", "pyi", "pyw"), grammar="python", query="python"),
    Language(name="javascript", endings=("js", "jsx", "mjs", "cjs"), grammar="javascript", query="javascript"),
    Language(name="typescript", endings=("ts", "mts", "cts"), grammar="typescript", query="typescript"),
    Language(name="tsx", endings=("tsx",), grammar="tsx", query="typescript"),
    Language(name="go", endings=("go",), grammar="go", query="go"),
    Language(name="rust", endings=("rs",), grammar="rust", query="rust"),
    Language(name="java", endings=("java",), grammar="java", query="java"),
    Language(name="kotlin", endings=("kt", "kts")),
    Language(name="c", endings=("c", "h")),
    Language(name="cpp", endings=("cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp")),
    Language(name="csharp", endings=("cs", "cshtml", "razor")),
    Language(name="ruby", endings=("rb", "rake", "gemspec", "erb")),
    Language(name="php", endings=("php", "phtml")),
    Language(name="swift", endings=("swift",)),
    Language(name="scala", endings=("scala", "sc")),
    Language(name="bash", endings=("sh", "bash", "zsh", "bats")),
    Language(name="powershell", endings=("ps1", "psm1")),
    Language(name="lua", endings=("lua",)),
    Language(name="perl", endings=("pl", "pm")),
    Language(name="elixir", endings=("ex", "exs")),
    Language(name="erlang", endings=("erl", "hrl")),
    Language(name="haskell", endings=("hs",)),
    Language(name="ocaml", endings=("ml", "mli")),
    Language(name="dart", endings=("dart",)),
    Language(name="zig", endings=("zig",)),
    Language(name="r", endings=("r",)),
    Language(name="julia", endings=("jl",)),
    Language(name="cython", endings=("pyx", "pxd")),
    Language(name="jq", endings=("jq",)),
    Language(name="yacc", endings=("y", "l")),
    Language(name="vue", endings=("vue",)),
    Language(name="svelte", endings=("svelte",)),
    Language(name="astro", endings=("astro",)),
    Language(name="template", endings=("tpl", "tmpl", "j2", "hbs", "ejs", "mustache", "jinja")),
    Language(name="html", endings=("html", "htm", "xhtml")),
    Language(name="css", endings=("css", "scss", "sass", "less")),
    Language(name="sql", endings=("sql",)),
    Language(name="protobuf", endings=("proto",)),
    Language(name="graphql", endings=("graphql", "gql")),
    Language(name="json", endings=("json", "jsonc", "json5", "jsonl")),
    Language(name="yaml", endings=("yaml", "yml")),
    Language(name="toml", endings=("toml",)),
    Language(name="xml", endings=("xml", "xsd", "plist", "csproj", "props", "targets")),
    Language(name="ini", endings=("ini", "cfg", "conf", "properties", "editorconfig")),
    Language(name="hcl", endings=("tf", "hcl")),
    Language(name="gradle", endings=("gradle", "groovy")),
    Language(name="cmake", endings=("cmake",)),
    Language(name="nix", endings=("nix",)),
    Language(name="markdown", endings=("md", "markdown", "mdx")),
    Language(name="rst", endings=("rst", "adoc", "txt")),
)  # fmt: skip
_BY_ENDING: Final = {ending: language for language in LANGUAGES for ending in language.endings}
_BY_NAME: Final = {
    "build.bazel": Language(name="bazel", endings=()),
    "cmakelists.txt": _BY_ENDING["cmake"],
    "dockerfile": Language(name="docker", endings=()),
    "gemfile": _BY_ENDING["rb"],
    "gnumakefile": Language(name="make", endings=()),
    "go.mod": Language(name="gomod", endings=()),
    "makefile": Language(name="make", endings=()),
    "rakefile": _BY_ENDING["rb"],
}


def language_of(path: str) -> Language | None:
    name = path.rsplit("/", 1)[-1].lower()
    return _BY_NAME.get(name) or _BY_ENDING.get(name.rsplit(".", 1)[-1] if "." in name else "")


_LANGUAGE_ROLES: Final[dict[str, Role]] = {
    **dict.fromkeys(("json", "yaml", "toml", "xml", "ini", "hcl"), "config"),
    **dict.fromkeys(("make", "docker", "cmake", "gradle", "bazel", "gomod", "nix"), "build"),
    **dict.fromkeys(("sql", "protobuf", "graphql"), "schema"),
    **dict.fromkeys(("markdown", "rst"), "doc"),
    "css": "style",
}
# role, pattern of its folders, pattern of its file names, both in lower case; the first row that fits decides.
_ROLE_PATTERNS: Final[tuple[tuple[Role, str, str], ...]] = (
    ("vendored", r"(^|/)(node_modules|vendor|vendored|third[_-]?party|bower_components|\.yarn|external|_vendor)/", ""),
    (
        "lock",
        "",
        r"^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb?|packages\.lock\.json)$"
        r"|^(yarn|composer|cargo|gemfile|poetry|uv|pdm|pipfile|flake)\.lock$",
    ),
    (
        "generated",
        r"(^|/)(dist|generated|__generated__|\.next)/",
        r"\.min\.(js|css)$|\.(pb|g|gen|generated|designer)\.\w+$|_pb2(_grpc)?\.pyi?$|_generated\.\w+$|^zz_generated",
    ),
    (
        "fixture",
        r"(^|/)(fixtures?|__fixtures__|testdata|test[_-]data|__snapshots__|snapshots|golden|cassettes)/",
        r"\.snap$",
    ),
    (
        "ci",
        r"(^|/)(\.github/(workflows|actions)|\.circleci|\.buildkite|\.gitlab)/",
        r"^(\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|jenkinsfile|appveyor\.yml)$",
    ),
    (
        "test",
        r"(^|/)(tests?|__tests__|specs?|testing|testsuite|e2e|integration[_-]tests?)/|\.tests?/",
        r"^test_|_tests?\.\w+$|_spec\.\w+$|\.(test|spec|tests|cy)\.\w+$|tests?\.(java|cs|php|kt|scala|swift)$"
        r"|testcase\.\w+$|^conftest\.py$",
    ),
    ("migration", r"(^|/)(migrations?|db/migrate|alembic/versions)/", ""),
    (
        "doc",
        r"(^|/)(docs?|documentation|website|examples?|samples?|changelogs?|changes)/",
        r"^(readme|changelog|changes|contributing|license|licence|authors|notice|history)(\.\w+)?$",
    ),
    (
        "build",
        "",
        r"^(package\.json|pyproject\.toml|setup\.(py|cfg)|cargo\.toml|pom\.xml|go\.mod|composer\.json|tox\.ini)$"
        r"|^(build\.gradle(\.kts)?|gemfile|rakefile|makefile|cmakelists\.txt|meson\.build|build\.rs|noxfile\.py)$",
    ),
    ("schema", "", r"\.(schema\.json|avsc|xsd|prisma)$"),
    ("config", "", r"^\.[a-z][^/]*rc(\.\w+)?$"),
)
_NEVER: Final = r"(?!)"
_FOLDERS: Final = tuple(re.compile(folders or _NEVER) for _, folders, _ in _ROLE_PATTERNS)
_NAMES: Final = tuple(re.compile(names or _NEVER) for _, _, names in _ROLE_PATTERNS)


def role_of(path: str) -> Role:
    """What a file is for, by its name and its folders."""
    folder, slash, name = path.lower().rpartition("/")
    row = min(_first_row(_FOLDERS, folder + slash), _first_row(_NAMES, name))
    if row < len(_ROLE_PATTERNS):
        return _ROLE_PATTERNS[row][0]
    language = language_of(name)
    if language is None:
        return "data"
    return _LANGUAGE_ROLES.get(language.name, "source")


@lru_cache(maxsize=65_536)
def _first_row(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    """Folders repeat in a tree, and names do between two looks at it."""
    return next((row for row, pattern in enumerate(patterns) if pattern.search(text)), len(patterns))


def _python(name: str, _signature: str) -> Visibility:
    return "private" if name.startswith("_") and not name.endswith("__") else "public"


def _go(name: str, _signature: str) -> Visibility:
    return "public" if name[:1].isupper() else "internal"


def _rust(_name: str, signature: str) -> Visibility:
    if signature.startswith("pub("):
        return "internal"
    return "public" if signature.startswith("pub ") else "private"


def _java(_name: str, signature: str) -> Visibility:
    said = re.search(r"\b(public|protected|private)\b", signature.split("(")[0])
    return {"public": "public", "protected": "protected", "private": "private"}[said.group()] if said else "internal"  # type: ignore[return-value]


def _script(name: str, signature: str) -> Visibility | None:
    if name.startswith("#") or re.match(r"(?:static )?private\b", signature):
        return "private"
    if signature.startswith("protected "):
        return "protected"
    return "public" if signature.startswith("export ") else None


VISIBILITY: Final[dict[str, Callable[[str, str], Visibility | None]]] = {
    "go": _go,
    "java": _java,
    "javascript": _script,
    "python": _python,
    "rust": _rust,
    "tsx": _script,
    "typescript": _script,
}
