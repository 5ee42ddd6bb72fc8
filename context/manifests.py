"""Reads manifests: the text of one in, what it says of its packages out. Nothing is run, nothing is resolved.

Every reader is linear in its text. Paths stay as the manifest spells them, relative to its own folder.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from .paths import name_of

Ecosystem = Literal[
    "npm", "python", "go", "cargo", "maven", "gradle", "sbt", "composer", "nuget", "gem", "swift", "mix", "pub"
]  # fmt: skip
Aliases = tuple[tuple[str, tuple[str, ...]], ...]
"""A spelling, and the places it stands for; a `*` in one is what `*` is in the other."""

MOST_CHARACTERS: Final = 1_000_000


class BadManifest(ValueError):
    """A manifest that can't be read; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one manifest says of one package."""

    ecosystem: Ecosystem
    name: str | None = None
    folder: str = ""
    """Where the package is, seen from the manifest's folder."""
    depends_on: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    """Folders or globs of the packages of a workspace; with a leading `!` those left out."""
    roots: tuple[str, ...] = ()
    aliases: Aliases = ()
    entries: tuple[str, ...] = ()
    """Files that the package's bare name may mean, best first."""
    package: bool = True
    """False where it only names members or settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptConfig:
    """What a tsconfig or jsconfig says of imports."""

    base: str | None = None
    aliases: Aliases = ()
    extends: tuple[str, ...] = ()


def read_script_config(text: str) -> ScriptConfig:
    """What `compilerOptions` say of imports; comments and trailing commas are allowed. Raises BadManifest."""
    config = _json(fitting(_without_comments(text)))
    options = _mapping(config.get("compilerOptions"))
    base = options.get("baseUrl")
    extends = config.get("extends")
    return ScriptConfig(
        base=base if isinstance(base, str) else None,
        aliases=tuple((key, _texts(value)) for key, value in _mapping(options.get("paths")).items()),
        extends=(extends,) if isinstance(extends, str) else _texts(extends),
    )


def fitting(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise BadManifest(f"it has more than {MOST_CHARACTERS:,} characters")
    return text


# JSON: package.json, lerna.json, composer.json

_JSON_PIECE: Final = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?')
_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])')


def _without_comments(text: str) -> str:
    bare = _JSON_PIECE.sub(lambda piece: piece.group(1) or " ", text.removeprefix("\ufeff"))
    return _TRAILING_COMMA.sub(lambda piece: piece.group(1) or "", bare)


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as broken:
        raise BadManifest(f"not JSON: {broken}") from broken
    if not isinstance(value, dict):
        raise BadManifest("not a JSON object")
    return value


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> tuple[str, ...]:
    """The texts in a list, or in what a mapping holds however deep."""
    if isinstance(value, str):
        return (value,)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(text for item in inside for text in _texts(item))


def _names(*tables: object) -> tuple[str, ...]:
    """The keys of these mappings, sorted, each once."""
    return tuple(sorted({str(name) for table in tables for name in _mapping(table)}))


def npm(text: str) -> tuple[Manifest, ...]:
    said = _json(text)
    workspaces = said.get("workspaces")
    exports = said.get("exports")
    by_path = exports if isinstance(exports, dict) and any(str(key).startswith(".") for key in exports) else None
    subpaths = {key: _texts(value) for key, value in (by_path or {}).items() if key.startswith("./")}
    main = _texts(by_path.get(".")) if by_path else _texts(exports)
    named = [_text(said.get(key)) for key in ("source", "types", "typings", "module", "main")]
    inner = {key: _texts(value) for key, value in _mapping(said.get("imports")).items()}
    manifest = Manifest(
        ecosystem="npm",
        name=_text(said.get("name")),
        depends_on=_names(*(said.get(key) for key in _NPM_DEPENDENCIES)),
        members=_texts(_mapping(workspaces).get("packages") if isinstance(workspaces, dict) else workspaces),
        aliases=tuple(sorted((subpaths | inner).items())),
        entries=tuple(dict.fromkeys((*(entry for entry in named if entry), *main))),
    )
    return (manifest,)


_NPM_DEPENDENCIES: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def lerna(text: str) -> tuple[Manifest, ...]:
    return (Manifest(ecosystem="npm", members=_texts(_json(text).get("packages")), package=False),)


def pnpm(text: str) -> tuple[Manifest, ...]:
    """The one list we need of `pnpm-workspace.yaml`, read without a YAML parser."""
    members: list[str] = []
    inside = False
    for line in text.split("\n"):
        bare = line.strip()
        if line[:1] not in ("", " ", "\t", "-", "#"):
            inside = bare.startswith("packages:")
        elif inside and bare.startswith("- "):
            members.append(bare[2:].partition(" #")[0].strip().strip("'\""))
    return (Manifest(ecosystem="npm", members=tuple(members), package=False),)


def composer(text: str) -> tuple[Manifest, ...]:
    said = _json(text)
    psr4 = [_mapping(_mapping(said.get(key)).get("psr-4")) for key in ("autoload", "autoload-dev")]
    manifest = Manifest(
        ecosystem="composer",
        name=_text(said.get("name")),
        depends_on=_names(said.get("require"), said.get("require-dev")),
        aliases=tuple((prefix, _texts(place)) for table in psr4 for prefix, place in table.items()),
    )
    return (manifest,)


# TOML and INI: Cargo.toml, pyproject.toml, setup.cfg, setup.py

_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as broken:
        raise BadManifest(f"not TOML: {broken}") from broken


def _deep(value: object, *keys: str) -> Any:
    for key in keys:
        value = _mapping(value).get(key)
    return value


def cargo(text: str) -> tuple[Manifest, ...]:
    said = _toml(text)
    library = _text(_deep(said, "lib", "name")) or (_text(_deep(said, "package", "name")) or "").replace("-", "_")
    tables = [said, *_mapping(said.get("target")).values()]
    needed = [
        _deep(table, key) for table in tables for key in ("dependencies", "dev-dependencies", "build-dependencies")
    ]
    bins = said.get("bin")
    manifest = Manifest(
        ecosystem="cargo",
        name=library or None,
        depends_on=tuple(sorted({_crate(name, said) for table in needed for name, said in _mapping(table).items()})),
        members=(
            *_texts(_deep(said, "workspace", "members")),
            *("!" + out for out in _texts(_deep(said, "workspace", "exclude"))),
        ),
        aliases=tuple(sorted(alias for table in needed for alias in _renamed(_mapping(table)))),
        entries=tuple(
            path
            for table in (said.get("lib"), *(bins if isinstance(bins, list) else ()))
            if (path := _text(_deep(table, "path")))
        ),
        package="package" in said,
    )
    return (manifest,)


def _crate(name: str, said: object) -> str:
    return (_text(_mapping(said).get("package")) or name).replace("-", "_")


def _renamed(needed: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`new = { package = "old" }`: the name in the code, and the crate it stands for."""
    for name, said in needed.items():
        if _crate(name, said) != name.replace("-", "_"):
            yield name.replace("-", "_"), (_crate(name, said),)


def pyproject(text: str) -> tuple[Manifest, ...]:
    said = _toml(text)
    project, poetry = _mapping(said.get("project")), _mapping(_deep(said, "tool", "poetry"))
    setuptools, hatch = _deep(said, "tool", "setuptools"), _deep(said, "tool", "hatch", "build", "targets", "wheel")
    listed = _texts(project.get("dependencies")) + _texts(project.get("optional-dependencies"))
    groups = _texts(said.get("dependency-groups"))
    placed = [item for item in poetry.get("packages") or () if isinstance(item, dict)]
    name = _text(project.get("name")) or _text(poetry.get("name"))
    folders, aliases = package_dirs(_mapping(_deep(setuptools, "package-dir")))
    manifest = Manifest(
        ecosystem="python",
        name=name,
        depends_on=requirements((*listed, *_names(poetry.get("dependencies")), *groups)),
        members=_texts(_deep(said, "tool", "uv", "workspace", "members")),
        roots=tuple(dict.fromkeys((
            *folders,
            *_texts(_deep(setuptools, "packages", "find", "where")),
            *(root for item in placed if (root := _text(item.get("from")))),
            *(root for root in (package.rpartition("/")[0] for package in _texts(_deep(hatch, "packages"))) if root),
            *(root for root in (_text(_deep(said, "tool", "maturin", "python-source")),) if root),
            *(root for root in _texts(_deep(said, "tool", "pytest", "ini_options", "pythonpath"))),
        ))),
        aliases=aliases,
        package=bool(name or setuptools or hatch or "build-system" in said),
    )  # fmt: skip
    return (manifest,)


def package_dirs(table: Mapping[str, Any]) -> tuple[tuple[str, ...], Aliases]:
    """setuptools' package_dir: the empty name is a source root, any other a module with a folder of its own."""
    places = {name: place for name, place in table.items() if isinstance(place, str)}
    return tuple(place for name, place in places.items() if not name), tuple(
        (name, (place,)) for name, place in sorted(places.items()) if name
    )


def requirements(listed: Iterable[str]) -> tuple[str, ...]:
    """The names of PEP 508 requirements, spelled as PyPI compares them."""
    found = {match.group(1) for requirement in listed if (match := _REQUIREMENT.match(requirement))}
    return tuple(sorted({python_name(name) for name in found} - {"python"}))


def python_name(name: str) -> str:
    """A distribution's name as names are compared: lower case, `-` for each run of `-_.`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def setup_cfg(text: str) -> tuple[Manifest, ...]:
    config = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(text)
    except configparser.Error as broken:
        raise BadManifest(f"not INI: {str(broken).splitlines()[0]}") from broken
    pairs = (line.partition("=") for line in config.get("options", "package_dir", fallback="").split("\n"))
    folders, aliases = package_dirs({name.strip(): place.strip() for name, equals, place in pairs if equals})
    where = config.get("options.packages.find", "where", fallback="").strip()
    name = config.get("metadata", "name", fallback="").strip()
    manifest = Manifest(
        ecosystem="python",
        name=name or None,
        depends_on=requirements(config.get("options", "install_requires", fallback="").split("\n")),
        roots=tuple(dict.fromkeys((*folders, *((where,) if where else ())))),
        aliases=aliases,
        package=bool(name) or config.has_section("options"),
    )
    return (manifest,)


# Go: go.mod, go.work


def _go_lines(text: str, keyword: str) -> Iterator[str]:
    """What follows a keyword, on its line or on the lines of its parentheses."""
    inside = False
    for line in text.split("\n"):
        bare = line.partition("//")[0].strip()
        if inside:
            inside = bare != ")"
            if bare and inside:
                yield bare
        elif bare.startswith(keyword):
            rest = bare[len(keyword) :]
            if rest[:1] in (" ", "\t", "("):
                inside = rest.strip() == "("
                if not inside:
                    yield rest.strip()


def go_mod(text: str) -> tuple[Manifest, ...]:
    name = next(_go_lines(text, "module"), None)
    if name is None:
        raise BadManifest("it has no module line")
    needed = {line.split()[0] for line in _go_lines(text, "require")}
    return (Manifest(ecosystem="go", name=name.strip('"'), depends_on=tuple(sorted(needed))),)


def go_work(text: str) -> tuple[Manifest, ...]:
    return (Manifest(ecosystem="go", members=tuple(line.strip('"') for line in _go_lines(text, "use")), package=False),)


# XML: pom.xml, *.csproj. A reader of tags that knows no entities, so that none can be expanded.

_XML_TAG: Final = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)([^<>]*)>([^<]*)")
_XML_COMMENT: Final = re.compile(r"<!--(?:[^-]|-(?!->))*(?:-->)?")
_XML_ATTRIBUTE: Final = re.compile(r"""([\w:.-]+)\s*=\s*["']([^"']*)["']""")
_MOST_NESTED: Final = 60


def _xml(text: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Each element's names from the root down, its attributes as spelled, and the text right after its start."""
    around: list[str] = []
    for closing, name, attributes, inner in _XML_TAG.findall(_XML_COMMENT.sub("", text)):
        name = name.rpartition(":")[2]
        if closing:
            while around and around.pop() != name:
                pass
        elif len(around) < _MOST_NESTED:
            yield (*around, name), attributes, inner.strip()
            if not attributes.rstrip().endswith("/"):
                around.append(name)


def pom(text: str) -> tuple[Manifest, ...]:
    said: dict[tuple[str, ...], str] = {}
    needed: list[list[str]] = []
    modules: list[str] = []
    for path, _, inner in _xml(text):
        below = path[1:]
        if below[:2] == ("dependencies", "dependency"):
            if len(below) == 2:
                needed.append(["", ""])
            elif below[2:] in (("groupId",), ("artifactId",)):
                needed[-1][below[2] == "artifactId"] = inner
        elif below[-2:] == ("modules", "module"):
            modules.append(inner)
        else:
            said.setdefault(below, inner)
    artifact = said.get(("artifactId",))
    if artifact is None:
        raise BadManifest("it has no artifactId")
    group = said.get(("groupId",)) or said.get(("parent", "groupId")) or ""
    manifest = Manifest(
        ecosystem="maven",
        name=f"{group}:{artifact}",
        depends_on=tuple(sorted({f"{_own(of, group)}:{name}" for of, name in needed if name})),
        members=tuple(modules),
        roots=tuple(root for key in ("sourceDirectory", "testSourceDirectory") if (root := said.get(("build", key)))),
    )
    return (manifest,)


def _own(group: str, own: str) -> str:
    return own if group in ("${project.groupId}", "${groupId}", "${pom.groupId}", "") else group


def csproj(text: str) -> tuple[Manifest, ...]:
    needed: set[str] = set()
    said: dict[str, str] = {}
    for path, attributes, inner in _xml(text):
        include = dict(_XML_ATTRIBUTE.findall(attributes)).get("Include", "").replace("\\", "/")
        if path[-1] == "ProjectReference" and include:
            needed.add(name_of(include).rpartition(".")[0])
        elif path[-1] == "PackageReference" and include:
            needed.add(include)
        elif path[-1] in ("AssemblyName", "RootNamespace", "PackageId") and inner:
            said.setdefault(path[-1], inner)
    space = said.get("RootNamespace")
    manifest = Manifest(
        ecosystem="nuget",
        name=said.get("AssemblyName"),
        depends_on=tuple(sorted(needed)),
        aliases=((space, (".",)),) if space else (),
    )
    return (manifest,)
