"""What a hook costs an agent, as whole processes beside a bare ``python -c pass``.

The command measured is the one that ``install`` writes for Claude Code, run by a shell as the
harness runs it. Every case takes its turn in every round, so that all meet the same machine.
Prints JSON; times are in milliseconds. ``--rounds 10`` is quicker than the default.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from resources_graph_core.errors import ConfigError  # noqa: E402 - found in the checkout
from resources_graph_core.graph import embedded, open_graph  # noqa: E402
from resources_graph_core.graph.schema import setup  # noqa: E402
from resources_graph_core.harness import install, targets  # noqa: E402
from resources_graph_core.spool import Spool  # noqa: E402
from tests.engines import ArcadeServer  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 40
WARM_UP = 3

STUB = """#!{python}
# -*- coding: utf-8 -*-
import re
import sys
from resources_graph_core.hook import program
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(program())
"""
"""What pip writes for the entry point (and its slowest form), where it is not installed."""


@dataclass(frozen=True)
class Case:
    """One thing to measure: a command line for a shell, what it reads, and its environment."""

    command: str
    payload: bytes
    environment: dict[str, str]


def hook_program(folder: Path) -> str:
    """The installed hook program, or the one that pip would have installed."""
    try:
        return install.find_hook_program()
    except ConfigError:
        path = folder / targets.HOOK_PROGRAM
        path.write_text(STUB.format(python=sys.executable))
        path.chmod(0o755)
        return str(path)


def installed_command(folder: Path) -> str:
    """The command line in Claude Code's settings after an installation."""
    home = folder / "home"
    program = hook_program(folder)
    install.apply(
        install.plan_install("claude-code", "user", folder, home, program, environment={})
    )
    settings = json.loads((home / ".claude/settings.json").read_text())
    command: str = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    return command


def payload(tool: str, arguments: dict[str, object], call: str) -> bytes:
    """What Claude Code would write."""
    return json.dumps(
        {
            "session_id": "5a1e0c52-5f2b-4f0e-9d8e-2f2e8c5f1a11",
            "transcript_path": "/nowhere/session.jsonl",
            "cwd": "/",
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": call,
        }
    ).encode()


def timed(run: Callable[[], object]) -> float:
    """Milliseconds that a call takes."""
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def run(case: Case) -> None:
    """Run a case once; it must end well."""
    subprocess.run(
        ["/bin/sh", "-c", case.command],
        input=case.payload,
        env=case.environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def measure(cases: dict[str, Case], rounds: int) -> dict[str, dict[str, float]]:
    """Each case in every round; the bare interpreter is one of them."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + WARM_UP):
        for name, case in cases.items():
            taken = timed(lambda case=case: run(case))
            if number >= WARM_UP:
                times[name].append(taken)
    bare = statistics.median(times["bare"])
    return {
        name: {
            "median_ms": round(statistics.median(taken), 1),
            "p90_ms": round(statistics.quantiles(taken, n=10, method="inclusive")[-1], 1),
            "min_ms": round(min(taken), 1),
            "over_bare_ms": round(statistics.median(taken) - bare, 1),
            "times_bare": round(statistics.median(taken) / bare, 2),
        }
        for name, taken in times.items()
    }


def environment(data: Path, url: str, password: str | None = None) -> dict[str, str]:
    """What a hook finds: a data folder, a graph, and nothing of whoever measures."""
    data.mkdir(exist_ok=True)
    values = {
        "PATH": os.environ["PATH"],
        "HOME": str(data),
        "PYTHONPATH": str(ROOT),
        "RESOURCES_GRAPH_HOME": str(data),
        "RESOURCES_GRAPH_URL": url,
        "RESOURCES_GRAPH_USER": "bench",
    }
    return values | ({"MEMGRAPH_USER": "root", "MEMGRAPH_PASSWORD": password} if password else {})


def report(folder: Path, rounds: int, cleanup: ExitStack) -> dict[str, object]:
    """The whole report."""
    # As an installation does; PYTHONDONTWRITEBYTECODE would otherwise compile at every start.
    compileall.compile_dir(ROOT / "resources_graph_core", quiet=1)
    engine = folder / "graph"
    cleanup.callback(embedded.stop, engine)
    embedded.start(engine)
    with open_graph(f"embedded://{engine}") as graph:
        setup(graph)
    server = ArcadeServer(folder)
    cleanup.callback(server.end)
    server.start()
    with server.engine.open() as graph:
        setup(graph)

    command = installed_command(folder)
    up = environment(folder / "up", f"embedded://{engine}")
    bolt = environment(folder / "bolt", server.engine.url, server.engine.password)
    down = environment(folder / "down", "bolt://127.0.0.1:1")
    off = environment(folder / "off", f"embedded://{folder / 'nowhere'}")
    gh = payload("Bash", {"command": "gh issue view 12 -R octo-org/widgets"}, "call-1")
    github = {"owner": "octo-org", "repo": "widgets", "issue_number": 12, "method": "get"}
    cases = {
        "bare": Case(f"{sys.executable} -c pass", b"", up),
        "unrelated": Case(command, payload("Bash", {"command": "pytest -q tests"}, "c"), up),
        "gh_embedded": Case(command, gh, up),
        "mcp_embedded": Case(command, payload("mcp__github__issue_read", github, "call-2"), up),
        "gh_bolt": Case(command, gh, bolt),
        "gh_server_down": Case(command, gh, down),
        "gh_engine_not_running": Case(command, gh, off),
    }
    (folder / "nowhere").touch()  # where no engine can be started, so that none ever runs
    measured = measure(cases, rounds)
    return {
        "python": sys.version.split()[0],
        "processors": os.cpu_count(),
        "rounds": rounds,
        "command": command.replace(str(folder), "…"),
        "cases": measured,
        "kept_in_spools": {
            name: len(Spool(folder / name).pending()) for name in ("up", "bolt", "down", "off")
        },
        "within_budget": {
            name: figures["times_bare"] <= 2
            if name == "unrelated"
            else figures["over_bare_ms"] <= 90
            for name, figures in measured.items()
            if name != "bare"
        },
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="processes of each kind")
    with tempfile.TemporaryDirectory(prefix="rg-") as temporary, ExitStack() as cleanup:
        folder = Path(temporary).resolve()
        print(json.dumps(report(folder, parser.parse_args().rounds, cleanup), indent=2))


if __name__ == "__main__":
    main()
