"""Every document is valid GraphQL, by GitHub's own schema and by the sandbox's."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from graphql import GraphQLSchema, build_schema, parse, validate
from graphql.language import print_ast
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.address import Address, Filters
from resources_graph_core.github import lists, queries
from resources_graph_core.github.documents import (
    NODE_LIMIT,
    Ask,
    Enum,
    Fragment,
    On,
    Operation,
    Spread,
    Variable,
)
from resources_graph_core.github.paging import open_pages
from resources_graph_core.github.shapes import (
    Connection,
    IssueShape,
    PageInfo,
    PullRequestShape,
    RepositoryShape,
    ReviewThread,
    Shape,
)
from tests.sent_documents import PUBLISHED

if TYPE_CHECKING:
    from resources_graph_core.github.asking import Question


ITEM = Address.of_item("o", "n", 5)
REPOSITORY = Address.of_repository("o", "n")


@cache
def schema(which: str) -> GraphQLSchema:
    if which == "sandbox":
        text = (files("resources_graph_core.sandbox") / "schema.graphql").read_text()
    elif PUBLISHED.exists():
        text = PUBLISHED.read_text()
    else:
        pytest.skip("GitHub's published schema is not at hand")
    return build_schema(text, assume_valid_sdl=True)


def together(name: str, *questions: Question) -> Operation:
    aliases = [f"n{position}" for position in range(len(questions))]
    parts = (q.part(alias).known_as(alias) for alias, q in zip(aliases, questions, strict=True))
    return Operation(name, tuple(parts))


def listed(kind: str, **filters: object) -> Question:
    address = Address.of_listing("o", "n", kind, Filters(**filters))  # type: ignore[arg-type]
    arguments = lists.list_arguments(address)
    assert arguments is not None
    return queries.list_index(address, arguments, first=100, after=None)


def every_next_page() -> list[Question]:
    """The question for the next page of every connection that is read to its end."""
    shapes = (IssueShape, PullRequestShape, ReviewThread, RepositoryShape)
    return [question for shape in shapes for question in _next_pages(shape)]


def _next_pages(shape: type[Shape]) -> list[Question]:
    more = Connection[Shape].model_construct(
        total_count=200, page_info=PageInfo(hasNextPage=True, endCursor="c"), nodes=[]
    )
    fields = {
        name: more if "Connection" in str(field.annotation) else None
        for name, field in shape.model_fields.items()
    }
    return list(open_pages(shape.model_construct(**{**fields, "id": "I_1"}), ITEM.key))


OPERATIONS = {
    "items, one": together(queries.ITEMS, queries.item(ITEM)),
    "items, a batch": together(queries.ITEMS, *[queries.item(ITEM)] * 25),
    "repositories": together(queries.REPOSITORIES, *[queries.repository(REPOSITORY)] * 25),
    "next pages": together(queries.NEXT_PAGES, *every_next_page()),
    "list of issues": together(queries.LIST_INDEX, listed("issues")),
    "list of closed issues": together(queries.LIST_INDEX, listed("issues", state="closed")),
    "list of chosen issues": together(
        queries.LIST_INDEX,
        listed("issues", labels=("bug",), author="a", assignee="b", milestone="#3"),
    ),
    "list of loose issues": together(
        queries.LIST_INDEX, listed("issues", assignee="none", milestone="none", state="all")
    ),
    "list of taken issues": together(
        queries.LIST_INDEX, listed("issues", assignee="*", milestone="*")
    ),
    "list of pulls": together(queries.LIST_INDEX, listed("pulls", state="closed")),
    "list of labelled pulls": together(queries.LIST_INDEX, listed("pulls", labels=("bug",))),
    "versions": together(queries.VERSIONS, *[queries.version("I_1")] * 100),
    "scope": together(queries.SEARCH_SCOPE, queries.search_scope(ITEM, None)),
    "scope with milestone": together(queries.SEARCH_SCOPE, queries.search_scope(ITEM, 3)),
    "search": together(
        queries.SEARCH_INDEX, queries.search_index(ITEM, 'is:issue "x"', first=9, after="c")
    ),
}


@pytest.mark.parametrize("which", ["published", "sandbox"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_documents_are_valid(name: str, which: str) -> None:
    assert validate(schema(which), parse(OPERATIONS[name].text)) == []


def test_every_operation_is_validated() -> None:
    assert {operation.name for operation in OPERATIONS.values()} == set(queries.OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_documents_stay_within_the_node_limit(name: str) -> None:
    assert OPERATIONS[name].node_count < NODE_LIMIT


def test_what_a_document_costs() -> None:
    """The example in GitHub's documentation: 51 points."""
    labels = Ask("labels", {"first": 60}, (Ask("nodes"),))
    issues = Ask("issues", {"first": 50}, (labels,))
    issues_of_each = Ask("repositories", {"first": 100}, (issues,))
    operation = Operation("Example", (Ask("viewer", {}, (issues_of_each,)),))
    assert operation.node_count == 100 + 100 * 50 + 100 * 50 * 60
    assert operation.cost == 51


def test_variables_of_many_questions_do_not_collide() -> None:
    others = [Address.of_item("o", "n", number) for number in range(1, 26)]
    operation = together(queries.ITEMS, *[queries.item(other) for other in others])
    numbers = [value for name, value in operation.variables.items() if name.startswith("number")]
    assert numbers == list(range(1, 26))


names = st.from_regex(r"[a-z][a-zA-Z0-9_]{0,8}", fullmatch=True)
literals = st.recursive(
    st.one_of(
        st.text(max_size=12),
        st.integers(-(2**31), 2**31 - 1),
        st.booleans(),
        st.none(),
        st.builds(Enum, st.from_regex(r"[A-Z]{3,9}", fullmatch=True)),
        st.builds(Variable, names, st.just("String"), st.text(max_size=5)),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)
parts = st.recursive(
    st.builds(Ask, names, st.dictionaries(names, literals, max_size=3)),
    lambda inner: st.one_of(
        st.builds(
            Ask,
            names,
            st.dictionaries(names, literals, max_size=2),
            st.lists(inner, min_size=1, max_size=3).map(tuple),
            st.none() | names,
        ),
        st.builds(On, st.just("Issue"), st.lists(inner, min_size=1, max_size=2).map(tuple)),
        st.builds(
            lambda selection: Spread(Fragment(f"F{abs(hash(str(selection)))}", "Issue", selection)),
            st.lists(inner, min_size=1, max_size=2).map(tuple),
        ),
    ),
    max_leaves=8,
)


@given(st.lists(parts, min_size=1, max_size=3).map(tuple))
def test_whatever_the_parts_are_the_text_is_graphql(selection: tuple[Ask, ...]) -> None:
    operation = Operation("Any", selection)
    again = parse(print_ast(parse(operation.text)))
    assert print_ast(again) == print_ast(parse(operation.text))
