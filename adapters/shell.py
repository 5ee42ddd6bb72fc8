"""What a shell command line reads, tests and looks up: told from its words, never by running it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import Final

from ..telemetry.model import FileRead
from .shell_filters import FILTERS, READERS, Shown
from .shell_kinds import history_probe, is_test_command
from .shell_syntax import Pipeline, Words, pipelines, unwrapped

__all__ = ["history_probe", "is_test_command", "reads_of", "unwrapped"]

NO_FILE: Final = re.compile(r"-$|/dev/")


def reads_of(command: str, cwd: str = "") -> tuple[FileRead, ...]:
    """The files and lines that the command line shows, by their names as seen from `cwd`.

    A negative start counts from the end of the file. What only a running shell knows (globs, variables) is left out.
    """
    found = (read for pipeline in pipelines(command) for read in _shown_by(pipeline))
    return tuple(replace(read, path=posixpath.join(cwd, read.path)) if cwd else read for read in found)


def _shown_by(pipeline: Pipeline) -> tuple[FileRead, ...]:
    """What the model sees at the end of a pipe: each filter narrows what its forerunner shows."""
    shown: Shown = ()
    for simple in pipeline:
        reader, narrow = READERS.get(simple.name), FILTERS.get(simple.name)
        arguments = _known(simple.words)
        own = reader(arguments) if reader else ()
        if own:
            shown = _placed(own, simple.folder)
        elif narrow is None:
            shown = ()
        elif simple.stdin is not None:
            shown = narrow(arguments, _placed((FileRead(path=simple.stdin, via="shell"),), simple.folder))
        else:
            shown = narrow(arguments, shown)
        if not simple.shown:
            return ()
    return shown


def _known(words: Words) -> tuple[str, ...]:
    """The words after the name; an unknown one is a name that can't be a file's."""
    return tuple("\0" if word is None else word for word in words[1:])


def _placed(reads: Shown, folder: str | None) -> Shown:
    """The reads of real files, by their names as seen from where the line began."""
    real = (read for read in reads if read.path and "\0" not in read.path and not NO_FILE.match(read.path))
    return tuple(
        read
        if posixpath.isabs(read.path)
        else replace(read, path=posixpath.normpath(posixpath.join(folder or "", read.path)))
        for read in real
        if folder is not None or posixpath.isabs(read.path)
    )
