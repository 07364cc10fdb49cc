"""A log of decisions: tagged comments of one issue or pull request, only ever added to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, overload

from resources_graph_core.address import Address
from resources_graph_core.clock import after
from resources_graph_core.errors import GitHubError, WriteUncertain
from resources_graph_core.github.problems import Passing
from resources_graph_core.github_memory.decision_comment import (
    new_mark,
    read_decision,
    write_decision,
)
from resources_graph_core.github_memory.records import Decision, FlaggedDecision, plain
from resources_graph_core.github_memory.store import GitHubStore
from resources_graph_core.github_memory.trust import Trust

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.github_memory.graph_record import GraphRecord
    from resources_graph_core.github_memory.issues import CommentText, Issues

_CLOCKS_DIFFER = 120.0
"""Seconds that a clock here may be ahead of GitHub's."""


class DecisionLog(GitHubStore, Sequence[Decision]):
    """The decisions posted on an issue or pull request, in the order of time.

    Only those count whose author is ``allowed`` or may write to the repository; the others are in
    :meth:`flagged`. Every read asks GitHub for all comments, and gets unchanged pages for free.
    """

    kind = "decisions"

    def __init__(
        self,
        repo: str | Address,
        number: int,
        *,
        allowed: Collection[str] = (),
        cache_dir: str | Path | None = None,
        issues: Issues | None = None,
        graph: GraphRecord | None = None,
    ) -> None:
        super().__init__(repo, number, cache_dir=cache_dir, issues=issues, graph=graph)
        self._allowed = tuple(allowed)
        self._trusts: dict[str, Trust] = {}

    def append(
        self,
        summary: str,
        *,
        rationale: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Decision:
        """Post a decision; returned with its ``url`` and ``created_at``.

        Raises UsageError for one without a summary or too long, WriteUncertain when GitHub did not
        say whether it was posted and it is nowhere to be seen.
        """
        text = write_decision(summary, rationale, metadata, mark=new_mark())
        posted = self._post(text)
        kept = plain(metadata or {})
        decision = Decision(
            " ".join(summary.split()), rationale.strip(), kept, posted.created_at, posted.html_url
        )
        if (record := self._record(posted.repository)) is not None:
            # Whoever may comment can post one, but it need not count.
            judgement = self._trust(posted.repository).judge(posted.author)
            record.decisions(self.where, [decision] if judgement.counts else [], written=True)
        return decision

    def flagged(self) -> list[FlaggedDecision]:
        """What looks like a decision but does not count, and why."""
        return self.read()[1]

    def hydrate(self) -> list[Decision]:
        """All decisions that count, read now."""
        return self.read()[0]

    def __iter__(self) -> Iterator[Decision]:
        """The decisions that count, the oldest first."""
        return iter(self.hydrate())

    def __len__(self) -> int:
        """How many decisions count."""
        return len(self.hydrate())

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> list[Decision]: ...
    def __getitem__(self, index: int | slice) -> Decision | list[Decision]:
        """One decision, or some, by their place in time."""
        return self.hydrate()[index]

    def read(self) -> tuple[list[Decision], list[FlaggedDecision]]:
        """The decisions that count, and those that do not, of one read."""
        counted: list[Decision] = []
        flagged: list[FlaggedDecision] = []
        unsure: list[Decision] = []
        comments = list(self._issues.comments(self.where))
        repository = comments[-1].repository if comments else (self.where.owner, self.where.name)
        trust = self._trust(repository)
        for comment in comments:
            read = read_decision(comment.body or "")
            if read is None:
                continue
            decision = replace(read, created_at=comment.created_at, url=comment.html_url)
            judgement = trust.judge(comment.author)
            if judgement.objection is None:
                counted.append(decision)
                continue
            flagged.append(FlaggedDecision(decision, comment.author, judgement.objection))
            if not judgement.is_sure:
                unsure.append(decision)
        counted.sort(key=lambda decision: decision.created_at or "")
        self._snapshot.keep([asdict(decision) for decision in counted])
        if (record := self._record(repository)) is not None:
            record.decisions(self.where, counted, spared=unsure, written=False)
        return counted, flagged

    def _trust(self, repository: tuple[str, str]) -> Trust:
        """Who counts in the repository where the comments are."""
        there = Address.of_repository(*repository, host=self.where.host)
        return self._trusts.setdefault(there.key, Trust(self._issues, there, self._allowed))

    def _post(self, text: str) -> CommentText:
        """Post a comment once: when GitHub does not say, look whether it is there.

        Its mark tells it from one of the same words that was posted before.
        """
        started = after(-_CLOCKS_DIFFER)
        try:
            return self._issues.post_comment(self.where, text)
        except Passing as error:
            with suppress(GitHubError):  # what was asked first is told
                for comment in self._issues.comments(self.where, since=started):
                    if comment.body == text:
                        return comment
            raise WriteUncertain(
                f"GitHub did not say whether the decision was posted on {self.where} ({error}), "
                "and it is not seen there. Look again in a minute before you post it again."
            ) from error
