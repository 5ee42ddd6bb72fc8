"""Makes the text of a task plain: without what can't be seen, and with words where the eye sees them."""

from __future__ import annotations

import re
from typing import Final

# Characters that are not seen or that change the order of those that are; full-width letters as plain ones.
_UNSEEN: Final = dict.fromkeys((0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)))
_WIDE: Final = {
    code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
_ALIKE: Final = str.maketrans(
    "аеорсухіјѕԁһАВЕКМНОРСТХЅІЈοαρνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhABEKMHOPCTXSIJoapvABEZHIKMNOPTYX"
)
_MIXED: Final = re.compile(r"[A-Za-z_][\u0370-\u052f]|[\u0370-\u052f][A-Za-z_]")
_WORD: Final = re.compile(r"\w+")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\x1b\n]{0,200}\x07?")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ENDLESS: Final = re.compile(r"\S{300}")
_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_BORDER: Final = re.compile(rf"(?<=[{_IDEOGRAPHS}])(?=[A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?=[{_IDEOGRAPHS}])")


def plain(text: str) -> str:
    """The text without what can't be seen: colours, controls, zero-width characters, look-alikes inside a word.

    A run of 300 characters without a space gets one, so that no pattern that is tried on it takes long.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSEEN | _WIDE)
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    text = _CONTROL.sub(" ", text)
    if not text.isascii() and _MIXED.search(text):
        text = _WORD.sub(lambda match: match[0].translate(_ALIKE) if _MIXED.search(match[0]) else match[0], text)
    return _ENDLESS.sub(r"\g<0> ", _unescaped(text))


def spaced(text: str) -> str:
    """The text with a space wherever Chinese, Japanese or Korean touches a Latin word, so that both stand alone."""
    return text if text.isascii() else _BORDER.sub(" ", text)


def _unescaped(text: str) -> str:
    """A text that came as one quoted string is read as what it spells."""
    body = text.strip()
    if "\n" in body or body.count("\\n") < 2:
        return text
    body = body[1:-1] if len(body) > 1 and body[0] == body[-1] == '"' else body
    return body.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
