"""The floor: plain BM25 over whole files and their paths, then over windows of the best.

`python rival_bm25.py TREE TEXT`. Words are identifiers and their parts in lower case; nothing is parsed, stemmed or
left out. What is shown are windows of 40 lines of the ten best files.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

SATURATION, LENGTH_PULL, PATH_WEIGHT = 1.2, 0.75, 0.5
MOST_BYTES, WINDOW, READ, SHOWN = 400_000, 40, 10, 60
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def words(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for word, times in Counter(WORD.findall(text)).items():
        parts = PART.findall(word)
        for each in {word, *parts} if len(parts) > 1 else {word}:
            if len(each) > 2:
                found[each.lower()] += times
    return found


def bm25(texts: Sequence[Counter[str]], query: Counter[str]) -> list[float]:
    usual = sum(text.total() for text in texts) / max(1, len(texts)) or 1.0
    rarity = {}
    for word in query:
        holders = sum(word in text for text in texts)
        rarity[word] = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5)) if holders else 0.0
    scores = []
    for text in texts:
        damp = SATURATION * (1 - LENGTH_PULL + LENGTH_PULL * text.total() / usual)
        scores.append(
            sum(
                min(times, 3) * rarity[word] * text[word] / (text[word] + damp)
                for word, times in query.items()
                if word in text
            )
        )
    return scores


def best(scores: Sequence[float]) -> list[int]:
    return sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))


def main(tree: str, text: str) -> None:
    listed = subprocess.run(("git", "ls-files", "-z"), cwd=tree, capture_output=True, check=True).stdout
    read = {path: _text(Path(tree, path)) for path in listed.decode("utf-8", "replace").split("\0") if path}
    paths = [path for path, content in read.items() if content]
    query = words(text)
    bodies = bm25([words(read[path] or "") for path in paths], query)
    names = bm25([words(path) for path in paths], query)
    order = best([body + PATH_WEIGHT * name for body, name in zip(bodies, names, strict=True)])
    files = [paths[at] for at in order]
    windows = [(path, start) for path in files[:READ] for start in range(0, _lines(read[path]), WINDOW)]
    cut = ["\n".join((read[path] or "").split("\n")[start : start + WINDOW]) for path, start in windows]
    shown = best(bm25([words(each) for each in cut], query))[:SHOWN]
    regions = [
        {"path": path, "start": start + 1, "end": min(start + WINDOW, _lines(read[path]))}
        for path, start in (windows[at] for at in shown)
    ]
    print(json.dumps({"files": files[:200], "regions": regions}))


def _text(file: Path) -> str | None:
    """None for what is no text, too large, or elsewhere."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > MOST_BYTES:
        return None
    data = file.read_bytes()
    return None if b"\0" in data else data.decode("utf-8", "replace")


def _lines(text: str | None) -> int:
    return len((text or "").rstrip("\n").split("\n"))


if __name__ == "__main__":
    main(*sys.argv[1:])
