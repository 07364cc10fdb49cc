"""A triage backlog in a GitHub Project: an item for each issue, its entry in four of its fields.

The verdict is a single-select field, the order a number (the position of an item is shared with
people who sort the project their own way), rationale and metadata are texts. An item without a
verdict of ours is a person's own: it is not listed and stays as it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import ValidationError

from resources_graph_core.address import parse_address
from resources_graph_core.errors import (
    GitHubError,
    NoSuchEntry,
    NotAllowed,
    NotFound,
    UsageError,
    WriteConflict,
)
from resources_graph_core.github.answers import query_error_for, wrong_shape
from resources_graph_core.github.replies import first_problem
from resources_graph_core.github_memory import projects
from resources_graph_core.github_memory.opening import open_issues
from resources_graph_core.github_memory.project_board import (
    KINDS,
    Board,
    changes_of,
    differ,
    entries_of,
    judged_items,
    new_field,
    removal_of,
    texts_of,
)
from resources_graph_core.github_memory.projects import Change, ProjectAddress, project_named
from resources_graph_core.github_memory.records import check_order
from resources_graph_core.github_memory.snapshots import Snapshot
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from resources_graph_core.github.documents import Operation
    from resources_graph_core.github.replies import GraphQLAnswer
    from resources_graph_core.github_memory.graph_record import GraphRecord
    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.github_memory.projects import ItemShape
    from resources_graph_core.github_memory.records import TriageEntry, TriageVerdict

LONGEST_TEXT: Final = 1024
"""Bytes that a text field of a project holds (https://github.com/gr2m/github-project/issues/144)."""

_AT_ONCE = 20
"""Mutations in one document: GitHub does them one after the other, and ends after 10 seconds."""
_TRIES = 5
"""How often a write is tried while others take its items out."""
_REFUSED = ("INSUFFICIENT_SCOPES", "FORBIDDEN")

ResultT = TypeVar("ResultT")


class ProjectEntries:
    """The entries of a project as they were read, and as edits leave them."""

    def __init__(self, entries: dict[str, TriageEntry]) -> None:
        self.by_ref = entries

    @property
    def entries(self) -> list[TriageEntry]:
        """The entries in the chosen order."""
        return sorted(self.by_ref.values(), key=lambda entry: (entry.order, entry.ref))

    def get(self, ref: str) -> TriageEntry | None:
        """The entry of an issue; owners and repositories compare without case, as on GitHub."""
        return self.by_ref.get(ref.lower())

    def put(self, entry: TriageEntry) -> TriageEntry:
        """Write an entry, in place of an older one of the same issue.

        UsageError for what does not fit in a project's fields.
        """
        check_order(entry)
        for name, text in texts_of(entry).items():
            if (size := len(text.encode(errors="replace"))) > LONGEST_TEXT:
                raise UsageError(
                    f"{name} of {entry.ref} would be {size:,} bytes, and a project's field holds "
                    f"{LONGEST_TEXT:,}. Nothing was sent. Shorten it, or keep the backlog in an "
                    "issue, which holds more."
                )
        known = self.get(entry.ref)
        kept = replace(entry, ref=known.ref) if known else entry
        self.by_ref[kept.ref.lower()] = kept
        return kept

    def remove(self, ref: str) -> None:
        """Take an entry out. Raises NoSuchEntry."""
        if self.by_ref.pop(ref.lower(), None) is None:
            known = ", ".join(entry.ref for entry in self.entries) or "none"
            raise NoSuchEntry(f"the backlog has no {ref!r}; it holds: {known}")


@dataclass(slots=True)
class _Batch:
    """The entries as edits leave them, and the edits, which wait for the end of the batch."""

    entries: ProjectEntries
    operations: list[Callable[[ProjectEntries], object]] = field(default_factory=list)


class ProjectBacklog:
    """The entries in a project; fields that are missing are added by the first write.

    A write makes its edits to the entries as they are just before it, and changes only the fields
    that these changed, so that two writers lose nothing as long as they do not set the same field
    of the same issue at the same moment; then the later one counts. An entry that is taken out
    loses its values; its item goes too where the token's own account had added it. Needs a token
    with the scope ``project`` (``read:project`` to read). For one thread at a time.
    """

    def __init__(
        self,
        project: str | ProjectAddress,
        *,
        cache_dir: str | Path | None = None,
        issues: Issues | None = None,
        graph: GraphRecord | None = None,
    ) -> None:
        self.where = project_named(project) if isinstance(project, str) else project
        folder = None if cache_dir is None else Path(cache_dir)
        self._owns_issues = issues is None
        self._issues = issues or open_issues(host=self.where.host, cache_dir=folder)
        self._snapshot = Snapshot(folder, "triage", self.where)
        self._graph = graph
        self._batch: _Batch | None = None

    def close(self) -> None:
        """Close the connections that are the backlog's own."""
        if self._owns_issues:
            self._issues.close()

    def read(self) -> ProjectEntries:
        """The entries as they are now, with the edits of a batch."""
        if self._batch is not None:
            return self._batch.entries
        return self._seen(self._read(), written=False)

    def edit(self, operation: Callable[[ProjectEntries], ResultT]) -> ResultT:
        """Do an edit, at once or as a part of the batch; returns what it returns."""
        if self._batch is None:
            return self._write([operation])[0]
        result = operation(self._batch.entries)
        self._batch.operations.append(operation)
        return result

    @contextmanager
    def batch(self) -> Iterator[object]:
        """Write all edits in the ``with`` block together at its end; reads see them before."""
        if self._batch is not None:
            yield self
            return
        batch = self._batch = _Batch(ProjectEntries(entries_of(self._read())))
        try:
            yield self
        finally:
            self._batch = None
        if batch.operations:
            self._write(batch.operations)

    def _write(self, operations: Sequence[Callable[[ProjectEntries], ResultT]]) -> list[ResultT]:
        """Do edits to the entries as they are now; again while others take their items out."""
        for attempt in range(_TRIES):
            board = self._read()
            before = entries_of(board)
            edited = ProjectEntries(dict(before))
            results = [operation(edited) for operation in operations]
            after = edited.by_ref
            changed = {ref: entry for ref, entry in after.items() if differ(before.get(ref), entry)}
            gone = before.keys() - after.keys()
            if not changed and not gone:
                return results
            try:
                sent = self._send(board, changed, gone)
            except WriteConflict:
                if attempt + 1 == _TRIES:
                    raise
                continue
            now = self._read()
            self._seen(now, written=True)
            # By their items: GitHub may know a repository by another name than it was given.
            if sent <= judged_items(now):
                return results
        raise WriteConflict(
            f"Others went on taking entries out of {self.where}, {_TRIES} times in a row; look at "
            "the project, then try again"
        )

    def _seen(self, board: Board, *, written: bool) -> ProjectEntries:
        """The entries; what anyone may read of them is kept in the snapshot and on the graph."""
        entries = ProjectEntries(entries_of(board))
        if board.public:
            open_refs = {item.ref.lower() for item in board.items if item.ref and item.is_public}
            public = [one for one in entries.entries if one.ref.lower() in open_refs]
            self._snapshot.keep([asdict(entry) for entry in public])
            if self._graph is not None:
                self._graph.triage(self.where, board.url, public, written=written)
        elif self._graph is not None:
            self._graph.withdraw([self.where.key])
        return entries

    def _read(self) -> Board:
        """All of the project, a request for each hundred items."""
        items: list[ItemShape] = []
        after: str | None = None
        while True:
            answer = self._ask(projects.read_page(self.where, after))
            try:
                page = projects.PageShape.model_validate(answer.data or {})
            except ValidationError as error:
                raise wrong_shape(str(self.where), first_problem(error)) from None
            project = page.owner.project if page.owner else None
            if project is None:
                raise NotFound(f"GitHub knows no project {self.where}, or does not show it")
            items += project.items.nodes
            after = project.items.page_info.end_cursor
            if not project.items.page_info.has_next_page or after is None:
                break
        fields = {field.name: field for field in project.fields.nodes}
        url, public = project.url, project.public
        return Board(project.id, url, public, fields, tuple(items))

    def _send(
        self, board: Board, changed: dict[str, TriageEntry], gone: Collection[str]
    ) -> set[str]:
        """Write entries and take others out; the items of those that were written."""
        if changed:
            board = self._with_fields(board, {entry.verdict for entry in changed.values()})
        known = entries_of(board)
        items = {item.ref.lower(): item.id for item in board.items if item.ref}
        items |= self._added(board, [entry for ref, entry in changed.items() if ref not in items])
        changes = [
            change
            for ref, entry in changed.items()
            for change in changes_of(board, items[ref], known.get(ref), entry)
        ]
        for item in board.items:
            if item.ref and item.ref.lower() in gone:
                changes += removal_of(board, item)
        self._change(changes)
        return {items[ref] for ref in changed}

    def _with_fields(self, board: Board, verdicts: set[TriageVerdict]) -> Board:
        """The project with all our fields; UsageError for one that is there as something else."""
        board = self._with_all_fields(board)
        options = {option.name.lower() for option in board.fields[projects.VERDICT].options}
        if lacking := sorted(verdict.value for verdict in verdicts if verdict not in options):
            raise UsageError(
                f"the field {projects.VERDICT!r} of {self.where} has no option {lacking[0]!r}; add "
                "it there"
            )
        return board

    def _with_all_fields(self, board: Board) -> Board:
        for name, kind in KINDS.items():
            field = board.fields.get(name)
            if field is not None and field.data_type != kind:
                raise UsageError(
                    f"the field {name!r} of {self.where} is a {field.data_type} and has to be a "
                    f"{kind}; rename it"
                )
        missing = [name for name in KINDS if name not in board.fields]
        if not missing:
            return board
        try:
            self._change([new_field(board.id, name) for name in missing])
        except NotAllowed:
            raise
        except GitHubError:  # somebody else may have made them at the same moment
            board = self._read()
            if not all(name in board.fields for name in KINDS):
                raise
            return board
        return self._read()

    def _added(self, board: Board, entries: list[TriageEntry]) -> dict[str, str]:
        """The ids of items that are added for issues which have none, by ref in small letters."""
        found: dict[str, str] = {}
        for wanted in batches(entries, _AT_ONCE):
            answer = self._ask(projects.find_items([parse_address(one.ref) for one in wanted]))
            changes = []
            for position, entry in enumerate(wanted):
                item = ((answer.data or {}).get(f"i_n{position}") or {}).get("item") or {}
                if "id" not in item:
                    raise NotFound(f"GitHub knows no issue or pull request {entry.ref}")
                # Adding what is there already gives its item.
                given = {"projectId": board.id, "contentId": item["id"]}
                changes.append(Change("addProjectV2ItemById", given, "item"))
            for entry, made in zip(wanted, self._change(changes), strict=True):
                found[entry.ref.lower()] = made["item"]["id"]
        return found

    def _change(self, changes: Sequence[Change]) -> list[dict[str, Any]]:
        """Make changes in their order, and return their payloads."""
        payloads: list[dict[str, Any]] = []
        for batch in batches(changes, _AT_ONCE):
            answer = self._ask(projects.change_project(batch))
            payloads += [(answer.data or {}).get(f"m_n{n}") or {} for n in range(len(batch))]
        return payloads

    def _ask(self, operation: Operation) -> GraphQLAnswer:
        """Send a document; the error that its first error means is raised."""
        what = f"the project {self.where}"
        answer = self._issues.query(operation, what)
        for error in answer.errors:
            if error.kind in _REFUSED:
                need = "project" if operation.kind == "mutation" else "read:project"
                raise NotAllowed(
                    f"The token may not do that with {what} ({error.message}); run "
                    f"`gh auth refresh -s {need}`, or give a fine-grained token the permission for "
                    "projects"
                )
            if error.kind == "NOT_FOUND" and operation.kind == "mutation":
                raise WriteConflict(f"Somebody took an item out of {what} meanwhile; try again")
            if error.kind == "NOT_FOUND":
                raise NotFound(error.message)
            raise query_error_for(error, answer.headers, what)
        return answer
