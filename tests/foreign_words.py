"""Requests in words that the code lacks: reads them, and measures how little they share with what must be edited.

`python tests/foreign_words.py TREES [TASKS]` checks them against work trees (TREES/OWNER+NAME/first-12-of-commit):
gold exists, hunks are inside their files, and the share of each text's words that occur in gold paths and names.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

TASKS: Final = Path(__file__).parent / "data" / "foreign_words.jsonl"
MOST_SHARED: Final = 0.12
"""Of a text's distinct content words, how many may be words of a gold file's path or of a name defined in it."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_FILLER: Final = frozenset(
    """about after again all alone along also and another any are because been before behind being below beneath beside
    between both but can cannot come comes could did does doesn don down during each even ever every few for from get
    gets give gives goes had has have her here his how instead into isn its itself just keep keeps leave like made make
    many may more most much must need needs neither never next not nothing now off once one only other our out over own
    same say says see she should since some soon still such take takes tell tells than that the their them then there
    these they this those too two under unless until usually very want wants was way were what when where whether which
    while who whole whose why will with without would you your""".split()  # noqa: SIM905  (a page if quoted one by one)
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldFile:
    path: str
    hunks: tuple[tuple[int, int], ...]

    @property
    def stem(self) -> str:
        """The name without its endings: `page__meta.go` is `page__meta`."""
        return self.path.rsplit("/", 1)[-1].split(".", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignTask:
    id: str
    repo: str
    base_commit: str
    language: str
    kind: str
    text: str
    edit_files: tuple[GoldFile, ...]
    test_files: tuple[str, ...]
    gap: str
    why: str
    fields: frozenset[str]

    @property
    def folder(self) -> str:
        return f"{self.repo.replace('/', '+')}/{self.base_commit[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The words of a text that are also in the paths of the files to edit or in names defined there."""

    words: int
    shared: tuple[str, ...]

    @property
    def share(self) -> float:
        return len(self.shared) / self.words


def foreign_tasks(path: Path = TASKS) -> tuple[ForeignTask, ...]:
    return tuple(_task(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def _task(row: dict[str, Any]) -> ForeignTask:
    gold = tuple(
        GoldFile(path=each["path"], hunks=tuple((first, last) for first, last in each["hunks"]))
        for each in row["edit_files"]
    )
    plain = {name: row[name] for name in ("id", "repo", "base_commit", "language", "kind", "text", "gap", "why")}
    return ForeignTask(**plain, edit_files=gold, test_files=tuple(row["test_files"]), fields=frozenset(row))


def content_words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _FILLER)


def name_words(names: Iterable[str]) -> frozenset[str]:
    """The parts of names, and of each name its letters run together: `readingTime` is reading, time, readingtime."""
    parts = (part.lower() for name in names for part in (*_PART.findall(name), re.sub(r"[^A-Za-z]", "", name)))
    return frozenset(stem(part) for part in parts if len(part) >= 3)


def stem(word: str) -> str:
    """A word without the endings of number, time and manner: `retries`, `retried` and `retrying` are `retri`."""
    for ending in ("ings", "ing", "ers", "er", "ies", "ied", "es", "ed", "ly", "y", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + ("i" if ending in {"ies", "ied", "y"} else "")
    return word


def stem_words(task: ForeignTask) -> frozenset[str]:
    """What the text may not say in any spelling: the gold files' names."""
    return name_words(gold.stem for gold in task.edit_files)


def overlap(task: ForeignTask, tree: Path) -> Overlap:
    from agenvantage.context.parse import analyse

    names: list[str] = []
    for gold in task.edit_files:
        names += gold.path.split("/")
        names += (symbol.name for symbol in analyse((tree / gold.path).read_bytes(), gold.path).symbols)
    words = content_words(task.text)
    return Overlap(words=len(words), shared=tuple(sorted(words & name_words(names))))


def faults(task: ForeignTask, tree: Path) -> Iterator[str]:
    """What is wrong with a task, seen from its tree."""
    for path in task.test_files:
        if not (tree / path).is_file():
            yield f"no test file {path}"
    for gold in task.edit_files:
        if not (tree / gold.path).is_file():
            yield f"no file {gold.path}"
        elif gold.hunks[-1][1] > (lines := (tree / gold.path).read_bytes().count(b"\n") + 1):
            yield f"{gold.path} has {lines} lines"
    if said := content_words(task.text) & stem_words(task):
        yield f"says a gold file's name: {', '.join(sorted(said))}"
    if (found := overlap(task, tree)).share > MOST_SHARED:
        yield f"{found.share:.2f} of its words are in gold paths and names"


def main(trees: str, tasks: str = str(TASKS)) -> int:
    wrong = 0
    for task in foreign_tasks(Path(tasks)):
        tree = Path(trees) / task.folder
        found, problems = overlap(task, tree), tuple(faults(task, tree))
        wrong += bool(problems)
        print(f"{task.id:32} {found.words:3} words, shared {found.share:.2f} {' '.join(found.shared)}")
        for problem in problems:
            print(f"    {problem}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
