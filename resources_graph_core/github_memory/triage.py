"""A triage backlog: verdicts on issues of any repository, in the order of their resolution."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from resources_graph_core.errors import NoSuchEntry, UsageError
from resources_graph_core.github.replies import first_problem
from resources_graph_core.github_memory.merging import merge_triage
from resources_graph_core.github_memory.records import TriageEntry, TriageVerdict
from resources_graph_core.github_memory.store import BlockStore, removing
from resources_graph_core.github_memory.triage_block import TriageBlock, is_ref

if TYPE_CHECKING:
    from resources_graph_core.github_memory.issues import IssueText

TriageValue = TriageEntry | TriageVerdict | str | Mapping[str, Any]
"""What an issue can be set to: a whole entry, a verdict, or some of its fields."""


class TriageBacklog(BlockStore[TriageBlock], MutableMapping[str, TriageEntry]):
    """Verdicts by ``owner/repo#N``, kept in a tracking issue; iterates in the chosen order.

    Every read asks GitHub, which answers an unchanged issue for free; ``values()``, ``items()`` and
    ``hydrate()`` ask once for all. A missing block is added by the first write. Raises BlockError,
    which says where, for JSON that cannot be understood (it is never overwritten), NoSuchEntry (a
    KeyError) for an issue without verdict, WriteConflict, and errors of GitHub.
    """

    kind = "triage"

    def hydrate(self) -> list[TriageEntry]:
        """All entries, read now."""
        return self._read().entries

    def put(self, key: str, value: TriageValue) -> TriageEntry:
        """Write the entry of an issue and return it; what is not given stays as it is."""
        if not is_ref(key):
            raise UsageError(f"{key!r} names no issue; write owner/repo#N")
        return self._edit(lambda block: block.put(_entry(key, value, block.get(key))))

    def __getitem__(self, key: str) -> TriageEntry:
        """The entry of an issue; NoSuchEntry when there is none."""
        found = self._read().get(key)
        if found is None:
            raise NoSuchEntry(f"the backlog {self.where} has no {key!r}")
        return found

    def __setitem__(self, key: str, value: TriageValue) -> None:
        """Write the entry of an issue; what is not given stays as it is."""
        self.put(key, value)

    def __delitem__(self, key: str) -> None:
        """Take an entry out; NoSuchEntry when there is none."""
        self._edit(
            removing(lambda block: block.get(key) is not None, lambda block: block.remove(key))
        )

    def __iter__(self) -> Iterator[str]:
        """The issues, in the chosen order."""
        return iter([entry.ref for entry in self.hydrate()])

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self.hydrate())

    def __contains__(self, key: object) -> bool:
        """Whether an issue has an entry."""
        return isinstance(key, str) and self._read().get(key) is not None

    def values(self) -> ValuesView[TriageEntry]:
        """The entries as they are now, of one read."""
        return {entry.ref: entry for entry in self.hydrate()}.values()

    def items(self) -> ItemsView[str, TriageEntry]:
        """The issues and entries as they are now, of one read."""
        return {entry.ref: entry for entry in self.hydrate()}.items()

    def _parse(self, text: str) -> TriageBlock:
        return TriageBlock(text)

    def _merge(self, base: str, lost: str, now: str) -> str:
        return merge_triage(base, lost, now)

    def _seen(self, issue: IssueText, block: TriageBlock, *, written: bool) -> None:
        self._snapshot.keep([asdict(entry) for entry in block.entries])
        if self._graph is not None:
            self._graph.triage(self.where, issue.html_url, block.entries, written=written)


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
