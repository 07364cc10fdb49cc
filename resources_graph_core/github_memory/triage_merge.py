"""Three triage backlogs into one: what a writer changed, put into one that replaced it unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.github_memory.merging import merge_around, merge_fields, same
from resources_graph_core.github_memory.triage_block import BEGIN, END, HEADER, TriageBlock
from resources_graph_core.github_memory.versions import Merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.github_memory.versions import Version

_NEW: dict[str, Any] = {"order": 0, "rationale": "", "metadata": {}}
"""What a new entry is given where nothing is said."""


def merge_triage(
    base: Version,
    lost: Version,
    now: Version,
    order: Mapping[str, int] | None = None,  # noqa: ARG001 - an issue has one entry, whose ever it is
) -> Merged:
    """``now`` with what changed from ``base`` to ``lost``: entries by fields, the rest by lines.

    A field that both changed is kept as ``now`` has it; an entry that either took out goes. Raises
    BlockError when one of the three cannot be read.
    """
    before, theirs = TriageBlock(base.text), TriageBlock(lost.text)
    block = TriageBlock(now.text)
    ours = block.values
    for ref, value in theirs.values.items():
        known, mine = before.values.get(ref), ours.get(ref)
        if mine is None and known is not None:
            continue
        merged = value if mine is None else _merge_entry(known or _NEW, value, mine)
        if mine is None or not same(merged, mine):
            block.put_value(merged)
    for ref in before.values:
        if ref not in theirs.values and ref in ours:
            block.remove(ref)
    for other in theirs.others:
        if other not in before.others and other not in block.others:
            block.add_other(other)
    for other in before.others:
        if other not in theirs.others and other in block.others:
            block.remove_other(other)
    around = merge_around(base.text, lost.text, now.text, BEGIN, END, header=HEADER)
    return Merged(block.text if around is None else block.text_within(*around))


def _merge_entry(
    before: Mapping[str, Any], theirs: Mapping[str, Any], ours: Mapping[str, Any]
) -> dict[str, Any]:
    merged = merge_fields(before, theirs, ours)
    known, lost, now = (one.get("metadata") for one in (before, theirs, ours))
    if isinstance(lost, dict) and isinstance(now, dict):
        merged["metadata"] = merge_fields(known or {}, lost, now)
    return {**merged, "ref": ours["ref"]}
