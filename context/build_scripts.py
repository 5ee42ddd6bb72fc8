"""Reads manifests that are programs: only what they usually spell out is found, and nothing is run."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from .manifests import Manifest, package_dirs, requirements

_SETUP_NAME: Final = re.compile(r"""\bname\s*=\s*["']([\w.-]+)["']""")
_SETUP_DIRS: Final = re.compile(r"\bpackage_dir\s*=\s*\{([^{}]*)\}")
_SETUP_FIND: Final = re.compile(r"""\bfind(?:_namespace)?_packages\(\s*(?:where\s*=\s*)?["']([^"'\n]+)["']""")
_SETUP_NEEDS: Final = re.compile(r"\binstall_requires\s*=\s*\[([^\]]*)\]")
_QUOTED_PAIR: Final = re.compile(r"""["']([^"'\n]*)["']\s*:\s*["']([^"'\n]*)["']""")
_QUOTED: Final = re.compile(r"""["']([^"'\n]+)["']""")


def setup_py(text: str) -> tuple[Manifest, ...]:
    name, dirs, needs = _SETUP_NAME.search(text), _SETUP_DIRS.search(text), _SETUP_NEEDS.search(text)
    folders, aliases = package_dirs(dict(_QUOTED_PAIR.findall(dirs.group(1)))) if dirs else ((), ())
    manifest = Manifest(
        ecosystem="python",
        name=name.group(1) if name else None,
        depends_on=requirements(_QUOTED.findall(needs.group(1))) if needs else (),
        roots=tuple(dict.fromkeys((*folders, *_SETUP_FIND.findall(text)))),
        aliases=aliases,
    )
    return (manifest,)


_GRADLE_PROJECT: Final = re.compile(r"""\bproject\(\s*(?:path\s*[:=]\s*)?["'](:[\w:.-]+)["']""")
_GRADLE_ACCESSOR: Final = re.compile(r"\bprojects((?:\.[A-Za-z]\w*)+)")
_GRADLE_EXTERNAL: Final = re.compile(r"""["']([\w.-]+:[\w.-]+)(?::[^"'\n]*)?["']""")
_GRADLE_INCLUDE: Final = re.compile(r"""\binclude\b((?:[\s(,]*["'][\w:./-]+["'])+)""")
_GRADLE_ROOT: Final = re.compile(r"""\brootProject\.name\s*=\s*["']([^"'\n]+)["']""")


def gradle(text: str) -> tuple[Manifest, ...]:
    needed = {*_GRADLE_PROJECT.findall(text), *_GRADLE_EXTERNAL.findall(text)}
    needed |= {_dashed(accessor) for accessor in _GRADLE_ACCESSOR.findall(text)}
    return (Manifest(ecosystem="gradle", depends_on=tuple(sorted(needed))),)


def _dashed(accessor: str) -> str:
    """`.core.httpClient` as the project path it is made from, `:core:http-client`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda upper: "-" + upper.group().lower(), accessor.replace(".", ":"))


def gradle_settings(text: str) -> tuple[Manifest, ...]:
    included = [path for run in _GRADLE_INCLUDE.findall(text) for path in _QUOTED.findall(run)]
    name = _GRADLE_ROOT.search(text)
    manifest = Manifest(
        ecosystem="gradle",
        name=name.group(1) if name else None,
        members=tuple(path.strip(":").replace(":", "/") for path in included),
        package=False,
    )
    return (manifest,)


_GEM_NAME: Final = re.compile(r"""\.name\s*=\s*["']([^"'\n]+)["']""")
_GEM_NEEDS: Final = re.compile(r"""\.add_(?:\w+_)?dependency[\s(]+["']([^"'\n]+)["']""")


def gemspec(text: str) -> tuple[Manifest, ...]:
    name = _GEM_NAME.search(text)
    needed = tuple(sorted(set(_GEM_NEEDS.findall(text))))
    return (Manifest(ecosystem="gem", name=name.group(1) if name else None, depends_on=needed),)


_SWIFT_TARGET: Final = re.compile(r"\.(target|executableTarget|testTarget|macro|plugin)\s*\(")
_SWIFT_NAME: Final = re.compile(r"""\bname:\s*"([^"\n]+)\"""")
_SWIFT_PATH: Final = re.compile(r"""\bpath:\s*"([^"\n]+)\"""")
_SWIFT_NEEDS: Final = re.compile(r"\bdependencies:\s*\[([^\]]*)\]")
_LONGEST_TARGET: Final = 4_000
_MOST_TARGETS: Final = 300


def swift(text: str) -> tuple[Manifest, ...]:
    """One package for each target: a target is what Swift code imports."""
    matches = islice(_SWIFT_TARGET.finditer(text), _MOST_TARGETS)
    return tuple(target for match in matches if (target := _swift_target(text, match)))


def _swift_target(text: str, match: re.Match[str]) -> Manifest | None:
    """None where `.target(name:)` without more stands in another's dependencies: it refers to one."""
    said = _balanced(text[match.end() : match.end() + _LONGEST_TARGET])
    name, path, needs = _SWIFT_NAME.search(said), _SWIFT_PATH.search(said), _SWIFT_NEEDS.search(said)
    if name is None or (said.strip() == name.group() and _inside_dependencies(text, match.start())):
        return None
    usual = ("Tests/" if match.group(1) == "testTarget" else "Sources/") + name.group(1)
    return Manifest(
        ecosystem="swift",
        name=name.group(1),
        folder=path.group(1) if path else usual,
        depends_on=tuple(sorted(set(_QUOTED.findall(needs.group(1))))) if needs else (),
    )


def _inside_dependencies(text: str, place: int) -> bool:
    before = text[max(0, place - _LONGEST_TARGET) : place]
    opened = before.rfind("dependencies:")
    return opened >= 0 and "]" not in before[opened:]


def _balanced(text: str) -> str:
    """The text up to the parenthesis that closes what was opened before it."""
    depth = 1
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[:place]
    return text


_SBT_PROJECT: Final = re.compile(r"""\blazy\s+val\s+(\w+)\s*=[^\n]{0,400}?\bfile\(\s*"([^"\n]+)"\s*\)""")
_SBT_NAME: Final = re.compile(r"""\bname\s*:=\s*"([^"\n]+)\"""")
_SBT_NEEDS: Final = re.compile(r"\.dependsOn\(([^()]*)\)")


def sbt(text: str) -> tuple[Manifest, ...]:
    found = list(_SBT_PROJECT.finditer(text))
    if not found:
        name = _SBT_NAME.search(text)
        return (Manifest(ecosystem="sbt", name=name.group(1) if name else None),)
    ends = [match.start() for match in found[1:]] + [len(text)]
    return tuple(
        Manifest(
            ecosystem="sbt",
            name=match.group(1),
            folder=match.group(2),
            depends_on=tuple(sorted({
                name for listed in _SBT_NEEDS.findall(text[match.end() : end]) for name in re.findall(r"\w+", listed)
            })),
        )
        for match, end in zip(found, ends, strict=True)
    )  # fmt: skip


_MIX_NAME: Final = re.compile(r"\bapp:\s*:(\w+)")
_MIX_NEEDS: Final = re.compile(r"\{\s*:(\w+)\s*,")
_PUB_NAME: Final = re.compile(r"^name:[ \t]*['\"]?([\w-]+)", re.MULTILINE)


def mix(text: str) -> tuple[Manifest, ...]:
    name = _MIX_NAME.search(text)
    needed = tuple(sorted(set(_MIX_NEEDS.findall(text))))
    return (Manifest(ecosystem="mix", name=name.group(1) if name else None, depends_on=needed),)


def pub(text: str) -> tuple[Manifest, ...]:
    name = _PUB_NAME.search(text)
    return (Manifest(ecosystem="pub", name=name.group(1) if name else None),)
