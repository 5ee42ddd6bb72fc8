"""Where to begin in a repository: entry points, apps, routers, manifests, CI, migrations, set-up of tests, rules.

Most are told by their path; what a path only suggests is confirmed by what the file defines and calls. The answer is
ordered, bounded, and the same for the same files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from .model import Role
from .syntax import FileFacts, Symbol

LandmarkKind = Literal["instructions", "manifest", "entry", "app", "router", "ci", "migrations", "tests"]
FactsOf = Callable[[str], FileFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmark:
    """A file (for migrations a folder) from which a part of the repository unfolds, and why it is one."""

    kind: LandmarkKind
    path: str
    name: str
    why: str


class _File(Protocol):
    @property
    def path(self) -> str: ...
    @property
    def role(self) -> Role: ...


_MOST_OF_A_KIND: Final = 12
_MOST_LOOKED_INTO: Final = 200
_DEEPEST: Final = 8
_HIDDEN: Final[frozenset[Role]] = frozenset({"vendored", "generated", "fixture", "lock", "data", "style"})
_KIND_ORDER: Final = {kind: place for place, kind in enumerate(get_args(LandmarkKind))}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A path that is a landmark by itself, for files of some roles."""

    kind: LandmarkKind
    why: str
    pattern: re.Pattern[str]
    roles: frozenset[Role] | None = None


def _place(kind: LandmarkKind, why: str, pattern: str, roles: str = "") -> _Place:
    said: frozenset[Role] | None = frozenset(roles.split()) if roles else None  # type: ignore[arg-type]
    return _Place(kind=kind, why=why, pattern=re.compile(rf"(?:^|/)(?:{pattern})$"), roles=said)


_CODE: Final = "source config build"
_EXECUTABLE: Final = "executable"
_PLACES: Final = (
    _place(
        "instructions",
        "instructions to agents",
        r"AGENTS(\.override)?\.md|CLAUDE\.md|GEMINI\.md|\.cursorrules|\.windsurfrules|\.clinerules|\.cursor/rules/.+\.mdc?"
        r"|\.github/copilot-instructions\.md|\.github/instructions/.+\.md",
    ),
    _place("instructions", "how to contribute", r"CONTRIBUTING(\.\w+)?"),
    _place(
        "manifest",
        "package",
        r"package\.json|pyproject\.toml|setup\.(py|cfg)|Cargo\.toml|go\.(mod|work)|pom\.xml|build\.gradle(\.kts)?"
        r"|settings\.gradle(\.kts)?|build\.sbt|composer\.json|Gemfile|[^/]+\.gemspec|mix\.exs|pubspec\.yaml|Package\.swift"
        r"|[^/]+\.(sln|slnx|csproj|fsproj|cabal)|stack\.yaml|dune-project|build\.zig|deno\.jsonc?|pnpm-workspace\.yaml",
        "build",
    ),
    _place(
        "manifest",
        "build",
        r"CMakeLists\.txt|Makefile|meson\.build|configure\.ac|MODULE\.bazel|WORKSPACE|justfile",
        "build",
    ),
    _place("entry", "module run by name", r"__main__\.py", "source"),
    _place("entry", "Rust binary", r"src/main\.rs|src/bin/[^/]+\.rs|src/bin/[^/]+/main\.rs", "source"),
    _place("entry", _EXECUTABLE, r"(bin|exe)/[\w-]+", "source"),
    _place("entry", "web entry", r"public/index\.php", "source"),
    _place("app", "Django", r"manage\.py|wsgi\.py|asgi\.py", _CODE),
    _place("app", "Django settings", r"settings(/base|/__init__)?\.py", _CODE),
    _place("app", "Rails", r"config/application\.rb", "config source"),
    _place("app", "Laravel", r"artisan|bootstrap/app\.php", "source"),
    _place("app", "Symfony", r"src/Kernel\.php", "source"),
    _place("app", "Rack", r"config\.ru"),
    _place("app", "Phoenix", r"lib/[^/]+/application\.ex", "source"),
    _place("app", "Next", r"next\.config\.\w+"),
    _place("app", "Nuxt", r"nuxt\.config\.\w+"),
    _place("app", "Astro", r"astro\.config\.\w+"),
    _place("app", "SvelteKit", r"svelte\.config\.\w+"),
    _place("app", "Angular", r"angular\.json"),
    _place("app", "Nest module", r"app\.module\.ts", "source"),
    _place("router", "Django", r"urls\.py", "source"),
    _place("router", "Rails", r"config/routes\.rb", "source config"),
    _place("router", "Laravel", r"routes/(web|api|console|channels)[\w.-]*\.php", "source"),
    _place("router", "Symfony", r"config/routes\.(yaml|php)", "config"),
    _place("router", "Phoenix", r"lib/[^/]+_web/router\.ex", "source"),
    _place("router", "routes", r"(app[.-])?(routes|router|routing)(/index)?\.(ts|js|tsx|jsx|mjs|go|rs|py)", "source"),
    _place(
        "ci",
        "pipeline",
        r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|\.travis\.yml|[Jj]enkinsfile|\.drone\.yml"
        r"|azure-pipelines\.yml|\.azure-pipelines/[^/]+\.yml|\.buildkite/pipeline\.ya?ml|\.cirrus\.yml|\.woodpecker\.yml"
        r"|\.woodpecker/[^/]+\.ya?ml|bitbucket-pipelines\.yml|appveyor\.yml|\.appveyor\.yml|cloudbuild\.yaml|buildspec\.yml",
        "ci",
    ),
    _place(
        "tests",
        "set-up of tests",
        r"conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|(jest|vitest|playwright|cypress|karma|wdio)\.(config|conf)\.\w+"
        r"|\.mocharc\.\w+|phpunit\.xml(\.dist)?|(spec|rails|test)_helper\.rb|\.rspec|test/test_helper\.exs|TestBase\.\w+",
    ),
)  # fmt: skip


def landmarks(files: Iterable[_File], facts_of: FactsOf, also: Iterable[str] = ()) -> tuple[Landmark, ...]:
    """The landmarks among these files, by kind and nearest to the root first.

    `facts_of` is asked for a bounded number of files; `also` names more of them that may be entry points, such as those
    that define `main`.
    """
    shown = {file.path: file.role for file in files if file.role not in _HIDDEN}
    near = sorted((path for path in shown if path.count("/") <= _DEEPEST), key=_nearness)
    found = [*_by_place(near, shown), *_migrations(near, shown), *_scripts(near, shown, facts_of)]
    found += _by_facts(near, shown, facts_of, frozenset(also))
    return tuple(_bounded(found))


def _nearness(path: str) -> tuple[int, str]:
    return path.count("/"), path


_ASIDE: Final = re.compile(
    r"(?:^|/)(?:examples?|samples?|demos?|docs?|templates?|skeletons?|fuzz|bench|benchmarks?|tests?|specs?|e2e|__tests__)/"
)


def _bounded(found: Iterable[Landmark]) -> Iterator[Landmark]:
    """Each place once for a kind, and not too many of any kind: what lies aside comes last."""
    taken: set[tuple[LandmarkKind, str]] = set()
    held: Counter[LandmarkKind] = Counter()
    for each in sorted(found, key=_order):
        if (each.kind, each.path) not in taken and held[each.kind] < _MOST_OF_A_KIND:
            taken.add((each.kind, each.path))
            held[each.kind] += 1
            yield each


def _order(each: Landmark) -> tuple[int, bool, int, str, str, str]:
    last = each.why == _EXECUTABLE or _ASIDE.search(each.path) is not None
    return (_KIND_ORDER[each.kind], last, *_nearness(each.path), each.name, each.why)


def _by_place(paths: Sequence[str], roles: Mapping[str, Role]) -> Iterator[Landmark]:
    for path in paths:
        for place in _PLACES:
            if (place.roles is None or roles[path] in place.roles) and place.pattern.search(path):
                yield Landmark(kind=place.kind, path=path, name=path.rpartition("/")[2], why=place.why)
                break


_OF_MIGRATIONS: Final = re.compile(r"(?:^|.*/)(?:migrations?|migrate|versions)(?=/)", re.IGNORECASE)


def _migrations(paths: Sequence[str], roles: Mapping[str, Role]) -> Iterator[Landmark]:
    """The folders in which migrations lie."""
    for path in paths:
        found = _OF_MIGRATIONS.match(path) if roles[path] == "migration" else None
        if found is not None:
            folder = found[0]
            yield Landmark(kind="migrations", path=folder + "/", name=folder.rpartition("/")[2], why="migrations")


_TARGET: Final = re.compile(r"""[:=]\s*["']([^"'{}]+)["']""")


def _scripts(paths: Sequence[str], roles: Mapping[str, Role], facts_of: FactsOf) -> Iterator[Landmark]:
    """What manifests name as programs: `[project.scripts]`, `bin` and `main` of a package.json."""
    manifests = [path for path in paths if roles[path] == "build" and path.rpartition("/")[2] in _READERS]
    for path in manifests[: _MOST_OF_A_KIND * 2]:
        folder, _, name = path.rpartition("/")
        for symbol in facts_of(path).symbols:
            found = _TARGET.search(symbol.signature) if _READERS[name](symbol) else None
            target = _target(folder, found[1], roles) if found is not None else None
            if target is not None:
                yield Landmark(kind="entry", path=target, name=symbol.name, why=f"named in {name}")


def _python_script(key: Symbol) -> bool:
    return key.container in ("project.scripts", "tool.poetry.scripts", "project.gui-scripts")


def _npm_script(key: Symbol) -> bool:
    return key.container == "bin" or (key.container is None and key.name in ("bin", "main", "module"))


_READERS: Final = {"pyproject.toml": _python_script, "package.json": _npm_script}


def _target(folder: str, spelled: str, roles: Mapping[str, Role]) -> str | None:
    """The file that a manifest means by a path or by `package.module:function`."""
    if "/" in spelled or re.search(r"\.[cm]?[jt]s$", spelled):
        path = f"{folder}/{spelled.removeprefix('./')}".lstrip("/")
        return next((p for p in (path, f"{path}.js", f"{path}/index.js") if p in roles), None)
    module = spelled.partition(":")[0].replace(".", "/")
    tails = (f"{module}.py", f"{module}/__init__.py", f"{module}/__main__.py")
    tries = (f"{folder}/{source}{tail}".lstrip("/") for source in ("", "src/", "lib/") for tail in tails)
    return next((path for path in tries if path in roles), None)


_MAY_START: Final = re.compile(
    r"(?:^|/)(?:(?i:(?:\w+[_-])?(?:main|app|server|cli)|webserver|webapp|application|index|run|start|program|startup|bootstrap|entry|boot)(?:[.-]\w+)?"
    r"|[A-Z]\w*(?:Application|App|Main|Server|Program))\.(?:py|js|jsx|mjs|cjs|ts|tsx|mts|go|rs|java|kt|kts|cs|c|cc|cpp|swift"
    r"|dart|rb|php|scala|zig|vue|svelte)$|(?:^|/)cmd/[^/]+/[^/]+\.go$|^[^/]+\.(?:py|js|ts|mjs|rb)$"
)


def _by_facts(
    paths: Sequence[str], roles: Mapping[str, Role], facts_of: FactsOf, also: frozenset[str]
) -> Iterator[Landmark]:
    """Files that may start something by their name, and do by what they define and call."""
    tried = [path for path in paths if roles[path] == "source" and (path in also or _MAY_START.search(path))]
    for path in tried[:_MOST_LOOKED_INTO]:
        facts = facts_of(path)
        started = _started(facts)
        name = path.rpartition("/")[2]
        if started is not None:
            yield Landmark(kind="app", path=path, name=name, why=started)
        main = _main(path, facts)
        if main is not None:
            yield Landmark(kind="entry", path=path, name=main, why=f"defines {main}")
        if sum(fact.kind == "route" and fact.detail != "PREFIX" for fact in facts.facts) >= 3:
            yield Landmark(kind="router", path=path, name=name, why="routes")


# A call → what it starts. The qualifier is compared where one is written here.
_STARTS: Final[Mapping[tuple[str | None, str], str]] = {
    ("ReactDOM", "render"): "React",
    ("ReactDOM", "createRoot"): "React",
    (None, "createRoot"): "React",
    (None, "hydrateRoot"): "React",
    (None, "createApp"): "Vue",
    (None, "createSSRApp"): "Vue",
    (None, "bootstrapApplication"): "Angular",
    (None, "express"): "Express",
    (None, "fastify"): "Fastify",
    (None, "Fastify"): "Fastify",
    (None, "Koa"): "Koa",
    (None, "Hono"): "Hono",
    ("NestFactory", "create"): "Nest",
    (None, "Flask"): "Flask",
    (None, "FastAPI"): "FastAPI",
    (None, "Starlette"): "Starlette",
    (None, "Sanic"): "Sanic",
    ("web", "Application"): "aiohttp",
    ("uvicorn", "run"): "ASGI server",
    ("http", "ListenAndServe"): "HTTP server",
    ("gin", "Default"): "Gin",
    ("gin", "New"): "Gin",
    ("echo", "New"): "Echo",
    ("chi", "NewRouter"): "chi",
    ("HttpServer", "new"): "Actix",
    ("axum", "serve"): "axum",
    ("rocket", "build"): "Rocket",
    ("WebApplication", "CreateBuilder"): "ASP.NET",
    ("Host", "CreateDefaultBuilder"): ".NET host",
    ("SpringApplication", "run"): "Spring Boot",
    (None, "runApp"): "Flutter",
    (None, "embeddedServer"): "Ktor",
}
_STARTING_DECORATORS: Final = {
    "SpringBootApplication": "Spring Boot", "QuarkusMain": "Quarkus", "HiltAndroidApp": "Android", "main": "Swift app",
    "UIApplicationMain": "iOS app",
}  # fmt: skip


def _started(facts: FileFacts) -> str | None:
    for symbol in facts.symbols:
        for decorator in symbol.decorators:
            if decorator in _STARTING_DECORATORS:
                return _STARTING_DECORATORS[decorator]
    calls = [use for use in facts.uses if use.kind == "calls"]
    return next((_STARTS[use.qualifier, use.name] for use in calls if (use.qualifier, use.name) in _STARTS), None)


_MAIN_OF: Final = {
    **dict.fromkeys(("go", "rs", "c", "cc", "cpp", "kt", "swift", "dart", "zig", "scala"), "main"),
    "java": "main",
    "cs": "Main",
}


def _main(path: str, facts: FileFacts) -> str | None:
    """The name of the function at which the program begins, if this file has it."""
    ending = path.rpartition(".")[2]
    named = {symbol.name for symbol in facts.symbols if symbol.kind in ("function", "method")}
    if ending in ("py", "js", "ts", "mjs"):
        called = any(use.kind == "calls" and use.name == "main" and use.qualifier is None for use in facts.uses)
        return "main" if called and "main" in named else None
    expected = _MAIN_OF.get(ending)
    if ending == "go" and not any(fact.kind == "package" and fact.name == "main" for fact in facts.facts):
        return None
    return expected if expected in named else None
