"""The one door to git: every call with a clean environment, no hooks, no prompts and no shell."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, Final

from .errors import EmptyRepository, GitFailed, GitMissing, NotARepository, UnknownRevision, UnusablePath

# Names that point git at another repository; they win even over `-C`. (`git rev-parse --local-env-vars`, and kin.)
REPOSITORY_VARIABLES: Final = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_CEILING_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS", "GIT_TEMPLATE_DIR", "GIT_TRACE", "GIT_TRACE2",
})  # fmt: skip

# The repository under observation may run code through its configuration; none of it runs for our own calls.
_SAFE: Final = (
    "--no-optional-locks",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.fsmonitor=false",
    "-c", "protocol.ext.allow=never",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "commit.gpgSign=false",
    "-c", "core.quotePath=false",
    "-c", "advice.detachedHead=false",
)  # fmt: skip
_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PIECE: Final = 65_536
_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Where a repository lies. `root` is the top of the work tree, or the repository itself when bare."""

    root: Path
    git_dir: Path
    common_dir: Path
    bare: bool

    @property
    def name(self) -> str:
        home = self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir
        return home.name.removesuffix(".git")


def git(
    folder: Path,
    *arguments: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    accept: tuple[int, ...] = (0,),
    time_limit_seconds: float | None = 600,
) -> bytes:
    """The standard output of one git command run in `folder`.

    Raises GitFailed when the exit code is not among `accept`, GitMissing when there is no git.
    """
    try:
        done = subprocess.run(
            ("git", *_SAFE, *arguments),
            cwd=folder,
            input=stdin,
            capture_output=True,
            env=_environment(environment),
            timeout=time_limit_seconds,
            check=False,
            # Ctrl-C at a terminal is ours to answer; it must not end a git that captures work.
            process_group=0,
        )
    except (FileNotFoundError, NotADirectoryError) as missing:
        if not folder.is_dir():
            raise NotARepository(folder) from missing
        raise GitMissing from missing
    except subprocess.TimeoutExpired as late:
        raise GitFailed(arguments, -1, f"no answer within {time_limit_seconds} s") from late
    if done.returncode not in accept:
        raise GitFailed(arguments, done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout


def stream(
    folder: Path,
    *arguments: str,
    stdin: bytes = b"",
    longest: int = 65_536,
    environment: Mapping[str, str] | None = None,
    time_limit_seconds: float = 600,
) -> Iterator[bytes]:
    """The NUL-ended fields of one git command's answer as they come, each cut off after `longest` bytes.

    For answers of no known size. Raises GitFailed after the last field when git fails or takes too long, and
    GitMissing. Whoever stops early closes the iterator, which ends git.
    """
    with TemporaryFile() as complaint, _running(folder, arguments, stdin, complaint, environment) as process:
        alarm = Timer(time_limit_seconds, _end, (process,))
        alarm.daemon = True
        alarm.start()
        try:
            yield from _fields(process.stdout, longest)
            code = process.wait()
        finally:
            late = not alarm.is_alive()
            alarm.cancel()
            _end(process)
        if code:
            complaint.seek(0)
            said = complaint.read(4096).decode("utf-8", "replace")
            raise GitFailed(arguments, code, f"no answer within {time_limit_seconds} s" if late else said)


@contextmanager
def _running(
    folder: Path, arguments: tuple[str, ...], stdin: bytes, complaint: IO[bytes], environment: Mapping[str, str] | None
) -> Iterator[subprocess.Popen[bytes]]:
    """One git command, its input from a file: git may answer before it has read all, and a pipe would block both."""
    with TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(
                ("git", *_SAFE, *arguments),
                cwd=folder,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=complaint,
                env=_environment(environment),
                process_group=0,
            )
        except (FileNotFoundError, NotADirectoryError) as missing:
            if not folder.is_dir():
                raise NotARepository(folder) from missing
            raise GitMissing from missing
        with process:
            yield process


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it with whatever it has started: a child that holds its output open would keep us waiting."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _fields(answer: IO[bytes] | None, longest: int) -> Iterator[bytes]:
    begun = b""
    while answer is not None and (piece := answer.read(_PIECE)):
        *whole, begun = (begun + piece).split(b"\0")
        for field in whole:
            yield field[:longest]
        begun = begun[:longest]
    if begun:
        yield begun


def _environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    return inherited | _QUIET | dict(more or {})


class Asked:
    """A git command that is at work meanwhile. Read several one after the other: none waits for another."""

    def __init__(self, folder: Path, *arguments: str, accept: tuple[int, ...] = (0,)) -> None:
        self._arguments = arguments
        self._accept = accept
        try:
            self._process = subprocess.Popen(
                ("git", *_SAFE, *arguments),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                process_group=0,
            )
        except (FileNotFoundError, NotADirectoryError) as missing:
            if not folder.is_dir():
                raise NotARepository(folder) from missing
            raise GitMissing from missing

    def answer(self) -> bytes:
        """Its standard output. Raises GitFailed when the exit code is not among those accepted."""
        with self._process as process:
            output, errors = process.communicate()
        if process.returncode not in self._accept:
            raise GitFailed(self._arguments, process.returncode, errors.decode("utf-8", "replace"))
        return output


def git_version() -> tuple[int, ...]:
    """The installed git's version. Raises GitMissing."""
    words = line(git(Path("/"), "--version")).split()
    return tuple(int(part) for part in words[2].split(".") if part.isdigit())


def discover(folder: Path) -> Repository:
    """The repository that contains `folder`. Raises NotARepository, or GitFailed when git distrusts its owner."""
    try:
        asked = ("--is-bare-repository", "--absolute-git-dir", "--git-common-dir")
        answers = line(git(folder, "rev-parse", *asked)).split("\n")
        if len(answers) != len(asked):
            raise UnusablePath(folder)
        bare, git_dir, common = answers
        git_path = Path(git_dir)
        common_path = (folder / common).resolve()
        if bare == "true":
            return Repository(root=git_path, git_dir=git_path, common_dir=common_path, bare=True)
        root = Path(os.fsdecode(git(folder, "rev-parse", "--show-toplevel")).removesuffix("\n"))
    except GitFailed as failed:
        if "dubious ownership" in failed.message:
            raise
        raise NotARepository(folder) from failed
    return Repository(root=root, git_dir=git_path, common_dir=common_path, bare=False)


def place(
    git_dir: Path,
    *,
    work_tree: Path | None = None,
    index: Path | None = None,
    objects: Path | None = None,
    alternates: Iterable[Path] = (),
) -> dict[str, str]:
    """The environment that points git at exactly these places, whatever lies around it."""
    named = {
        "GIT_DIR": git_dir,
        "GIT_WORK_TREE": work_tree,
        "GIT_INDEX_FILE": index,
        "GIT_OBJECT_DIRECTORY": objects,
    }
    environment = {name: str(path) for name, path in named.items() if path is not None}
    # Where an object folder holds the separator, git reads a C-style quoted name.
    borrowed = os.pathsep.join(_quoted(str(path)) for path in alternates)
    return environment | ({"GIT_ALTERNATE_OBJECT_DIRECTORIES": borrowed} if borrowed else {})


def _quoted(text: str) -> str:
    return text if os.pathsep not in text and not text.startswith('"') else f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")


def names(answer: bytes) -> list[str]:
    """The NUL-ended names of an answer given with `-z`; bytes that aren't UTF-8 by surrogate escape."""
    return os.fsdecode(answer).split("\0")[:-1]


def listed(paths: Iterable[str]) -> bytes:
    """Paths as `-z --stdin` takes them."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def line(answer: bytes) -> str:
    """An answer of one line."""
    return os.fsdecode(answer).removesuffix("\n")


def resolve(repository: Repository, revision: str) -> str:
    """The commit that a revision names. Raises EmptyRepository or UnknownRevision."""
    found = b""
    if not revision.startswith("-"):
        wanted = f"{revision}^{{commit}}"
        found = git(repository.root, "rev-parse", "--verify", "--quiet", wanted, accept=(0, 1, 128))
    if _OBJECT_ID.fullmatch(line(found)):
        return line(found)
    if revision == "HEAD" or not git(repository.root, "rev-list", "-n", "1", "--all"):
        raise EmptyRepository(repository.root)
    raise UnknownRevision(revision)


def has_object(folder: Path, name: str, *, environment: Mapping[str, str] | None = None) -> bool:
    """Whether the object store at `folder` holds `name` (a full id, `^{type}` allowed)."""
    try:
        git(folder, "cat-file", "-e", name, environment=environment)
    except GitFailed:
        return False
    return True


def configuration(folder: Path, *, environment: Mapping[str, str] | None = None) -> tuple[tuple[str, str | None], ...]:
    """The effective configuration at `folder` in order: (key, value). A key without `=` has the value None."""
    pairs = (entry.partition("\n") for entry in names(git(folder, "config", "--list", "-z", environment=environment)))
    return tuple((key, value if separator else None) for key, separator, value in pairs)


def configuration_text(entries: Iterable[tuple[str, str | None]]) -> str:
    """A configuration file that holds the entries, in order; a later one wins."""
    return "".join(_configuration_entry(key, value) for key, value in entries)


def _configuration_entry(key: str, value: str | None) -> str:
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    quoted = subsection.replace("\\", "\\\\").replace('"', '\\"')
    head = f'[{section} "{quoted}"]' if subsection else f"[{section}]"
    return f"{head}\n\t{name}\n" if value is None else f'{head}\n\t{name} = "{_escaped(value)}"\n'


def commits_between(git_dir: Path, base: str, heads: Iterable[str], *, objects: Path) -> tuple[str, ...]:
    """Commits reachable from `heads` and not from `base`, newest first; `objects` is one more store to look in.

    Names that are no full object ids are passed over. Raises GitFailed when history can't be read. Off the hot path:
    GitPython loads here and not before.
    """
    wanted = [head for head in dict.fromkeys(heads) if head != base and _OBJECT_ID.fullmatch(head)]
    if not wanted:
        return ()
    from git import GitCommandError, Repo  # noqa: PLC0415

    # An inherited GIT_DIR and its kin would win over the path: name every place, and empty what has no place.
    here = place(git_dir, objects=git_dir / "objects", alternates=[objects])
    with closing(Repo(git_dir)) as repository:
        repository.git.update_environment(
            **here, GIT_COMMON_DIR=str(git_dir), GIT_CONFIG_COUNT="0", GIT_CONFIG_PARAMETERS=""
        )
        try:
            return tuple(repository.git.rev_list(*wanted, f"^{base}").split())
        except GitCommandError as failed:
            raise GitFailed(
                ("rev-list",), failed.status if isinstance(failed.status, int) else -1, str(failed.stderr)
            ) from failed
