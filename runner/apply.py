"""Bring a run's patch into the person's checkout, or onto a new branch: whole or not at all."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..context.errors import BadRequest, CannotProceed, GitFailed
from ..context.git import Repository, git, has_object, line, listed, names, place
from .merge import LINK, Change, Entry, Found, Workshop, changes, look, merge
from .rooms import apply_to_index
from .swap import Swap, staging, swap

# A file or folder in the git directory → the operation that it is the sign of.
_UNDER_WAY: Final = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
_EXECUTABLE: Final = {"100755": True, "100644": False}
_SHOWN: Final = 5


class PatchDoesNotFit(CannotProceed):
    """The patch and the checkout contradict each other. Nothing was changed."""

    error_type = "patch_does_not_fit"

    def __init__(self, reasons: Mapping[str, str]) -> None:
        shown = "; ".join(f"'{path}': {why}" for path, why in list(reasons.items())[:_SHOWN])
        more = f"; and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
        super().__init__(
            f"The patch does not fit, and nothing was changed. {shown}{more}.",
            "Commit or move what is in its way and apply again, or put it on a branch: --branch NAME.",
        )
        self.reasons = dict(reasons)


class NotApplicable(CannotProceed):
    """This patch can't be brought here at all. Nothing was changed."""

    error_type = "not_applicable"


class OperationUnderWay(CannotProceed):
    """The checkout is in the middle of something."""

    error_type = "operation_under_way"

    def __init__(self, operation: str) -> None:
        super().__init__(
            f"A {operation} is under way in this checkout; nothing was changed.",
            f"Finish or abort the {operation} first, or put the patch on a branch: --branch NAME.",
        )


class NoIdentity(CannotProceed):
    """Git does not know whose commit it would be."""

    error_type = "no_identity"

    def __init__(self) -> None:
        super().__init__(
            "Git knows no name and address for a commit; nothing was changed.",
            "Set them: git config user.name 'Your Name'; git config user.email you@example.org.",
        )


class BadBranch(BadRequest):
    """The branch can't be made under this name."""

    error_type = "bad_branch"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyRequest:
    """`base_commit` is the run's base. A dirty run's base is no commit of the person's: give `source_commit` too."""

    repository: Repository
    base_commit: str
    patch_file: Path
    branch: str | None = None
    message: str = "Apply a run of AgenVantage"
    source_commit: str | None = None
    sha256: str | None = None
    """The patch's digest as recorded; None leaves it unchecked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What happened. `already`: the checkout had it all, nothing was written."""

    paths: tuple[str, ...]
    already: bool = False
    merged: tuple[str, ...] = ()
    """Paths where the person's own changes and the patch were joined line by line."""
    branch: str | None = None
    commit: str | None = None
    base: str | None = None
    """With a branch: the commit that the new one stands on."""
    note: str | None = None


def apply(request: ApplyRequest) -> Applied:
    """Three-way against what the checkout holds now. Any refusal leaves files, index and refs byte-identical."""
    if not request.patch_file.is_file():
        raise NotApplicable(f"There is no patch at {request.patch_file}.", "Give a run that changed something.")
    if request.sha256 is not None and request.sha256 != _digest(request.patch_file):
        raise NotApplicable(f"{request.patch_file} is not the patch that was recorded; nothing was changed.")
    if request.branch is not None:
        _check_branch(request.repository, request.branch)
    elif request.repository.bare:
        raise NotApplicable("A bare repository has no files to apply to.", "Put the patch on a branch: --branch NAME.")
    if not request.patch_file.stat().st_size:
        return _nothing(request)
    try:
        with _workshop(request.repository) as shop:
            return _onto_branch(shop, request, request.branch) if request.branch else _into_checkout(shop, request)
    except (GitFailed, OSError) as failed:
        why = str(failed).splitlines()[0]
        raise NotApplicable(f"The patch could not be applied, and nothing was changed: {why}.") from failed


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _nothing(request: ApplyRequest) -> Applied:
    if request.branch:
        raise NotApplicable("The run changed nothing: there is nothing to put on a branch.")
    return Applied(paths=(), already=True, note="the patch is empty")


@contextmanager
def _workshop(repository: Repository) -> Iterator[Workshop]:
    store = line(git(repository.root, "rev-parse", "--git-path", "objects", environment=place(repository.git_dir)))
    with tempfile.TemporaryDirectory(prefix="agenvantage-apply-") as folder:
        (Path(folder) / "objects").mkdir()
        yield Workshop(repository=repository, folder=Path(folder), store=(repository.root / store).resolve())


def _into_checkout(shop: Workshop, request: ApplyRequest) -> Applied:
    _check_idle(request.repository)
    wanted, ours = _sides(shop, request)
    links = [change.new for change in wanted for side in (change.before, change.after) if side and side.mode == LINK]
    if links:
        raise NotApplicable(
            f"The patch moves the submodule '{links[0]}', which a checkout can't take whole; nothing was changed.",
            "Put it on a branch: --branch NAME.",
        )
    merged = merge(shop, wanted, ours)
    if merged.conflicts:
        raise PatchDoesNotFit(merged.conflicts)
    paths = tuple(sorted({path for change in wanted for path in (change.old, change.new)}))
    results = {path: entry for path, entry in merged.results.items() if entry != ours[path].entry}
    if not results:
        return Applied(paths=paths, already=True, note="the checkout has these changes already")
    _carry_out(shop, results, ours)
    return Applied(paths=paths, merged=merged.joined)


def _check_idle(repository: Repository) -> None:
    for sign, operation in _UNDER_WAY.items():
        if (repository.git_dir / sign).exists():
            raise OperationUnderWay(operation)
    if git(repository.root, "ls-files", "-u", "-z", environment=_checkout(repository)):
        raise OperationUnderWay("merge with unresolved conflicts")


def _sides(shop: Workshop, request: ApplyRequest) -> tuple[tuple[Change, ...], Mapping[str, Found]]:
    """What the patch wants, against the base where it is known, and what the checkout has at those paths."""
    touched = _touched(shop, request.patch_file)
    tracked = git(shop.repository.root, "ls-files", "-z", "-s", environment=_checkout(shop.repository))
    _refuse_inside_submodules(tracked, touched)
    ours = look(shop, touched)
    if has_object(shop.repository.root, f"{request.base_commit}^{{commit}}"):
        shop.git("read-tree", request.base_commit, index="before")
    else:
        _assumed_base(shop, request)
    before = line(shop.git("write-tree", index="before"))
    apply_to_index(shop.repository.root, request.patch_file, shop.environment("before"))
    wanted = changes(shop, before, line(shop.git("write-tree", index="before")))
    unseen = {path for change in wanted for path in (change.old, change.new)} - ours.keys()
    return wanted, {**ours, **(look(shop, unseen) if unseen else {})}


def _touched(shop: Workshop, patch_file: Path) -> set[str]:
    """Every path that the patch names; a rename's two names come from its two directions."""
    found: set[str] = set()
    for direction in ((), ("--reverse",)):
        rows = names(shop.git("apply", *direction, "--numstat", "-z", str(patch_file.absolute())))
        found |= {row.split("\t", 2)[2] for row in rows}
    return found


def _checkout(repository: Repository) -> Mapping[str, str]:
    return place(repository.git_dir, work_tree=repository.root)


def _refuse_inside_submodules(tracked: bytes, touched: Iterable[str]) -> None:
    links = tuple(row.partition("\t")[2] + "/" for row in names(tracked) if row.startswith(LINK))
    inside = next((path for path in touched if links and path.startswith(links)), None)
    if inside is not None:
        raise NotApplicable(
            f"The patch changes '{inside}' inside a submodule; nothing was changed.",
            "Take it by hand where you want it: git apply patch.diff.",
        )


def _assumed_base(shop: Workshop, request: ApplyRequest) -> None:
    """The base of a dirty run is no commit here: take the patch's own pre-images, found among what the checkout has.

    Where one is missing the checkout itself stands for the base: the patch then fits by its context or not at all.
    """
    patch_file = str(request.patch_file.absolute())
    before, ours = shop.folder / "before", shop.folder / "ours"
    try:
        shop.git("apply", f"--build-fake-ancestor={before}", patch_file, index="ours")
        # It takes full ids on trust; this asks for the blobs themselves.
        shop.git("write-tree", index="before")
    except GitFailed:
        before.write_bytes(ours.read_bytes())
        if _fits(shop, request.patch_file):
            before.write_bytes(ours.read_bytes())
        else:
            # What it is applied backwards to has it already, and becomes what was there before.
            _fits(shop, request.patch_file, "--reverse")


def _fits(shop: Workshop, patch_file: Path, *options: str) -> bool:
    """Apply to the scratch index `before`; False when it doesn't fit."""
    try:
        apply_to_index(shop.repository.root, patch_file, shop.environment("before"), *options)
    except GitFailed:
        return False
    return True


def _carry_out(shop: Workshop, results: Mapping[str, Entry | None], ours: Mapping[str, Found]) -> None:
    repository = shop.repository
    written = {path: entry for path, entry in results.items() if entry is not None}
    rows = [f"{entry.mode} {entry.blob}\t{path}" for path, entry in written.items()]
    shop.git("update-index", "-z", "--index-info", index="result", stdin=listed(rows))
    with staging(repository.root, repository.git_dir) as folder:
        shop.git("checkout-index", "--all", "--force", f"--prefix={folder}/new/", index="result")
        swap(
            Swap(
                root=repository.root,
                staged=folder / "new",
                kept=folder / "old",
                written={path: _rights(entry, ours[path].entry) for path, entry in written.items()},
                deleted=tuple(path for path, entry in results.items() if entry is None),
                seen={path: ours[path].stamp for path in results},
            )
        )


def _rights(entry: Entry, mine: Entry | None) -> bool | None:
    """Whether to set or clear the executable bit; None when it stays."""
    return None if mine is not None and mine.mode == entry.mode else _EXECUTABLE.get(entry.mode)


def _check_branch(repository: Repository, name: str) -> None:
    ref = f"refs/heads/{name}"
    try:
        git(repository.root, "check-ref-format", ref)
    except GitFailed:
        valid = False
    else:
        valid = not name.startswith("-") and name != "HEAD"
    if not valid:
        raise BadBranch(f"{name!r} is no name for a branch.", "Use letters, digits, '-', '_', '.' and '/'.")
    if git(repository.root, "for-each-ref", "--format=%(refname)", ref, f"{ref}/"):
        raise BadBranch(f"The branch '{name}' exists already; nothing was changed.", "Choose another name.")


def _onto_branch(shop: Workshop, request: ApplyRequest, branch: str) -> Applied:
    """A commit on the base, made without work tree, index and HEAD."""
    base, note = _branch_base(request)
    root = shop.repository.root
    shop.git("read-tree", base, index="branch")
    _refuse_inside_submodules(shop.git("ls-files", "-z", "-s", index="branch"), _touched(shop, request.patch_file))
    try:
        apply_to_index(root, request.patch_file, shop.environment("branch"))
    except GitFailed as failed:
        raise NotApplicable(
            f"The patch does not fit onto {base[:12]}{note and ' alone'}; nothing was changed."
        ) from failed
    try:
        git(root, "var", "GIT_COMMITTER_IDENT", environment=place(shop.repository.git_dir))
    except GitFailed as unknown:
        raise NoIdentity from unknown
    commit = _committed(shop, request, base)
    update = ("update-ref", "-m", "agenvantage apply", f"refs/heads/{branch}", commit, "0" * len(commit))
    git(root, *update, environment=place(shop.repository.git_dir))
    wanted = changes(shop, base, commit)
    paths = tuple(sorted({path for change in wanted for path in (change.old, change.new)}))
    return Applied(paths=paths, branch=branch, commit=commit, base=base, note=note or None)


def _committed(shop: Workshop, request: ApplyRequest, base: str) -> str:
    """The patch on the base once more, now with the objects in the person's own store. Returns the commit."""
    root = shop.repository.root
    here = place(shop.repository.git_dir, index=shop.folder / "branch")
    git(root, "read-tree", base, environment=here)
    apply_to_index(root, request.patch_file, here)
    tree = line(git(root, "write-tree", environment=here))
    message = request.message.encode("utf-8", "surrogateescape") + b"\n"
    return line(git(root, "commit-tree", tree, "-p", base, "-F", "-", stdin=message, environment=here))


def _branch_base(request: ApplyRequest) -> tuple[str, str]:
    """The commit for a branch to stand on, and what to say about it."""
    root = request.repository.root
    if has_object(root, f"{request.base_commit}^{{commit}}"):
        return request.base_commit, ""
    if request.source_commit and has_object(root, f"{request.source_commit}^{{commit}}"):
        return request.source_commit, (
            f"the branch stands on {request.source_commit[:12]}, without the uncommitted changes the run began with"
        )
    raise NotApplicable(
        f"The run's base {request.base_commit[:12]} is not in this repository.",
        "Apply where the run was made, or fetch the commit.",
    )
