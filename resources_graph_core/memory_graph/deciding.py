"""What a write becomes, or why it may not be; pure, so that every surface gets the same answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import AccessDenied, Conflict, UsageError
from resources_graph_core.memory_graph import guards
from resources_graph_core.memory_graph.model import Edge, Node, Provenance
from resources_graph_core.memory_graph.requests import replacement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from resources_graph_core.memory_graph.access import Access
    from resources_graph_core.memory_graph.requests import Link, Put, Supersede


_SAID: Final = ("kind", "label", "attrs")
"""What a put says of a node; it keeps the rest."""


def version(
    current: Node | None,
    request: Put,
    access: Access,
    at: str,
    observed: Callable[[], Node | None] = lambda: None,
) -> Node:
    """The version of a node that a put records at ``at``; ``current`` when there is nothing to add.

    On a node of another origin only absent attrs may be added, by anybody but a privileged handle.

    A version counts as one whole: one that keeps anything claimed is claimed, as a node that was
    observed is once somebody untrusted added to it. ``observed`` gives its last observed version: a
    put of one who is trusted and may change it is observed again when all that it keeps is as it
    was then; one that gives kind, label and attrs keeps nothing.

    Raises AccessDenied for more, UsageError for a new node without a kind, Refused by a guard.
    """
    writer = access.writer()
    seen = provenance(access, request.provenance)
    if current is None:
        if request.kind is None:
            raise UsageError(f"{request.id!r} is new and needs a kind.")
        made = Node(
            id=request.id,
            kind=request.kind,
            label=request.id if request.label is None else request.label,
            attrs=request.attrs or {},
            origin=writer,
            writer=writer,
            provenance=seen,
            recorded_at=at,
        )
        return checked(made)
    if current.origin == writer or access.privileged:
        given = {name: value for name in _SAID if (value := getattr(request, name)) is not None}
        keeps = current.provenance == "claimed" and len(given) < len(_SAID)
        if keeps and seen == "observed" and not _keeps_observed(current, given, observed()):
            seen = "claimed"
    else:
        added = _added(current, request)
        if not added:
            return current
        given = {"attrs": current.attrs | added}
        if current.provenance == "claimed":
            seen = "claimed"  # what is kept was only claimed
    changes = given | {"writer": writer, "provenance": seen}
    return checked(
        Node.model_validate(
            current.model_dump() | changes | {"recorded_at": max(at, current.recorded_at)}
        )
    )


def edge(request: Link, edge_id: str, src: str, dst: str, access: Access, at: str) -> Edge:
    """The edge that a link records between two nodes that exist. Raises as :func:`version`."""
    writer = access.writer()
    made = Edge(
        id=edge_id,
        src=src,
        dst=dst,
        rel=request.rel,
        cost=request.cost,
        directed=request.directed,
        scope=request.scope,
        attrs=request.attrs,
        origin=writer,
        provenance=provenance(access, request.provenance),
        valid_from=request.valid_from,
        valid_to=request.valid_to,
        recorded_at=at,
    )
    guards.check_edge(made)
    return made


def may_supersede(old: Edge, access: Access) -> None:
    """Raise AccessDenied for another's edge, Conflict for one that is superseded already."""
    writer = access.writer()
    if old.origin != writer and not access.privileged:
        raise AccessDenied(
            f"The edge {old.id!r} is of origin {old.origin!r}, and {writer!r} may not supersede "
            "it. Assert another edge beside it instead."
        )
    if old.superseded_at is not None:
        raise Conflict(
            f"The edge {old.id!r} was superseded at {old.superseded_at}; trace_edge shows by what."
        )


def replacing(old: Edge, request: Supersede, edge_id: str, access: Access, at: str) -> Edge:
    """The edge that replaces ``old``; its ends may be Addresses still. Raises as :func:`edge`."""
    seen = provenance(access, request.provenance)
    made = Edge.model_validate(
        replacement(old, request)
        | {
            "id": edge_id,
            "origin": access.writer(),
            "provenance": seen,
            "recorded_at": at,
            "supersedes": old.id,
        }
    )
    guards.check_edge(made)
    return made


def provenance(access: Access, asked: Provenance | None) -> Provenance:
    """What a write counts as. Raises AccessDenied when one that is not trusted says observed."""
    if asked == "observed" and not access.trusted:
        raise AccessDenied("Only a trusted handle records what it observed; this one can claim it.")
    return asked or ("observed" if access.trusted else "claimed")


def checked(node: Node) -> Node:
    """A version that the guards let pass, flagged when its label reads as an instruction."""
    guards.check_node(node)
    return node.model_copy(update={"flagged": guards.reads_as_instruction(node.label)})


def _added(current: Node, request: Put) -> dict[str, object]:
    """The attrs that a put adds to another's node. Raises AccessDenied when it would change any."""
    changed = [
        name
        for name in ("kind", "label")
        if getattr(request, name) not in {None, getattr(current, name)}
    ]
    attrs = request.attrs or {}
    changed += [
        f"attrs.{name}"
        for name, value in attrs.items()
        if name in current.attrs and not _same(current.attrs[name], value)
    ]
    if changed:
        raise AccessDenied(
            f"The node {current.id!r} is of origin {current.origin!r}; others may add attrs that "
            f"it lacks, and not change {', '.join(changed)[:200]}."
        )
    return {name: value for name, value in attrs.items() if name not in current.attrs}


def _keeps_observed(current: Node, given: Mapping[str, object], before: Node | None) -> bool:
    """Whether all that a put keeps of a node is as it was observed ``before``."""
    if before is None:
        return False
    kept = [name for name in _SAID if name not in given]
    if any(getattr(before, name) != getattr(current, name) for name in kept if name != "attrs"):
        return False
    return "attrs" in given or _same(current.attrs, before.attrs)


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are the same; in Python alone True would equal 1."""
    return guards.json_text(one) == guards.json_text(other)
