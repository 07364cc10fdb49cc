"""Many questions in one document, each answered or failed on its own.

GitHub ends a document after 10 seconds and charges for it all the same, so a batch that it cannot
serve is halved until what is left is a single question.
"""

from __future__ import annotations

import logging
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import GitHubError, GitHubUnavailable, NotPublic, RateLimited
from resources_graph_core.github.answers import query_error_for
from resources_graph_core.github.documents import NODE_LIMIT, Ask, Operation
from resources_graph_core.github.problems import Heavy, Passing, Unreachable
from resources_graph_core.github.retrying import try_again_on
from resources_graph_core.github.shapes import DISPENSABLE
from resources_graph_core.setting import IN_FLIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from resources_graph_core.github.answers import QueryError
    from resources_graph_core.github.replies import GraphQLAnswer
    from resources_graph_core.github.transport import Transport

_log = logging.getLogger(__name__)

BATCH = 25
"""Questions in one document: as much at full depth as GitHub answers well within its 10 seconds."""

FAILURES_IN_A_ROW = 3
"""After so many single questions that failed one after another, GitHub is taken to be down."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask: ``part`` builds its field for an alias, ``what`` names it in messages.

    The variables of the field must be named after the alias, so that questions do not collide.
    """

    what: str
    part: Callable[[str], Ask]


Outcome = Any
"""What a question was answered with: JSON, or the GitHubError that stands in its place."""


class Asker:
    """Asks GitHub's GraphQL; raises only what stops everything: a limit, a bad token, no GitHub.

    What is dispensable and GitHub's schema does not have, as that of an older Enterprise Server, is
    not asked for again.
    """

    def __init__(
        self, transport: Transport, *, batch: int = BATCH, in_flight: int = IN_FLIGHT
    ) -> None:
        self._transport = transport
        self._batch = batch
        self._in_flight = in_flight
        self._failures = 0
        self._lacking: frozenset[str] = frozenset()

    def ask(self, name: str, question: Question) -> Any:  # noqa: ANN401 - JSON may be anything
        """The answer to a single question, in a document called ``name``.

        Raises the error that stands in its place.
        """
        (outcome,) = self._ask_together(name, [question])
        if isinstance(outcome, GitHubError):
            raise outcome
        return outcome

    def ask_each(
        self, name: str, questions: Sequence[Question], *, batch: int | None = None
    ) -> Iterator[list[Outcome]]:
        """The outcomes of ``questions`` in order, by the batch, a few batches asked at once."""
        size = batch or self._batch
        batches = [questions[start : start + size] for start in range(0, len(questions), size)]
        if len(batches) == 1:
            yield self._ask_together(name, batches[0])
            return
        pool = ThreadPoolExecutor(self._in_flight, thread_name_prefix="github")
        try:
            coming: deque[Future[list[Outcome]]] = deque()
            for together in batches:
                if len(coming) == self._in_flight:
                    yield coming.popleft().result()
                coming.append(pool.submit(self._ask_together, name, together))
            while coming:
                yield coming.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask_together(self, name: str, questions: Sequence[Question]) -> list[Outcome]:
        aliases = [f"n{position}" for position in range(len(questions))]
        operation = Operation(
            name,
            tuple(
                question.part(alias).known_as(alias)
                for alias, question in zip(aliases, questions, strict=True)
            ),
        )
        if len(questions) == 1:
            return [self._ask_alone(operation, questions[0])]
        if operation.node_count > NODE_LIMIT:
            return self._halved(name, questions)
        try:
            answer = self._query(operation, f"{len(questions)} items", again=False)
        except Unreachable:
            raise
        except (Passing, Heavy, NotPublic):
            return self._halved(name, questions)
        errors = self._errors_by_alias(answer, dict(zip(aliases, questions, strict=True)))
        if errors is None:
            return self._halved(name, questions)
        outcomes: list[Outcome] = [
            errors.get(alias, (answer.data or {}).get(alias)) for alias in aliases
        ]
        again = [
            position
            for position, outcome in enumerate(outcomes)
            if isinstance(outcome, Passing | Heavy)
        ]
        for position in again:
            (outcomes[position],) = self._ask_together(name, [questions[position]])
        self._failures = 0 if len(again) < len(outcomes) else self._failures
        return outcomes

    def _query(self, operation: Operation, what: str, *, again: bool = True) -> GraphQLAnswer:
        """An answer to a document, or to what GitHub's schema has of it."""
        while True:
            answer = self._transport.query(operation.without(self._lacking), what, again=again)
            lacking = DISPENSABLE & {error.lacks for error in answer.errors}
            if lacking <= self._lacking:
                return answer
            _log.info("GitHub's schema does not have %s", ", ".join(sorted(lacking)))
            self._lacking |= lacking

    def _halved(self, name: str, questions: Sequence[Question]) -> list[Outcome]:
        middle = len(questions) // 2
        return [
            *self._ask_together(name, questions[:middle]),
            *self._ask_together(name, questions[middle:]),
        ]

    def _ask_alone(self, operation: Operation, question: Question) -> Outcome:
        try:
            outcome = self._ask_until_answered(operation, question)
        except (Unreachable, RateLimited):
            raise
        except GitHubUnavailable as error:
            self._failures += isinstance(error, Passing)
            if self._failures >= FAILURES_IN_A_ROW:
                raise GitHubUnavailable(str(error)) from None
            return error
        except NotPublic as error:
            # A document refused as a whole: about this question, or about the token if all are.
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                raise GitHubUnavailable(str(error)) from None
            return error
        self._failures = 0
        return outcome

    def _ask_until_answered(self, operation: Operation, question: Question) -> Outcome:
        def ask() -> Outcome:
            answer = self._query(operation, question.what)
            alias = operation.parts[0].alias if isinstance(operation.parts[0], Ask) else ""
            errors = [
                query_error_for(error, answer.headers, question.what) for error in answer.errors
            ]
            if not errors:
                return (answer.data or {}).get(alias or "")
            worst = _worst(errors)
            if isinstance(worst, RateLimited | Heavy):
                raise worst
            if isinstance(worst, Passing):
                raise _UnansweredError(str(worst))
            return worst

        return try_again_on(_UnansweredError, ask)

    def _errors_by_alias(
        self, answer: GraphQLAnswer, questions: dict[str, Question]
    ) -> dict[str, GitHubError] | None:
        """The errors by the question they are about; None when one is about the whole document."""
        found: dict[str, list[GitHubError]] = {}
        whole = False
        for error in answer.errors:
            alias = _alias_of(error)
            about = questions.get(alias)
            judged = query_error_for(
                error, answer.headers, about.what if about else f"{len(questions)} items"
            )
            if isinstance(judged, RateLimited):
                raise judged
            if about is None:
                whole = True
            found.setdefault(alias, []).append(judged)
        return None if whole else {alias: _worst(errors) for alias, errors in found.items()}


class _UnansweredError(Passing):
    """A single question came back with an error that may pass."""


def _alias_of(error: QueryError) -> str:
    return str(error.path[0]) if error.path else ""


def _worst(errors: Sequence[GitHubError]) -> GitHubError:
    """The error that decides: what stops everything, then what may pass, then the final ones."""
    order: tuple[type[GitHubError], ...] = (
        RateLimited,
        Heavy,
        Passing,
        GitHubUnavailable,
        NotPublic,
    )
    for kind in order:
        for error in errors:
            if isinstance(error, kind):
                return error
    return errors[0]
