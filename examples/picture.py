"""Draw a real run of `agenvantage demo` as docs/demo.svg.

python examples/picture.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs" / "demo.svg"
WIDTH = 118


def demo_output() -> str:
    """Both streams of a demo whose folders are its own, so that no path of this machine is in it."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        places = {f"AGENVANTAGE_{name}_DIR": f"{folder}/{name.lower()}" for name in ("CACHE", "STATE", "DATA")}
        done = subprocess.run(
            (sys.executable, "-m", "agenvantage", "demo"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | places | {"PYTHONUNBUFFERED": "1"},
            check=True,
        )
        return done.stdout.replace(folder, "~/.local/share/agenvantage")


def main() -> None:
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        for line in ["$ agenvantage demo", *demo_output().splitlines()]:
            style = "bold" if line.startswith(("$", "──")) else "green" if line.startswith("✓") else ""
            console.print(Text(line, style=style), soft_wrap=False)
        drawn = console.export_svg(title="agenvantage demo")
        # The viewer's own fixed-width font will do: a picture asks nothing of the network.
        drawn = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", drawn, flags=re.DOTALL)
        PICTURE.write_text(drawn.replace("Fira Code", "ui-monospace"), encoding="utf-8")


if __name__ == "__main__":
    main()
