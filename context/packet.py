"""A packet as the document `agenvantage.packet/1`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .model import ContextPacket


def packet_document(packet: ContextPacket, *, texts: bool = True) -> dict[str, Any]:
    """The packet with the text of each block, or without (`texts`) how many characters it has."""
    blocks = [asdict(block) for block in packet.blocks]
    if not texts:
        blocks = [
            {name: value for name, value in block.items() if name != "text"} | {"characters": len(block["text"])}
            for block in blocks
        ]
    return {
        "schema": "agenvantage.packet/1",
        "strategy": packet.strategy,
        "provider": packet.provider,
        "digest": packet.digest,
        "tokenizer": packet.tokenizer,
        "tokens": packet.tokens,
        "prefix_tokens": packet.prefix_tokens,
        "budget": packet.budget,
        "readiness": packet.readiness,
        "profile": dict(packet.profile),
        "slots": [asdict(slot) for slot in packet.slots],
        "handles": list(packet.handles),
        "blocks": blocks,
    }
