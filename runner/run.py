"""One observed run, from the request to the sealed trace: the only place that knows the order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..context.errors import CannotProceed
from ..telemetry.model import AgentExit, AgentTrace, Integrity
from . import afterlife
from .attend import (
    Attendant,
    Attended,
    Guard,
    linger_limit,
    startup_limit,
    throttled,
    time_limit,
    token_limit,
    turn_limit,
)
from .brief import Briefing, brief, native_workflow
from .collect import Told, records_of, spent_so_far, tell
from .conclude import conclude, last_words
from .desk import Desk, NoRoom, opened
from .find import choose, find
from .follow import LineFollower
from .integrity import REFRESHED, differences, escaped, fingerprint
from .judge import after_limit, judge
from .launch import Started, launch
from .outcome import AgentFault, Evidence, TreatmentNotDelivered, classify
from .patch import CaptureFailed, capture, prepared
from .process import leftovers
from .ready import make_ready
from .request import RunRequest
from .signals import ignore, undisturbed
from .sofar import Run
from .watch import Unwatched, Watch
from .worktree import TreeRequest, is_ours, prepare

PATCH_NAME: Final = "patch.diff"

Step = Callable[[Desk, Run], Run]


def run(request: RunRequest, *, watch: Watch | None = None) -> AgentTrace:
    """Carry a run out and seal its record.

    Raises BadRequest when it can't begin, and then nothing is left; whatever fails later is an outcome.
    """
    name = choose(request.settings, request.environment)
    strategy = request.settings.strategy if request.settings.optimize_context else "native"
    with opened(request, strategy=strategy, agent=name, watch=watch or Unwatched()) as desk:
        workflow = native_workflow(request.settings.workflow, request.task)
        done = Run(agent_name=name, briefing=Briefing(workflow=workflow, packet=desk.recorder.packet))
        for step in FORWARD:
            if done.fault is None and not done.interrupted:
                done = _taken(step, desk, done)
        for step in BACK:
            done = _taken(step, desk, done)
        with undisturbed():
            try:
                trace = conclude(desk, done, classify(_evidence(done)))
            except OSError as failed:
                # What was captured stays where it is; `gc` seals it when there is room.
                raise NoRoom(failed) from failed
    if done.interrupted:
        ignore()
    return trace


def _whole(step: Step) -> Step:
    """The step, not to be cut short: what it collects would be lost. A request to end is heard after it."""

    def whole(desk: Desk, done: Run) -> Run:
        with undisturbed() as heard:
            done = step(desk, done)
        return replace(done, interrupted=done.interrupted or bool(heard))

    return whole


def _taken(step: Step, desk: Desk, done: Run) -> Run:
    """The step's result; a fault or an interrupt is noted instead, the first one counts."""
    try:
        return step(desk, done)
    except CannotProceed as fault:
        return _faulted(desk, done, fault)
    except OSError as failed:
        return _faulted(desk, done, NoRoom(failed))
    except KeyboardInterrupt:
        return replace(done, interrupted=True)


def _faulted(desk: Desk, done: Run, fault: CannotProceed) -> Run:
    desk.watch.step(f"{fault.what} {fault.remedy}".rstrip())
    return replace(done, fault=done.fault or fault)


def _meet(desk: Desk, done: Run) -> Run:
    settings, environment = desk.request.settings, desk.request.environment
    before = fingerprint(desk.request.repository)
    return replace(done, before=before, agent=find(settings, environment, done.agent_name))


def _prepare(desk: Desk, done: Run) -> Run:
    settings = desk.request.settings
    with desk.phase("prepare", "preparing an isolated work tree"):
        tree = prepare(
            TreeRequest(
                run_id=desk.run_id,
                source=desk.request.repository,
                folder=desk.folder,
                from_=settings.from_,
                cwd=desk.request.cwd,
                copy=settings.copy,
                submodules=not settings.no_submodules,
                lfs_pointers=settings.lfs == "pointers",
            )
        )
        desk.remember(tree)
    return replace(done, tree=tree)


def _make_ready(desk: Desk, done: Run) -> Run:
    settings = desk.request.settings
    if done.tree is None or not (settings.setup or settings.ready):
        return done
    with desk.phase("setup", "making the tree ready"):
        make_ready(desk, done.tree.cwd, settings.setup + settings.ready)
        tree = replace(done.tree, prepared=prepared(done.tree))
        desk.remember(tree)
    return replace(done, tree=tree)


def _brief(desk: Desk, done: Run) -> Run:
    assert done.tree is not None and done.agent is not None
    briefing = brief(desk, done.tree, done.agent)
    desk.recorder.packet = briefing.packet
    tools = briefing.server is not None
    afterlife.note(desk, done.agent, workflow=briefing.workflow, packet=briefing.packet, tools=tools)
    return replace(done, briefing=briefing)


def _work(desk: Desk, done: Run) -> Run:
    """Start the agent and attend it to its end."""
    assert done.tree is not None and done.agent is not None
    with desk.phase("agent", f"{done.agent.name} {done.agent.version or ''} is at work".replace("  ", " ")):
        started = launch(desk, done.tree, done.agent, done.briefing)
        with started.running:
            attended = _attendant(desk, done, started).attend()
        started.login.settle()
    return replace(
        done,
        started=started,
        attended=attended,
        fault=_stop_fault(attended),
        interrupted=_stopped_by(attended, "person"),
    )


def _attendant(desk: Desk, done: Run, started: Started) -> Attendant:
    assert done.agent is not None
    settings = desk.request.settings
    limits: tuple[Guard, ...] = (
        time_limit(settings.time_limit),
        *([turn_limit(settings.max_turns)] if settings.max_turns else []),
        *([token_limit(settings.max_tokens)] if settings.max_tokens else []),
        *([startup_limit(settings.startup_limit)] if done.agent.reader.TRAITS.speaks else []),
        linger_limit,
    )
    return Attendant(
        running=started.running,
        follower=LineFollower(desk.stdout),
        reader=done.agent.reader,
        recorder=desk.recorder,
        guards=limits,
        spent=throttled(spent_so_far(desk.agent_home, done.agent.reader)),
        tell=desk.watch.event,
        meanwhile=started.login.keep_in_step,
        tools_wanted=done.briefing.server is not None,
    )


def _stopped_by(attended: Attended, why: str) -> bool:
    return attended.stop is not None and attended.stop.why == why


def _stop_fault(attended: Attended) -> CannotProceed | None:
    if attended.stop is None:
        return None
    faults: dict[str, type[CannotProceed]] = {"startup": AgentFault, "treatment": TreatmentNotDelivered}
    kind = faults.get(attended.stop.why)
    return kind(attended.stop.reason) if kind else None


def _tell(desk: Desk, done: Run) -> Run:
    if done.attended is None or done.tree is None or done.agent is None:
        return done
    records = records_of(desk, done.agent, done.briefing)
    told = tell(records, done.tree.root, done.attended.events, cut_line=done.attended.cut_line)
    return replace(done, told=told, fault=done.fault or _silent_fault(desk, done, told))


def _silent_fault(desk: Desk, done: Run, told: Told) -> CannotProceed | None:
    """An agent that ended before it did anything, or without its treatment."""
    attended, agent = done.attended, done.agent
    assert attended is not None and agent is not None
    if attended.stop is not None or told.trajectory.provider_error is not None:
        return None
    for half, there in (("tools", told.delivery.mcp), ("prefix", told.delivery.prefix)):
        if there is False:
            return TreatmentNotDelivered(
                f"the {half} were asked for and the agent's records don't show them{last_words(desk)}"
            )
    worked = told.trajectory.usage.total.requests or told.trajectory.finished or not agent.reader.TRAITS.speaks
    if not worked and attended.exit.code != 0:
        return AgentFault(
            f"{agent.name} ended before its first model call (exit {attended.exit.code}){last_words(desk)}"
        )
    return None


def _capture(desk: Desk, done: Run) -> Run:
    """The agent's work as a patch, once nothing of the agent is alive."""
    if done.attended is None or done.tree is None:
        return done
    if not is_ours(done.tree):
        return replace(done, tree_lost=True)
    try:
        with desk.phase("patch", "capturing the patch"):
            return replace(done, patch=capture(done.tree, desk.record.path / PATCH_NAME))
    except (CaptureFailed, OSError) as failed:
        return replace(done, capture_error=failed.what if isinstance(failed, CaptureFailed) else str(failed))


def _judge(desk: Desk, done: Run) -> Run:
    if done.patch is None or done.tree is None or done.interrupted or done.fault is not None:
        return done
    return replace(done, judged=judge(desk, done.tree, done.patch, done.briefing.workflow))


def _look_around(desk: Desk, done: Run) -> Run:
    """What is left of the run, and what happened meanwhile to the person's checkout."""
    if done.before is None:
        return done
    # An index whose bytes alone were refreshed is the same index; any editor's status does that.
    seen = differences(done.before, fingerprint(desk.request.repository))
    changed = tuple(name for name in seen if name != REFRESHED)
    trajectory, worked = done.told.trajectory, done.attended is not None
    return replace(
        done,
        integrity=Integrity(
            checkout_unchanged=not changed,
            checkout_changed=changed,
            escaped=_escaped(desk, done, changed),
            leftover_processes=_left(desk, done),
            swept_processes=done.attended.exit.swept if done.attended else 0,
            history_probes=trajectory.history_probes if worked else None,
            nested_repositories=done.patch.nested_repositories if done.patch else (),
            verify_side_effects=done.judged.side_effects,
            pending_background=trajectory.pending_background if worked else None,
            stream_truncated=trajectory.stream_truncated,
            partial=trajectory.partial,
            unknown_events=trajectory.unknown_events,
            seeded=done.tree.seeded if done.tree else (),
        ),
    )


def _escaped(desk: Desk, done: Run, changed: tuple[str, ...]) -> tuple[str, ...]:
    """What of the changes the agent made, by its own calls; all of them when it left no trajectory."""
    if done.tree is None or done.started is None:
        return ()
    trajectory = done.told.trajectory
    return escaped(
        changed,
        source=desk.request.repository,
        cwd=done.tree.cwd,
        calls=[call for _, call in trajectory.tool_calls],
        observed=bool(trajectory.tool_calls or trajectory.usage.total.requests),
        environment=done.started.environment.variables,
    )


def _left(desk: Desk, done: Run) -> int:
    """Processes of the run that still live, by a look of its own."""
    if done.tree is None:
        return 0
    known = done.started.running.known if done.started else ()
    return leftovers(desk.run_id, done.tree.root, known, since=desk.recorder.started / 1e9)


def _evidence(done: Run) -> Evidence:
    attended = done.attended
    limit = attended.stop.reason if attended and attended.stop and attended.stop.why == "limit" else None
    return Evidence(
        workflow=done.briefing.workflow,
        trajectory=done.told.trajectory,
        exit=AgentExit(
            code=attended.exit.code if attended else None,
            signal=attended.exit.signal if attended else None,
            forced=attended.exit.forced if attended else False,
            passed_after_limit=after_limit(done.judged.checks) if limit else None,
        ),
        interrupted=done.interrupted,
        tree_lost=done.tree_lost,
        fault=done.fault,
        limit=limit,
        capture_error=done.capture_error,
        patch=done.patch,
        checks=done.judged.checks,
        integrity=done.integrity,
    )


FORWARD: Final[tuple[Step, ...]] = (_meet, _prepare, _make_ready, _brief, _work)
BACK: Final[tuple[Step, ...]] = (_whole(_tell), _whole(_capture), _judge, _whole(_look_around))
