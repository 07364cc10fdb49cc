"""Whatever a harness hands over: status 0, and nothing on stdout but answers that decide nothing.

``--fuzz-payloads`` and ``--fuzz-processes`` say how much; a failure names the seed of its payload.
"""

from __future__ import annotations

import io
import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import failures, hook
from tests.hook.payloads import mutated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hook.conftest import StartHook

AT_ONCE = 8

EXPECTED = {"GraphUnavailable", "Note", "UnicodeDecodeError"}
"""What the failure log may hold: nothing of our own went wrong."""

ALLOWED = {
    "hookSpecificOutput",
    "hookEventName",
    "additionalContext",
    "additional_context",
    "context",
    "permission",
    "continue",
    "injectSteps",
    "ephemeralMessage",
    "systemMessage",
}
"""Every key that any answer of ours may hold, however deep."""


def check(answer: bytes) -> None:
    """Nothing, or one line with one object of known keys that has no say in what happens."""
    if not answer:
        return
    assert answer.endswith(b"\n")
    assert answer.count(b"\n") == 1
    said = json.loads(answer)
    assert isinstance(said, dict)
    _check_keys(said)


def _check_keys(value: object) -> None:
    if isinstance(value, list):
        for entry in value:
            _check_keys(entry)
    if isinstance(value, dict):
        assert value.keys() <= ALLOWED, value.keys() - ALLOWED
        assert value.get("permission", "allow") == "allow"  # Cursor's weakest vote
        assert value.get("continue", True) is True
        for entry in value.values():
            _check_keys(entry)


@pytest.fixture(autouse=True)
def server_down(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens there, so everything goes the long way, to the spool."""
    home.mkdir()
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")


@pytest.mark.timeout(3600)
def test_in_this_process(
    request: pytest.FixtureRequest, home: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    log = home / failures.FILE_NAME
    seen = 0
    for seed in range(request.config.getoption("--fuzz-payloads")):
        name, event, payload = mutated(Random(seed))  # noqa: S311 - the same each time
        said = io.BytesIO()
        arguments = [name] if event is None else [name, event]
        try:
            assert hook.main(arguments, io.BytesIO(payload), said) == 0
            check(said.getvalue())
            size = log.stat().st_size if log.exists() else 0
            if size != seen:  # reading the log takes longer than a hook does
                with log.open("rb") as lines:
                    lines.seek(seen if size > seen else 0)
                    kinds = {json.loads(line)["kind"] for line in lines}
                assert kinds <= EXPECTED, kinds
                seen = size
        except BaseException as error:
            error.add_note(f"seed {seed}: {arguments} {payload!r}")
            raise
    assert capfdbinary.readouterr() == (b"", b"")


@pytest.mark.timeout(3600)
def test_in_processes(request: pytest.FixtureRequest, start_hook: StartHook) -> None:
    seeds = range(10**6, 10**6 + request.config.getoption("--fuzz-processes"))
    for first in range(seeds.start, seeds.stop, AT_ONCE):
        running = []
        for seed in range(first, min(first + AT_ONCE, seeds.stop)):
            name, event, payload = mutated(Random(seed))  # noqa: S311 - the same each time
            arguments = [name] if event is None else [name, event]
            running.append((seed, start_hook(payload, *arguments)))
        for seed, process in running:
            out, err = process.communicate(timeout=60)
            assert (process.returncode, err) == (0, b""), f"seed {seed}"
            check(out)
