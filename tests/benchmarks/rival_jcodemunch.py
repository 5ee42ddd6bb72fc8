"""Runs inside jcodemunch's own environment: one search over the only index there, `python rival_jcodemunch.py TEXT`."""

from __future__ import annotations

import sys

from jcodemunch_mcp.tools.list_repos import list_repos
from jcodemunch_mcp.tools.search_symbols import search_symbols


def main(text: str) -> None:
    (repository,) = list_repos()["repos"]
    found = search_symbols(repository["repo"], text)
    print(len(str(found)), "characters")


if __name__ == "__main__":
    main(*sys.argv[1:])
