"""Runs inside AgentPack's own environment: one `route`, `python rival_agentpack.py TREE TEXT`.

The files it selects come first, then those it names as left out, in its order. It gives no lines.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main(tree: str, text: str) -> None:
    program = Path(sys.executable).with_name("agentpack")
    command = (program, "route", f"--task={text}", "--json")
    told = json.loads(subprocess.run(command, cwd=tree, capture_output=True, check=True).stdout)
    paths = [each["path"] for listed in ("selected_files", "omitted_files") for each in told[listed]]
    print(json.dumps({"files": list(dict.fromkeys(paths)), "regions": []}))


if __name__ == "__main__":
    main(*sys.argv[1:])
