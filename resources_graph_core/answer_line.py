"""The first line of what our ``resource`` tool answers: written by it, read back by hooks.

MCP does not tell a tool whose session it serves; a hook sees both the session and the answer. So
the first line says what became of the Cache Read::

    hit github:owner/repo#1 · issue, open
    subsumed github:owner/repo/issues?labels=bug&state=open by github:owner/repo/issues?state=open
    miss github:owner/repo#2

That is the outcome, the Address key that was asked for, ``by`` and the key of what answered where
that is another one, and anything more behind `` · ``. Keys hold no white space.
"""

from __future__ import annotations

from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.touch import Outcome

_OUTCOMES: dict[str, Outcome] = {"hit": "hit", "subsumed": "subsumed", "miss": "miss"}
_BEFORE_MORE = " · "


class AnswerLine(Record):
    """What the first line says. ``served_from`` is None for a miss."""

    outcome: Outcome
    key: str
    served_from: str | None = None


def write(outcome: Outcome, key: str, *, served_from: str | None = None, more: str = "") -> str:
    """The first line of an answer about the Address ``key``; ``more`` is for people."""
    by = f" by {served_from}" if served_from not in {None, key} and outcome != "miss" else ""
    return f"{outcome} {key}{by}{_BEFORE_MORE}{more}" if more else f"{outcome} {key}{by}"


def read(answer: str) -> AnswerLine | None:
    """What the first line of an answer says, or None when it is no answer of ours."""
    first = answer.split("\n", 1)[0].partition(_BEFORE_MORE)[0]
    match first.split():
        case [word, key] if word in _OUTCOMES:
            served_from = key
        case ["hit" | "subsumed" as word, key, "by", served_from]:
            pass
        case _:
            return None
    if not (key.startswith("github:") and served_from.startswith("github:")):
        return None
    outcome = _OUTCOMES[word]
    return AnswerLine(
        outcome=outcome, key=key, served_from=None if outcome == "miss" else served_from
    )
