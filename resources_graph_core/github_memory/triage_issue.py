"""A triage backlog in a JSON block of a tracking issue's text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

from resources_graph_core.github_memory.block_merge import merge_for_triage
from resources_graph_core.github_memory.store import BlockStore
from resources_graph_core.github_memory.triage_block import BEGIN, END, TriageBlock
from resources_graph_core.github_memory.writing import BlockKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.github_memory.issues import IssueText

ResultT = TypeVar("ResultT")


class IssueBacklog(BlockStore[TriageBlock]):
    """The entries in an issue; a missing block is added by the first write."""

    kind = "triage"
    _block_kind = BlockKind(BEGIN, END, merge_for_triage)

    def read(self) -> TriageBlock:
        """The entries as they are now, with the edits of a batch."""
        return self._read()

    def edit(self, operation: Callable[[TriageBlock], ResultT]) -> ResultT:
        """Do an edit, at once or as a part of the batch; returns what it returns."""
        return self._edit(operation)

    def _parse(self, text: str) -> TriageBlock:
        return TriageBlock(text)

    def _seen(self, issue: IssueText, block: TriageBlock, *, written: bool) -> None:
        self._snapshot.keep([asdict(entry) for entry in block.entries])
        if (record := self._record(issue.repository)) is not None:
            record.triage(self.where, issue.html_url, block.entries, written=written)
