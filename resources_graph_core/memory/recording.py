"""What agents reached for: recorded, listed, forgotten, and drained from the spool."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from resources_graph_core.clock import now
from resources_graph_core.config import data_folder, load_settings
from resources_graph_core.errors import ResourcesGraphError, UsageError
from resources_graph_core.graph.values import key_text
from resources_graph_core.harness import lineage
from resources_graph_core.spool import DrainReport, Spool
from resources_graph_core.store import recording, touches
from resources_graph_core.touch import new_touch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from resources_graph_core.address import Address
    from resources_graph_core.graph import Row
    from resources_graph_core.touch import Provenance, Touch


from resources_graph_core.memory.opened import OpenMemory


class RecordingMemory(OpenMemory):
    """The part of a memory that records Touches."""

    def touch(
        self,
        address: str | Address,
        *,
        session: str | None = None,
        provenance: Provenance = "FETCHED",
        limit: int | None = None,
        tool_use_id: str | None = None,
        agent_name: str | None = None,
    ) -> Touch:
        """Record that an agent reached for ``address``; the next sweep fetches it.

        ``limit`` is how many members of a list were asked for. With a ``tool_use_id`` the same call
        recorded again writes nothing new. Of a text that names several, all are recorded and the
        first Touch is returned. Never calls GitHub. UsageError for a session that was forgotten.
        """
        discriminator = tool_use_id or uuid4().hex
        session = session or self.own_session
        made = [
            new_touch(
                where,
                session=session,
                user=self.settings.user,
                discriminator=discriminator,
                provenance=provenance,
                tool_use_id=tool_use_id,
                agent_name=agent_name,
            )
            for where in self._addresses(address, limit)
        ]
        self._record(made, session)
        return made[0]

    def touch_many(
        self, addresses: Iterable[str | Address], *, session: str | None = None
    ) -> list[Touch]:
        """Record a Touch of each address, all of them or, when one names nothing, none.

        UsageError for that, and for a session that was forgotten.
        """
        session = session or self.own_session
        made = [
            new_touch(
                where,
                session=session,
                user=self.settings.user,
                discriminator=uuid4().hex,
            )
            for address in addresses
            for where in self._addresses(address)
        ]
        self._record(made, session)
        return made

    def touches(
        self,
        session: str | None = None,
        *,
        status: Literal["pending", "resolved", "unresolved"] | None = None,
        limit: int | None = None,
    ) -> list[Row]:
        """The user's own Touches, newest first, nobody else's.

        ``session`` and ``status`` narrow them; ``limit`` is how many at most.
        """
        user = self.settings.user
        return touches.of_user(self.graph, user, session=session, status=status, limit=limit)

    def forget(self, session: str) -> int:
        """Delete a session's Touches, now and whatever comes later; Resources stay.

        Returns how many Touches went, those in this machine's spool too. Raises UsageError for a
        session of another user's.
        """
        owners = touches.owners(self.graph, session)
        if owners and key_text(self.settings.user) not in owners:
            raise UsageError(
                f"the session {session!r} is {owners[0]}'s; only {owners[0]} can forget it"
            )
        forgotten = touches.forget(self.graph, session, now())
        folder = data_folder()
        with _files():
            forgotten += Spool(folder).forget(session)
            lineage.forget(str(folder), session)
        return forgotten

    def spooled(self) -> list[Touch]:
        """The Touches that hooks on this machine could not write, where they go into this graph."""
        if load_settings().graph_url != self.settings.graph_url:
            return []
        with _files():
            return Spool(data_folder()).pending()

    def drain_spool(self) -> DrainReport:
        """Write every Touch that hooks on this machine could not; a sweep does this first.

        Nothing is drained into another graph than the one that hooks write to. What the graph
        refuses stays. Raises GraphUnavailable, and ResourcesGraphError for a spool that cannot be
        read or written.
        """
        if load_settings().graph_url != self.settings.graph_url:
            return DrainReport()
        with _files():
            return Spool(data_folder()).drain(
                lambda waiting: recording.record_what_goes(self.graph, waiting)
            )

    def _record(self, made: list[Touch], session: str) -> None:
        touches.record(self.graph, made)
        if touches.is_forgotten(self.graph, session):  # asked last: it may have been just now
            raise UsageError(
                f"Session {session!r} was forgotten, and nothing of it is recorded again. "
                "Name another session; nothing was touched."
            )


@contextmanager
def _files() -> Iterator[None]:
    """Turn what the system says of the spool's files into an error of ours."""
    try:
        yield
    except OSError as error:
        raise ResourcesGraphError(
            f"The spool in {data_folder()} cannot be read or written: {error.strerror or error}. "
            "Give yourself access to that folder, or set RESOURCES_GRAPH_HOME to another."
        ) from error
