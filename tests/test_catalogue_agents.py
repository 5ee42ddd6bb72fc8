"""Known ways in which agents ended strangely, played by small programs that print their streams."""

from __future__ import annotations

import pytest
from conftest import RealRepository
from run_kit import FIX, Ended, run_agent

SAY = "import json, sys, time\ndef say(**line): print(json.dumps(line), flush=True)\n"
INIT = "say(type='system', subtype='init', session_id='s', model='m', mcp_servers=[])\n"


def as_claude(repository: RealRepository, code: str, *more: object) -> Ended:
    return run_agent(repository.path, SAY + INIT + code, "--agent-events", "claude", "--verify", "true", *more)


def result(text: str, *, failed: bool = False, denied: int = 0) -> str:
    denials = [{"tool_name": "Bash", "tool_use_id": str(number), "tool_input": {}} for number in range(denied)]
    return (
        f"say(type='result', subtype='success', is_error={failed}, result={text!r}, session_id='s',"
        f" permission_denials={denials!r})\n"
    )


def synthetic(text: str) -> str:
    content = [{"type": "text", "text": text}]
    return f"say(type='assistant', message={{'model': '<synthetic>', 'id': 'x', 'content': {content!r}}})\n"


def test_p07_a_success_with_denials_and_no_edits_is_no_change(repository: RealRepository) -> None:
    done = as_claude(repository, result("All done", denied=3))
    assert (done.code, done.document["outcome"], done.document["denials"]) == (1, "no_change", 3)


@pytest.mark.parametrize(
    "words",
    [
        "Claude AI usage limit reached|1764547200",
        "You've hit your limit · resets 3pm",
        "You've hit your weekly limit",
        "5-hour limit reached ∙ resets 6pm",
        "You're out of extra usage",
        "Credit balance is too low",
    ],
)
def test_p07_a_limit_is_the_providers_whatever_the_result_is_called(repository: RealRepository, words: str) -> None:
    failed = as_claude(repository, synthetic(words) + result(words, failed=True)).document
    called_success = as_claude(repository, synthetic(words) + result(words)).document
    assert (failed["outcome"], called_success["outcome"]) == ("provider", "provider")


def test_p07_a_rejection_by_a_limit_counts_without_words(repository: RealRepository) -> None:
    rejected = "say(type='rate_limit_event', rate_limit_info={'status': 'rejected'})\n"
    assert as_claude(repository, rejected + result("", failed=True)).document["outcome"] == "provider"


def test_p07_a_limit_that_was_got_over_is_no_fault(repository: RealRepository) -> None:
    rejected = "say(type='rate_limit_event', rate_limit_info={'status': 'rejected'})\n"
    assert as_claude(repository, rejected + FIX + "\n" + result("Done")).document["outcome"] == "solved"


@pytest.mark.parametrize(
    "servers",
    [
        "[]",
        "[{'name': 'agenvantage', 'status': 'failed'}]",
        "[{'name': 'other', 'status': 'connected'}]",
        "[{'name': 'agenvantage', 'status': 'connected'}]",
    ],
)
def test_m01_an_agent_without_our_tools_is_stopped_before_its_first_turn(
    repository: RealRepository, servers: str
) -> None:
    code = (
        f"say(type='system', subtype='init', session_id='s', tools=['Bash'], mcp_servers={servers})\ntime.sleep(30)\n"
    )
    done = run_agent(repository.path, SAY + code, "--agent-events", "claude", "--optimize-context")
    document = done.document
    assert (done.code, document["outcome"]) == (3, "treatment_not_delivered")
    assert document["timing"]["agent_s"] < 10 and document["usage"]["requests"] is None


USAGE = {"input_tokens": 10, "output_tokens": 5}
ABSURD = [
    '{"type": "turn.completed", "usage": {"input_tokens": 1e400, "output_tokens": NaN}}',
    '{"type": "turn.completed", "usage": {"input_tokens": -7, "output_tokens": 1e308}}',
    '{"type": "turn.completed", "usage": {"input_tokens": "9", "output_tokens": [1]}}',
    '{"type": "turn.completed", "usage": 5}',
    '{"type": "item.completed", "item": {"type": "command_execution", "command": 5, "exit_code": 1e400}}',
    '{"type": [], "item": 3}',
    "[" * 100_000,
    "\x00\udcff",
]


def test_s03_absurd_figures_are_unknown_and_the_rest_is_counted(repository: RealRepository) -> None:
    code = (
        f"for line in {ABSURD!r}: sys.stdout.buffer.write(line.encode('utf-8', 'surrogateescape') + b'\\n')\n"
        "sys.stdout.flush()\n"
        f"say(type='thread.started', thread_id='t'); say(type='turn.completed', usage={USAGE!r})\n"
    )
    done = run_agent(repository.path, SAY + code + FIX, "--agent-events", "codex", "--verify", "true")
    usage = done.document["usage"]
    assert (done.document["outcome"], usage["input_tokens"], usage["output_tokens"]) == ("solved", 10, 5)


def test_s03_absurd_figures_of_a_session_log_cost_no_run(repository: RealRepository) -> None:
    logged = (
        '{"type": "assistant", "message": {"id": "m", "usage": {"input_tokens": -3, "output_tokens": 1e308}}}\n'
        '{"type": "assistant", "timestamp": 1e300, "message": {"id": 5, "usage": {"input_tokens": 1e400}}}\n'
        '{"type": "assistant", "timestamp": "0001-01-01", "message": []}\n'
    )
    code = (
        "import os; home = os.environ['AGENT_HOME'] + '/projects/p'; os.makedirs(home)\n"
        f"open(home + '/s.jsonl', 'w').write({logged!r})\n"
        "os.symlink('/etc/passwd', home + '/link.jsonl'); os.mkfifo(home + '/pipe.jsonl')\n"
    )
    done = run_agent(
        repository.path, code + FIX, "--agent-events", "claude", "--agent-home-env", "AGENT_HOME", "--verify", "true"
    )
    assert (done.document["outcome"], done.document["usage"]["input_tokens"]) == ("solved", None)


def test_i04_an_agent_that_removes_the_whole_folder_of_its_run_has_lost_its_tree(repository: RealRepository) -> None:
    code = "import os, shutil; place = os.path.realpath('..'); os.chdir('/'); shutil.rmtree(place)"
    done = run_agent(repository.path, code, "--verify", "true")
    assert (done.code, done.document["outcome"], done.document["verify"]) == (3, "tree_lost", [])
