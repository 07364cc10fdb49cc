"""Installing and uninstalling, in every harness and scope: the user's bytes stay as they were."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from resources_graph_core.errors import ConfigError, UsageError
from resources_graph_core.harness import HARNESSES, install, json_text, targets
from resources_graph_core.harness.install import apply, plan_install, plan_uninstall
from resources_graph_core.harness.targets import Scope

PROGRAM = "/opt/my tools/bin/resources-graph-hook"
MOVED = "/srv/bin/resources-graph-hook"
SCOPES = get_args(Scope)

HOOKS = {
    "no-hooks": '{\n  "model": "example",\n  "note": "größer → 😀"\n}\n',
    "compact": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine"}]}]},"a":1}',
    "empty-object": "{}",
    "empty-object-line": "{\n}\n",
    "empty-object-comment": "{ // nothing yet\n}\n",
    "empty-hooks": '{"hooks": {}}\n',
    "empty-lists": (
        '{"version": 1, "hooks": {"PreToolUse": [], "preToolUse": [ ], "sessionStart": [\n]}}\n'
    ),
    "version-only": '{\n  "version": 1\n}\n',
    "tabs": (
        '{\n\t"hooks": {\n\t\t"PreToolUse": [\n'
        '\t\t\t{"hooks": [{"command": "mine"}]}\n\t\t]\n\t}\n}\n'
    ),
    "four-spaces": '{\n    "a": {\n        "b": [1, 2]\n    }\n}',
    "crlf": '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "SessionStart": []\r\n  }\r\n}\r\n',
    "comments": (
        '// mine\n{\n  // first\n  "a": 1, /* why */\n  "hooks": {\n    "PreToolUse": [\n'
        '      {"command": "mine"} // last, "}" here\n      // and more\n    ]\n'
        "  } // end\n}\n// done"
    ),
    "trailing-commas": '{\n  "a": [1, 2,],\n  "hooks": {"PreToolUse": [{"command": "x"},], },\n}\n',
    "byte-order-mark": '\ufeff{"a": 1}\n',
    "trailing-space": '  {  "a" : 1  }  \n\n\n',
    "empty": "",
    "blank": " \n\r\n",
    "servers": (
        '{\n  "mcpServers": {\n    "github": {"command": "x", "env": {"T": "1"}}\n  },\n'
        '  "mcp": {},\n  "z": null\n}\n'
    ),
    "empty-servers": '{"mcpServers": {}, "mcp": {\n  }, "n": 1.50e3}',
}
TABLES = {
    "some": 'model = "x" # mine\n\n[mcp_servers.github]\ncommand = "gh"\n# the end\n',
    "no-newline": 'model = "größer"',
    "crlf": "[a]\r\nb = 1\r\n\r\n\r\n[c]\r\nd = [\r\n  1, # one\r\n]\r\n",
    "inline": 'mcp_servers = { github = { command = "gh" } } # mine\nx = 1\n',
    "dotted": 'mcp_servers.github.command = "gh"\n',
    "empty": "",
    "blank": "\n\n",
    "comment": "# nothing\n",
}
KINDS = [(name, scope) for name in HARNESSES for scope in SCOPES]


@pytest.fixture(name="home")
def home_of(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return tmp_path / "home"


def planned(name: str, scope: Scope, home: Path, program: str = PROGRAM) -> list[install.Change]:
    return plan_install(name, scope, home.parent / "project", home, program, environment={})


def undone(name: str, scope: Scope, home: Path) -> list[install.Change]:
    return plan_uninstall(name, scope, home.parent / "project", home, environment={})


def places(name: str, scope: Scope, home: Path) -> targets.Places:
    return targets.places(name, scope, home.parent / "project", home, {})


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@pytest.mark.parametrize(("name", "scope"), KINDS)
def test_what_was_not_there_is_made_once_and_goes_without_a_trace(
    name: str, scope: Scope, home: Path
) -> None:
    before = tree(home.parent)
    changes = planned(name, scope, home)
    assert len(changes) == 2
    assert tree(home.parent) == before
    apply(changes)
    inside = home if scope == "user" else home.parent / "project"
    assert all(inside in change.path.parents for change in changes)
    assert planned(name, scope, home) == []
    apply(undone(name, scope, home))
    assert tree(home.parent) == before
    assert undone(name, scope, home) == []


def cases() -> list[tuple[str, Scope, str, str]]:
    found: list[tuple[str, Scope, str, str]] = []
    for name, scope in KINDS:
        place = targets.places(name, scope, Path("/p"), Path("/h"), {})
        for which, path in (("hooks", place.hooks), ("mcp", place.mcp)):
            texts = TABLES if path.suffix == ".toml" else HOOKS if path.suffix != ".js" else {}
            found += [(name, scope, which, text) for text in texts]
    return found


@pytest.mark.parametrize(("name", "scope", "which", "text"), cases())
def test_what_was_there_comes_back_byte_for_byte(
    name: str, scope: Scope, which: str, text: str, home: Path
) -> None:
    path: Path = getattr(places(name, scope, home), which)
    original = (TABLES if path.suffix == ".toml" else HOOKS)[text]
    put(path, original)
    before = tree(home.parent)

    changes = planned(name, scope, home)
    apply(changes)
    installed = path.read_bytes().decode()
    assert installed != original
    assert f"+++ {path}" in "".join(change.diff() for change in changes)
    if path.suffix == ".toml":
        said = tomllib.loads(installed)
        assert said["mcp_servers"].pop("resources-graph")["args"] == ["mcp"]
        was = tomllib.loads(original)
        was.setdefault("mcp_servers", {})
        assert said == was
    else:
        now = json_text.parse(installed, "it").plain()
        then = json_text.parse(original, "it").plain() if original.strip("\ufeff \r\n") else {}
        assert isinstance(now, dict)
        assert isinstance(then, dict)
        for key, value in then.items():
            if key not in {"hooks", "mcp", "mcpServers"}:
                assert now[key] == value
    if "\r\n" in original and original.strip():
        assert installed.count("\n") == installed.count("\r\n")

    assert planned(name, scope, home) == []
    apply(undone(name, scope, home))
    assert tree(home.parent) == before


@pytest.mark.parametrize(
    ("name", "scope", "which", "text"), [case for case in cases() if case[1] == "user"]
)
def test_a_moved_program_is_followed_and_still_goes_without_a_trace(
    name: str, scope: Scope, which: str, text: str, home: Path
) -> None:
    path: Path = getattr(places(name, scope, home), which)
    put(path, (TABLES if path.suffix == ".toml" else HOOKS)[text])
    before = tree(home.parent)
    apply(planned(name, scope, home))
    apply(planned(name, scope, home, MOVED))
    after = b"".join(content or b"" for content in tree(home.parent).values())
    assert b"/opt/my tools" not in after
    assert planned(name, scope, home, MOVED) == []
    apply(undone(name, scope, home))
    assert tree(home.parent) == before


BROKEN = {
    "cut": '{\n  "a": {\n',
    "words": "hello\n",
    "list": "[]\n",
    "comma": '{\n  "a": 1\n  "b": 2\n}\n',
    "latin": '{"a": "\xff"}',
    "hooks-list": '{\n"hooks": [],\n"mcpServers": 3, "mcp": 3, "resources-graph": 3}',
    "event-object": '{"hooks": {"PreToolUse": {}, "preToolUse": {}}}',
}


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize(("name", "scope"), KINDS)
def test_what_cannot_be_understood_is_named_and_nothing_is_written(
    name: str, scope: Scope, text: str, home: Path
) -> None:
    place = places(name, scope, home)
    if text == "event-object" and name in {"antigravity", "opencode"}:
        text = "hooks-list"
    path = place.mcp if name == "opencode" else place.hooks
    if text == "event-object":
        path = place.hooks
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(BROKEN[text].encode("latin-1"))
    before = tree(home.parent)
    with pytest.raises(ConfigError) as raised:
        planned(name, scope, home)
    assert f"{path}, line " in str(raised.value)
    assert "Nothing was changed" in str(raised.value)
    assert tree(home.parent) == before


@pytest.mark.parametrize("name", ["codex", "grok"])
def test_toml_that_cannot_be_understood_is_named(name: str, home: Path) -> None:
    path = places(name, "user", home).mcp
    put(path, 'a = 1\nb = "\n')
    for plan in (planned, undone):
        with pytest.raises(ConfigError, match=r"config\.toml, line 2"):
            plan(name, "user", home)


@pytest.mark.parametrize("name", HARNESSES)
def test_somebody_elses_server_of_our_name_is_left_alone(name: str, home: Path) -> None:
    path = places(name, "user", home).mcp
    key = targets.servers_key(name)
    put(
        path,
        f'[{key}.resources-graph]\ncommand = "other"\n'
        if path.suffix == ".toml"
        else json.dumps({key: {"resources-graph": {"command": "other", "args": []}}}),
    )
    with pytest.raises(ConfigError, match="something else"):
        planned(name, "user", home)
    assert undone(name, "user", home) == []


def test_a_hook_file_of_somebody_else_is_left_alone(home: Path) -> None:
    path = places("opencode", "user", home).hooks
    put(path, "export const Mine = 1\n")
    with pytest.raises(ConfigError, match="not ours"):
        planned("opencode", "user", home)
    assert undone("opencode", "user", home) == []


def test_what_others_put_around_ours_stays(home: Path) -> None:
    path = places("claude-code", "user", home).hooks
    put(path, '{"hooks": {"PreToolUse": [{"hooks": [{"command": "first"}]}]}}')
    apply(planned("claude-code", "user", home))
    settings = json.loads(path.read_text())
    settings["hooks"]["PreToolUse"].append({"hooks": [{"command": "later"}]})
    settings["hooks"]["SessionStart"][0]["hooks"].insert(0, {"command": "inside"})
    settings["hooks"]["Stop"] = [{"hooks": [{"command": f"{shlex.quote(PROGRAM)} claude-code"}]}]
    path.write_text(json.dumps(settings, indent=4))
    apply(undone("claude-code", "user", home))
    assert json.loads(path.read_text()) == {
        "hooks": {
            "PreToolUse": [{"hooks": [{"command": "first"}]}, {"hooks": [{"command": "later"}]}],
            "SessionStart": [{"hooks": [{"command": "inside"}]}],
        }
    }


def test_what_the_user_added_to_our_server_survives_a_move(home: Path) -> None:
    for name in ("claude-code", "codex"):
        apply(planned(name, "user", home))
        path = places(name, "user", home).mcp
        text = path.read_text()
        put(
            path,
            text.replace('"args"', '"env": {"A": "1"},\n      "args"')
            if path.suffix == ".json"
            else text + "startup_timeout_sec = 30 # mine\n",
        )
        apply(planned(name, "user", home, MOVED))
        changed = path.read_text()
        assert '"A": "1"' in changed or "startup_timeout_sec = 30 # mine" in changed
        assert "/srv/bin/resources-graph" in changed
        apply(undone(name, "user", home))
        assert "resources-graph" not in (path.read_text() if path.exists() else "")


def test_without_the_server_only_hooks_are_installed(home: Path) -> None:
    changes = plan_install(
        "cursor", "project", home.parent / "project", home, PROGRAM, mcp=False, environment={}
    )
    assert [change.path.name for change in changes] == ["hooks.json"]


def test_a_link_is_followed_and_the_mode_kept(home: Path) -> None:
    real = home / "dotfiles/settings.json"
    put(real, '{"a": 1}\n')
    real.chmod(0o640)
    link = home / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    apply(planned("claude-code", "user", home))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "resources-graph-hook" in real.read_text()
    apply(undone("claude-code", "user", home))
    assert link.is_symlink()
    assert real.read_text() == '{"a": 1}\n'


def test_a_file_changed_after_the_plan_stops_it(home: Path) -> None:
    changes = planned("claude-code", "user", home)
    put(changes[1].path, "{}")
    before = tree(home)
    with pytest.raises(ConfigError, match="changed by someone else"):
        apply(changes)
    assert tree(home) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(home: Path) -> None:
    (home / ".claude").mkdir(mode=0o500)
    with pytest.raises(ConfigError, match="cannot be written"):
        apply(planned("claude-code", "user", home))


def test_a_folder_in_a_files_place_is_named(home: Path) -> None:
    (home / ".claude/settings.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match="cannot be read"):
        planned("claude-code", "user", home)


@pytest.mark.parametrize(
    ("name", "variable", "expected"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ["settings.json", ".claude.json"]),
        ("codex", "CODEX_HOME", ["hooks.json", "config.toml"]),
        ("copilot-cli", "COPILOT_HOME", ["hooks/resources-graph.json", "mcp-config.json"]),
        (
            "opencode",
            "XDG_CONFIG_HOME",
            ["opencode/plugins/resources-graph.js", "opencode/opencode.json"],
        ),
    ],
)
def test_a_users_folder_may_be_elsewhere(
    name: str, variable: str, expected: list[str], tmp_path: Path
) -> None:
    changes = plan_install(
        name, "user", tmp_path, tmp_path, PROGRAM, environment={variable: str(tmp_path / "moved")}
    )
    assert [str(change.path.relative_to(tmp_path / "moved")) for change in changes] == expected


def test_opencodes_commented_settings_are_used_where_they_are(home: Path) -> None:
    path = home / ".config/opencode/opencode.jsonc"
    put(path, '{ // mine\n  "theme": "x"\n}\n')
    assert planned("opencode", "user", home)[1].path == path
    apply(planned("opencode", "user", home))
    put(path.with_suffix(".json"), "{}")
    assert path in [change.path for change in undone("opencode", "user", home)]


def test_an_unknown_harness_is_a_wrong_question(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Known are claude-code"):
        plan_install("emacs", "user", tmp_path, tmp_path, PROGRAM)


def commands(value: object) -> list[dict[str, object]]:
    if isinstance(value, list):
        return [found for entry in value for found in commands(entry)]
    if isinstance(value, dict):
        own = [value] if isinstance(value.get("command"), str) else []
        return own + [found for entry in value.values() for found in commands(entry)]
    return []


@pytest.mark.parametrize("name", [name for name in HARNESSES if name != "opencode"])
def test_every_command_runs_by_its_absolute_path_within_a_time(name: str, home: Path) -> None:
    apply(planned(name, "user", home))
    handlers = commands(json.loads(places(name, "user", home).hooks.read_text()))
    assert handlers
    for handler in handlers:
        words = shlex.split(str(handler["command"]))
        assert words[:2] == [PROGRAM, name]
        assert handler.get("timeout") == 10 or handler.get("timeoutSec") == 10


def test_antigravitys_permission_gate_is_not_registered(home: Path) -> None:
    apply(planned("antigravity", "user", home))
    group = json.loads(places("antigravity", "user", home).hooks.read_text())["resources-graph"]
    assert sorted(group) == ["PostToolUse", "PreInvocation", "enabled"]


def test_the_diff_shows_no_line_that_stays(home: Path) -> None:
    path = places("claude-code", "user", home).mcp
    put(path, '{\n  "token": "ghp_secret",\n  "mcpServers": {\n    "x": {}\n  }\n}\n')
    shown = "".join(change.diff() for change in planned("claude-code", "user", home))
    assert "+" in shown
    assert "ghp_secret" not in shown


PLUGIN_DRIVER = """
import { ResourcesGraph } from %s
const hooks = await ResourcesGraph({ directory: "/home/dev/widgets" })
const calls = JSON.parse(process.argv[2])
for (const [name, ...args] of calls) await hooks[name](...args)
const output = { system: ["first"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "ses_child" }, output)
await hooks["experimental.chat.system.transform"]({ sessionID: "ses_child" }, output)
console.log(JSON.stringify(output.system))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to run the plugin")
@pytest.mark.parametrize("works", [True, False])
def test_the_plugin_tells_the_program_and_adds_its_hint(home: Path, *, works: bool) -> None:
    program = home / "my tools" / "resources-graph-hook"
    program.parent.mkdir()
    if works:
        program.write_text(
            "#!/bin/sh\n"
            f'{{ printf "%s " "$*"; cat; echo; }} >> {shlex.quote(str(home))}/log.$$\n'
            'echo \'{"context": "hint"}\'\n'
        )
        program.chmod(0o755)
    apply(planned("opencode", "user", home, str(program)))
    plugin = places("opencode", "user", home).hooks
    module = plugin.with_suffix(".mjs")
    module.write_text(plugin.read_text())
    driver = home / "driver.mjs"
    driver.write_text(PLUGIN_DRIVER % json.dumps(str(module)))
    samples = Path(__file__).parent / "payloads/opencode"
    calls: list[list[object]] = [
        ["event", {"event": {"type": "session.created"}}],
        *(
            ["event", json.loads((samples / f"{name}.json").read_text())]
            for name in ("event-session.created-subagent", "event-session.idle")
        ),
    ]
    for name in (
        "chat.message-subagent",
        "tool.execute.before-bash",
        "tool.execute.after-bash",
        "tool.execute.before-mcp",
    ):
        sample = json.loads((samples / f"{name}.json").read_text())
        calls.append([name.rpartition("-")[0], sample["input"], sample["output"]])
    calls.append(["tool.execute.before", {"tool": "read"}, {}])
    calls.append(["tool.execute.before", {}, {}])
    done = subprocess.run(
        ["node", driver, json.dumps(calls)],  # noqa: S607 - wherever Node.js is
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == (["first", "hint", "hint"] if works else ["first"])
    told = {}
    for log in home.glob("log.*"):
        words, _, payload = log.read_text().partition(" {")
        told[words] = json.loads("{" + payload)
    expected = (
        ["chat.message", "experimental.chat.system.transform", "tool.execute.before"]
        if works
        else []
    )
    assert sorted(told) == [f"opencode {name}" for name in expected]
    if works:
        said = told["opencode chat.message"]
        assert said["parentSessionID"] == "ses_Example0001parent"
        assert said["agent"] == "general"
        assert said["directory"] == "/home/dev/widgets"


def test_the_hook_program_is_found_or_its_absence_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ConfigError, match="Install resources-graph-dagster"):
        install.find_hook_program()
    program = tmp_path / "bin/resources-graph-hook"
    put(program, "#!/bin/sh\n")
    program.chmod(0o755)
    assert install.find_hook_program() == str(program)
    beside = tmp_path / "resources-graph-hook"
    put(beside, "")
    assert install.find_hook_program() == str(beside)
