"""Runs inside aider's own environment: its repository map over all tracked files, which builds or updates its tags.

python rival_aider.py index TREE         the map with nothing mentioned
python rival_aider.py query TREE TEXT    the map for the words of a text
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from aider.repomap import RepoMap


class Console:
    """What RepoMap asks of its surroundings."""

    def read_text(self, name: str) -> str:
        return Path(name).read_text(encoding="utf-8", errors="ignore")

    def tool_output(self, *_said: str) -> None: ...

    tool_warning = tool_error = tool_output


class Model:
    def token_count(self, text: str) -> int:
        return len(text) // 4


def main(_step: str, tree: str, text: str = "") -> None:
    paths = subprocess.run(("git", "ls-files", "-z"), cwd=tree, capture_output=True, check=True).stdout
    files = [str(Path(tree, path)) for path in paths.decode().split("\0") if path]
    repo_map = RepoMap(root=tree, io=Console(), main_model=Model(), map_tokens=1024)
    said = repo_map.get_repo_map([], files, mentioned_idents=set(re.findall(r"\w+", text)))
    print(len(files), "files, map of", len(said or ""), "characters")


if __name__ == "__main__":
    main(*sys.argv[1:])
