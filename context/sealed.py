"""Seals on what the index file keeps: a byte that changed on disk is found out when it is read, and not believed."""

from __future__ import annotations

from typing import Final
from zlib import crc32

# What the CRC-32 of anything is with its own CRC-32 behind it, lowest byte first.
_WHOLE: Final = 0x2144DF1C
_SHORT: Final = 0xFFFF


class BrokenSeal(ValueError):
    """This is not what was kept."""


def sealed(data: bytes, key: str | int) -> bytes:
    """The data with its seal behind it; `key` is where it is kept, so that it is not taken for another's."""
    return data + crc32(data, _start(key)).to_bytes(4, "little")


def unsealed(data: bytes, key: str | int) -> bytes:
    """Raises BrokenSeal for what `sealed` did not give under this key, and TypeError for what is no bytes at all."""
    if crc32(data, _start(key)) != _WHOLE:
        raise BrokenSeal(f"what is kept under {key!r} has changed")
    return data[:-4]


def seal_of(name: str, number: int) -> int:
    """A short seal for a row that is its own key."""
    return crc32(str.encode(name, "utf-8", "surrogatepass"), number) & _SHORT


def _start(key: str | int) -> int:
    return key & 0xFFFFFFFF if isinstance(key, int) else crc32(key.encode("utf-8", "surrogatepass"))
