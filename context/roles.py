"""What a file is for, told from its path and its language alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

from .model import Role

Sort = Literal["code", "data", "page", "prose", "build"]
"""What the language makes of a file: a folder of tests holds tests in code, and fixtures in data."""

_SORTS: Final[dict[str | None, Sort]] = {
    **dict.fromkeys(("json", "jsonl", "yaml", "toml", "xml", "ini", "sql", "protobuf", "graphql", None), "data"),
    **dict.fromkeys(("html", "template"), "page"),
    **dict.fromkeys(("markdown", "rst"), "prose"),
    **dict.fromkeys(("make", "docker", "cmake", "gradle", "bazel", "gomod", "nix"), "build"),
}
_LANGUAGE_ROLES: Final[dict[str, Role]] = {
    **dict.fromkeys(("json", "jsonl", "yaml", "toml", "xml", "ini", "hcl"), "config"),
    **dict.fromkeys(("make", "docker", "cmake", "gradle", "bazel", "gomod", "nix"), "build"),
    **dict.fromkeys(("sql", "protobuf", "graphql", "prisma", "thrift"), "schema"),
    **dict.fromkeys(("markdown", "rst"), "doc"),
    **dict.fromkeys(("css", "scss", "less", "sass"), "style"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """A file has this role if any one of these fits it.

    `folders` are any of the folders it lies in, `outer` any above the first one that holds a product's own sources.
    `under` is searched in its folders, spelled `/a/b/`, and `pattern` in its folder and name, spelled `/b/name.c`, both
    in lower case; `cased` is `pattern` where case tells.
    """

    role: Role
    sorts: frozenset[Sort] | None
    folders: frozenset[str]
    outer: frozenset[str]
    names: frozenset[str]
    endings: tuple[str, ...]
    under: re.Pattern[str] | None
    pattern: re.Pattern[str] | None
    cased: re.Pattern[str] | None


def _rule(
    role: Role,
    *,
    of: str = "",
    folders: str = "",
    outer: str = "",
    under: str = "",
    names: str = "",
    endings: str = "",
    pattern: str = "",
    cased: str = "",
) -> _Rule:
    """A rule as it is written below: words parted by spaces, patterns as text."""
    return _Rule(
        role=role,
        sorts=frozenset(of.split()) or None,  # type: ignore[arg-type]
        folders=frozenset(folders.split()),
        outer=frozenset(outer.split()),
        names=frozenset(names.split()),
        endings=tuple(endings.split()),
        under=re.compile(under) if under else None,
        pattern=re.compile(pattern) if pattern else None,
        cased=re.compile(cased) if cased else None,
    )


# The first rule that fits decides.
_RULES: Final = (
    _rule(
        "vendored",
        folders="node_modules vendored third_party third-party thirdparty 3rdparty 3rd_party bower_components"
        " jspm_packages web_modules .yarn _vendor pods carthage godeps site-packages",
        # A vendor may also be a person in the trade that the code is about.
        under=r"/vendor/(?<!/app/vendor/)(?<!/api/vendor/)(?<!/models/vendor/)(?<!/views/vendor/)(?<!/services/vendor/)"
        r"(?<!/controllers/vendor/)(?<!/modules/vendor/)(?<!/pages/vendor/)(?<!/routes/vendor/)(?<!/features/vendor/)"
        r"(?<!/components/vendor/)(?<!/domain/vendor/)(?<!/entities/vendor/)"
        r"|^/(externals?|externs?)/|^/deps/[^/]+/|/wwwroot/libs?/",
        names=".pnp.cjs .pnp.js .pnp.loader.mjs",
        pattern=r"/(jquery|bootstrap|modernizr|html5shiv)([.-]\d[\w.]*)?(\.(slim|bundle|esm))?\.(js|css)$",
    ),
    _rule(
        "lock",
        names="package-lock.json npm-shrinkwrap.json pnpm-lock.yaml conda-lock.yml vcpkg-lock.json go.sum go.work.sum"
        " package.resolved cartfile.resolved gems.locked .terraform.lock.hcl packages.lock.json brewfile.lock.json"
        " cabal.project.freeze",
        endings=".lock .lockb .lockfile",
    ),
    _rule(
        "fixture",
        folders="__fixtures__ fixtures testdata test_data test-data test-fixtures test_fixtures test-files"
        " test_files testfiles test-resources testresources test-assets __snapshots__ __image_snapshots__ cassettes",
        under=r"-snapshots/",
        endings=".snap .golden",
    ),
    _rule(
        "fixture",
        of="data page prose",
        folders="fixture testfixtures snapshots golden goldens",
        under=r"[._-]fixtures/",
    ),
    _rule(
        "generated",
        folders="generated __generated__ .generated _generated .next .nuxt .svelte-kit storybook-static",
        under=r"/(protos?|grpc|openapi|swagger|graphql)/gen/|/gen/(protos?|grpc|openapi)/",
        names="bindata.go",
        endings=".min.js .min.mjs .min.css .js.map .mjs.map .css.map .d.ts.map .bundle.js .g.i.cs .g.dart .g.cs"
        " .gr.dart .freezed.dart .mocks.dart modelsnapshot.cs .grpc.h .grpc.cc _pb2.py _pb2.pyi _pb2_grpc.py"
        " _pb2_grpc.pyi _pb.js _pb.d.ts _pb.ts _pb.rb .gen.go .gen.ts .gen.tsx .gen.js .gen.py .gen.rs .gen.cs"
        " _gen.go _gen.rs",
        pattern=r"\.(pb|pb\.gw|generated|designer)\.[a-z]+$|[_-]generated\.\w+$|/zz_generated",
    ),
    _rule("generated", of="code data page", folders="dist"),
    _rule(
        "ci",
        folders=".circleci .buildkite .semaphore .teamcity .woodpecker .azure-pipelines .azuredevops .tekton .builds",
        under=r"^/\.(github/(workflows|actions)|(gitea|forgejo)/workflows|gitlab(?!/(issue|merge_request)_templates))/"
        r"|^/\.?ci/",
        names=".travis.yml appveyor.yml .appveyor.yml .drone.yml .drone.yaml .drone.jsonnet .drone.star .woodpecker.yml"
        " bitbucket-pipelines.yml .cirrus.yml .cirrus.star buildspec.yml buildspec.yaml codemagic.yaml bitrise.yml"
        " .build.yml wercker.yml shippable.yml codecov.yml .codecov.yml .scrutinizer.yml .readthedocs.yml"
        " .readthedocs.yaml .mergify.yml",
        pattern=r"/(\.gitlab-ci|\.?azure-?pipelines?|cloudbuild)[\w.-]*\.ya?ml$|/jenkinsfile[\w.-]*$",
    ),
    _rule(
        "doc",
        under=r"^/\.(github|gitlab)/(issue|pull_request|merge_request)_templates?/",
        endings=".stories.tsx .stories.ts .stories.jsx .stories.js .stories.mdx .story.tsx .story.vue .stories.svelte"
        " .stories.vue .mdc .pod .rdoc .textile .org .tex .man .puml",
        pattern=r"/(readme|change-?log|contributing|contributors|licen[cs]es?|unlicense|copying|authors|notice|maintainers"
        r"|todo|credits|patents|copyright)([-_][\w-]+)?(\.\w\w(-\w\w)?(?=\.))?(\.(md|mdx|markdown|rst|txt|adoc|html))?$"
        r"|/(changes|history|news|install|thanks)$|/(docs?|source)/conf\.py$",
        cased=r"/[a-z][a-z\d_.-]*\.[1-8]$",
    ),
    _rule("test", endings=".bats .t", pattern=r"/features/[^/]+\.feature$"),
    _rule(
        "test",
        of="code",
        pattern=r"/(test_[^/]*|conftest)\.\w+$|[_-](tests?|unittest)\.\w+$|[_-]spec\.(rb|[cm]?[jt]sx?|lua|coffee|exs|cr)$"
        r"|\.(test|spec|tests|cy|e2e|e2e-spec|test-d)\.\w+$|/(test|spec)_helper\.\w+$|/(vitest|jest|tests?)[.-]setup\.\w+$"
        r"|/tests?\.(py|rs)$|[/_-]test[_-]?(utils?|helpers?)\.\w+$",
        cased=r"[a-z\d](Tests?|TestCase|TestBase|ITCase|IT)\.(java|cs|php|kt|scala|swift|groovy|fs|vb)$",
    ),
    _rule(
        "fixture",
        under=r"/(tests?|specs?|__tests__|e2e|[^/]*[.-]tests?)/(?:[^/]+/)*"
        r"(fixture|stubs?|data|snapshots?|goldens?|samples?|resources|expected|inputs?|files|assets|vectors)/"
        r"|/src/[\w-]*test/resources/",
    ),
    # An example is read as a document is. Below src or lib it may be what the product is about.
    _rule(
        "doc",
        outer="example examples sample samples tutorial tutorials playground playgrounds",
        under=r"^/demos?/|^/([^/]+/)?[^/]*[-_. ](examples?|samples?)/",
    ),
    _rule(
        "build",
        # JavaScript; Python; Rust and Go; the JVM; Ruby, PHP and Apple's; others; C and what builds anything.
        names="package.json bower.json lerna.json nx.json turbo.json rush.json pnpm-workspace.yaml deno.json deno.jsonc"
        " jsr.json pyproject.toml setup.py setup.cfg tox.ini noxfile.py manifest.in pipfile hatch.toml environment.yml"
        " environment.yaml pixi.toml uv.toml tasks.py fabfile.py dodo.py sconstruct sconscript wscript"
        " cargo.toml build.rs rust-toolchain rust-toolchain.toml go.mod go.work magefile.go .goreleaser.yml"
        " .goreleaser.yaml pom.xml gradle.properties gradlew gradlew.bat mvnw mvnw.cmd build.xml ivy.xml build.sbt"
        " build.sc build.mill gradle-wrapper.properties maven-wrapper.properties libs.versions.toml"
        " composer.json gemfile gems.rb rakefile podfile cartfile package.swift brewfile project.pbxproj fastfile"
        " appfile mix.exs rebar.config pubspec.yaml melos.yaml dune dune-project dune-workspace stack.yaml"
        " cabal.project build.zig build.zig.zon shard.yml deps.edn project.clj cpanfile makefile.pl build.pl dist.ini"
        " elm.json vcpkg.json conanfile.py conanfile.txt nuget.config paket.dependencies packages.config"
        " makefile gnumakefile cmakelists.txt cmakepresets.json configure configure.ac configure.in autogen.sh"
        " meson.build meson_options.txt meson.options build buck workspace module.bazel workspace.bazel justfile"
        " .justfile taskfile.yml taskfile.yaml earthfile tiltfile vagrantfile procfile skaffold.yaml snapcraft.yaml"
        " pkgbuild guardfile dangerfile",
        endings=".gradle .gradle.kts .sbt .gemspec .podspec .xcconfig .xcscheme .xcworkspacedata .xcsettings .opam"
        " .nimble .cabal .rockspec .csproj .fsproj .vbproj .vcxproj .proj .sln .slnx .slnf .props .targets .nuspec"
        " .pubxml .mk .wixproj .mak .am .m4 .bzl .bazel .bazelrc .bazelversion .ninja .gyp .gypi .cmake .cmake.in"
        " .pc.in .h.in .qbs .dockerfile .nix .ebuild",
        pattern=r"requirements[^/]*\.(txt|in)$|/requirements/[^/]+\.(txt|in)$|/project/[\w.-]+\.(scala|properties)$"
        r"|/(docker|container|make|gnumake)file[.-][\w.-]+$|/debian/(rules|control)$|/webpack\.[\w.-]+\.[cm]?[jt]s$"
        r"|/(webpack|vite|rollup|esbuild|rspack|rsbuild|tsup|tsdown|unbuild|build|metro|parcel|snowpack)\.config\.\w+$"
        r"|/(gulpfile|gruntfile|jakefile|esbuild)\.[cm]?[jt]s$|^//global\.json$",
        cased=r"/(Project\.toml|DESCRIPTION|NAMESPACE)$",
    ),
    _rule(
        "schema",
        names="schema.json schema.yaml schema.yml",
        endings=".schema.json .schema.yaml .schema.yml .avsc .avdl .xsd .dtd .rng .rnc .prisma .thrift .capnp .fbs"
        " .wsdl .wit .smithy .tsp .raml .dbml .edmx .idl .asn1 .cddl .webidl",
        pattern=r"[/._-](openapi|swagger|asyncapi)([._-][\w.-]+)?\.(ya?ml|json)$|/db/schema\.rb$",
    ),
    _rule(
        "config",
        folders=".storybook .devcontainer .vscode .idea .husky .changeset .cargo .config .mvn .settings .run",
        names="angular.json vercel.json netlify.toml firebase.json tslint.json renovate.json biome.json biome.jsonc"
        " cypress.json nodemon.json codeowners karma.conf.js pytest.ini mypy.ini alembic.ini .mailmap .htaccess",
        endings=".config.js .config.mjs .config.cjs .config.ts .config.mts .config.cts .config.jsx .config.tsx .service"
        " .timer .socket .desktop .entitlements .editorconfig .neon .hjson .tfvars .env .dist",
        pattern=r"/\.[a-z][\w-]*(rc|ignore|attributes|modules|keep|config|versions?|revs)(\.\w+)?$|/\.env([.-][\w.-]+)?$"
        r"|/([jt]sconfig|jest|appsettings|application)([.-][\w.-]+)?\.(jsonc?|json5|ya?ml|properties)$"
        r"|/(docker-)?compose([.-][\w.-]+)?\.ya?ml$|/(initializers|environments)/[^/]+\.rb$",
        cased=r"/config/(?!routes)[^/]+\.(rb|php|exs)$",
    ),
    _rule(
        "test",
        of="code",
        folders="test tests __tests__ __mocks__ __e2e__ testsuite testsuites e2e e2e-tests cypress test-utils"
        " test_utils testutils testutil test-helpers test_helpers testhelpers test-support test-lib test_app"
        " test-app testcases testsupport spec specs",
        # Where a library keeps its sources, `testing` is a part of what it offers.
        outer="testing",
        under=r"[._-]tests?/|/src/test(fixtures|debug|release)/",
    ),
    _rule(
        "fixture",
        of="data page prose",
        folders="test tests __tests__ __mocks__ __e2e__ testsuite e2e",
        # A specification lies flat, or has its own parts; what code is tested with is sorted by what is tested.
        under=r"[._-]tests?/|/spec/(?!components?/|paths/|schemas?/|v\d)[^/]+/",
        pattern=r"/test_[^/]*\.\w+$",
    ),
    _rule("doc", of="prose", folders="migration migrations"),
    _rule(
        "migration",
        # Without a number, and where a library keeps its sources, it is what carries migrations out.
        outer="migration migrations",
        under=r"/(db/migrate|alembic/versions|migrations/versions)/|^/([^/]+/)?database/migrations/|/migrations?/[^/]*\d{3,}[^/]*/",
        endings=".up.sql .down.sql",
        pattern=r"/migrations?/([a-z]{0,8}_?\d[^/]*|__init__\.py|[^/]+\.sql)$|/\d{8,}_[^/]+\.(rb|sql|exs)$"
        r"|/\d{4}-\d\d-\d\d[_-][^/]*\.sql$|/db\.changelog[^/]*$",
        cased=r"/([VU]\d[\d._]*__|R__)[^/]+\.\w+$",
    ),
    _rule("data", under=r"/lang/\w\w([_-]\w\w)?/"),
    _rule("schema", of="data", folders="schema schemas json-schema jsonschema openapi swagger"),
    _rule(
        "data",
        of="data",
        folders="locale locales i18n l10n intl localization localizations translation translations lang langs language"
        " languages data dataset datasets seeds assets static public wwwroot images img icons fonts media themes",
        under=r"/res/values[^/]*/|\.(xcassets|lproj)/",
        endings=".geojson .topojson .webmanifest .storyboard .xib",
        pattern=r"/(messages|strings)_[a-z]{2}(_[a-z]{2})?\.\w+$",
    ),
    _rule("data", of="prose", under=r"/(data|datasets?)/$", names="robots.txt humans.txt ads.txt"),
    _rule(
        "doc",
        of="prose data page",
        folders="doc docs documentation website changelog changelogs changes newsfragments releasenotes man wiki",
    ),
    _rule(
        "doc",
        under=r"^/(docs?|documentation|website|site|wiki|[^/]+[-_]docs?)/"
        r"|^/(apps|packages|projects|sites)/(docs?|documentation|website)/",
    ),
    _rule("source", of="data", names="artisan", pattern=r"/(bin|sbin|scripts?|exe|libexec)/[\w-]+$"),
    _rule("config", of="data", pattern=r"/\.[a-z][^/]*$"),
)  # fmt: skip

# Below the root of a JVM source set, folders are packages: `com.example.samples` is no sample.
_PACKAGE: Final = re.compile(r"(/src/\w+/(?:java|kotlin|scala|groovy)/).*")
# `FooTests/` is a folder of tests, and `contests/` is none.
_HUMP: Final = re.compile(r"(?<=[a-z\d])(?=Tests?/)")
_INNER: Final = re.compile(r"/(?:src|lib)/.*")


def role(path: str, language: str | None) -> Role:
    """The role of a file at this path in this language (None: unknown)."""
    folder, _, name = path.rpartition("/")
    sort = _SORTS.get(language, "code")
    by_folder = _by_folder(folder, sort)
    by_name = _by_name(f"/{folder.rpartition('/')[2]}/{name}", sort, by_folder)
    if by_name < len(_RULES):
        return _RULES[by_name].role
    return "data" if language is None else _LANGUAGE_ROLES.get(language, "source")


@lru_cache(maxsize=65_536)
def _by_folder(folder: str, sort: Sort) -> int:
    """The row of the first rule that fits the folders; a tree has few of them for its files."""
    low = _PACKAGE.sub(r"\1", _HUMP.sub("-", f"/{folder}/").lower())
    parts, outer = low.split("/"), _INNER.sub("", low).split("/")
    for row, rule in _FOLDER_RULES[sort]:
        if (
            not rule.folders.isdisjoint(parts)
            or not rule.outer.isdisjoint(outer)
            or (rule.under is not None and rule.under.search(low))
        ):
            return row
    return len(_RULES)


def _by_name(called: str, sort: Sort, before: int) -> int:
    """The row of the first rule that fits the name, if it stands before the given one; that one otherwise."""
    low = called.lower()
    name = low.rpartition("/")[2]
    for row, rule in _NAME_RULES[sort]:
        if row >= before:
            break
        if (
            name in rule.names
            or name.endswith(rule.endings)
            or (rule.pattern is not None and rule.pattern.search(low))
            or (rule.cased is not None and rule.cased.search(called))
        ):
            return row
    return before


def _for_sort(sort: Sort) -> tuple[tuple[int, _Rule], ...]:
    return tuple((row, rule) for row, rule in enumerate(_RULES) if rule.sorts is None or sort in rule.sorts)


_FOLDER_RULES: Final = {
    sort: tuple((row, rule) for row, rule in _for_sort(sort) if rule.folders or rule.outer or rule.under)
    for sort in get_args(Sort)
}
_NAME_RULES: Final = {
    sort: tuple(
        (row, rule) for row, rule in _for_sort(sort) if rule.names or rule.endings or rule.pattern or rule.cased
    )
    for sort in get_args(Sort)
}
