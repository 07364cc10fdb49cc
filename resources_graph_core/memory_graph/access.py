"""Who a handle acts for and what it may do; a handle can only ever be narrowed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from resources_graph_core.errors import AccessDenied, UsageError
from resources_graph_core.memory_graph.guards import check_credential
from resources_graph_core.memory_graph.model import LONGEST_NAME


@dataclass(frozen=True, slots=True)
class Access:
    """What a handle may do.

    ``origin`` is who its writes are by. A ``trusted`` one may record what it observed, others only
    what they claim. A ``privileged`` one may supersede and relabel what others wrote, load, drop,
    and replay entries of others. A ``read_only`` one writes nothing, access counts neither.
    ``user`` is whose Touches a walk may cross; None crosses nobody's, since they are private.
    """

    origin: str | None = None
    trusted: bool = False
    privileged: bool = False
    read_only: bool = False
    user: str | None = None

    def __post_init__(self) -> None:
        """Refuse an origin that cannot be stored as it is. Raises UsageError, Refused."""
        origin = self.origin
        if origin is None:
            return
        check_credential("origin", origin)
        if not 0 < len(origin) <= LONGEST_NAME or origin != origin.strip() or not _shown(origin):
            raise UsageError(
                f"{origin[:40]!r} is no origin; write who the writes are by in 1 to {LONGEST_NAME} "
                "printable characters, without white space at an end"
            )

    def narrowed(
        self,
        *,
        origin: str | None = None,
        trusted: bool | None = None,
        privileged: bool | None = None,
        read_only: bool | None = None,
        user: str | None = None,
    ) -> Access:
        """This access with less; what is None stays as it is.

        An origin may become one beneath it (``agent`` becomes ``agent/helper``), or, for a
        privileged handle, any. Raises AccessDenied for anything that would be more.
        """
        if trusted and not self.trusted:
            raise AccessDenied("A handle that is not trusted cannot make a trusted one.")
        if privileged and not self.privileged:
            raise AccessDenied("A handle that is not privileged cannot make a privileged one.")
        if read_only is False and self.read_only:
            raise AccessDenied("A read-only handle cannot make one that writes.")
        if origin is not None and not self._covers(origin):
            raise AccessDenied(
                f"A handle of origin {self.origin!r} cannot act as {origin!r}; it can act as "
                f"'{self.origin}/…', and a privileged handle as anybody."
            )
        if user is not None and user != self.user and not self.privileged:
            raise AccessDenied(
                "Touches are private, and only a privileged handle may act for another user."
            )
        return replace(
            self,
            origin=self.origin if origin is None else origin,
            trusted=self.trusted if trusted is None else trusted,
            privileged=self.privileged if privileged is None else privileged,
            read_only=self.read_only if read_only is None else read_only,
            user=self.user if user is None else user,
        )

    def writer(self) -> str:
        """The origin of a write. Raises AccessDenied when read-only, UsageError without one."""
        if self.read_only:
            raise AccessDenied("This handle is read-only; nothing was written.")
        if self.origin is None:
            raise UsageError("A write needs an origin, who it is by; nothing was written.")
        return self.origin

    def check_privileged(self, what: str) -> None:
        """Raise AccessDenied unless privileged and allowed to write; ``what`` starts a sentence."""
        if self.read_only:
            raise AccessDenied("This handle is read-only; nothing was written.")
        if not self.privileged:
            raise AccessDenied(f"{what} needs a privileged handle; nothing was written.")

    def _covers(self, origin: str) -> bool:
        if self.privileged or origin == self.origin:
            return True
        return self.origin is not None and origin.startswith(f"{self.origin}/")


def _shown(text: str) -> bool:
    return text.isprintable()
