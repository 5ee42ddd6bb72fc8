"""Other local code indexes, each in an environment of its own, run by the same protocol as ours.

    python tests/benchmarks/rivals.py install FOLDER [NAME ...]    from the public registries; nothing is put elsewhere
    python tests/benchmarks/rivals.py list

They are measured by bench_index.py and bench_retrieval_rivals.py, on copies of the trees, with a home of their own;
none is a dependency, and their licences differ (some are not free for every use). What each one holds differs too:
read `holds` before comparing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HERE = Path(__file__).resolve().parent
STEPS = ("cold", "query", "update")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one tool works: its installation, the copy of the tree it may write to, and its home."""

    tools: Path
    tree: Path
    home: Path

    def filled(self, part: str, text: str) -> str:
        names = {"tools": self.tools, "tree": self.tree, "home": self.home, "here": HERE, "text": text}
        return part.format(**names)


@dataclass(frozen=True, kw_only=True)
class Rival:
    """A tool: how it is installed and run, and which files are its index (patterns).

    {tools} {tree} {home} {text} {here} are filled in.
    """

    name: str
    version: str
    holds: str
    install: tuple[tuple[str, ...], ...]
    cold: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    find: tuple[str, ...] = ()
    """Prints what it ranks for a text, as `{"files": [...], "regions": [...]}`, from a tree it has not seen."""
    before: tuple[tuple[str, ...], ...] = ()
    """What must be said once in its home first, unmeasured."""
    largest_files: int = 1_000_000
    """Larger repositories are not asked about: it would not answer within its time."""
    index: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = field(default=())

    def command(self, step: str, place: Place, text: str = "") -> tuple[str, ...]:
        """The command of a step; empty where the tool has none such."""
        parts: tuple[str, ...] = getattr(self, step)
        return tuple(place.filled(part, text) for part in parts)

    def index_places(self, place: Place) -> tuple[Path, ...]:
        patterns = [place.filled(part, "") for part in self.index]
        return tuple(found for pattern in patterns for found in Path("/").glob(pattern.lstrip("/")))

    def environment_in(self, place: Place) -> dict[str, str]:
        """Its own home, no reports to its makers, no model downloads."""
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(place.home),
            "DO_NOT_TRACK": "1",
            "HF_HUB_OFFLINE": "1",
            **dict(self.environment),
        }


def _pip(name: str, version: str) -> tuple[tuple[str, ...], ...]:
    return (
        (sys.executable, "-m", "venv", "{tools}"),
        ("{tools}/bin/pip", "install", "--quiet", "--disable-pip-version-check", f"{name}=={version}"),
    )


RIVALS: tuple[Rival, ...] = (
    Rival(
        name="ctags",
        version="system",
        holds="definitions only, no edges, no text: the floor",
        install=(("ctags", "--version"),),
        cold=("sh", "-c", "git ls-files | ctags -f {home}/tags -L - || test -s {home}/tags"),
        update=("sh", "-c", "git ls-files | ctags -f {home}/tags -L - || test -s {home}/tags"),
        index=("{home}/tags",),
    ),
    Rival(
        name="semble, lexical part",
        version="0.7.0",
        holds="chunks and BM25 over code files; no symbols, no edges; its embedding is left out",
        install=_pip("semble", "0.7.0"),
        cold=("{tools}/bin/python", "{here}/rival_semble.py", "index", "{tree}"),
        update=("{tools}/bin/python", "{here}/rival_semble.py", "index", "{tree}"),
        query=("{tools}/bin/python", "{here}/rival_semble.py", "query", "{tree}", "{text}"),
        find=("{tools}/bin/python", "{here}/rival_semble.py", "find", "{tree}", "{text}"),
        index=("{home}/.cache/semble/*/index",),
    ),
    Rival(
        name="aider RepoMap",
        version="0.86.2",
        holds="definitions and references, a ranked map; no text search",
        install=_pip("aider-chat", "0.86.2"),
        cold=("{tools}/bin/python", "{here}/rival_aider.py", "index", "{tree}"),
        update=("{tools}/bin/python", "{here}/rival_aider.py", "index", "{tree}"),
        query=("{tools}/bin/python", "{here}/rival_aider.py", "query", "{tree}", "{text}"),
        find=("{tools}/bin/python", "{here}/rival_aider.py", "find", "{tree}", "{text}"),
        index=("{tree}/.aider.tags.cache.v4",),
    ),
    Rival(
        name="codegraph",
        version="1.6.1",
        holds="symbols, edges, full text of symbols",
        install=(
            ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", "{tools}",
             "@colbymchenry/codegraph@1.6.1"),
        ),
        before=(("{tools}/node_modules/.bin/codegraph", "telemetry", "off"),),
        cold=("{tools}/node_modules/.bin/codegraph", "init", "{tree}"),
        update=("{tools}/node_modules/.bin/codegraph", "sync", "{tree}"),
        query=("{tools}/node_modules/.bin/codegraph", "query", "{text}"),
        index=("{tree}/.codegraph",),
    ),
    Rival(
        name="jcodemunch",
        version="1.108.399",
        holds="symbols, imports, copies of the files",
        install=_pip("jcodemunch-mcp", "1.108.399"),
        cold=("{tools}/bin/jcodemunch-mcp", "index", "{tree}", "--no-ai-summaries"),
        update=("{tools}/bin/jcodemunch-mcp", "index", "{tree}", "--no-ai-summaries"),
        query=("{tools}/bin/python", "{here}/rival_jcodemunch.py", "{text}"),
        index=("{home}/.code-index",),
        # It leaves out all files past the 2,000th else.
        environment=(("JCODEMUNCH_MAX_FOLDER_FILES", "1000000"),),
    ),
    Rival(
        name="code-review-graph",
        version="2.3.9",
        holds="symbols, edges, communities, full text of names",
        install=_pip("code-review-graph", "2.3.9"),
        cold=("{tools}/bin/code-review-graph", "build", "--repo", "{tree}", "--quiet"),
        update=("{tools}/bin/code-review-graph", "update", "--repo", "{tree}", "--quiet"),
        query=("{tools}/bin/code-review-graph", "search", "{text}", "--repo", "{tree}"),
        index=("{tree}/.code-review-graph",),
    ),
)  # fmt: skip
_FLOOR: Final = Rival(
    name="BM25",
    version="plain",
    holds="nothing: it reads the tree for each question; the floor",
    install=(),
    find=(sys.executable, "{here}/rival_bm25.py", "{tree}", "{text}"),
)
_AGENTPACK: Final = Rival(
    name="agentpack route",
    version="0.4.5",
    holds="files scored by words, names, roles, imports and history",
    install=_pip("agentpack-cli", "0.4.5"),
    find=("{tools}/bin/python", "{here}/rival_agentpack.py", "{tree}", "{text}"),
    largest_files=1_000,
)
# The quick ones first.
FINDERS: tuple[Rival, ...] = (_FLOOR, *(each for each in RIVALS if each.find), _AGENTPACK)
ALL: tuple[Rival, ...] = (*RIVALS, _FLOOR, _AGENTPACK)


def tools_of(rival: Rival, folder: Path) -> Path:
    return folder / rival.name.split(",")[0].replace(" ", "-")


def installed(folder: Path, among: tuple[Rival, ...] = RIVALS) -> tuple[Rival, ...]:
    """The rivals that `install` finished in this folder, in our order."""
    return tuple(rival for rival in among if (tools_of(rival, folder) / "installed").exists())


def install(rival: Rival, folder: Path) -> None:
    tools = tools_of(rival, folder)
    shutil.rmtree(tools, ignore_errors=True)
    tools.mkdir(parents=True)
    place = Place(tools=tools, tree=tools, home=tools)
    for command in rival.install:
        subprocess.run([place.filled(part, "") for part in command], check=True, stdout=subprocess.DEVNULL)
    (tools / "installed").write_text(rival.version, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("install", "list"))
    parser.add_argument("folder", type=lambda text: Path(text).absolute(), nargs="?")
    parser.add_argument("names", nargs="*", help="first words of names; default: all")
    asked = parser.parse_args()
    wanted = [each for each in ALL if not asked.names or each.name.split(",")[0] in asked.names]
    for rival in wanted:
        if asked.what == "install":
            install(rival, asked.folder)
        print(f"{rival.name} {rival.version}: {rival.holds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
