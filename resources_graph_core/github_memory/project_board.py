"""A project as it was read, and what has to change in it for a triage backlog.

Pure: the entries that its items hold, and the changes that write an entry or take it out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from resources_graph_core.errors import BlockError
from resources_graph_core.github_memory import projects
from resources_graph_core.github_memory.json_text import compact_json, read_json
from resources_graph_core.github_memory.merging import same
from resources_graph_core.github_memory.projects import Change
from resources_graph_core.github_memory.records import TriageEntry, TriageVerdict, plain

if TYPE_CHECKING:
    from resources_graph_core.github_memory.projects import FieldShape, ItemShape

KINDS: Final = {
    projects.VERDICT: "SINGLE_SELECT",
    projects.ORDER: "NUMBER",
    projects.RATIONALE: "TEXT",
    projects.METADATA: "TEXT",
}
_COLORS: Final = {
    TriageVerdict.stale: "GRAY",
    TriageVerdict.closeable: "GREEN",
    TriageVerdict.fixable: "BLUE",
    TriageVerdict.blocked: "RED",
}


@dataclass(frozen=True, slots=True)
class Board:
    """A project as it was read: its fields by name, and its items."""

    id: str
    url: str
    public: bool
    fields: dict[str, FieldShape]
    items: tuple[ItemShape, ...]


def differ(known: TriageEntry | None, entry: TriageEntry) -> bool:
    """Whether anything has to be written; in metadata 1 is not True."""
    return known is None or not same(asdict(known), asdict(entry))


def texts_of(entry: TriageEntry) -> dict[str, str]:
    """The text fields of an entry; what is empty is an empty text."""
    metadata = plain(entry.metadata)
    return {
        projects.RATIONALE: entry.rationale,
        projects.METADATA: compact_json(metadata) if metadata else "",
    }


def entries_of(board: Board) -> dict[str, TriageEntry]:
    """The entries of items that hold a verdict of ours, by ref in small letters."""
    found: dict[str, TriageEntry] = {}
    for item in board.items:
        chosen = ((item.verdict and item.verdict.name) or "").lower()
        if item.ref is None or chosen not in list(TriageVerdict):
            continue
        number = item.order.number if item.order else None
        text = item.rationale.text if item.rationale else None
        found[item.ref.lower()] = TriageEntry(
            item.ref, TriageVerdict(chosen), int(number or 0), text or "", _metadata(item)
        )
    return found


def judged_items(board: Board) -> set[str]:
    """The ids of the items that hold a verdict of ours."""
    refs = entries_of(board)
    return {item.id for item in board.items if item.ref and item.ref.lower() in refs}


def _metadata(item: ItemShape) -> dict[str, Any]:
    text = (item.metadata.text if item.metadata else None) or "{}"
    try:
        held = read_json(text)
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, dict):
        raise BlockError(
            f"the field {projects.METADATA!r} of {item.ref} is no JSON object; correct it", 1
        )
    return held


def new_field(project_id: str, name: str) -> Change:
    """The change that adds one of our fields."""
    given: dict[str, Any] = {"projectId": project_id, "name": name, "dataType": KINDS[name]}
    if name == projects.VERDICT:
        given["singleSelectOptions"] = [
            {"name": verdict.value, "color": color, "description": ""}
            for verdict, color in _COLORS.items()
        ]
    return Change("createProjectV2Field", given, "projectV2Field")


def changes_of(
    board: Board, item_id: str, known: TriageEntry | None, entry: TriageEntry
) -> list[Change]:
    """What to write of an entry; the verdict last, so that nobody sees it without the rest."""
    where = {"projectId": board.id, "itemId": item_id}
    changes = []
    held = texts_of(known) if known else _left_over(board, item_id)
    for name, text in texts_of(entry).items():
        if text != held[name]:
            target = {**where, "fieldId": board.fields[name].id}
            changes.append(_set(target, {"text": text}) if text else _clear(target))
    if known is None or known.order != entry.order:
        target = {**where, "fieldId": board.fields[projects.ORDER].id}
        changes.append(_set(target, {"number": entry.order}))
    if known is None or known.verdict != entry.verdict:
        field = board.fields[projects.VERDICT]
        options = {option.name.lower(): option.id for option in field.options}
        target = {**where, "fieldId": field.id}
        changes.append(_set(target, {"singleSelectOptionId": options[entry.verdict.value]}))
    return changes


def _left_over(board: Board, item_id: str) -> dict[str, str]:
    """The texts of an item that is no entry (any more)."""
    item = next((one for one in board.items if one.id == item_id), None)
    held = {
        projects.RATIONALE: item.rationale if item else None,
        projects.METADATA: item.metadata if item else None,
    }
    return {name: (value.text or "") if value else "" for name, value in held.items()}


def removal_of(board: Board, item: ItemShape) -> list[Change]:
    """What takes an entry out; the verdict first, so that nobody sees an entry without the rest.

    The item stays: who added it is known, but not whether its fields are anybody's work.
    """
    where = {"projectId": board.id, "itemId": item.id}
    held = {
        projects.VERDICT: item.verdict,
        projects.ORDER: item.order,
        projects.RATIONALE: item.rationale,
        projects.METADATA: item.metadata,
    }
    return [
        _clear({**where, "fieldId": board.fields[name].id})
        for name, value in held.items()
        if value is not None
    ]


def _set(target: dict[str, str], value: dict[str, Any]) -> Change:
    return Change("updateProjectV2ItemFieldValue", {**target, "value": value}, "projectV2Item")


def _clear(target: dict[str, str]) -> Change:
    return Change("clearProjectV2ItemFieldValue", target, "projectV2Item")
