"""Runs inside semble's own environment: its BM25 and ranking without the embedding model, whose weights need a network.

python rival_semble.py index TREE        build or update the index, and save it
python rival_semble.py query TREE TEXT   load the index, search once
python rival_semble.py find TREE TEXT    the same, and print what was found
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy
import semble.index.index as made
from semble.cache import save_index_to_cache
from semble.utils import resolve_model_name


class NoModel:
    """Vectors of one constant: the semantic half costs nothing and tells nothing."""

    dim = 1

    def encode(self, texts: list[str], **_options: Any) -> Any:
        return numpy.ones((len(texts), self.dim), dtype=numpy.float32)


def main(step: str, tree: str, text: str = "") -> None:
    made.load_model = lambda _path=None: (NoModel(), resolve_model_name())
    index = made.SembleIndex.from_path(tree)
    if step == "index":
        save_index_to_cache(index, tree)
        print(index.stats.indexed_files, "files")
    elif step == "find":
        chunks = [found.chunk for found in index.search(text, top_k=200, alpha=0.0)]
        regions = [{"path": each.file_path, "start": each.start_line, "end": each.end_line} for each in chunks]
        print(json.dumps({"files": list(dict.fromkeys(each.file_path for each in chunks)), "regions": regions}))
    else:
        print([found.chunk.file_path for found in index.search(text, alpha=0.0)])


if __name__ == "__main__":
    main(*sys.argv[1:])
