"""Which language a file is in, and what role it plays, told from its path alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from .model import Role, Visibility
from .roles import role


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
    Language(name="tsx", endings=("tsx",), grammar="tsx", query="tsx"),
    Language(name="go", endings=("go",), grammar="go", query="go"),
    Language(name="rust", endings=("rs",), grammar="rust", query="rust"),
    Language(name="java", endings=("java",), grammar="java", query="java"),
    Language(name="kotlin", endings=("kt", "kts",), grammar="kotlin", query="kotlin"),
    Language(name="c", endings=("c",), grammar="c", query="c"),
    # A header may be C or C++; the grammar of C++ reads both.
    Language(name="c-header", endings=("h",), grammar="cpp", query="cpp"),
    Language(name="cpp", endings=("cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp",), grammar="cpp", query="cpp"),
    Language(name="csharp", endings=("cs",), grammar="csharp", query="csharp"),
    Language(name="ruby", endings=("rb", "rake", "gemspec",), grammar="ruby", query="ruby"),
    Language(name="php", endings=("php", "phtml",), grammar="php", query="php"),
    Language(name="swift", endings=("swift",), grammar="swift", query="swift"),
    Language(name="scala", endings=("scala", "sc",), grammar="scala", query="scala"),
    Language(name="bash", endings=("sh", "bash", "zsh", "ksh", "bats", "bashrc", "zshrc", "envrc")),
    Language(name="powershell", endings=("ps1", "psm1", "psd1")),
    Language(name="lua", endings=("lua", "rockspec")),
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
    Language(
        name="template",
        endings=("tpl", "tmpl", "gotmpl", "j2", "jinja", "jinja2", "hbs", "ejs", "mustache", "erb", "cshtml", "razor",
                 "twig", "eex", "heex", "leex", "haml", "slim", "liquid", "njk", "pug", "jsp", "ftlh", "vm", "mako",
                 "mjml"),
    ),
    Language(name="html", endings=("html", "htm", "xhtml")),
    Language(name="css", endings=("css",)),
    Language(name="scss", endings=("scss",)),
    Language(name="less", endings=("less",)),
    Language(name="sass", endings=("sass",)),
    Language(name="sql", endings=("sql",)),
    Language(name="protobuf", endings=("proto",)),
    Language(name="graphql", endings=("graphql", "graphqls", "gql")),
    Language(name="json", endings=("json", "jsonc", "json5")),
    Language(name="jsonl", endings=("jsonl", "ndjson")),
    Language(name="yaml", endings=("yaml", "yml")),
    Language(name="toml", endings=("toml",)),
    Language(
        name="xml",
        endings=("xml", "xsd", "wsdl", "xsl", "xslt", "plist", "csproj", "fsproj", "vbproj", "vcxproj", "props",
                 "targets", "nuspec"),
    ),
    Language(name="ini", endings=("ini", "cfg", "conf", "properties", "editorconfig", "env")),
    Language(name="hcl", endings=("tf", "tfvars", "hcl")),
    Language(name="gradle", endings=("gradle", "groovy", "jenkinsfile")),
    Language(name="cmake", endings=("cmake",)),
    Language(name="nix", endings=("nix",)),
    Language(name="make", endings=("mk", "mak")),
    Language(name="docker", endings=("dockerfile", "containerfile")),
    Language(name="bazel", endings=("bzl", "bazel", "star")),
    Language(name="gomod", endings=()),
    Language(name="markdown", endings=("md", "markdown", "mdx")),
    Language(name="rst", endings=("rst", "adoc", "txt")),
)  # fmt: skip
_NAMED: Final = {language.name: language for language in LANGUAGES}
_BY_ENDING: Final = {ending: language for language in LANGUAGES for ending in language.endings}
_BY_NAME: Final = {
    "cmakelists.txt": _NAMED["cmake"],
    "containerfile": _NAMED["docker"],
    "dockerfile": _NAMED["docker"],
    "gemfile": _NAMED["ruby"],
    "gnumakefile": _NAMED["make"],
    "go.mod": _NAMED["gomod"],
    "jenkinsfile": _NAMED["gradle"],
    "makefile": _NAMED["make"],
    "rakefile": _NAMED["ruby"],
}


def named_language(name: str) -> Language | None:
    return _NAMED.get(name)


def language_of(path: str) -> Language | None:
    name = path.rsplit("/", 1)[-1].lower()
    found = _BY_NAME.get(name) or _BY_ENDING.get(name.rsplit(".", 1)[-1] if "." in name else "")
    # Dockerfile.dev, Makefile.am
    return found or (_BY_NAME.get(name.split(".", 1)[0]) if name.startswith(("dockerfile.", "makefile.")) else None)


def role_of(path: str) -> Role:
    """What a file is for, by its name and its folders."""
    language = language_of(path)
    return role(path, language.name if language else None)


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


_SCRIPT_MEMBER: Final = re.compile(
    r"(?:(?:abstract|async|declare|override|readonly|static) )*(private|protected|public)\b"
)


def _script(name: str, signature: str) -> Visibility | None:
    if name.startswith("#"):
        return "private"
    if said := _SCRIPT_MEMBER.match(signature):
        return cast(Visibility, said.group(1))
    return "public" if signature.startswith("export ") else None


def _c(_name: str, signature: str) -> Visibility:
    return "private" if signature.startswith("static ") else "public"


def _csharp(_name: str, signature: str) -> Visibility | None:
    """Without a modifier a type is its assembly's, and a member its class's or, in an interface, everybody's."""
    said = set(re.findall(r"\w+", re.split(r"[(={]", signature, maxsplit=1)[0]))
    word = next((word for word in ("public", "protected", "internal", "private") if word in said), None)
    if word is None and said & {"class", "struct", "interface", "enum", "record", "delegate"}:
        return "internal"
    return cast("Visibility | None", word)


def _place_of(name: str, text: str) -> int:
    """Where a name stands as a whole word; the text's length if nowhere."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
            return at
        at = text.find(name, at + 1)
    return len(text)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _ruby(name: str, signature: str) -> Visibility | None:
    """Before a method; what stands above it is told by its section."""
    if name[:1].isupper() or signature.startswith("def self."):
        return "public"
    said = re.match(r"(private|protected|public)(?:_class_method)? def\b", signature)
    return cast("Visibility | None", said.group(1)) if said else None


# Where a word like `private:` holds for all members below it: what holds above the first such word, by kind of holder.
SECTIONS: Final[dict[str, dict[str, Visibility]]] = {
    "c-header": {"class": "private", "struct": "public"},
    "cpp": {"class": "private", "struct": "public"},
    "ruby": {"class": "public", "module": "public"},
}


def _modifier(otherwise: Visibility) -> Callable[[str, str], Visibility]:
    """By the words before the definition's name, for languages in which no word is a choice too."""

    def visible(name: str, signature: str) -> Visibility:
        before = signature[: _place_of(name, signature)]
        for word in re.findall(r"\w+[(\[]?", re.split(r"[={]", before.replace("[this]", ""), maxsplit=1)[0]):
            if word in _MODIFIERS:
                return _MODIFIERS[word]
        return otherwise

    return visible


# Scala's `private[here]` holds for a whole package; what Swift says of setters alone is not about the definition.
_MODIFIERS: Final[dict[str, Visibility]] = {
    "fileprivate": "private",
    "internal": "internal",
    "open": "public",
    "private": "private",
    "private[": "internal",
    "protected": "protected",
    "protected[": "protected",
    "public": "public",
}

OPEN_MEMBERS: Final = frozenset({"csharp", "java", "rust"})
"""Languages where what an interface or an enum holds is public unless it says otherwise."""
VISIBILITY: Final[dict[str, Callable[[str, str], Visibility | None]]] = {
    "c": _c,
    "csharp": _csharp,
    "go": _go,
    "java": _java,
    "javascript": _script,
    "kotlin": _modifier("public"),
    "php": _modifier("public"),
    "python": _python,
    "ruby": _ruby,
    "rust": _rust,
    "scala": _modifier("public"),
    "swift": _modifier("internal"),
    "tsx": _script,
    "typescript": _script,
}
