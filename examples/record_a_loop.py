"""Record an agent loop of your own: its model calls and tools become a trace with usage that adds up.

python examples/record_a_loop.py
"""

from __future__ import annotations

from agenvantage import AgentEvent, AgentRunRecorder, ContextPacket, UsageRecord
from agenvantage.telemetry.document import run_document
from agenvantage.telemetry.model import FileRead, ToolCall


def main() -> None:
    recorder = AgentRunRecorder.start(ContextPacket.bare())
    with recorder.phase("agent"):
        recorder.event(
            AgentEvent(
                kind="request",
                model="some-model",
                usage=UsageRecord(id="r1", uncached_input_tokens=900, cache_read_input_tokens=100, output_tokens=40),
            )
        )
        call = ToolCall(id="c1", name="read", kind="read", ok=True, reads=(FileRead(path="calc.py", start=1, end=2),))
        recorder.event(AgentEvent(kind="tool", tool=call))
    document = run_document(recorder.finish())
    usage = document["usage"]
    print(f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out, {usage['requests']} model call")


if __name__ == "__main__":
    main()
