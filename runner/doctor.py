"""What is installed, what is missing, and the fix for it. Credentials are named, never shown."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from .. import __version__
from ..adapters.agents import AGENTS
from ..adapters.base import Adapter
from ..context.errors import AgenVantageError
from ..context.git import git_version
from .configuration import load, person_environment
from .doors import tell
from .find import find
from .login import stored
from .settings import Settings

LEAST_GIT: Final = (2, 30)
LEAST_FREE_BYTES: Final = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at. `needed`: nothing works without it; `ok` None: it could not be told."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""
    needed: bool = False


def doctor_door(flags: Mapping[str, Any], *, repo: Path | None, json: bool) -> int:
    """Exit code 1 when something that every run needs is missing."""
    del repo
    settings = load(flags, repository=None).settings
    environment = person_environment()
    findings = [_program(), _git(), *_agents(settings, environment), *_places(settings), _telemetry(environment)]
    document = {"schema": "agenvantage.doctor/1", "findings": [asdict(finding) for finding in findings]}
    tell(document, "\n".join(_line(finding) for finding in findings), json=json)
    return 1 if any(finding.needed and not finding.ok for finding in findings) else 0


def _line(finding: Finding) -> str:
    mark = {True: "✓", False: "✗", None: "?"}[finding.ok]
    fix = f"\n    → {finding.fix}" if finding.fix and not finding.ok else ""
    return f"{mark} {finding.name:<12}{finding.detail}{fix}"


def _program() -> Finding:
    fit = sys.platform != "win32"
    return Finding(
        name="agenvantage",
        ok=fit,
        detail=f"{__version__} on Python {platform.python_version()}, {platform.system()}",
        fix="Run it inside WSL.",
        needed=True,
    )


def _git() -> Finding:
    try:
        version = git_version()
    except AgenVantageError as missing:
        return Finding(name="git", ok=False, detail=missing.what, fix=missing.remedy, needed=True)
    good = version >= LEAST_GIT
    return Finding(
        name="git",
        ok=good,
        detail=".".join(map(str, version)),
        fix=f"Install git {'.'.join(map(str, LEAST_GIT))} or newer.",
        needed=True,
    )


def _agents(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    return [_agent(name, known, settings, environment) for name, known in AGENTS.items() if known.TRAITS.binary]


def _agent(name: str, known: Adapter, settings: Settings, environment: Mapping[str, str]) -> Finding:
    traits = known.TRAITS
    if shutil.which(traits.binary or "", path=environment.get("PATH")) is None:
        return Finding(name=name, ok=False, detail="not on the path", fix=f"Install it: {traits.install}")
    try:
        # With an address of its own, no credentials are asked for: they are looked at below.
        found = find(replace(settings, agent_bin=None, provider_url="http://localhost"), environment, name)
    except AgenVantageError as broken:
        return Finding(name=name, ok=False, detail=broken.what, fix=broken.remedy)
    names = [variable for variable in traits.key_variables if environment.get(variable)]
    if traits.login and stored(traits.login, environment):
        names.append(f"stored login ({traits.login.name})")
    version = found.version or "version unknown"
    if names:
        return Finding(name=name, ok=True, detail=f"{version}, credentials: {', '.join(names)}")
    keys = " or ".join(traits.key_variables)
    return Finding(
        name=name, ok=None, detail=f"{version}, no credentials found", fix=f"Log in with `{name} login`, or set {keys}."
    )


def _places(settings: Settings) -> list[Finding]:
    return [
        _place(name, getattr(settings, f"{name}_dir"), flag)
        for name, flag in (("cache", "--cache-dir"), ("state", "--state-dir"), ("data", "--data-dir"))
    ]


def _place(name: str, folder: Path, flag: str) -> Finding:
    """Whether a folder of ours can be written, looked at in its nearest existing parent; nothing is made."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    free = shutil.disk_usage(there).free
    return Finding(
        name=name,
        ok=writable and free >= LEAST_FREE_BYTES,
        detail=f"{folder}, {free / 1e9:,.0f} GB free" + ("" if writable else ", not writable"),
        fix=f"Make room there, or move it with {flag}.",
        needed=True,
    )


def _telemetry(environment: Mapping[str, str]) -> Finding:
    names = [
        name for name in ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT") if environment.get(name)
    ]
    detail = f"spans go to {names[0]}" if names else "no endpoint set; spans stay in the run folder"
    return Finding(name="telemetry", ok=True, detail=detail)
