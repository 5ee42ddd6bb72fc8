"""The one list of byte-code and tool caches: never part of a patch, always counted."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

# A folder of this name, at any depth, is a cache with all that is in it.
CACHE_FOLDERS: Final = frozenset({
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".pytype", ".pyre",
    ".import_linter_cache", ".parcel-cache", ".turbo", ".rpt2_cache", ".sass-cache", ".swc", ".ccls-cache",
    ".phpunit.cache",
})  # fmt: skip
# A folder by its last two names.
CACHE_PAIRS: Final = frozenset({("node_modules", ".cache"), ("node_modules", ".vite"), (".next", "cache")})
CACHE_FILES: Final = frozenset({".eslintcache", ".stylelintcache", ".phpunit.result.cache", ".dmypy.json"})
CACHE_SUFFIXES: Final = (".pyc", ".pyo", ".tsbuildinfo")


def is_cache(path: str) -> bool:
    """Whether a path (relative, with `/`) is byte-code or lies in a tool's cache."""
    *folders, name = path.split("/")
    return (
        name in CACHE_FILES
        or name.endswith(CACHE_SUFFIXES)
        or not CACHE_FOLDERS.isdisjoint(folders)
        or not CACHE_PAIRS.isdisjoint(pairwise(folders))
    )
