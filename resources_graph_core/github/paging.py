"""Reading every connection of an answer to its end, whatever its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from resources_graph_core.errors import GitHubError
from resources_graph_core.github.answers import wrong_shape
from resources_graph_core.github.asking import Question
from resources_graph_core.github.documents import PAGE_LIMIT, Ask, On, Variable
from resources_graph_core.github.queries import NEXT_PAGES
from resources_graph_core.github.replies import first_problem
from resources_graph_core.github.shapes import Connection, Shape, asked_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resources_graph_core.github.asking import Asker


@dataclass(frozen=True, slots=True)
class Whole:
    """An answer to be completed; ``what`` names it in messages."""

    what: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class _Open:
    """A connection that goes on: field ``name`` of ``owner``, which is part of answer ``root``."""

    root: int
    owner: Shape
    name: str
    connection: Connection[Any]

    def question(self, what: str) -> Question:
        """The page after the last one."""
        owner = self.owner
        (on,) = owner.on
        cursor = self.connection.page_info.end_cursor

        def part(alias: str) -> Ask:
            page = asked_for(
                type(owner),
                self.name,
                first=PAGE_LIMIT,
                after=Variable(f"after_{alias}", "String", cursor),
            )
            where = Variable(f"id_{alias}", "ID!", getattr(owner, "id"))  # noqa: B009 - by shape
            return Ask("node", {"id": where}, (On(on, (page,)),))

        return Question(what, part)

    def add(self, answer: Any, what: str) -> None:  # noqa: ANN401 - JSON, checked here
        """Add the next page's nodes."""
        field = type(self.owner).model_fields[self.name]
        adapter = TypeAdapter[Connection[Any]](field.annotation)  # type: ignore[arg-type]  # a field always has one
        try:
            page = adapter.validate_python((answer or {}).get(field.alias or self.name))
        except (ValidationError, AttributeError) as error:
            detail = first_problem(error) if isinstance(error, ValidationError) else str(error)
            raise wrong_shape(what, f"{self.name}: {detail}") from None
        before = self.connection.page_info.end_cursor
        if page.page_info.has_next_page and page.page_info.end_cursor in (None, before):
            raise wrong_shape(what, f"{self.name} goes on without end")
        self.connection.nodes.extend(page.nodes)
        self.connection.page_info = page.page_info


def read_to_the_end(asker: Asker, answers: Sequence[Whole]) -> dict[int, GitHubError]:
    """Add to each of ``answers`` all pages that its connections lack, many in one document.

    Returns the errors of those that could not be completed, by position. Raises what stops
    everything, as the Asker does.
    """
    failed: dict[int, GitHubError] = {}
    waiting = [one for root, whole in enumerate(answers) for one in _open_in(whole.shape, root)]
    while waiting:
        questions = [one.question(answers[one.root].what) for one in waiting]
        outcomes = [outcome for batch in asker.ask_each(NEXT_PAGES, questions) for outcome in batch]
        for one, outcome in zip(waiting, outcomes, strict=True):
            if isinstance(outcome, GitHubError):
                failed[one.root] = outcome
                continue
            try:
                one.add(outcome, answers[one.root].what)
            except GitHubError as error:
                failed[one.root] = error
        waiting = [
            one
            for root, whole in enumerate(answers)
            if root not in failed
            for one in _open_in(whole.shape, root)
        ]
    return failed


def open_pages(shape: Shape, what: str) -> Iterator[Question]:
    """The question for the next page of each connection in ``shape`` that goes on."""
    return (one.question(what) for one in _open_in(shape, 0))


def _open_in(shape: Shape, root: int) -> Iterator[_Open]:
    for name in type(shape).model_fields:
        value = getattr(shape, name)
        if isinstance(value, Connection):
            if value.page_info.has_next_page:
                yield _Open(root, shape, name, value)
            for node in value.nodes:
                if isinstance(node, Shape):
                    yield from _open_in(node, root)
        elif isinstance(value, Shape):
            yield from _open_in(value, root)
