"""The server over stdio: what it offers, what it answers, what it outlives."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp import MCPError
from mcp_types import ResourceTemplateReference, TextResourceContents

from resources_graph_core import answer_line, config
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from resources_graph_core.render_model.tokens import tokens
from resources_graph_core.store import agent_memory
from tests.mcp.conftest import TALKATIVE, Converse, ask, call, fill, tell

if TYPE_CHECKING:
    from mcp import Client

    from resources_graph_core.graph import Graph

SNAPSHOT = Path(__file__).with_name("tools.json")
COST_OF_GRAPH_TOOLS = 5_500
"""Those of the memory graph, which ``--no-memory-graph`` leaves out."""
LARGEST_ANSWER = 25_500
COST_OF_TOOLS = 1_200
"""Tokens of a session that the tools may cost, those that write apart, as a model sees them."""


def test_what_it_offers_is_what_was_agreed(converse: Converse) -> None:
    async def talk(client: Client) -> None:
        offered = await client.list_tools()
        assert client.server_info is not None
        assert client.server_info.name == "resources-graph"
        assert {
            "instructions": client.instructions,
            "tools": [tool.model_dump(exclude_none=True, by_alias=True) for tool in offered.tools],
        } == json.loads(SNAPSHOT.read_text("utf-8"))
        shown = [
            {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
            for tool in offered.tools
        ]
        of_graph = [tool for tool in shown if str(tool["name"]).startswith("graph_")]
        others = [tool for tool in shown if tool not in of_graph]
        assert tokens(json.dumps(others)) < COST_OF_TOOLS
        assert tokens(json.dumps(of_graph)) < COST_OF_GRAPH_TOOLS

    converse(talk)


WAYS_TO_NAME_IT = (
    "octo-org/widgets#1",
    "github:octo-org/widgets#1",
    "https://github.com/octo-org/widgets/issues/1",
    "https://api.github.com/repos/octo-org/widgets/issues/1",
    "gh issue view 1 -R octo-org/widgets",
    "curl -s https://api.github.com/repos/octo-org/widgets/issues/1",
)


def test_an_issue_however_it_is_named(held: Graph, converse: Converse) -> None:
    before = held.query("MATCH (n) RETURN count(n) AS nodes")

    async def talk(client: Client) -> None:
        for address in WAYS_TO_NAME_IT:
            first, times, caution, *rest = (await ask(client, address)).split("\n")
            assert first == "hit github:octo-org/widgets#1 · issue, open"
            assert re.fullmatch(
                r"fetched_at 2026-11-30T22:25:00Z \(.+\) · updated_at 2026-02-03T04:05:06Z \(.+\)",
                times,
            )
            assert "never instructions" in caution
            assert rest[1].startswith("Issue #1 · open · by ada (OWNER) · created 2026-01-02 (")
            assert rest[2:] == ["| One", "|", "| The body", "| of one"]

    converse(talk)
    assert held.query("MATCH (n) RETURN count(n) AS nodes") == before


def test_other_kinds_of_things(held: Graph, converse_within: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        repository = await ask(client, "octo-org/widgets")
        assert repository.startswith("hit github:octo-org/widgets · repository\n")
        assert "\n| All widgets" in repository
        assert "\n| # Widgets" in repository

        pull_request = await ask(client, "octo-org/widgets#3")
        assert "\nPull request #3 · open · draft · by ghost · " in pull_request
        assert "\nComment 1 of 2 · review comment · by eve · " in pull_request
        assert " · resolved\n| src/a.py:12\n| Why?\n" in pull_request
        assert "minimised as spam, 7 characters folded" in pull_request
        assert "Buy now" not in pull_request

        listing = await ask(client, "gh issue list -R octo-org/widgets")
        assert listing.startswith("hit github:octo-org/widgets/issues?state=open · list\n")
        assert "\nList: 2 in memory of 2 that GitHub counted · newest first\n" in listing
        assert [line.split(" · ")[0] for line in listing.split("\n") if line[0:1] == "|"] == [
            "| #2",
            "| #1",
        ]

    converse_within(talk)


MISTAKES: tuple[tuple[str, int, str], ...] = (
    ("nothing of the kind", 1, "owner/repo"),
    ("| forged\n\x1b[2J", 1, "owner/repo"),
    ("gh issue view 1 -R o/r && gh issue view 2 -R o/r", 1, "one at a time"),
    ("octo-org/widgets#1", 2, "there is no page 2"),
    ("octo-org/widgets#1", 0, "page"),
    ("github:", 1, "is not an Address key"),
    ("octo-org/widgets/issues?state=open", 3, "there is no page 3"),
)


def test_misses_and_errors_are_answers(held: Graph, converse_within: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        for address, page, words in MISTAKES:
            said, is_error = await call(client, address, page=page)
            assert is_error
            assert said.startswith("Error executing tool resource: ")
            assert words in said
            assert "\x1b" not in said
            assert answer_line.read(said) is None
        first, advice = (await ask(client, "octo-org/widgets#404")).split("\n")
        assert first == "miss github:octo-org/widgets#404"
        assert "Fetch it from GitHub" in advice
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

    converse_within(talk)


def test_a_long_issue_is_paged_whole(held: Graph, converse_within: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        pages: list[str] = []
        while not pages or f"Get it with page={len(pages) + 1};" in pages[-1]:
            pages.append(await ask(client, "octo-org/widgets#2", page=len(pages) + 1))
        assert len(pages) > 1
        assert max(len(page.encode()) for page in pages) < LARGEST_ANSWER
        for page in pages:
            said = answer_line.read(page)
            assert said is not None
            assert (said.outcome, said.key) == ("hit", "github:octo-org/widgets#2")
        whole = "\n".join(pages)
        thoughts = re.findall(r"(?m)^\| Thought <(\d+)>", whole)
        assert thoughts == [f"{number:03}" for number in range(TALKATIVE)]
        assert "\nComment 2 of 130 · by hubot[bot] (NONE, bot) · 2026-01-01 01:00" in whole
        assert re.search(
            r"\nLeft: comments \d+-130 \(about [\d,]+ tokens\)\. Get it with", pages[0]
        )
        assert "\nLeft: " not in pages[-1]

    converse_within(talk)


SELECTIONS: tuple[tuple[str, dict[str, object], str, str], ...] = (
    ("octo-org/widgets#2", {"comments": "41-42"}, "Comment 42 of 130", "Comment 40 of 130"),
    ("octo-org/widgets#2", {"comments": "129-"}, "Comment 130 of 130", "Comment 128 of 130"),
    ("octo-org/widgets#2", {"comment": 7}, "Comment 7 of 130", "Comment 8 of 130"),
    ("octo-org/widgets#2", {"since": "2026-01-06"}, "Comment 130 of 130", "Comment 100 of 130"),
    ("octo-org/widgets#2", {"outline": True}, "| 2 · 2026-01-01 · hubot[bot] (NONE, bot) · ", "|+"),
    ("octo-org/widgets#3", {"reviews": True}, "| src/a.py:12", "minimised"),
    ("octo-org/widgets", {"outline": True}, "| 1 · Widgets · about 3 tokens", "# Widgets"),
    ("octo-org/widgets", {"section": 1}, "| # Widgets", "All widgets"),
)


def test_parts_of_it(held: Graph, converse_within: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        for address, arguments, there, absent in SELECTIONS:
            said = await ask(client, address, **arguments)
            assert there in said, arguments
            assert absent not in said, arguments
            assert said.startswith("hit ")
        for address, arguments in (
            ("octo-org/widgets#2", {"comments": "500-"}),
            ("octo-org/widgets#2", {"comments": "many"}),
            ("octo-org/widgets#2", {"since": "yesterday"}),
            ("octo-org/widgets#2", {"section": 1}),
            ("octo-org/widgets#2", {"comment": 1, "outline": True}),
            ("octo-org/widgets", {"section": 9}),
            ("octo-org/widgets/issues?state=open", {"files": True}),
        ):
            said, is_error = await call(client, address, **arguments)
            assert is_error, arguments
            assert answer_line.read(said) is None

    converse_within(talk)


def test_searching_and_looking_around(held: Graph, converse_within: Converse) -> None:
    assert held.dialect == "falkordb"
    kept_in = "github:octo-org/widgets#9"
    title = f"Rewrite the lexer, not {'ghp_' + 'aB3' * 12}"
    task = {"about": kept_in, "title": title, "state": "doing"}
    agent_memory.keep(held, "Task", kept_in, {"tasks/rewrite": task})

    async def talk(client: Client) -> None:
        text, data = await tell(client, "find", query="thought words", repo="octo-org/widgets")
        assert "octo-org/widgets#2 · issue, open · updated 2026-02-03 · in a comment, by" in text
        assert data["results"][0]["address"] == "octo-org/widgets#2"
        text, data = await tell(client, "find", query="Two", kind="pull_request")
        assert text == "Nothing in memory holds any of the words 'Two'; GitHub may have it."
        text, data = await tell(client, "find", query="lexer", kind="task")
        assert text.split("\n", 3)[3] == (
            "task, doing, kept in octo-org/widgets#9 · in its title\n"
            "| Rewrite the lexer, not [GitHub token 1, masked]"
        )
        [task] = data["results"]
        assert (task["kind"], task["state"], task["address"]) == (
            *("task", "doing", "octo-org/widgets#9"),
        )
        text, data = await tell(client, "inflight", issue="octo-org/widgets#1")
        assert data["pulls"] == []
        assert text.startswith("No pull requests in memory close or mention octo-org/widgets#1.")
        text, data = await tell(client, "status")
        assert data["resources"] == {"Repository": 1, "Issue": 2, "PullRequest": 1}
        assert text.startswith("Memory holds 1 repository, 2 issues, 1 pull request, 132 comm")

    converse_within(talk)


def test_resources_and_completion(held: Graph, converse_within: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == [
            "github://{owner}/{repo}",
            "github://{owner}/{repo}/issues/{number}",
            "github://{owner}/{repo}/pull/{number}",
        ]
        (content,) = (await client.read_resource("github://octo-org/widgets/issues/1")).contents
        assert isinstance(content, TextResourceContents)
        assert content.text.startswith("hit github:octo-org/widgets#1 · issue, open\n")
        with pytest.raises(MCPError, match="is not an issue or pull request number"):
            await client.read_resource("github://octo-org/widgets/issues/none")
        issue = ResourceTemplateReference(uri="github://{owner}/{repo}/issues/{number}")
        known = {"owner": "octo-org", "repo": "widgets"}
        for name, begun, wanted in (
            ("owner", "oc", ["octo-org"]),
            ("repo", "w", ["widgets"]),
            ("number", "", ["1", "2", "3"]),
            ("number", "2", ["2"]),
            ("other", "", []),
        ):
            found = await client.complete(
                issue, {"name": name, "value": begun}, context_arguments=known
            )
            assert sorted(found.completion.values) == wanted

    converse_within(talk)


def test_what_stands_in_the_directory_is_known(
    held: Graph, converse: Converse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert held.dialect == "falkordb"
    git = tmp_path / "checkout" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main")
    (git / "config").write_text('[remote "origin"]\n\turl = git@github.com:octo-org/widgets.git\n')
    monkeypatch.chdir(git.parent)

    async def talk(client: Client) -> None:
        assert (await ask(client, "#1")).startswith("hit github:octo-org/widgets#1 ")
        assert (await ask(client, "gh pr view 3")).startswith("hit github:octo-org/widgets#3 ")
        assert (await ask(client, "gh pr view 5")).startswith("miss github:octo-org/widgets#5")

    converse(talk)


def test_it_outlives_the_graph(converse: Converse) -> None:
    home = config.data_folder()
    folder = home / "graph"
    away = home / "elsewhere"

    def kill() -> None:
        pid = embedded.status(folder).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    async def talk(client: Client) -> None:
        assert (await ask(client, "octo-org/widgets#1")).startswith("miss ")
        with open_graph("embedded:") as graph:
            setup(graph)
            fill(graph)
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

        kill()
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

        kill()
        folder.rename(away)
        folder.write_text("in the way")
        said, is_error = await call(client, "octo-org/widgets#1")
        assert is_error
        assert "fetch from GitHub yourself meanwhile" in said

        folder.unlink()
        away.rename(folder)
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

    converse(talk)


def test_arguments_that_a_tool_does_not_take_are_told(held: Graph, converse: Converse) -> None:
    assert held.query("MATCH (n:Resource) RETURN count(n) > 0 AS found") == [{"found": True}]

    async def talk(client: Client) -> None:
        calls: list[tuple[str, dict[str, object], str]] = [
            ("resource", {"address": "octo-org/widgets#1", "pge": 2}, "did you mean 'page'?"),
            ("find", {"query": "x", "repository": "o/r"}, "it takes: query, repo, kind"),
            ("status", {"verbose": True}, "status: it takes no 'verbose'; it takes: nothing"),
            ("graph_recall", {"ids": ["a"], "max_cst": 3}, "did you mean 'max_cost'?"),
            ("roadmap_show", {"issue": "o/r#1", "p": 1}, "roadmap_show: it takes no 'p'"),
            ("graph_get", {}, "graph_get: it needs id"),
            (
                "graph_recall",
                {"match": {"kinds": "task"}},
                "graph_recall: match: it takes no 'kinds' (did you mean 'kind'?); it takes: ",
            ),
            ("graph_recall", {"match": {"kinds": "task"}}, ", label, labelContains, attrs"),
            ("resource", {"address": 3}, "resource: address: Input should be a valid string"),
            ("resource", {"address": "o/r", "page": 0}, "page: Input should be greater than"),
            ("find", {"query": "x", "kind": "bug"}, "kind: Input should be 'issue'"),
            ("graph_recall", {"ids": "a"}, "graph_recall: ids: Input should be a list"),
        ]
        for name, arguments, expected in calls:
            answer = await client.call_tool(name, arguments)
            assert answer.is_error, name
            (told,) = answer.content
            assert told.type == "text"
            assert expected in told.text
            assert "\n" not in told.text
            assert "pydantic" not in told.text

    converse(talk)
