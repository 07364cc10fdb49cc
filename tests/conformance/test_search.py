"""Finding by words, what is in flight, and how fresh memory is: the same on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.errors import UsageError
from resources_graph_core.finding import find
from resources_graph_core.store import ages, inflight, links, resources, runs
from tests.examples import comment, issue, pull_request, reference, repository

if TYPE_CHECKING:
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
