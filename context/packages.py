"""The packages of a tree, told from its manifests, and which of them a file is in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final

from . import build_scripts, manifests
from .languages import role_of
from .manifests import Aliases, BadManifest, Ecosystem, Manifest, ScriptConfig, fitting, python_name, read_script_config
from .model import Role
from .paths import Paths, folder_of, folders_up, joined, name_of, stem_of

_MOST_MANIFESTS: Final = 5_000
_MOST_EXTENDED: Final = 5
_MOST_STARS: Final = 3
_NOT_OURS: Final[frozenset[Role]] = frozenset({"fixture", "vendored", "generated"})

Reader = Callable[[str], tuple[Manifest, ...]]
READERS: Final[Mapping[str, Reader]] = {
    "Cargo.toml": manifests.cargo,
    "Package.swift": build_scripts.swift,
    "build.gradle": build_scripts.gradle,
    "build.gradle.kts": build_scripts.gradle,
    "build.sbt": build_scripts.sbt,
    "composer.json": manifests.composer,
    "go.mod": manifests.go_mod,
    "go.work": manifests.go_work,
    "lerna.json": manifests.lerna,
    "mix.exs": build_scripts.mix,
    "package.json": manifests.npm,
    "pnpm-workspace.yaml": manifests.pnpm,
    "pom.xml": manifests.pom,
    "pubspec.yaml": build_scripts.pub,
    "pyproject.toml": manifests.pyproject,
    "settings.gradle": build_scripts.gradle_settings,
    "settings.gradle.kts": build_scripts.gradle_settings,
    "setup.cfg": manifests.setup_cfg,
    "setup.py": build_scripts.setup_py,
}
_BY_ENDING: Final[Mapping[str, Reader]] = {"csproj": manifests.csproj, "gemspec": build_scripts.gemspec}
_USUAL_ROOTS: Final[Mapping[Ecosystem, tuple[str, ...]]] = {
    "cargo": ("src",),
    "composer": ("src",),
    "gem": ("lib",),
    "gradle": ("src/main/java", "src/main/kotlin", "src/main/scala", "src/test/java", "src/test/kotlin"),
    "maven": ("src/main/java", "src/main/kotlin", "src/main/scala", "src/test/java", "src/test/kotlin"),
    "mix": ("lib",),
    "npm": ("src",),
    "pub": ("lib",),
    "python": ("src", "lib"),
    "sbt": ("src/main/scala", "src/main/java", "src/test/scala"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A unit that others depend on by name. All places are paths of the tree."""

    name: str | None
    folder: str
    ecosystem: Ecosystem
    manifest: str
    depends_on: tuple[str, ...] = ()
    """Names as the manifest spells them, packages from outside of the tree included."""
    source_roots: tuple[str, ...] = ()
    aliases: Aliases = ()
    entries: tuple[str, ...] = ()
    member: bool = False
    """Whether a workspace of the tree lists it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptScope:
    """A folder whose scripts share import settings; the places of `aliases` are paths of the tree."""

    folder: str
    base: str | None
    aliases: Aliases


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A manifest that says nothing to us, and why."""

    path: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Packages:
    """All packages of a tree, sorted by place, with the manifests that could not be read."""

    all: tuple[Package, ...] = ()
    scopes: tuple[ScriptScope, ...] = ()
    problems: tuple[Problem, ...] = ()

    @cached_property
    def _by_folder(self) -> dict[str, list[Package]]:
        found: dict[str, list[Package]] = {}
        for package in self.all:
            found.setdefault(package.folder, []).append(package)
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Package]:
        """Where a name is taken twice, a workspace's member has it, then the one least deep."""
        found: dict[tuple[str, str], Package] = {}
        for package in sorted(self.all, key=lambda each: (not each.member, each.folder.count("/"), each.folder)):
            if package.name is not None:
                found.setdefault((package.ecosystem, compared(package.ecosystem, package.name)), package)
        return found

    @cached_property
    def _scopes(self) -> dict[str, ScriptScope]:
        return {scope.folder: scope for scope in self.scopes}

    @cached_property
    def _ecosystems(self) -> dict[str, tuple[Package, ...]]:
        found: dict[str, list[Package]] = {}
        for package in self.all:
            found.setdefault(package.ecosystem, []).append(package)
        return {ecosystem: tuple(packages) for ecosystem, packages in found.items()}

    def of(self, path: str, *ecosystems: Ecosystem) -> Package | None:
        """The nearest package around a file, of these ecosystems if any are named."""
        for folder in folders_up(folder_of(path)):
            for package in self._by_folder.get(folder, ()):
                if not ecosystems or package.ecosystem in ecosystems:
                    return package
        return None

    def named(self, ecosystem: Ecosystem, name: str) -> Package | None:
        return self._by_name.get((ecosystem, compared(ecosystem, name)))

    def within(self, ecosystem: Ecosystem) -> tuple[Package, ...]:
        return self._ecosystems.get(ecosystem, ())

    def scope_of(self, path: str) -> ScriptScope | None:
        """The nearest tsconfig or jsconfig above a script."""
        return next((self._scopes[up] for up in folders_up(folder_of(path)) if up in self._scopes), None)

    def needed_by(self, package: Package) -> tuple[Package, ...]:
        """The packages of this tree that a package depends on."""
        found = (self.named(package.ecosystem, name) for name in package.depends_on)
        return tuple(each for each in found if each is not None and each is not package)


def compared(ecosystem: Ecosystem, name: str) -> str:
    """A name as its ecosystem compares names."""
    return python_name(name) if ecosystem == "python" else name


def packages(paths: Paths, read: Callable[[str], str | None]) -> Packages:
    """The packages of a tree. `read` gives a file's text, or None; a manifest that can't be read is a problem."""
    problems: list[Problem] = []
    said: list[tuple[str, Manifest]] = []
    configs: dict[str, ScriptConfig] = {}
    for path in manifest_paths(paths):
        text = read(path)
        if text is None:
            continue
        try:
            if is_script_config(path):
                configs[path] = read_script_config(text)
            else:
                said += [(path, manifest) for manifest in read_manifest(name_of(path), text)]
        except BadManifest as bad:
            problems.append(Problem(path=path, why=str(bad)))
    return Packages(
        all=_placed(said, paths), scopes=tuple(_scopes(configs)), problems=tuple(sorted(problems, key=lambda p: p.path))
    )


def manifest_paths(paths: Paths) -> tuple[str, ...]:
    """The manifests and script settings of a tree that are its own: not a fixture's, not vendored. Sorted."""
    names = [*READERS, *(name for name in paths.names() if _reader_of(name) or is_script_config(name))]
    found = sorted({path for name in names for path in paths.named(name) if role_of(path) not in _NOT_OURS})
    return tuple(found[:_MOST_MANIFESTS])


def read_manifest(name: str, text: str) -> tuple[Manifest, ...]:
    """The packages that a manifest of this name speaks of. Raises BadManifest."""
    reader = _reader_of(name)
    return reader(fitting(text)) if reader else ()


def is_script_config(path: str) -> bool:
    name = name_of(path)
    return name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")


def _reader_of(name: str) -> Reader | None:
    return READERS.get(name) or _BY_ENDING.get(name.rpartition(".")[2])


def _placed(said: list[tuple[str, Manifest]], paths: Paths) -> tuple[Package, ...]:
    """Manifests as packages: python's several files for one package become one, members are marked."""
    patterns = [(folder_of(path), manifest.ecosystem, manifest.members) for path, manifest in said if manifest.members]
    gradle = {folder_of(path): manifest.name for path, manifest in said if name_of(path).startswith("settings.gradle")}
    found: dict[tuple[str, str, str | None], Package] = {}
    for path, manifest in said:
        folder = joined(folder_of(path), manifest.folder)
        if folder is None or not manifest.package:
            continue
        package = _package(path, folder, manifest, paths, gradle)
        key = (folder, manifest.ecosystem, None if manifest.ecosystem == "python" else package.name)
        found[key] = _merged(found[key], package) if key in found else package
    marked = (_marked(package, patterns) for package in found.values())
    return tuple(sorted(marked, key=lambda each: (each.folder, each.ecosystem, each.name or "", each.manifest)))


def _package(path: str, folder: str, manifest: Manifest, paths: Paths, gradle: Mapping[str, str | None]) -> Package:
    declared = [root for spelled in manifest.roots if (root := joined(folder, spelled)) is not None]
    usual = [root for spelled in _USUAL_ROOTS.get(manifest.ecosystem, ()) if (root := joined(folder, spelled))]
    roots = dict.fromkeys((*declared, *(root for root in usual if paths.has_folder(root)), folder))
    return Package(
        name=_name(path, folder, manifest, gradle),
        folder=folder,
        ecosystem=manifest.ecosystem,
        manifest=path,
        depends_on=manifest.depends_on,
        source_roots=tuple(root for root in roots if paths.has_folder(root)),
        aliases=_seen_from(folder, manifest.aliases) if manifest.ecosystem != "cargo" else manifest.aliases,
        entries=tuple(entry for spelled in manifest.entries if (entry := joined(folder, spelled)) is not None),
    )


def _name(path: str, folder: str, manifest: Manifest, gradle: Mapping[str, str | None]) -> str | None:
    """Gradle names a project by its place below the settings; a C# project is called as its file."""
    if manifest.name is not None:
        return manifest.name
    if manifest.ecosystem == "nuget":
        return name_of(path).rpartition(".")[0]
    if manifest.ecosystem == "gem":
        return stem_of(path)
    if manifest.ecosystem != "gradle":
        return None
    root = next((up for up in folders_up(folder) if up in gradle), None)
    if root is None:
        return None
    return gradle[root] if root == folder else ":" + folder[len(root) :].strip("/").replace("/", ":")


def _seen_from(folder: str, aliases: Aliases) -> Aliases:
    return tuple(
        (name, tuple(place for spelled in places if (place := joined(folder, spelled)) is not None))
        for name, places in aliases
    )


def _merged(one: Package, other: Package) -> Package:
    """setup.py, setup.cfg and pyproject.toml of one folder speak of one package."""
    return Package(
        name=one.name or other.name,
        folder=one.folder,
        ecosystem=one.ecosystem,
        manifest=one.manifest,
        depends_on=tuple(sorted({*one.depends_on, *other.depends_on})),
        source_roots=tuple(dict.fromkeys((*one.source_roots, *other.source_roots))),
        aliases=tuple(dict.fromkeys((*one.aliases, *other.aliases))),
        entries=tuple(dict.fromkeys((*one.entries, *other.entries))),
    )


def _marked(package: Package, patterns: Iterable[tuple[str, str, tuple[str, ...]]]) -> Package:
    for folder, ecosystem, members in patterns:
        below = _below(package.folder, folder)
        if ecosystem == package.ecosystem and below and _listed(below, members):
            return replace(package, member=True)
    return package


def _below(folder: str, parent: str) -> str | None:
    """The folder seen from a parent; None if it is not below it."""
    if not parent:
        return folder
    return folder[len(parent) + 1 :] if folder.startswith(parent + "/") else None


def _listed(folder: str, members: tuple[str, ...]) -> bool:
    wanted = any(_fits(folder, member) for member in members if not member.startswith("!"))
    return wanted and not any(_fits(folder, member[1:]) for member in members if member.startswith("!"))


def _fits(folder: str, pattern: str) -> bool:
    """Whether a workspace's glob means a folder; `*` stays within one name, `**` does not."""
    globs = pattern.removeprefix("./").strip("/").split("/")
    return globs.count("**") <= _MOST_STARS and _segments_fit(folder.split("/"), globs)


def _segments_fit(names: list[str], globs: list[str]) -> bool:
    if not globs:
        return not names
    if globs[0] == "**":
        return any(_segments_fit(names[skipped:], globs[1:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], globs[0]) and _segments_fit(names[1:], globs[1:])


# tsconfig and jsconfig


def _scopes(configs: Mapping[str, ScriptConfig]) -> Iterable[ScriptScope]:
    """The settings that hold in a folder, with what they take from those they extend."""
    for path in sorted(configs):
        if name_of(path) in ("tsconfig.json", "jsconfig.json"):
            yield _scope(path, configs)


def _scope(path: str, configs: Mapping[str, ScriptConfig]) -> ScriptScope:
    base: str | None = None
    aliases: Aliases = ()
    for place in _chain(path, configs):
        config, folder = configs[place], folder_of(place)
        own = joined(folder, config.base) if config.base is not None else None
        base = base if base is not None else own
        if config.aliases and not aliases:
            aliases = _seen_from(own if own is not None else folder, config.aliases)
    return ScriptScope(folder=folder_of(path), base=base, aliases=aliases)


def _chain(path: str, configs: Mapping[str, ScriptConfig]) -> list[str]:
    """A config and those it extends, nearest first; each once, however they refer to one another."""
    chain = [path]
    for place in chain:
        for spelled in configs[place].extends if len(chain) < _MOST_EXTENDED else ():
            target = joined(folder_of(place), spelled if spelled.endswith(".json") else spelled + ".json")
            if target is not None and target in configs and target not in chain:
                chain.append(target)
    return chain
