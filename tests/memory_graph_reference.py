"""The memory graph as plain Python: what the real one has to agree with.

Everything is a dict in a list, nothing is indexed, nothing is quick. Errors are told by name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from resources_graph_core.memory_graph.model import Node
from resources_graph_core.memory_graph.statements import stamp_of

Record = dict[str, Any]


class RefusedHere(Exception):  # noqa: N818 - carries the name of the expected error
    """The operation fails with the error of this name."""


@dataclass(frozen=True)
class Who:
    """Who acts, and what they may do."""

    origin: str | None
    trusted: bool = False
    privileged: bool = False
    read_only: bool = False


@dataclass
class Reference:
    """All versions of all nodes, and all edges."""

    versions: dict[str, list[Record]] = field(default_factory=dict)
    edges: dict[str, Record] = field(default_factory=dict)

    def put(self, who: Who, at: str, asked: Record) -> Record:
        writer = _writer(who)
        provenance = _provenance(who, asked.get("provenance"))
        kept = self.versions.get(asked["id"], [])
        given = {name: asked[name] for name in ("kind", "label", "attrs") if name in asked}
        if not kept:
            if "kind" not in given:
                raise RefusedHere("UsageError")
            made = {"label": asked["id"], "attrs": {}, "origin": writer} | given
        else:
            last = kept[-1]
            if last["origin"] == writer or who.privileged:
                made = last | given
                if last["provenance"] == "claimed" and not _keeps_observed(kept, given):
                    provenance = "claimed"
            else:
                changes = any(
                    given.get(name, last[name]) != last[name] for name in ("kind", "label")
                )
                attrs = given.get("attrs", {})
                if changes or any(  # by their text, since 1 is True in Python
                    repr(last["attrs"].get(name, attrs[name])) != repr(attrs[name])
                    for name in attrs
                ):
                    raise RefusedHere("AccessDenied")
                if set(attrs) <= set(last["attrs"]):
                    return last
                made = last | {"attrs": last["attrs"] | attrs}
                if last["provenance"] == "claimed":
                    provenance = "claimed"
            if at <= last["recorded_at"]:
                at = _just_after(last["recorded_at"])
        _guard(made["label"], made["attrs"])
        made = made | {
            "id": asked["id"],
            "writer": writer,
            "provenance": provenance,
            "recorded_at": at,
        }
        self.versions.setdefault(asked["id"], []).append(made)
        return made

    def link(self, who: Who, at: str, asked: Record) -> Record:
        writer = _writer(who)
        for end in (asked["src"], asked["dst"]):
            if end not in self.versions:
                raise RefusedHere("UnknownId")
        made = _edge(asked, writer, _provenance(who, asked.get("provenance")))
        _check(made)
        if made["id"] in self.edges:
            raise RefusedHere("Conflict")
        made["recorded_at"] = max(at, self._since(made))
        self.edges[made["id"]] = made
        return made

    def supersede(self, who: Who, at: str, asked: Record) -> tuple[Record, Record | None]:
        writer = _writer(who)
        old = self.edges.get(asked["id"])
        if old is None:
            raise RefusedHere("UnknownId")
        if old["origin"] != writer and not who.privileged:
            raise RefusedHere("AccessDenied")
        if old["superseded_at"] is not None:
            raise RefusedHere("Conflict")
        at = max(at, old["recorded_at"])
        new = None
        if not asked.get("retire"):
            names = ("src", "dst", "rel", "cost", "directed", "scope", "attrs")
            said = {name: old[name] for name in (*names, "valid_from", "valid_to")}
            said |= {name: value for name, value in asked.items() if name in said}
            new = _edge(
                said | {"id": asked["new_id"]}, writer, _provenance(who, asked.get("provenance"))
            )
            _check(new)
            if new["src"] not in self.versions or new["dst"] not in self.versions:
                raise RefusedHere("UnknownId")
            if new["id"] in self.edges:
                raise RefusedHere("Conflict")
            at = max(at, self._since(new))
            new |= {"recorded_at": at, "supersedes": old["id"]}
            self.edges[new["id"]] = new
        old["superseded_at"] = at
        return old, new

    def drop(self, who: Who) -> tuple[int, int]:
        if who.read_only or not who.privileged:
            raise RefusedHere("AccessDenied")
        gone = len(self.versions), len(self.edges)
        self.versions.clear()
        self.edges.clear()
        return gone

    def replay_put(self, who: Who, now: str, node: Record) -> tuple[int, int, int]:
        """Record a version at its place in the history, if it could have been put then."""
        _writer(who)
        _guard(node["label"], node["attrs"])
        kept = self.versions.get(node["id"], [])
        if not who.privileged:
            _own(who, node["writer"], node["provenance"])
            if node["origin"] != (kept[0]["origin"] if kept else who.origin):
                raise RefusedHere("AccessDenied")
        if _place(node) in map(_place, kept):
            return 0, 0, 0
        if not who.privileged:
            if node["recorded_at"] > now:
                raise RefusedHere("Refused")
            if kept and node["origin"] != who.origin and not self._adds(node):
                return 0, 0, 0
        kept = self.versions[node["id"]] = sorted([*kept, dict(node)], key=_place)
        for one in kept:  # who made the first version made the node
            one["origin"] = kept[0]["origin"]
        return 1, 0, 0

    def _adds(self, node: Record) -> bool:
        """Whether a version adds absent attrs, and nothing else, to what there was at its time."""
        before = self.node(node["id"], node["recorded_at"])
        if before is None or any(before[name] != node[name] for name in ("kind", "label")):
            raise RefusedHere("AccessDenied")
        if any(
            repr(node["attrs"].get(one, ())) != repr(before["attrs"][one])
            for one in before["attrs"]
        ):
            raise RefusedHere("AccessDenied")
        return len(node["attrs"]) > len(before["attrs"])

    def replay_link(self, who: Who, now: str, edge: Record) -> tuple[int, int, int]:
        """Record an edge as it was."""
        _writer(who)
        edge = edge | {"superseded_at": None}
        _check(edge)
        if not who.privileged:
            _own(who, edge["origin"], edge["provenance"])
            if edge["supersedes"] is not None:
                self._own_edge(who, edge["supersedes"])
        present = self.edges.get(edge["id"])
        if present is not None:
            if _text(present | {"superseded_at": None}) != _text(edge):
                raise RefusedHere("Conflict")
            return 0, 0, 0
        if edge["recorded_at"] > now and not who.privileged:
            raise RefusedHere("Refused")
        if edge["src"] not in self.versions or edge["dst"] not in self.versions:
            raise RefusedHere("UnknownId")
        if self._since(edge) > edge["recorded_at"]:
            raise RefusedHere("Refused")
        self.edges[edge["id"]] = edge
        return 0, 1, 0

    def replay_supersede(self, who: Who, now: str, entry: Record) -> tuple[int, int, int]:
        """Stamp an edge with the earliest moment, and record what replaced it."""
        _writer(who)
        if entry["id"] not in self.edges:
            raise RefusedHere("UnknownId")
        old = self.edges[entry["id"]]
        if not who.privileged:
            if entry["by"] != who.origin:
                raise RefusedHere("AccessDenied")
            self._own_edge(who, entry["id"])
        if entry["at"] < old["recorded_at"]:
            raise RefusedHere("Refused")
        stamped = old["superseded_at"] is None or old["superseded_at"] > entry["at"]
        if stamped and entry["at"] > now and not who.privileged:
            raise RefusedHere("Refused")
        made = 0
        if entry["edge"] is not None:
            if entry["edge"]["supersedes"] != entry["id"]:
                raise RefusedHere("Refused")
            _, made, _ = self.replay_link(who, now, entry["edge"])
        if stamped:
            old["superseded_at"] = entry["at"]
        return 0, made, int(stamped)

    def _own_edge(self, who: Who, name: str) -> None:
        if name not in self.edges:
            raise RefusedHere("UnknownId")
        if self.edges[name]["origin"] != who.origin:
            raise RefusedHere("AccessDenied")

    def node(self, name: str, as_of: str | None) -> Record | None:
        then = [
            one
            for one in self.versions.get(name, [])
            if as_of is None or one["recorded_at"] <= as_of
        ]
        return then[-1] if then else None

    def live(self, conditions: Record) -> list[Record]:
        """The edges that meet conditions, as they were known then."""
        as_of, valid_at = conditions.get("as_of"), conditions.get("valid_at")
        between = conditions.get("recorded_between")
        found = []
        for edge in self.edges.values():
            known = as_of is None or edge["recorded_at"] <= as_of
            gone = edge["superseded_at"] is not None and (
                as_of is None or edge["superseded_at"] <= as_of
            )
            true = valid_at is None or (
                (edge["valid_from"] is None or edge["valid_from"] <= valid_at)
                and (edge["valid_to"] is None or edge["valid_to"] > valid_at)
            )
            fits = (
                _in(edge["rel"], conditions.get("rels"))
                and _in(edge["scope"], conditions.get("scopes"))
                and _in(edge["origin"], conditions.get("origins"))
                and conditions.get("provenance") in (None, edge["provenance"])
                and (between is None or between["start"] <= edge["recorded_at"] < between["end"])
            )
            if known and not gone and true and fits:
                found.append(edge | {"superseded_at": None})
        return found

    def distances(self, entries: list[str], asked: Record) -> list[tuple[float, str]]:
        """The nearest nodes: every edge is tried until nothing changes."""
        for one in entries:
            if self.node(one, asked.get("as_of")) is None:
                raise RefusedHere("UnknownId")
        direction, costs = asked.get("direction", "any"), asked.get("costs", {})
        found = dict.fromkeys(entries, 0.0)
        changed = True
        while changed:
            changed = False
            for edge in self.live(asked):
                cost = costs.get(edge["rel"], edge["cost"])
                ways = []
                if direction != "in" or not edge["directed"]:
                    ways.append((edge["src"], edge["dst"]))
                if direction != "out" or not edge["directed"]:
                    ways.append((edge["dst"], edge["src"]))
                for start, end in ways:
                    if start not in found:
                        continue
                    length = found[start] + cost
                    if length <= asked["max_cost"] and length < found.get(end, 1e9):
                        found[end] = length
                        changed = True
        return sorted((distance, name) for name, distance in found.items())

    def _since(self, edge: Record) -> str:
        return max(self.versions[edge[end]][0]["recorded_at"] for end in ("src", "dst"))


SECRET = "gh" + "p_" + "a1B2" * 9  # made up, and put together so that no scanner takes it for one


def _writer(who: Who) -> str:
    if who.read_only:
        raise RefusedHere("AccessDenied")
    if who.origin is None:
        raise RefusedHere("UsageError")
    return who.origin


def _provenance(who: Who, asked: str | None) -> str:
    if asked == "observed" and not who.trusted:
        raise RefusedHere("AccessDenied")
    return asked or ("observed" if who.trusted else "claimed")


def _own(who: Who, origin: str, provenance: str) -> None:
    if origin != who.origin or (provenance == "observed" and not who.trusted):
        raise RefusedHere("AccessDenied")


def _place(version: Record) -> str:
    """Where a version stands among the others: of one moment, any order that is always the same."""
    return stamp_of(Node.model_validate(version))


def _text(edge: Record) -> str:
    return json.dumps(edge, sort_keys=True)


def _edge(asked: Record, writer: str, provenance: str) -> Record:
    nothing = dict.fromkeys(("scope", "valid_from", "valid_to", "superseded_at", "supersedes"))
    usual = {"cost": 1.0, "directed": True, "attrs": {}}
    return nothing | usual | asked | {"origin": writer, "provenance": provenance}


def _check(edge: Record) -> None:
    if edge["valid_from"] and edge["valid_to"] and edge["valid_to"] < edge["valid_from"]:
        raise RefusedHere("Refused")
    _guard(edge["rel"], edge["attrs"])


def _keeps_observed(versions: list[Record], given: Record) -> bool:
    """Whether a put keeps of the last version only what the last observed one said."""
    last = versions[-1]
    if len(given) == 3:
        return True
    for one in reversed(versions):
        if one["provenance"] == "observed":
            said = {name: one[name] for name in ("kind", "label", "attrs") if name not in given}
            return all(_written(last[name]) == _written(told) for name, told in said.items())
    return False


def _written(value: object) -> str:
    """What is equal in Python alone differs as JSON."""
    return json.dumps(value, sort_keys=True)


def _guard(label: str, attrs: Record) -> None:
    if SECRET in label or SECRET in str(attrs):
        raise RefusedHere("Refused")


def _in(value: object, wanted: tuple[object, ...] | None) -> bool:
    return wanted is None or value in wanted


def moment(microseconds: int) -> str:
    """A moment so long after the beginning of a made-up year."""
    return f"2026-01-01T00:00:00.{microseconds:06d}Z"


def _just_after(at: str) -> str:
    return moment(int(at[-7:-1]) + 1)
