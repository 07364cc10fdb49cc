"""What the stores have in common: where they are, one read, and edits, alone or many at once."""

from __future__ import annotations

import logging
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, Self, TypeVar

from resources_graph_core.address import Address, parse_address
from resources_graph_core.closing import Closed
from resources_graph_core.errors import BlockError, GitHubError, UsageError
from resources_graph_core.github_memory.opening import open_issues
from resources_graph_core.github_memory.snapshots import Snapshot
from resources_graph_core.github_memory.writing import BlockKind, Edited, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from resources_graph_core.github_memory.graph_record import GraphRecord
    from resources_graph_core.github_memory.issues import Issues, IssueText

ResultT = TypeVar("ResultT")

_log = logging.getLogger(__name__)


class Block(Protocol):
    """A block in an issue's text, made from the whole text."""

    @property
    def text(self) -> str:
        """The whole text with every edit in it."""

    @property
    def ids(self) -> frozenset[str] | None:
        """The ids of all that is in the block; None where they are not given here."""


BlockT = TypeVar("BlockT", bound=Block)


def address_of(repo: str | Address, number: int) -> Address:
    """The Address of an issue in ``repo``: ``owner/repo``, a URL of the repository, an Address.

    UsageError for what names none.
    """
    named = parse_address(repo) if isinstance(repo, str) else repo
    if type(number) is not int:
        raise UsageError(f"{number!r} is no number of an issue in {repo}")
    try:
        return Address.of_item(named.owner, named.name, number, host=named.host)
    except ValueError:
        raise UsageError(f"{number!r} is no number of an issue in {repo}") from None


class GitHubStore(Closed):
    """Something kept in one issue or pull request; close it after use, or use it in ``with``.

    ``issues`` is the GitHub it is on, opened from the settings when it is not given, and closed
    with the store only then. ``cache_dir`` is where snapshots go, ``graph`` where what is read and
    written is recorded.
    """

    kind: str

    def __init__(
        self,
        repo: str | Address,
        number: int,
        *,
        cache_dir: str | Path | None = None,
        issues: Issues | None = None,
        graph: GraphRecord | None = None,
    ) -> None:
        self.where = address_of(repo, number)
        folder = None if cache_dir is None else Path(cache_dir)
        self._owns_issues = issues is None
        self._issues = issues or open_issues(host=self.where.host, cache_dir=folder)
        self._snapshot = Snapshot(folder, self.kind, self.where)
        self._graph = graph

    @property
    def repo(self) -> str:
        """``owner/repo``."""
        return self.where.name_with_owner

    @property
    def number(self) -> int:
        """The number of the issue or pull request."""
        return self.where.number or 0

    def _record(self, repository: tuple[str, str]) -> GraphRecord | None:
        """Where to record what is seen; nowhere for a ``repository`` that not anyone may read.

        That is the owner and name of where it was seen: an issue may have been moved to another
        one. What happens on GitHub has happened, so an error of the recording is only logged.
        """
        if self._graph is None:
            return None
        there = Address.of_repository(*repository, host=self.where.host)
        try:
            is_public = self._issues.is_public(there)
        except GitHubError as error:
            _log.warning("%s was not recorded on the graph: %s", self.where, error)
            return None
        if not is_public:
            self._graph.withdraw([self.where.key, there.key])
            return None
        return self._graph

    def close(self) -> None:
        """Close the connections that are the store's own."""
        if self._owns_issues:
            self._issues.close()


@dataclass(slots=True)
class _Batch(Generic[BlockT]):
    """Edits that wait for the end of a batch, the block as it will be, and what they told."""

    block: BlockT
    operations: list[Callable[[BlockT], object]] = field(default_factory=list)
    results: list[object] = field(default_factory=list)


class BlockStore(GitHubStore, Generic[BlockT]):
    """A store in a block of an issue's text.

    Every write is made to the text as it is now and looked at afterwards, see
    :mod:`resources_graph_core.github_memory.writing`. For one thread at a time.
    """

    _block_kind: ClassVar[BlockKind]
    _batch: _Batch[BlockT] | None = None

    def __init__(
        self,
        repo: str | Address,
        number: int,
        *,
        cache_dir: str | Path | None = None,
        issues: Issues | None = None,
        graph: GraphRecord | None = None,
    ) -> None:
        super().__init__(repo, number, cache_dir=cache_dir, issues=issues, graph=graph)
        self._writer = Writer(self._issues, self.where, self._block_kind)
        self._begin()

    @abstractmethod
    def _parse(self, text: str) -> BlockT:
        """The block in a text."""

    def _block(self, text: str) -> BlockT:
        """The block in the issue's text. Raises BlockError, which says which issue it is."""
        try:
            return self._parse(text)
        except BlockError as error:
            raise BlockError(error.message, error.line, str(self.where)) from None

    @abstractmethod
    def _seen(self, issue: IssueText, block: BlockT, *, written: bool) -> None:
        """Keep what was read or written: the snapshot, and the record on the graph."""

    @contextmanager
    def batch(self) -> Iterator[Self]:
        """Make all edits in the ``with`` block one write at its end; reads see them before.

        When the block ends in an error nothing is written.
        """
        if self._batch is not None:
            yield self
            return
        self._begin()
        batch = self._batch = _Batch[BlockT](self._block(self._writer.read().text))
        try:
            yield self
        finally:
            self._batch = None
        if batch.operations:
            self._write(batch.operations)
            self._correct(batch.results)

    def _read(self) -> BlockT:
        """The block as it is now, with the edits of a batch; one request at most."""
        if self._batch is not None:
            return self._batch.block
        issue = self._writer.read()
        block = self._block(issue.text)
        self._seen(issue, block, written=False)
        return block

    def _edit(self, operation: Callable[[BlockT], ResultT]) -> ResultT:
        """Do an edit, at once or as a part of the batch; returns what it returns."""
        if self._batch is not None:
            result = operation(self._batch.block)
            self._batch.operations.append(operation)
            self._batch.results.append(result)
            return result
        return self._write([operation])[0]

    def _write(self, operations: Sequence[Callable[[BlockT], ResultT]]) -> list[ResultT]:
        """Do edits in one write; returns what they return."""

        def change(text: str) -> Edited[list[ResultT]]:
            self._begin()
            block = self._block(text)
            results = [operation(block) for operation in operations]
            text = block.text
            return Edited(text, results, block.ids, self._added())

        outcome = self._writer.write(change)
        block = self._block(outcome.issue.text)
        self._settle(outcome.names)
        self._seen(outcome.issue, block, written=True)
        return outcome.result

    def _begin(self) -> None:
        """Begin with the edits of a write, which may have been tried before."""

    def _added(self) -> tuple[str, ...]:
        """The ids of what the edits of a write made new, whatever others add at the same time."""
        return ()

    def _settle(self, names: Mapping[str, str]) -> None:
        """Take over what became of the ids that a write gave, some of which others gave too."""

    def _correct(self, results: Sequence[object]) -> None:
        """Correct what edits of a batch told, once it is known what became of them."""


def removing(
    there: Callable[[BlockT], bool], remove: Callable[[BlockT], None]
) -> Callable[[BlockT], None]:
    """An edit that takes something out; done again, it is content when that is gone already."""
    tried = False

    def edit(block: BlockT) -> None:
        nonlocal tried
        if tried and not there(block):
            return
        remove(block)
        tried = True

    return edit
