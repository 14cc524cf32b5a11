"""A table of the models in a folder: how many fences make each robust and persistent, and the static count.

    python examples/table.py corpus/mutex
"""

from __future__ import annotations

import sys
from pathlib import Path

import fencewright as fw


def cost(answer: fw.documents.Fence) -> str:
    """What a repair costs, or why there is none."""
    if answer["verdict"] == "holds":
        return "0"
    return str(answer["cost"]) if answer["verdict"] == "repaired" else answer["verdict"]


def static(answer: fw.documents.Cycles) -> str:
    """How many fences the static analysis places."""
    return str(len(answer["repair"]["fences"])) if "repair" in answer else answer["verdict"]


def main(folder: Path) -> None:
    limits = fw.Limits(seconds=5)
    print(f"{'program':32} {'robust':>10} {'persistent':>10} {'static':>10}")
    for path in sorted(folder.glob("*.fw")):
        try:
            exact = [cost(fw.fence(path, criterion=name, limits=limits)) for name in ("robustness", "persistence")]
            columns = [*exact, static(fw.cycles(path, repair=True))]
        except fw.Refused as refused:
            columns = [f"refused: {refused}"]
        print(f"{path.name:32}", *(f"{column:>10}" for column in columns))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
