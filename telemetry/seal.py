"""The run folder: written under a temporary name, secrets redacted as it is written, renamed when it is whole."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from ..context.errors import BadRequest, CannotProceed
from ..context.model import ContextPacket
from ..context.packet import packet_document
from ..context.redact import redact_bytes
from .atif import trajectory_document
from .document import SCHEMA, dumps, run_document, tokens
from .model import AgentEvent, AgentIdentity, AgentTrace, Outcome, RepositoryFacts, Trajectory
from .recorder import trace_id_of
from .spans import otlp_lines
from .usage import summarize

PARTIAL: Final = ".partial"
BEGUN: Final = "begun.json"
MANIFEST: Final = "manifest.json"
RESULT: Final = "result.json"
PATCH: Final = "patch.diff"
EXACT: Final = frozenset({PATCH})
"""Never redacted: base + patch must give the very tree, so that what the agent wrote stays what it wrote."""
PIECE: Final = 8 << 20
_RUN_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class OutNotEmpty(BadRequest):
    """The folder that a run was to be sealed as holds something."""

    error_type = "out_not_empty"

    def __init__(self, folder: Path) -> None:
        super().__init__(f"The folder {folder} is not empty.", "Give --out a folder that is missing or empty.")


class OutInUse(BadRequest):
    """Another run writes there, or died there."""

    error_type = "out_in_use"

    def __init__(self, partial: Path) -> None:
        super().__init__(
            f"{partial} is there already: another run writes it, or died over it.",
            "Wait for it, or give another --out; `agenvantage gc` clears after dead runs.",
        )


class NotARunFolder(CannotProceed):
    """The folder holds no document of a run that we can read."""

    error_type = "not_a_run_folder"

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"{folder} is not a sealed run folder: {why}.", "Name a folder with a result.json in it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a reader needs to judge or repeat a run. Names of variables, never values."""

    versions: Mapping[str, str | None] = field(default_factory=dict)
    environment_names: tuple[str, ...] = ()
    seeded: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)


class RunFolder:
    """A run folder in the making: `path` is where it is written, `final` what it will be called."""

    def __init__(self, final: Path, *, secrets: Iterable[str] = ()) -> None:
        """Creates `<final>.partial`. Raises OutNotEmpty, OutInUse, OSError."""
        self.final = final.absolute()
        self.path = self.final.with_name(self.final.name + PARTIAL)
        self._secrets = tuple(secrets)
        self._written: set[str] = set()
        if self.final.is_symlink() or (self.final.exists() and (not self.final.is_dir() or any(self.final.iterdir()))):
            raise OutNotEmpty(self.final)
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self.path.mkdir(mode=0o700)
        except FileExistsError as taken:
            raise OutInUse(self.path) from taken

    @classmethod
    def reopen(cls, partial: Path, *, secrets: Iterable[str] = ()) -> Self:
        """The folder that a dead run was writing, to be sealed by another."""
        found = cls.__new__(cls)
        found.path, found.final = partial, partial.with_name(partial.name.removesuffix(PARTIAL))
        found._secrets, found._written = tuple(secrets), set()
        return found

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that are redacted, beside whatever looks like a key."""
        return self._secrets

    def hide(self, secrets: Iterable[str]) -> None:
        """From now on these values are redacted, too."""
        self._secrets += tuple(secrets)

    def begin(self, *, run_id: str, started: int, agent: str, strategy: str, repository: str) -> None:
        """Notes which run this is, for the case that nobody lives to seal it."""
        facts = {"run_id": run_id, "started": started, "agent": agent, "strategy": strategy, "repository": repository}
        self.write(BEGUN, dumps(facts))

    def write(self, name: str, data: bytes | str) -> Path:
        """A file of the folder, its secrets redacted. `name` may have folders in it."""
        content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        if name not in EXACT:
            content = redact_bytes(content, self._secrets)
        self._written.add(name)
        return _write_private(_place(self.path, name), (content,))

    def adopt(self, name: str, source: Path) -> Path:
        """A copy of a file of any size, its secrets redacted line by line."""
        self._written.add(name)
        return adopt_into(self.path, name, source, secrets=self._secrets)

    def seal(self, trace: AgentTrace, manifest: Manifest | None = None, *, capture_content: bool = False) -> Path:
        """Writes the documents of the run, the manifest last, and gives the folder its own name."""
        if trace.packet.blocks:
            self._write_packet(trace.packet)
        document = run_document(trace)
        for name, text in _documents(trace, document, capture_content=capture_content):
            self.write(name, text)
        (self.path / BEGUN).unlink(missing_ok=True)
        self._clean_what_others_wrote()
        self.write(MANIFEST, dumps(_manifest(document, manifest or Manifest(), self.path)))
        return _give_name(self.path, self.final)

    def discard(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _write_packet(self, packet: ContextPacket) -> None:
        self.write("packet.md", packet.prefix + packet.evidence)
        self.write("packet.json", dumps(packet_document(packet, texts=False)))

    def _clean_what_others_wrote(self) -> None:
        """Files that came here by another way than ours are redacted and made private, too."""
        for name, path in _files(self.path):
            if name not in self._written and name not in EXACT:
                content = path.read_bytes()
                cleaned = redact_bytes(content, self._secrets)
                if cleaned != content:
                    _write_private(path, (cleaned,))


def adopt_into(folder: Path, name: str, source: Path, *, secrets: Iterable[str] = ()) -> Path:
    """A copy of `source` in a run folder, its secrets redacted line by line. Raises OSError."""
    literal = tuple(secrets)
    return _write_private(_place(folder, name), (redact_bytes(piece, literal) for piece in _pieces(source)))


def seal_interrupted(partial: Path, *, secrets: Iterable[str] = ()) -> Path | None:
    """Seals what a dead run left under its final name, with a result that claims nothing; None if the name is taken.

    A folder that was whole already, and only lacked its name, gets it as it is.
    """
    final = partial.with_name(partial.name.removesuffix(PARTIAL))
    if not partial.is_dir() or partial.is_symlink() or final == partial or (final.exists() and any(final.iterdir())):
        return None
    if is_whole(partial):
        return _give_name(partial, final)
    document, literal = _interrupted(partial, final), tuple(secrets)
    for name, path in _files(partial):
        if name not in EXACT:
            content = path.read_bytes()
            cleaned = redact_bytes(content, literal)
            if cleaned != content:
                _write_private(path, (cleaned,))
    (partial / BEGUN).unlink(missing_ok=True)
    _write_private(partial / RESULT, (dumps(document).encode(),))
    _write_private(partial / MANIFEST, (dumps(_manifest(document, Manifest(), partial)).encode(),))
    return _give_name(partial, final)


def load(folder: Path) -> dict[str, Any]:
    """The document of a sealed run. Raises NotARunFolder."""
    try:
        document = json.loads((folder / RESULT).read_bytes())
    except OSError as missing:
        raise NotARunFolder(folder, f"no {RESULT}") from missing
    except ValueError as broken:
        raise NotARunFolder(folder, f"its {RESULT} is not JSON") from broken
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise NotARunFolder(folder, f"its schema is {schema!r}, not {SCHEMA!r}")
    return dict(document)


def event_line(event: AgentEvent, *, capture_content: bool = False) -> str:
    """An event as a line of `events.jsonl`, without its content unless it was asked for."""
    if not capture_content:
        tool = event.tool and replace(event.tool, arguments=None, output=None, command=None, cwd=None)
        event = replace(event, text=None, raw=None, tool=tool)
    return json.dumps(_known(asdict(event)), separators=(",", ":"), default=str)


def _documents(trace: AgentTrace, document: dict[str, Any], *, capture_content: bool) -> Iterator[tuple[str, str]]:
    events = (event_line(event, capture_content=capture_content) + "\n" for event in trace.events)
    yield "events.jsonl", "".join(events)
    yield "usage.json", dumps(_usage(trace, document))
    yield "spans.jsonl", "".join(line + "\n" for line in otlp_lines(trace))
    yield "trajectory.atif.json", dumps(trajectory_document(trace, capture_content=capture_content))
    yield RESULT, dumps(document)


def _usage(trace: AgentTrace, document: Mapping[str, Any]) -> dict[str, Any]:
    """The run's usage, with a row a model call."""
    rows = [
        {"id": record.id, "agent": record.agent, "model": record.model, "at": record.at, "via": record.via}
        | tokens(record)
        for record in trace.trajectory.usage.requests
    ]
    summary = {"usage": document["usage"], "cost": document["cost"], "requests": rows}
    return {"schema": "agenvantage.usage/1", "run_id": trace.run_id, **summary}


def _manifest(document: Mapping[str, Any], manifest: Manifest, folder: Path) -> dict[str, Any]:
    """Written last: it names every other file with its digest."""
    same = ("run_id", "trace_id", "outcome", "strategy", "workflow", "labels", "agent", "repository")
    return {
        "schema": "agenvantage.manifest/1",
        **{name: document[name] for name in same},
        "versions": dict(manifest.versions),
        "environment_names": sorted(manifest.environment_names),
        "seeded": sorted(manifest.seeded),
        "arguments": dict(manifest.arguments),
        "files": {name: _digest(path) for name, path in _files(folder) if name != MANIFEST},
    }


def _interrupted(partial: Path, final: Path) -> dict[str, Any]:
    """What can honestly be said of a run that nobody saw the end of: who it was, and that it was interrupted."""
    facts = _begun(partial)
    run_id = facts.get("run_id") or (final.name if _RUN_ID.fullmatch(final.name) else "unknown")
    started = facts.get("started") or 0
    strategy = facts.get("strategy") or "unknown"
    trace = AgentTrace(
        run_id=run_id,
        trace_id=trace_id_of(run_id),
        started=started,
        ended=started,
        agent=AgentIdentity(name=facts.get("agent") or "unknown", sandbox="unknown"),
        strategy=strategy,
        workflow="feature",
        repository=RepositoryFacts(name=facts.get("repository") or "unknown", from_="unknown"),
        packet=ContextPacket.bare(strategy=strategy),
        trajectory=Trajectory(usage=summarize(())),
        outcome=Outcome(outcome="interrupted", reason="AgenVantage was ended before it could finish this run."),
        folder=str(final),
    )
    return _without_claims(run_document(trace), partial)


def _without_claims(document: dict[str, Any], partial: Path) -> dict[str, Any]:
    """A count of nothing is a claim, too: what nobody counted is unknown."""
    document |= {"workflow": None, "context": None, "denials": None, "retries": None, "compactions": None}
    document["timing"]["total_s"] = None
    document["integrity"] |= {
        "history_probes": None,
        "pending_background": None,
        "unknown_events": None,
        "stream_truncated": None,
        "partial": True,
    }
    patch = partial / PATCH
    if patch.is_file():
        size, digest = patch.stat().st_size, _digest(patch)
        known = {"file": PATCH, "sha256": digest, "bytes": size, "empty": size == 0, "reapplies": None}
        document["patch"] = known | {"agent_commits": None, "caches_left_out": None}
    return document


def is_whole(partial: Path) -> bool:
    """The manifest is written last, and every file it names is there as it says."""
    try:
        named = json.loads((partial / MANIFEST).read_bytes())["files"]
        return bool(named == {name: _digest(path) for name, path in _files(partial) if name != MANIFEST})
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _begun(partial: Path) -> dict[str, Any]:
    try:
        facts = json.loads((partial / BEGUN).read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _known(value: Any) -> Any:
    """The value without what is unknown or empty."""
    if isinstance(value, Mapping):
        kept = {str(name): _known(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item is not None and item != [] and item != {}}
    if isinstance(value, list | tuple):
        return [_known(item) for item in value]
    return value


def _place(folder: Path, name: str) -> Path:
    """The file's path; its folders are made. A name that leads out of the folder is a fault of ours."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        raise ValueError(f"not a name within a run folder: {name!r}")
    place = folder
    for part in parts[:-1]:
        place = place / part
        place.mkdir(mode=0o700, exist_ok=True)
    return place / parts[-1]


def _write_private(path: Path, pieces: Iterable[bytes]) -> Path:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)
    return path


def _pieces(source: Path) -> Iterator[bytes]:
    """The file in pieces of whole lines, so that no secret is cut in two; a line of any length is one piece."""
    with source.open("rb") as file:
        rest: list[bytes] = []
        while data := file.read(PIECE):
            head, newline, tail = data.rpartition(b"\n")
            if newline:
                yield b"".join((*rest, head, newline))
                rest = [tail]
            else:
                rest.append(data)
        yield b"".join(rest)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every regular file below, by its name within the folder, in order. Links are not followed."""
    found = [Path(place, name) for place, _, names in os.walk(folder) for name in names]
    for path in sorted(found):
        if stat.S_ISREG(path.lstat().st_mode):
            yield path.relative_to(folder).as_posix(), path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _give_name(partial: Path, final: Path) -> Path:
    """Everything on the disk first, then the name: a folder of that name is whole, even after a power cut."""
    for place, _, _ in os.walk(partial):
        Path(place).chmod(0o700)
    for _, path in _files(partial):
        path.chmod(0o600)
        _sync(path)
    _sync(partial)
    partial.rename(final)
    _sync(final.parent)
    return final


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
