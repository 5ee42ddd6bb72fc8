"""Self-contained repositories at one commit: borrowed objects, a few settings of the person's, and nothing else."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..context.git import Repository, configuration, configuration_text, git, place

Settings = tuple[tuple[str, str | None], ...]

# What decides the bytes of a checkout and the name on a commit; everything else stays with the person.
_CARRIED: Final = frozenset({
    "user.name", "user.email", "core.autocrlf", "core.eol", "core.attributesfile", "core.excludesfile",
    "core.checkroundtripencoding", "core.bigfilethreshold", "core.sparsecheckout", "core.sparsecheckoutcone",
})  # fmt: skip
_CARRIED_SECTIONS: Final = ("filter.",)
_NAMELESS: Final[Settings] = (("user.name", "AgenVantage"), ("user.email", "agenvantage@localhost"))
_AUTHOR: Final = (("user.name", "GIT_AUTHOR_NAME"), ("user.email", "GIT_AUTHOR_EMAIL"))
QUIET: Final[Settings] = (
    ("commit.gpgsign", "false"), ("tag.gpgsign", "false"), ("log.showsignature", "false"),
    ("core.pager", "cat"), ("core.editor", "true"), ("sequence.editor", "true"),
    ("core.askpass", ""), ("credential.helper", ""), ("core.hookspath", os.devnull),
    ("core.fsmonitor", "false"), ("core.untrackedcache", "false"), ("core.splitindex", "false"),
    ("index.sparse", "false"),
    ("core.safecrlf", "false"), ("gc.auto", "0"), ("maintenance.auto", "false"), ("submodule.recurse", "false"),
)  # fmt: skip

FAST: Final = ("-c", "checkout.workers=4")
"""Writing many files waits for the disk more than for a processor: 10,000 files in a third of the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a copy takes over from the repository it is made of. None where the repository has no such file."""

    object_format: str
    stores: tuple[Path, ...]
    """Object folders to borrow from."""
    settings: Settings
    attributes: bytes | None = None
    exclude: bytes | None = None
    sparse: bytes | None = None
    """Patterns of the invoking work tree's sparse checkout."""
    shallow: bytes | None = None


def origin_of(repository: Repository) -> Origin:
    """Read what a copy of `repository` needs; of a linked work tree its own sparse state."""
    parts = ("objects", "info/attributes", "info/exclude", "info/sparse-checkout", "shallow")
    asked = [word for part in parts for word in ("--git-path", part)]
    here = place(repository.git_dir)
    answer = os.fsdecode(
        git(repository.root, "rev-parse", "--show-object-format", *asked, environment=here)
    ).splitlines()
    objects, attributes, exclude, sparse, shallow = (repository.root / path for path in answer[1:])
    settings = configuration(repository.root, environment=here)
    is_sparse = dict(settings).get("core.sparsecheckout", "false") in ("true", None)
    return Origin(
        object_format=answer[0],
        stores=(objects.resolve(),),
        settings=tuple(_carried(settings, sparse=is_sparse)),
        attributes=read(attributes),
        exclude=read(exclude),
        sparse=read(sparse) if is_sparse else None,
        shallow=read(shallow),
    )


def _carried(settings: Settings, *, sparse: bool) -> Settings:
    kept: dict[str, str | None] = dict(_NAMELESS)
    for key, value in settings:
        if (key in _CARRIED or key.startswith(_CARRIED_SECTIONS)) and (sparse or "sparsecheckout" not in key):
            kept[key] = str(Path(value).expanduser()) if value and value.startswith("~") else value
    return tuple((kept | {key: os.environ[name] for key, name in _AUTHOR if os.environ.get(name)}).items())


def of_submodule(origin: Origin, store: Path) -> Origin:
    """What a copy of a submodule needs: its own objects and rules, the settings of what surrounds it."""
    return replace(
        origin,
        stores=(store / "objects",),
        settings=tuple(entry for entry in origin.settings if "sparsecheckout" not in entry[0]),
        attributes=read(store / "info/attributes"),
        exclude=read(store / "info/exclude"),
        sparse=None,
        shallow=read(store / "shallow"),
    )


def make(folder: Path, origin: Origin, *, bare: bool = False) -> Path:
    """A repository at `folder` without commits, refs, remotes and hooks. Returns its git directory."""
    kind = ("--bare",) if bare else ()
    git(
        folder.parent,
        *("-c", "init.defaultBranch=main", "init", "-q", "--template=", f"--object-format={origin.object_format}"),
        *(*kind, str(folder)),
        environment={"GIT_DEFAULT_REF_FORMAT": "files"},
    )
    git_dir = folder if bare else folder / ".git"
    with (git_dir / "config").open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(configuration_text((*origin.settings, *QUIET)))
    lend(git_dir, origin.stores)
    for name, content in _files(origin).items():
        if content is not None:
            (git_dir / name).parent.mkdir(exist_ok=True)
            (git_dir / name).write_bytes(content)
    return git_dir


def _files(origin: Origin) -> dict[str, bytes | None]:
    return {
        "info/attributes": origin.attributes,
        "info/exclude": origin.exclude,
        "info/sparse-checkout": origin.sparse,
        "shallow": origin.shallow,
    }


def lend(git_dir: Path, stores: tuple[Path, ...]) -> None:
    """Let the repository read the objects of `stores` too."""
    with (git_dir / "objects/info/alternates").open("ab") as file:
        file.writelines(_alternate(store) for store in stores)


def _alternate(store: Path) -> bytes:
    """A line of `objects/info/alternates`; git takes a C-style quoted path where a plain one would be misread."""
    text = os.fsencode(store)
    if text.startswith((b'"', b"#")) or b"\n" in text:
        text = b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    return text + b"\n"


def check_out(root: Path, commit: str) -> None:
    """Fill a repository made by `make`: detached HEAD, index and files (within its sparse patterns)."""
    git(root, *FAST, "checkout", "-q", "--force", "--detach", commit, environment=place(root / ".git", work_tree=root))


def copy_history(git_dir: Path, stores: tuple[Path, ...], commit: str) -> None:
    """Put `commit` and all it stands on, and nothing later, into the repository's own objects."""
    (git_dir / "objects/pack").mkdir(exist_ok=True)
    git(
        git_dir,
        *("pack-objects", "--revs", "-q", str(git_dir / "objects/pack/pack")),
        stdin=commit.encode() + b"\n",
        environment=place(git_dir, alternates=stores),
    )


def read(path: Path) -> bytes | None:
    """The bytes of a file; None when there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
