"""Models of meaning that a Python package ships: they run on this machine, and nothing is downloaded or sent.

The weights and the tokenizer are read as data from the package `wordllama` (the extra `agenvantage[semantic]`); its
code is not run. The model has one vector a word piece, and a text's vector is the mean of them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from ..context.aids import AidFailed, Embedded

PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_MOST_PIECES: Final = 512


class WordVectors:
    """The embedder that `wordllama` ships the weights of. Nothing is read before the first text."""

    local = True

    def __init__(self) -> None:
        self._weights: Any = None
        self._tokenizer: Any = None

    @cached_property
    def name(self) -> str:
        try:
            return f"{PACKAGE}/l2_supercat_256@{version(PACKAGE)}"
        except PackageNotFoundError:
            return PACKAGE

    def __call__(self, texts: Sequence[str]) -> Embedded:
        """Raises AidFailed where the extra is not installed."""
        self._load()
        import numpy as np  # noqa: PLC0415  (only the optional extra has it)

        weights = self._weights
        vectors: Any = np.zeros((len(texts), weights.shape[1]), np.float32)
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for row, pieces in zip(vectors, encoded, strict=True):
            if pieces.ids:
                row[:] = weights[pieces.ids].astype(np.float32).mean(axis=0)
        return Embedded(vectors=vectors)

    def _load(self) -> None:
        if self._weights is not None:
            return
        try:
            import numpy as np  # noqa: PLC0415  (only the optional extra has it)
            from tokenizers import Tokenizer  # noqa: PLC0415  (only the optional extra has it)
        except ImportError:
            raise _missing() from None
        folder = _folder()
        try:
            tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
            kind, shape, data = _tensor((folder / _WEIGHTS).read_bytes())
            weights = np.frombuffer(data, dtype={"F16": np.float16, "F32": np.float32}[kind]).reshape(shape)
        except (OSError, ValueError, KeyError, struct.error) as other:
            raise AidFailed("semantic", f"the package {PACKAGE} has no weights that could be read") from other
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MOST_PIECES)
        self._tokenizer, self._weights = tokenizer, weights


def _folder() -> Path:
    """Where the package's data is; the package itself is not imported."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise _missing()
    return Path(found.origin).parent


def _tensor(data: bytes) -> tuple[str, tuple[int, ...], bytes]:
    """Type, shape and bytes of the one tensor in a safetensors file: a length, a JSON head, the numbers."""
    (length,) = struct.unpack("<Q", data[:8])
    head = msgspec.json.decode(data[8 : 8 + length])
    described = next(value for name, value in head.items() if name != "__metadata__")
    start, end = (8 + length + offset for offset in described["data_offsets"])
    return described["dtype"], tuple(described["shape"]), data[start:end]


def _missing() -> AidFailed:
    return AidFailed("semantic", "its model is not installed; pip install 'agenvantage[semantic]'")
