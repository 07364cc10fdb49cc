"""Any JSON text, however laid out: what is put in comes out again, and nothing else changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources_graph_core.errors import ConfigError
from resources_graph_core.harness import json_text, targets
from resources_graph_core.harness.json_config import JsonConfig

PROGRAM = "/opt/bin/resources-graph-hook"
MOVED = "/srv/bin/resources-graph-hook"

CONFIGS = {
    "claude-hooks": JsonConfig(
        where="it", entries=lambda path: targets.hooks_of("claude-code", path), preamble={}
    ),
    "cursor-hooks": JsonConfig(
        where="it", entries=lambda path: targets.hooks_of("cursor", path), preamble={"version": 1}
    ),
    "antigravity-hooks": JsonConfig(
        where="it", entries=lambda path: targets.hooks_of("antigravity", path), preamble={}
    ),
    "servers": JsonConfig(
        where="it",
        entries=lambda path: {
            "mcpServers": {"resources-graph": targets.server_of("claude-code", path)}
        },
        preamble={},
    ),
}

KEYS = st.sampled_from(["a", "ü", "hooks", "version", "mcpServers", 'q"\\', ""]) | st.text(
    max_size=3
)
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
HANDLERS = st.lists(
    st.sampled_from([{"command": "mine"}, {"hooks": [{"command": "x y"}]}, {"matcher": "Bash"}]),
    max_size=2,
)
DOCUMENTS = st.dictionaries(KEYS.filter(lambda key: key != "version"), VALUES, max_size=3).flatmap(
    lambda document: st.fixed_dictionaries(
        {},
        optional={
            "hooks": st.dictionaries(
                st.sampled_from(["PreToolUse", "preToolUse", "SessionStart", "Stop"]), HANDLERS
            ),
            "mcpServers": st.dictionaries(st.sampled_from(["github", "x"]), VALUES),
            "version": st.just(1),
        },
    ).map(
        lambda ours: {
            **{key: value for key, value in document.items() if key not in {"hooks", "mcpServers"}},
            **ours,
        }
    )
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """The text of a document, laid out in any way that JSON with comments allows."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    blanks = ["", "", " ", newline, f"{newline}  ", f"{newline}\t", "\t"]
    if draw(st.booleans()):
        blanks += [f" // it's, {{ a \" note{newline}", "/* , } */", f"{newline}/*{newline}*/ "]
    trailing = draw(st.booleans())

    def blank() -> str:
        return draw(st.sampled_from(blanks))

    def laid_out(value: object) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        pieces = [
            f"{blank()}{json.dumps(key)}{blank()}:{blank()}{laid_out(inner)}{blank()}"
            for key, inner in (value.items() if isinstance(value, dict) else [])
        ]
        pieces += [
            f"{blank()}{laid_out(inner)}{blank()}"
            for inner in (value if isinstance(value, list) else [])
        ]
        body = ",".join(pieces) or blank()
        if pieces and trailing and draw(st.booleans()):
            body += f",{blank()}"
        return f"{{{body}}}" if isinstance(value, dict) else f"[{body}]"

    return f"{blank()}{laid_out(draw(DOCUMENTS))}{blank()}"


def without_ours(value: object) -> object:
    """The value without our entries and without what they left empty."""
    if isinstance(value, list):
        return [without_ours(entry) for entry in value if not targets.program_in(entry)]
    if isinstance(value, dict):
        return {
            key: without_ours(inner) for key, inner in value.items() if key != "resources-graph"
        }
    return value


def contains(whole: object, part: object) -> bool:
    """Whether everything of ``part`` is in ``whole``, lists in order from their beginning."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and contains(whole[key], inner) for key, inner in part.items())
    return whole == part


@settings(max_examples=150, deadline=None)
@given(text=texts(), name=st.sampled_from(sorted(CONFIGS)))
def test_what_is_put_in_comes_out(text: str, name: str) -> None:
    config = CONFIGS[name]
    original = json_text.parse(text, "it").plain()
    installed = config.install(text, PROGRAM)
    said = json_text.parse(installed, "it").plain()
    assert contains(without_ours(said), original)
    assert config.install(installed, PROGRAM) == installed
    assert config.uninstall(installed) == text
    moved = config.install(installed, MOVED)
    assert PROGRAM not in moved
    assert config.uninstall(moved) == text
    assert config.uninstall(text) == text


@given(st.text() | st.text(alphabet='{}[],:"\\/*\n 1atrue'))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = json_text.parse(text, "it")
    except ConfigError:
        return
    assert 0 <= node.start < node.end <= len(text)


@given(VALUES, st.none() | st.integers(0, 4))
def test_json_reads_as_python_reads_it(value: object, indent: int | None) -> None:
    assert json_text.parse(json.dumps(value, indent=indent), "it").plain() == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{\n", 2),
        ('{\n"a" 1}', 2),
        ('{\n"a": 1\n,,}', 3),
        ("{'a': 1}", 1),
        ('{"a": 01}', 1),
        ('{"a": "\n"}', 1),
        ('{"a": 1}\nx', 2),
        ('{"a": "\\x"}', 1),
        ("[" * 100_000, 1),
        ("{\n/* never ends", 2),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ConfigError, match=f"^it, line {line}:"):
        json_text.parse(text, "it")


def test_a_new_entry_keeps_to_the_files_style() -> None:
    text = '{\n\t"mcpServers": {\n\t\t"github": {\n\t\t\t"command": "x"\n\t\t} // theirs\n\t}\n}\n'
    assert CONFIGS["servers"].install(text, PROGRAM) == (
        '{\n\t"mcpServers": {\n\t\t"github": {\n\t\t\t"command": "x"\n\t\t}, // theirs\n'
        '\t\t"resources-graph": {\n\t\t\t"type": "stdio",\n'
        '\t\t\t"command": "/opt/bin/resources-graph",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n'
        "\t\t}\n\t}\n}\n"
    )
