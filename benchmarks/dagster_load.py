"""How long the definitions take to load beyond importing Dagster itself, each in a new process.

Prints JSON, and exits with 1 when the median is two seconds or more.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

ROUNDS = 5
BAR_SECONDS = 2.0
CODE = """
import time
start = time.perf_counter()
import dagster
imported = time.perf_counter()
from resources_graph_dagster.definitions import defs
defs.get_repository_def()
print(imported - start, time.perf_counter() - imported)
"""


def main() -> int:
    """Measure and print."""
    rounds = []
    for _ in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True
        )
        rounds.append([float(figure) for figure in done.stdout.split()])
    dagster, definitions = (statistics.median(column) for column in zip(*rounds, strict=True))
    report = {
        "import_dagster_seconds": round(dagster, 2),
        "load_definitions_seconds": round(definitions, 2),
        "bars": {"definitions in under 2 s": definitions < BAR_SECONDS},
    }
    print(json.dumps(report, indent=2))
    return 0 if definitions < BAR_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
