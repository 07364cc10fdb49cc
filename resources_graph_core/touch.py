"""A Touch: "an agent reached for this Address". Standard library only, since hooks make them."""

from __future__ import annotations

from resources_graph_core.clock import now
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from resources_graph_core.address import Address, AddressKind

    Provenance = Literal["FETCHED", "PROMPTED"]
    Outcome = Literal["hit", "subsumed", "miss"]


class Touch(Record):
    """One Touch as it is recorded; the Sweep's own properties come later.

    ``address`` is a key. ``limit`` is how many members of a list were asked for. ``status`` is None
    for a Cache Read (``served_from_memory``), which never becomes pending. ``at`` is ISO-8601 UTC.
    """

    touch_id: str
    session_id: str
    user_id: str
    address: str
    address_kind: AddressKind
    provenance: Provenance
    at: str
    limit: int | None = None
    status: Literal["pending"] | None = "pending"
    served_from_memory: bool = False
    outcome: Outcome | None = None
    served_from: str | None = None
    tool_use_id: str | None = None
    agent_name: str | None = None

    def properties(self) -> dict[str, object]:
        """What is written on the node: everything but the Session and the User, which are nodes."""
        values = self.fields()
        del values["session_id"], values["user_id"]
        return values


def touch_id(session: str, discriminator: str, provenance: str, key: str) -> str:
    """The id that makes a re-delivered event write its Touch once: 32 hex digits.

    ``provenance`` is ``MEMORY`` for a Cache Read. The rule is the one of ``resources-graph`` 0.3,
    so that both write the same Touch once.
    """
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, which only a Touch costs a hook

    told = f"{session}|{discriminator}|{provenance}|{key}"
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def new_touch(
    address: Address,
    *,
    session: str,
    user: str,
    discriminator: str,
    provenance: Provenance = "FETCHED",
    told_apart_by_limit: bool = False,
    tool_use_id: str | None = None,
    agent_name: str | None = None,
) -> Touch:
    """A pending Touch of ``address``, made by ``user`` in ``session``.

    ``discriminator`` keeps two Touches of one Address in a session apart: the tool call id where
    there is one. ``told_apart_by_limit`` is for a second limit of one list in the same call.
    """
    named = f"{address.key}|{address.limit}" if told_apart_by_limit else address.key
    return Touch(
        touch_id=touch_id(session, discriminator, provenance, named),
        session_id=session,
        user_id=user,
        address=address.key,
        address_kind=address.kind,
        limit=address.limit,
        provenance=provenance,
        tool_use_id=tool_use_id,
        agent_name=agent_name,
        at=now(),
    )


def new_cache_read(
    address: Address,
    outcome: Outcome,
    *,
    session: str,
    user: str,
    discriminator: str,
    served_from: str | None = None,
    tool_use_id: str | None = None,
    agent_name: str | None = None,
) -> Touch:
    """The Touch that records a Cache Read; ``served_from`` is the key of what answered it."""
    return Touch(
        touch_id=touch_id(session, discriminator, "MEMORY", address.key),
        session_id=session,
        user_id=user,
        address=address.key,
        address_kind=address.kind,
        limit=address.limit,
        provenance="FETCHED",
        status=None,
        served_from_memory=True,
        outcome=outcome,
        served_from=served_from,
        tool_use_id=tool_use_id,
        agent_name=agent_name,
        at=now(),
    )
