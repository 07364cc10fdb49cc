"""Whether a shell command could reach GitHub at all, decided without importing anything.

Nearly every command of an agent has nothing to do with GitHub, and must cost next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def may_reach_github(command: str, hosts: Iterable[str] = ()) -> bool:
    """Whether ``command`` names ``gh`` as a word of its own, GitHub, or one of ``hosts``.

    True for more commands than reach GitHub, never False for one that does in a way capture reads.
    """
    text = command.lower()
    if "github" in text or any(host in text for host in hosts):
        return True
    at = text.find("gh")
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 2 : at + 3]
        if before not in _WORD and (after not in _WORD and after != "="):
            return True
        at = text.find("gh", at + 2)
    return False
