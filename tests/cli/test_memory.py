"""``memory``: JSON in and JSON out; every error is JSON with status 1, whatever went wrong."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.cli.memory_graph import OPERATIONS as NAMES
from resources_graph_core.memory_graph import OPERATIONS

if TYPE_CHECKING:
    from tests.cli.conftest import Ended, Run

SECRET = "gh" + "p_" + "a1B2" * 9


def failed(ended: Ended, name: str, *parts: str) -> None:
    """It says what is wrong as one JSON document, and nothing else."""
    assert ended.status == 1
    assert ended.err == ""
    document = ended.json()
    assert document.keys() == {"error"}
    assert document["error"].keys() == {"name", "message"}
    assert document["error"]["name"] == name
    for part in parts:
        assert part in document["error"]["message"]
    assert SECRET not in ended.out


def done(run: Run, *arguments: str, stdin: str = "") -> Any:  # noqa: ANN401 - any JSON
    ended = run("memory", *arguments, stdin=stdin)
    assert ended.status == 0, ended
    assert ended.err == ""
    return ended.json()


def test_every_operation_has_its_command() -> None:
    assert list(NAMES) == list(OPERATIONS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("put", "id string, needed."),
        ("put", 'provenance "observed" or "claimed".'),
        ("match", "labelContains string. Whatever the case of its letters."),
        ("match", "limit integer, 50 by default."),
        ("recall", 'project "summary" or "full", "summary" by default.'),
        ("recall", "as_of string. An ISO-8601 time such as 2026-11-30T22:25:00Z, or now. What"),
        ("recall", "recorded_between object with start, end."),
        ("get", "A bare id stands for an object with that id."),
        ("load", "dump object, needed. What memory dump prints. The dump alone may be the whole"),
        ("replay", "The entries alone may be the whole input: a JSON array, or JSON Lines."),
    ],
)
def test_help_has_the_fields_of_the_request(run: Run, name: str, said: str) -> None:
    ended = run("memory", name, "--help")
    assert ended.status == 0
    assert said in " ".join(ended.out.split())


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_help_names_every_field(run: Run, name: str) -> None:
    schema = OPERATIONS[name].request.model_json_schema()
    shown = run("memory", name, "--help").out.rpartition("╯")[2]
    told = {line.split()[0] for line in shown.splitlines() if re.match(r"  \w", line)}
    assert told == set(schema.get("properties", ()))


@pytest.mark.parametrize("arguments", [["--help"], ["memory", "--help"], ["config", "path"]])
def test_no_request_is_loaded_for_other_help_and_commands(arguments: list[str]) -> None:
    script = (
        "import sys; from resources_graph_core.cli import main; main(sys.argv[1:]); "
        "sys.exit(any('memory_graph.' in one for one in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, check=True)


@pytest.mark.usefixtures("graph_url")
def test_the_main_path(run: Run) -> None:
    made = done(run, "put", '{"id": "a", "kind": "task", "attrs": {"n": 1}}', "--origin", "ada")
    assert made["node"]["origin"] == "ada"
    assert made["node"]["provenance"] == "claimed"
    made = done(run, "put", "--trusted", stdin='{"id": "b", "kind": "task"}')
    assert made["node"]["provenance"] == "observed"
    assert made["node"]["origin"].startswith("cli:")
    done(run, "link", '{"src": "a", "dst": "b", "rel": "needs", "id": "e"}', "--origin", "ada")
    assert done(run, "get", "a")["node"] == {
        "id": "a",
        "kind": "task",
        "label": "a",
        "flagged": False,
    }
    full = done(run, "get", '{"id": "a", "project": "full"}')["node"]
    assert full["attrs"] == {"n": 1}
    recalled = done(run, "recall", '{"ids": ["a"]}')
    assert [hit["id"] for hit in recalled["hits"]] == ["a", "b"]
    assert len(done(run, "trace", "-", stdin="a\n")["versions"]) == 1
    done(run, "supersede", '{"id": "e", "retire": true}', "--origin", "ada")
    assert len(done(run, "trace_edge", "e")["edges"]) == 1
    dump = json.dumps({"dump": done(run, "dump")})
    loaded = done(run, "load", "--privileged", "--graph", "copy", stdin=dump)
    assert loaded == {"versions": 2, "edges": 1, "superseded": 0}
    assert done(run, "stats", "{}", "--graph", "copy")["nodes"] == 2
    assert done(run, "drop", '{"confirm": true}', "--privileged", "--graph", "copy")["nodes"] == 2


@pytest.mark.usefixtures("graph_url")
@pytest.mark.parametrize(
    ("format_", "begins"),
    [("graphml", "<?xml"), ("mermaid", "flowchart"), ("html", "<!doctype html>"), ("json", "{")],
)
def test_a_subgraph_in_its_format(run: Run, format_: str, begins: str) -> None:
    done(run, "put", '{"id": "a", "kind": "task"}')
    ended = run("memory", "subgraph", '{"ids": ["a"]}', "--format", format_)
    assert ended.status == 0
    assert ended.out.startswith(begins)


@pytest.mark.usefixtures("graph_url")
@pytest.mark.parametrize(
    ("arguments", "name", "part"),
    [
        (["get", "gone"], "UnknownId", "'gone'"),
        (["get", "octo-org/widgets#9"], "UnknownId", "touch"),
        (["trace", "gone"], "UnknownId", "'gone'"),
        (["trace_edge", "gone"], "UnknownId", "'gone'"),
        (["recall", '{"ids": ["gone"]}'], "UnknownId", "'gone'"),
        (["link", '{"src": "a", "dst": "gone", "rel": "r"}'], "UnknownId", "'gone'"),
        (["supersede", '{"id": "gone"}'], "UnknownId", "'gone'"),
        (["supersede", '{"id": "e", "retire": true}', "--origin", "x"], "AccessDenied", "origin"),
        (["link", '{"src": "a", "dst": "a", "rel": "r", "id": "e"}'], "Conflict", "taken"),
        (["put", '{"id": "a", "label": "mine"}', "--origin", "x"], "AccessDenied", "label"),
        (["put", '{"id": "a", "label": "b"}', "--read-only"], "AccessDenied", "read-only"),
        (["put", '{"id": "new"}'], "UsageError", "kind"),
        (["put", '{"id": "b", "kind": "k", "provenance": "observed"}'], "AccessDenied", "trusted"),
        (["put", f'{{"id": "b", "kind": "k", "label": "{SECRET}"}}'], "Refused", "label"),
        (["put", f'{{"id": "b", "kind": 1, "{SECRET}": 2}}'], "UsageError", "put"),
        (["put", '{"id": "b", "kind": "k"}', "--origin", " "], "UsageError", "origin"),
        (["put", '{"id": "b", "kind": "k", "colour": "red"}'], "UsageError", "colour"),
        (["put", "{}"], "UsageError", "put: it needs id"),
        (["put"], "UsageError", "put: it needs id"),
        (["link", '{"src": "a"}'], "UsageError", "link: it needs dst, rel"),
        (["stats", '{"of": 1}'], "UsageError", "it takes no 'of'; it takes: nothing"),
        (
            ["put", '{"id": "b", "lable": "l"}'],
            "UsageError",
            "put: it takes no 'lable' (did you mean 'label'?); it takes: id, kind, label, attrs",
        ),
        (
            ["recall", '{"match": {"kinds": "k", "label_contain": 1}}'],
            "UsageError",
            "it takes no 'kinds' (did you mean 'kind'?), no 'label_contain' (did you mean 'label",
        ),
        (
            ["recall_many", '{"questions": [{"ids": ["a"]}, {"recorded_between": {"from": 1}}]}'],
            "UsageError",
            "questions.1.recorded_between: it needs start, end",
        ),
        (["put", "{"], "UsageError", "no JSON"),
        (["put", "[]"], "UsageError", "object"),
        (["put", '{"id": NaN}'], "UsageError", "NaN"),
        (["put", "a"], "UsageError", "no JSON"),
        (["recall", '{"ids": ["a"], "as_of": "yesterday"}'], "UsageError", "yesterday"),
        (["recall", '{"locate": "words"}'], "UsageError", "embeddings"),
        (["recall", "{}"], "UsageError", "starts somewhere"),
        (["recall", '{"ids": 7}'], "UsageError", "ids: Input should be a list"),
        (["match", '{"semantic": "words"}'], "UsageError", "match: embeddings are off"),
        (["match", '{"of": "edges", "kind": "k"}'], "UsageError", "kind"),
        (["subgraph", '{"ids": ["a"]}', "--format", "pdf"], "UsageError", "format"),
        (["get", "a", "--format", "html"], "UsageError", "format"),
        (["reembed"], "UsageError", "--embed-url, --embed-model and --embed-dims"),
        (["reembed", "{}", "--embed-url", "http://localhost:1"], "ConfigError", "--embed-model"),
        (["drop", "{}", "--privileged"], "UsageError", "confirm"),
        (["drop", '{"confirm": true}'], "AccessDenied", "privileged"),
        (["load", '{"dump": {"graph_id": "main"}}'], "AccessDenied", "privileged"),
        (["load", '{"dump": {"format": 9, "graph_id": "g"}}'], "UsageError", "format"),
        (["load", '{"format": 1, "nodse": []}'], "UsageError", "did you mean 'nodes'?"),
        (["load", "{}"], "UsageError", "load: it needs dump"),
        (["load", '{"dmup": {}}'], "UsageError", "did you mean 'dump'?"),
        (["replay", '{"entries": [{"op": "sing"}]}'], "UsageError", "entries.0: 'op' is one of"),
        (["replay", "[{}]"], "UsageError", "entries.0: it needs 'op'"),
        (["replay", "[7]"], "UsageError", "entries.0: Input should be an object"),
        (["replay", '{"op": "drop"}'], "UsageError", "entries.0.drop: it needs graph_id, at"),
        (["stats", "{}", "--graph", "not one"], "UsageError", "graph_id"),
        (["forget"], "UsageError", "--help"),
        (["get", "a", "--colour"], "UsageError", "--help"),
        (["get", "a", "b"], "UsageError", "--help"),
    ],
)
def test_every_error_is_json(run: Run, arguments: list[str], name: str, part: str) -> None:
    done(run, "put", '{"id": "a", "kind": "task"}')
    done(run, "link", '{"src": "a", "dst": "a", "rel": "is", "id": "e"}')
    failed(run("memory", *arguments), name, part)


@pytest.mark.usefixtures("graph_url")
def test_what_dump_answers_is_what_load_takes(run: Run) -> None:
    done(run, "put", '{"id": "a", "kind": "task"}')
    dump = run("memory", "dump").out
    into = ("load", "--privileged", "--graph", "copy")
    assert done(run, *into, stdin=dump) == {"versions": 1, "edges": 0, "superseded": 0}
    assert done(run, *into, dump) == {"versions": 0, "edges": 0, "superseded": 0}


JOURNAL = Path(__file__).parents[2] / "examples" / "fleet.jsonl"


@pytest.mark.usefixtures("graph_url")
def test_a_journal_is_replayed_in_lines_in_an_array_or_in_a_request(run: Run) -> None:
    lines = JOURNAL.read_text("utf-8")
    entries = [json.loads(line) for line in lines.splitlines()]
    whole = {"versions": 31, "edges": 30, "superseded": 1}
    nothing = {"versions": 0, "edges": 0, "superseded": 0}
    assert done(run, "replay", "--privileged", stdin=lines) == whole
    for again in (lines, json.dumps(entries), json.dumps({"entries": entries}, indent=1)):
        assert done(run, "replay", "--privileged", stdin=f"\n{again}\n") == nothing
    assert done(run, "replay", "--privileged", stdin=json.dumps(entries[0])) == nothing


@pytest.mark.usefixtures("graph_url")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("{", "line 4: the request is no JSON: "),
        ("[]", "line 4: the request is a JSON object"),
        ('{"op": "put", "graph_id": "main", "nod": {}}', "put: it takes no 'nod' (did you"),
        (f'{{"op": "{SECRET}"}}', "line 4: replay: 'op' is one of 'put', 'link'"),
        ('{"n": NaN}', "line 4: the request is no JSON: NaN"),
    ],
)
def test_a_line_that_is_wrong_is_named_and_nothing_applied(run: Run, wrong: str, said: str) -> None:
    first, second, *_ = JOURNAL.read_text("utf-8").splitlines()
    lines = f"{first}\n\n{second}\n{wrong}\n{first}\n"
    failed(run("memory", "replay", "--privileged", stdin=lines), "UsageError", said)
    assert done(run, "stats")["nodes"] == 0


@pytest.mark.usefixtures("graph_url")
def test_a_label_is_looked_for_by_either_name(run: Run) -> None:
    done(run, "put", '{"id": "a", "kind": "task", "label": "Parse"}')
    for name in ("labelContains", "label_contains"):
        found = done(run, "match", json.dumps({name: "pars"}))["nodes"]
        assert [node["id"] for node in found] == ["a"]


@pytest.mark.usefixtures("graph_url")
def test_json_nested_without_end(run: Run) -> None:
    deep = '{"id": "b", "kind": "k", "attrs": {"a": ' + "[" * 50_000 + "]" * 50_000 + "}}"
    failed(run("memory", "put", stdin=deep), "UsageError", "deep")
    deep = '{"id": "b", "kind": "k", "attrs": {"a": ' + "[" * 50 + "]" * 50 + "}}"
    failed(run("memory", "put", stdin=deep), "Refused", "deep")


@pytest.mark.usefixtures("home")
def test_an_unreachable_graph(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ended = run("--graph", f"bolt://127.0.0.1:{port}", "memory", "get", "a")
    failed(ended, "GraphUnavailable", str(port))
    failed(run("--graph", "redis:", "memory", "stats"), "ConfigError", "redis")


@pytest.mark.usefixtures("home")
def test_other_commands_keep_their_errors(run: Run) -> None:
    ended = run("read", "memory")
    assert ended.status == 2
    assert ended.err.startswith("error: ")
