"""Finding by words, what is in flight, and how fresh memory is: the same on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.errors import UsageError
from resources_graph_core.finding import find
from resources_graph_core.store import agent_memory, ages, inflight, links, resources, runs
from tests.examples import comment, issue, pull_request, reference, repository

if TYPE_CHECKING:
    from resources_graph_core.find_filters import FoundKind
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Issue, PullRequest

AT = "2026-11-30T22:25:00Z"


def fill(graph: Graph) -> None:
    runs.start(graph, "cli:test", kind="cli", now=AT)
    first = issue(1, title="Segmentation fault in the parser", body="It crashes on empty input.")
    talk = comment("C_1", "A bisect points at the tokenizer rewrite.", author="ada")
    items: list[Issue | PullRequest] = [
        first,
        issue(2, title="Docs are thin", body="Nothing on the parser.", comments=(talk,)),
        issue(3, title="Closed crash", state="CLOSED", labels=("Bug", "parser")),
        pull_request(4, title="Mend the parser", body="Fixes it", closes=(reference(first),)),
        pull_request(5, title="Refactor", body="see #1, not #11", state="MERGED", merged=True),
        pull_request(6, title="Unrelated", body="see #11 and other/repo#1"),
    ]
    other = issue(1, "octo-org/gadgets", title="Parser of gadgets")
    homes = [
        repository(readme="# Widgets\n\nA tokenizer for widgets"),
        repository("octo-org/gadgets"),
    ]
    resources.store_repositories(graph, homes, fetched_at=AT, run_id="cli:test")
    resources.store_items(graph, [*items, other], fetched_at=AT, run_id="cli:test")
    links.draw(graph, [one.node_id for one in items])


def addresses(graph: Graph, query: str, **narrowed: object) -> list[str]:
    found = find(graph, query, **narrowed).found  # type: ignore[arg-type]
    return [one.address.removeprefix("github:octo-org/") for one in found]


def test_words_are_found_in_titles_texts_and_comments(graph: Graph) -> None:
    fill(graph)
    assert addresses(graph, "segmentation PARSER")[0] == "widgets#1"
    assert set(addresses(graph, "parser")) == {"widgets#1", "widgets#2", "widgets#4", "gadgets#1"}
    assert addresses(graph, "bisect") == ["widgets#2"]
    assert set(addresses(graph, "tokenizer")) == {"widgets", "widgets#2"}
    assert addresses(graph, "nothingofthekind") == []
    by_comment = find(graph, "bisect").found[0]
    assert (by_comment.where, by_comment.author) == ("comment", "ada")
    assert by_comment.snippet == "A bisect points at the tokenizer rewrite."
    assert find(graph, "bisect").indexed == (graph.dialect == "falkordb")


def test_what_narrows(graph: Graph) -> None:
    fill(graph)
    widgets = "github:octo-org/widgets"
    assert "gadgets#1" not in addresses(graph, "parser", repository=widgets)
    assert addresses(graph, "parser", repository="github:octo-org/gadgets") == ["gadgets#1"]
    assert addresses(graph, "parser", kind="pull_request") == ["widgets#4"]
    assert addresses(graph, "crash", state="closed") == ["widgets#3"]
    assert addresses(graph, "crash", label="bug") == ["widgets#3"]
    assert addresses(graph, "tokenizer", kind="repository") == ["widgets"]
    assert len(addresses(graph, "parser", limit=2)) == 2


@pytest.mark.parametrize("query", ["@title:x -(parser) | %~'\"", "parser*)", "\x01 parser", "a\\b"])
def test_nothing_in_a_query_acts(graph: Graph, query: str) -> None:
    fill(graph)
    find(graph, query)


def test_a_query_without_words(graph: Graph) -> None:
    with pytest.raises(UsageError, match="no word"):
        find(graph, " -- ")


def test_what_is_in_flight(graph: Graph) -> None:
    fill(graph)
    found = inflight.pulls(graph, Address.from_key("github:octo-org/widgets#1"))
    assert [(row["address"][-2:], row["closes"], row["state"]) for row in found] == [
        ("#4", True, "OPEN"),
        ("#5", False, "MERGED"),
    ]
    assert inflight.pulls(graph, Address.from_key("github:octo-org/widgets#99")) == []


def test_how_fresh_memory_is(graph: Graph) -> None:
    fill(graph)
    since = {"day": "2026-11-30T00:00:00Z", "week": "2026-11-24T00:00:00Z", "month": "2026-11-01"}
    assert ages.by_age(graph, since) == {"day": 9, "week": 0, "month": 0, "older": 0}
    assert ages.ends(graph) == (AT, AT)
    (most, *_) = ages.repositories(graph, limit=5)
    assert most == {"address": "github:octo-org/widgets", "items": 6, "newest": AT, "oldest": AT}


def keep(graph: Graph) -> None:
    """What agents keep in two issues: a task, a decision and a verdict."""
    about = "github:octo-org/widgets#1"
    task = {"about": about, "title": "Rewrite the lexer", "state": "doing"}
    decision = {
        "about": about,
        "summary": "Use two passes",
        "rationale": "One lexer pass is too slow.",
        "created_at": AT,
    }
    verdict = {
        "about": "github:octo-org/gadgets#1",
        "ref": "octo-org/gadgets#1",
        "verdict": "stale",
        "rationale": "The lexer is gone.",
    }
    agent_memory.keep(graph, "Task", about, {"tasks/rewrite": task})
    agent_memory.keep(graph, "Decision", about, {"decisions/1": decision})
    agent_memory.keep(graph, "Verdict", "github:octo-org/plans#9", {"verdicts/1": verdict})


def test_what_agents_keep_is_found_with_the_rest(graph: Graph) -> None:
    fill(graph)
    keep(graph)
    found = find(graph, "lexer").found
    assert {(one.kind, one.address, one.state, one.where, one.snippet) for one in found} == {
        ("Task", "github:octo-org/widgets#1", "doing", "title", ""),
        ("Decision", "github:octo-org/widgets#1", None, "rationale", "One lexer pass is too slow."),
        ("Verdict", "github:octo-org/plans#9", "stale", "rationale", "The lexer is gone."),
    }
    assert found[0].kind == "Task"  # titles come first
    [decision] = find(graph, "passes").found
    assert (decision.title, decision.where) == ("Use two passes", "summary")
    # A task of which all words are found comes before an issue that holds one of them.
    assert [one.kind for one in find(graph, "rewriting lexers parser").found][:1] == ["Task"]
    [verdict] = find(graph, "octo-org/gadgets#1", kind="verdict").found
    assert (verdict.title, verdict.where) == ("octo-org/gadgets#1", "ref")


def test_what_agents_keep_is_found_by_its_state(graph: Graph) -> None:
    fill(graph)
    keep(graph)
    verdict = ("Verdict", "stale", "verdict", "", 1)
    task = ("Task", "doing", "state", "", 1)

    def found(query: str, kind: FoundKind | None = None) -> list[tuple[object, ...]]:
        return [
            (one.kind, one.state, one.where, one.snippet, one.words)
            for one in find(graph, query, kind=kind).found
        ]

    assert found("stale") == found("Stale", "verdict") == [verdict]
    assert found("doing") == found("doing", "task") == [task]
    assert found("doing", "verdict") == found("do", "task") == found("stale", "decision") == []
    # Where other words stand in the rest, that is what is shown, and all count.
    assert found("stale lexer", "verdict") == [
        ("Verdict", "stale", "rationale", "The lexer is gone.", 2)
    ]
    assert found("doing rewrite", "task") == [("Task", "doing", "title", "", 2)]
    assert found("open") == []  # an issue's state is no word of its own


def test_what_narrows_what_agents_keep(graph: Graph) -> None:
    fill(graph)
    keep(graph)
    kinds: list[FoundKind] = ["task", "decision", "verdict"]
    for kind in kinds:
        found = find(graph, "lexer parser", kind=kind)
        assert ([one.kind.lower() for one in found.found], found.total) == ([kind], 1)
        with pytest.raises(UsageError, match="no state"):
            find(graph, "lexer", kind=kind, state="open")
    assert addresses(graph, "lexer", kind="issue") == []
    assert addresses(graph, "lexer", state="open") == []
    [one] = find(graph, "lexer", repository="github:octo-org/gadgets").found
    assert one.kind == "Verdict"  # by what it is about
    assert addresses(graph, "lexer", repository="github:octo-org/plans") == ["plans#9"]
    assert addresses(graph, "lexer", repository="github:octo-org/plan") == []
