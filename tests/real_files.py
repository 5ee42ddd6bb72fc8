"""Real public source files for tests: pinned by name and digest here, fetched by `make golden`, never copied in here.

Run as a script it fetches what is missing; with a package it lists that package's files and their digests:
`python tests/real_files.py [npm:NAME@VERSION | wheel:… | sdist:… | maven:GROUP:NAME@VERSION]`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parent / "golden"
_PATIENCE_SECONDS: Final = 180
FETCHED: Final = Path(__file__).parent.parent / ".golden"


class RealFileMissing(AssertionError):
    def __init__(self, file: RealFile) -> None:
        super().__init__(f"{file.path} of {file.package} is not here as pinned. Run `make golden`.")


class PinDiffers(Exception):
    def __init__(self, file: RealFile, found: str | None) -> None:
        said = f"has sha256 {found}" if found else "is not in the package"
        super().__init__(f"{file.path} of {file.package} {said}; golden/{file.folder}/sources.toml says {file.sha256}.")


class NoClient(Exception):
    def __init__(self, client: str, package: str) -> None:
        super().__init__(f"{package} is fetched by `{client}`, which is not on the path. Install it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RealFile:
    """A row of `golden/<folder>/sources.toml`. `path` is inside the package, `name` is that of its golden file."""

    folder: str
    name: str
    package: str
    path: str
    sha256: str

    @property
    def id(self) -> str:
        return f"{self.folder}/{self.name}"

    @property
    def golden(self) -> Path:
        return GOLDEN / self.folder / f"{self.name}.txt"

    @property
    def place(self) -> Path:
        return FETCHED / _folder_name(self.package) / self.path

    def read(self) -> bytes:
        """The pinned bytes. Raises RealFileMissing."""
        if not self.is_here():
            raise RealFileMissing(self)
        return self.place.read_bytes()

    def is_here(self) -> bool:
        return self.place.is_file() and _digest(self.place.read_bytes()) == self.sha256


@cache
def real_files() -> tuple[RealFile, ...]:
    return tuple(
        RealFile(folder=listed.parent.name, **row)
        for listed in sorted(GOLDEN.glob("*/sources.toml"))
        for row in tomllib.loads(listed.read_text(encoding="utf-8"))["file"]
    )


def fetch() -> None:
    """Downloads each package of which a listed file is missing, and keeps the listed files of it.

    A package that can't be had here (no such client, no such version served) is named and passed over.
    """
    wanted: dict[str, list[RealFile]] = defaultdict(list)
    for file in real_files():
        if not file.is_here():
            wanted[file.package].append(file)
    for package, files in sorted(wanted.items()):
        print(f"fetching {package}", flush=True)
        try:
            content = _content(package, {file.path for file in files}.__contains__)
        except (NoClient, subprocess.SubprocessError) as failed:
            print(f"not fetched, so its tests will be skipped: {failed}", file=sys.stderr)
            continue
        for file in files:
            _keep(file, content.get(file.path))


def _keep(file: RealFile, data: bytes | None) -> None:
    if data is None or _digest(data) != file.sha256:
        raise PinDiffers(file, None if data is None else _digest(data))
    file.place.parent.mkdir(parents=True, exist_ok=True)
    file.place.write_bytes(data)


def _content(package: str, wanted: Callable[[str], bool]) -> Mapping[str, bytes]:
    """Files of a package by their path inside it, without the folder that npm and sdists put around everything."""
    with tempfile.TemporaryDirectory() as folder:
        command = _download(package, folder)
        if shutil.which(command[0]) is None:
            raise NoClient(command[0], package)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=_PATIENCE_SECONDS)
        archive = next(Path(folder).iterdir())
        members = _zipped(archive) if archive.suffix in (".whl", ".zip", ".jar") else _tarred(archive)
        bare = archive.suffix in (".whl", ".jar")
        inner = ((path if bare else path.partition("/")[2], read) for path, read in members)
        return {path: read() for path, read in inner if path and wanted(path)}


def _download(package: str, folder: str) -> tuple[str, ...]:
    kind, _, pinned = package.partition(":")
    name, _, version = pinned.rpartition("@")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, f"{name}=={version}")
    # One platform's wheel for everybody, so that its files are the same bytes wherever the tests run.
    platform = ("--platform", "manylinux2014_x86_64", "--python-version", "3.11", "--implementation", "cp")
    return {
        "npm": ("npm", "pack", "--silent", "--ignore-scripts", f"--pack-destination={folder}", pinned),
        "wheel": (*pip, "--only-binary=:all:", *platform),
        "sdist": (*pip, f"--no-binary={name}"),
        "maven": (
            *("mvn", "--quiet", "--batch-mode", "dependency:copy"),
            *(f"-Dartifact={name}:{version}:jar:sources", f"-DoutputDirectory={folder}"),
        ),
    }[kind]


def _zipped(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            if not info.is_dir():
                yield info.filename, lambda info=info: opened.read(info)


def _tarred(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    with tarfile.open(archive) as opened:
        for info in opened:
            if info.isfile():
                yield info.name, lambda info=info: opened.extractfile(info).read()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _folder_name(package: str) -> str:
    return re.sub(r"[^\w.@-]", "+", package)


def _show(package: str) -> None:
    for path, data in sorted(_content(package, lambda _: True).items()):
        lines = data.count(b"\n")
        print(f"{_digest(data)} {lines:6} {path}")


if __name__ == "__main__":
    for each in sys.argv[1:]:
        _show(each)
    if not sys.argv[1:]:
        fetch()
