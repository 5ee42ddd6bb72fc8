"""Runs inside aider's own environment: its repository map over all tracked files, which builds or updates its tags.

python rival_aider.py index TREE         the map with nothing mentioned
python rival_aider.py query TREE TEXT    the map for the words of a text
python rival_aider.py find TREE TEXT     the files in the order in which they would come into that map

A map shows where things are defined, not how they are done: no regions are printed, as lines of it would be no measure.
"""

from __future__ import annotations

import json
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


def mentioned_in(text: str, paths: list[str]) -> set[str]:
    """Files that the text names, and those whose stem is a word of it, as its chat takes them."""
    words = {word.rstrip(",.!;:?").strip("\"'`*_") for word in text.split()}
    stems = {word.lower() for word in re.split(r"\W+", text) if len(word) >= 5}
    return {
        path
        for path in paths
        if path in words
        or (Path(path).name in words and re.search(r"[._-]", Path(path).name))
        or Path(path).stem.lower() in stems
    }


def find(repo_map: RepoMap, files: list[str], tree: str, text: str) -> None:
    relative = [str(Path(each).relative_to(tree)) for each in files]
    tags = repo_map.get_ranked_tags([], files, mentioned_in(text, relative), set(re.split(r"\W+", text)))
    print(json.dumps({"files": list(dict.fromkeys(tag[0] for tag in tags)), "regions": []}))


def main(step: str, tree: str, text: str = "") -> None:
    paths = subprocess.run(("git", "ls-files", "-z"), cwd=tree, capture_output=True, check=True).stdout
    files = [str(Path(tree, path)) for path in paths.decode().split("\0") if path]
    repo_map = RepoMap(root=tree, io=Console(), main_model=Model(), map_tokens=1024)
    if step == "find":
        find(repo_map, files, tree, text)
        return
    said = repo_map.get_repo_map([], files, mentioned_idents=set(re.findall(r"\w+", text)))
    print(len(files), "files, map of", len(said or ""), "characters")


if __name__ == "__main__":
    main(*sys.argv[1:])
