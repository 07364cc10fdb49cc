"""The hook program: payload in, Touch kept, at most one valid answer out, status 0 always."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources_graph_core import failures, harness, hook
from resources_graph_core.hook import errand, sightings
from resources_graph_core.spool import Spool

if TYPE_CHECKING:
    from resources_graph_core.touch import Touch

PAYLOADS = Path(__file__).parents[1] / "harness/payloads"
SAMPLES = [
    (folder.name, file) for folder in sorted(PAYLOADS.iterdir()) for file in folder.glob("*.json")
]
FETCHED = "github:octo-org/widgets#42"


@pytest.fixture(name="data", autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GH_REPO", "GH_HOST", "GIT_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RESOURCES_GRAPH_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")  # nobody listens there
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def run(name: str, payload: bytes, event_name: str | None = None) -> bytes:
    said = io.BytesIO()
    arguments = [name] if event_name is None else [name, event_name]
    assert hook.main(arguments, io.BytesIO(payload), said) == 0
    return said.getvalue()


def run_sample(name: str, file: str, event_name: str | None = None) -> object:
    said = run(name, (PAYLOADS / name / f"{file}.json").read_bytes(), event_name)
    return json.loads(said) if said else None


@pytest.mark.parametrize(
    ("name", "file", "event_name", "said"),
    [
        ("claude-code", "PreToolUse-Bash", None, None),
        ("claude-code", "PreToolUse-WebFetch", None, None),
        ("claude-code", "PreToolUse-mcp", None, None),
        ("codex", "PreToolUse-Bash", None, None),
        ("copilot-cli", "preToolUse-bash", "preToolUse", None),
        ("copilot-cli", "preToolUse-mcp", "preToolUse", None),
        ("cursor", "preToolUse-Shell", "preToolUse", {"permission": "allow"}),
        ("cursor", "preToolUse-mcp", "preToolUse", {"permission": "allow"}),
        ("opencode", "tool.execute.before-mcp", "tool.execute.before", None),
        ("grok", "PreToolUse-mcp-dispatched", None, None),
        ("antigravity", "PostToolUse", "PostToolUse", {}),
    ],
)
def test_a_fetch_becomes_one_touch_however_often_it_is_delivered(
    name: str, file: str, event_name: str | None, said: object, data: Path
) -> None:
    for _ in range(2):
        assert run_sample(name, file, event_name) == said
    kept = Spool(data).pending()
    assert {(one.address, one.provenance, one.user_id) for one in kept} == {
        (FETCHED, "FETCHED", "mona")
    }
    assert len({one.touch_id for one in kept}) == 1
    assert {one.kind for one in failures.recent(data)} == {"GraphUnavailable"}


def bash(command: str) -> bytes:
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "session_id": "s1",
        "tool_use_id": "call-1",
        "tool_input": {"command": command},
    }
    return json.dumps(payload).encode()


def test_a_long_command_is_read_as_a_short_one_is(data: Path) -> None:
    command = "echo word\n" * 500 + "gh issue view 5 -R o/r; gh issue list -R o/r -L 7"
    assert run("claude-code", bash(command)) == b""
    assert [(one.address, one.limit) for one in Spool(data).pending()] == [
        ("github:o/r#5", None),
        ("github:o/r/issues?state=open", 7),
    ]


def test_what_the_grammar_would_take_minutes_for_is_given_up(data: Path) -> None:
    assert run("claude-code", bash("gh issue view 5 -R o/r; " + "a|" * 50_000)) == b""
    assert Spool(data).pending() == []
    (failure,) = failures.recent(data)
    assert failure.message == "A long command took too long to read and was passed over."


def test_a_prompt_becomes_a_touch(data: Path) -> None:
    assert run_sample("claude-code", "UserPromptSubmit") is None
    assert [(one.address, one.provenance) for one in Spool(data).pending()] == [
        (FETCHED, "PROMPTED")
    ]


def test_one_list_asked_for_with_two_limits_is_two_touches(data: Path) -> None:
    command = "gh issue list -R o/r -L 5; gh issue list -R o/r -L 9"
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "session_id": "s1",
        "tool_use_id": "t1",
        "tool_input": {"command": command},
    }
    run("claude-code", json.dumps(payload).encode())
    kept = Spool(data).pending()
    assert [one.limit for one in kept] == [5, 9]
    assert len({one.touch_id for one in kept}) == 2


def test_groks_subagent_counts_for_the_session_that_started_it(data: Path) -> None:
    run_sample("grok", "SubagentStart")
    run_sample("grok", "PreToolUse-in-subagent")
    (one,) = Spool(data).pending()
    started = json.loads((PAYLOADS / "grok/SubagentStart.json").read_text())
    assert one.session_id == started["sessionId"]
    assert one.agent_name == "explore"


def test_a_session_is_told_of_the_tool_where_its_harness_lets_us() -> None:
    said = run_sample("claude-code", "SessionStart")
    assert said == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": hook.HINT}
    }
    assert run_sample("copilot-cli", "sessionStart", "sessionStart") == {
        "additionalContext": hook.HINT
    }
    assert run_sample("grok", "SessionStart") is None


def test_nothing_is_kept_of_what_has_nothing_to_do_with_github(data: Path) -> None:
    payload = b'{"hook_event_name": "PreToolUse", "tool_input": {"command": "ls"}}'
    assert run("claude-code", payload) == b""
    assert list(data.iterdir()) == []


def test_no_command_line_is_kept_anywhere(data: Path) -> None:
    payload = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "session_id": "s1",
        "tool_input": {"command": "GH_TOKEN=ghp_secret gh issue view 5 -R o/r # private words"},
    }
    run("claude-code", json.dumps(payload).encode())
    assert Spool(data).pending()
    for file in data.rglob("*"):
        if file.is_file():
            assert b"secret" not in file.read_bytes()
            assert b"private" not in file.read_bytes()


@pytest.mark.parametrize(
    ("name", "event_name", "said"),
    [("cursor", "preToolUse", b'{"permission": "allow"}\n'), ("claude-code", None, b"")],
)
@pytest.mark.parametrize("payload", [b"", b"gh", b"\xff\xfe github", b"[" * 100_000, b'{"gh": }'])
def test_what_is_no_payload_gets_the_answer_that_is_due(
    name: str, event_name: str | None, said: bytes, payload: bytes
) -> None:
    assert run(name, payload, event_name) == said


def test_an_unknown_harness_is_a_line_in_the_failure_log(data: Path) -> None:
    assert run("emacs", b"{}") == b""
    assert "install" in failures.recent(data)[0].message


def test_a_full_spool_does_not_change_the_answer(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_spool: Spool, _touches: list[Touch]) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Spool, "append", full)
    said = run_sample("cursor", "preToolUse-Shell", "preToolUse")
    assert said == {"permission": "allow"}
    assert failures.recent(data)[-1].kind == "OSError"


class HungUp(io.BytesIO):
    """An output whose reader has gone."""

    def write(self, _content: object) -> int:
        raise BrokenPipeError


def test_a_harness_that_hung_up_is_no_failure_of_the_session() -> None:
    assert hook.main(["cursor", "preToolUse"], io.BytesIO(b"{}"), HungUp()) == 0


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    sample=st.sampled_from(SAMPLES),
    installed=st.none() | st.sampled_from(harness.HARNESSES),
    cut=st.floats(0, 1),
    junk=st.binary(max_size=5),
)
def test_any_bytes_get_a_valid_answer_or_none(
    sample: tuple[str, Path], installed: str | None, cut: float, junk: bytes
) -> None:
    name, file = sample
    payload = file.read_bytes()
    place = int(len(payload) * cut)
    event_name = file.stem.removeprefix("pascal-").partition("-")[0]
    said = run(installed or name, payload[:place] + junk + payload[place + len(junk) :], event_name)
    if said:
        assert isinstance(json.loads(said), dict)
        assert said.count(b"\n") == 1


def test_endless_computing_is_cut_off(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> list[object]:
        while True:
            pass

    monkeypatch.setattr(sightings, "fetched", endless)
    payload = (PAYLOADS / "cursor/preToolUse-Shell.json").read_bytes()
    said = io.BytesIO()
    assert hook.main(["cursor", "preToolUse"], io.BytesIO(payload), said, seconds=0.1) == 0
    assert json.loads(said.getvalue()) == {"permission": "allow"}
    assert "computed for too long" in failures.recent(data)[-1].message


def test_a_hook_that_comes_late_to_the_graph_goes_to_the_spool_at_once(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errand, "LATEST", 0.0)
    run_sample("claude-code", "PreToolUse-Bash")
    assert [one.address for one in Spool(data).pending()] == [FETCHED]
    assert failures.recent(data) == []


def test_a_pipe_that_is_never_closed_costs_no_touch(data: Path) -> None:
    """Some clients write the payload and keep the pipe open."""
    reading, writing = os.pipe()
    try:
        os.write(writing, b'{"a": 1}')
        with os.fdopen(reading, "rb") as stdin:
            assert hook._payload(stdin, 0.1) == '{"a": 1}'  # noqa: SLF001 - in a process it ends that
    finally:
        os.close(writing)
    assert any("had no end" in one.message for one in failures.recent(data, 5))
