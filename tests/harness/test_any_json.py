"""Whatever JSON arrives, and wherever in a payload, reading and answering never raise."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources_graph_core import harness
from resources_graph_core.harness.events import Event, response_text

PAYLOADS = Path(__file__).parent / "payloads"
SAMPLES = [
    (folder.name, file.stem.removeprefix("pascal-").partition("-")[0], json.loads(file.read_text()))
    for folder in sorted(PAYLOADS.iterdir())
    for file in sorted(folder.glob("*.json"))
]

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(
        ["", "{", "[]", "{}", '{"a": 1}', "[" * 2000, "\ud800", "mcp__", "MCP:", "-"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value inside a JSON value."""
    found: list[tuple[str | int, ...]] = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places(inner, (*path, index))
    return found


def check(event: Event | None) -> None:
    """Every field of an Event is of its type, and the answer can be printed."""
    if event is None:
        return
    assert isinstance(event.session_id, str)
    assert event.discriminator
    for text in (event.agent_name, event.cwd, event.tool_use_id, event.prompt, event.response):
        assert text is None or isinstance(text, str)
    if event.tool is not None:
        assert isinstance(event.tool.command, str)
        assert isinstance(event.tool.url, str)
        assert isinstance(event.tool.arguments, dict)
        assert isinstance(event.tool.is_ours, bool)
    json.dumps(harness.answer(event, "note"))
    json.dumps(harness.answer(event, None))


@settings(max_examples=1500, deadline=None)
@given(
    sample=st.sampled_from(SAMPLES),
    installed=st.sampled_from(harness.HARNESSES) | st.none(),
    where=st.integers(0, 200),
    value=ANY_JSON,
    drop=st.booleans(),
)
def test_any_field_may_hold_anything_or_be_gone(
    sample: tuple[str, str, dict[str, object]],
    installed: str | None,
    where: int,
    value: object,
    drop: bool,  # noqa: FBT001 - Hypothesis calls by keyword
) -> None:
    name, event_name, payload = sample
    changed = copy.deepcopy(payload)
    paths = places(changed)
    *outer, last = paths[where % len(paths)]
    holder: object = changed
    for step in outer:
        holder = holder[step]  # type: ignore[index]  # the path was just found there
    if drop:
        del holder[last]  # type: ignore[attr-defined]  # the same
    else:
        holder[last] = value  # type: ignore[index]  # the same
    check(harness.read(installed or name, changed, event_name))
    json.dumps(harness.neutral(installed or name, changed, event_name))


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(harness.HARNESSES), payload=ANY_JSON, event_name=st.none() | st.text())
def test_any_json_at_all(name: str, payload: object, event_name: str | None) -> None:
    check(harness.read(name, payload, event_name))
    json.dumps(harness.neutral(name, payload, event_name))


@given(ANY_JSON)
def test_any_answer_of_a_tool(value: object) -> None:
    assert isinstance(response_text(value), str | None)


@pytest.mark.parametrize("name", harness.HARNESSES)
def test_a_reader_imports_next_to_nothing(name: str) -> None:
    """No module that costs a hook milliseconds is loaded by reading a payload."""
    program = (
        "import sys; from resources_graph_core import harness\n"
        f"module = harness.module_of({name!r})\n"
        "slow = {'typing', 'dataclasses', 're', 'json', 'pathlib', 'inspect', 'hashlib', 'enum'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
