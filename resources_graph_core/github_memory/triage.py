"""A triage backlog: verdicts on issues of any repository, in the order of their resolution.

It is kept in a tracking issue or in a GitHub Project; to whoever uses it both are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from pydantic import ValidationError

from resources_graph_core.closing import Closed
from resources_graph_core.errors import NoSuchEntry, UsageError
from resources_graph_core.github.replies import first_problem
from resources_graph_core.github_memory.mapping import StoredMapping
from resources_graph_core.github_memory.records import TriageEntry, TriageVerdict
from resources_graph_core.github_memory.store import removing
from resources_graph_core.github_memory.triage_block import is_ref
from resources_graph_core.github_memory.triage_issue import IssueBacklog
from resources_graph_core.github_memory.triage_project import ProjectBacklog

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.graph_record import GraphRecord
    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.github_memory.projects import ProjectAddress

TriageValue = TriageEntry | TriageVerdict | str | Mapping[str, Any]
"""What an issue can be set to: a whole entry, a verdict, or some of its fields."""

ResultT = TypeVar("ResultT")


class Entries(Protocol):
    """The entries of a backlog as they were read, and as edits leave them."""

    @property
    def entries(self) -> list[TriageEntry]:
        """The entries in the chosen order."""

    def get(self, ref: str) -> TriageEntry | None:
        """The entry of an issue."""

    def put(self, entry: TriageEntry) -> TriageEntry:
        """Write an entry, in place of an older one of the same issue."""

    def remove(self, ref: str) -> None:
        """Take an entry out. Raises NoSuchEntry."""


class _Kept(Protocol):
    """Where a backlog is kept."""

    def read(self) -> Entries:
        """The entries as they are now, with the edits of a batch."""

    def edit(self, operation: Callable[[Any], ResultT]) -> ResultT:
        """Do an edit of the entries, at once or as a part of the batch."""

    def batch(self) -> AbstractContextManager[object]:
        """Make all edits in the ``with`` block one write at its end."""

    def close(self) -> None:
        """Close the connections that are its own."""


class TriageBacklog(Closed, StoredMapping[TriageEntry]):
    """Verdicts by ``owner/repo#N``, kept on GitHub; iterates in the chosen order.

    They are kept in the issue ``number`` of ``repo``, or in ``project``, a GitHub Project (its URL:
    ``https://github.com/orgs/OWNER/projects/N``), see :class:`IssueBacklog` and
    :class:`ProjectBacklog`. ``issues`` is the GitHub they are on, opened from the settings when it
    is not given, and closed with the backlog only then. ``cache_dir`` is where snapshots go,
    ``graph`` where what is read and written is recorded.

    Every read asks GitHub; ``values()``, ``items()`` and ``hydrate()`` ask once for all. Raises
    BlockError, which says where, for JSON that cannot be understood (it is never overwritten),
    NoSuchEntry (a KeyError) for an issue without verdict, WriteConflict, and errors of GitHub.
    """

    kind = "triage"

    def __init__(
        self,
        repo: str | Address | None = None,
        number: int | None = None,
        *,
        project: str | ProjectAddress | None = None,
        cache_dir: str | Path | None = None,
        issues: Issues | None = None,
        graph: GraphRecord | None = None,
    ) -> None:
        self._kept: _Kept
        self.where: Address | ProjectAddress
        if project is None and repo is not None and number is not None:
            kept = IssueBacklog(repo, number, cache_dir=cache_dir, issues=issues, graph=graph)
            self._kept, self.where = kept, kept.where
        elif project is not None and repo is None and number is None:
            board = ProjectBacklog(project, cache_dir=cache_dir, issues=issues, graph=graph)
            self._kept, self.where = board, board.where
        else:
            raise UsageError("a backlog is in an issue (its repo and number) or in a project")

    def close(self) -> None:
        """Close the connections that are the backlog's own."""
        self._kept.close()

    @contextmanager
    def batch(self) -> Iterator[Self]:
        """Write all edits in the ``with`` block together at its end; reads see them before.

        When the block ends in an error nothing is written.
        """
        with self._kept.batch():
            yield self

    def hydrate(self) -> list[TriageEntry]:
        """All entries, read now."""
        return self._kept.read().entries

    def put(self, key: str, value: TriageValue) -> TriageEntry:
        """Write the entry of an issue and return it; what is not given stays as it is."""
        if not is_ref(key):
            raise UsageError(f"{key!r} names no issue; write owner/repo#N")

        def put(entries: Entries) -> TriageEntry:
            return entries.put(_entry(key, value, entries.get(key)))

        return self._kept.edit(put)

    def __getitem__(self, key: str) -> TriageEntry:
        """The entry of an issue; NoSuchEntry when there is none."""
        found = self._kept.read().get(key)
        if found is None:
            raise NoSuchEntry(f"the backlog {self.where} has no {key!r}")
        return found

    def __setitem__(self, key: str, value: TriageValue) -> None:
        """Write the entry of an issue; what is not given stays as it is."""
        self.put(key, value)

    def __delitem__(self, key: str) -> None:
        """Take an entry out; NoSuchEntry when there is none."""
        self._kept.edit(
            removing(lambda block: block.get(key) is not None, lambda block: block.remove(key))
        )

    def __contains__(self, key: object) -> bool:
        """Whether an issue has an entry."""
        return isinstance(key, str) and self._kept.read().get(key) is not None

    def _key(self, record: TriageEntry) -> str:
        return record.ref


def _entry(key: str, value: TriageValue, known: TriageEntry | None) -> TriageEntry:
    """The entry that a value makes of a known one; UsageError for what makes none."""
    try:
        match value:
            case TriageEntry():
                return replace(value, ref=key)
            case str():
                fields: dict[str, Any] = {"verdict": TriageVerdict(value)}
            case Mapping():
                names = ("verdict", "order", "rationale", "metadata")
                fields = {name: value[name] for name in names if name in value}
            case _:
                raise UsageError(
                    f"an issue is set to a TriageEntry, a verdict or a mapping, not to {value!r}"
                )
        if known is not None:
            return TriageEntry(**{**asdict(known), **fields})
        return TriageEntry(**{"verdict": TriageVerdict.fixable, **fields, "ref": key})
    except ValidationError as error:
        raise UsageError(f"{key}: {first_problem(error)}") from None
    except ValueError as error:
        verdicts = ", ".join(TriageVerdict)
        raise UsageError(f"{key}: {error}; a verdict is one of {verdicts}") from None
