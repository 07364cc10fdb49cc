"""Whose decisions count: on a public issue anybody can post a comment that looks like one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.errors import GitHubAuthError, NotFound, NotPublic

if TYPE_CHECKING:
    from collections.abc import Collection

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.issues import Issues

WRITERS = ("admin", "write")
"""Permissions of those who may write to a repository; GitHub tells maintainers as ``write``."""

KNOWN_SECONDS = 300.0
"""So long what GitHub said of an account is taken to be so."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether what an account wrote counts: when there is no ``objection``.

    One that is not sure is for want of being told: whoever may ask GitHub may find otherwise.
    """

    objection: str | None
    is_sure: bool = True

    @property
    def counts(self) -> bool:
        """Whether it does."""
        return self.objection is None


class Trust:
    """Tells who counts: those on the ``allowed`` list, and who may write to the repository.

    GitHub is asked about an account again after :data:`KNOWN_SECONDS`, for it may lose access. How
    an account is associated with the repository says nothing about what it may do there.
    """

    def __init__(self, issues: Issues, where: Address, allowed: Collection[str] = ()) -> None:
        self._issues = issues
        self._where = where
        self._allowed = {login.lower() for login in allowed}
        self._known: dict[str, tuple[Judgement, float]] = {}

    def judge(self, login: str | None) -> Judgement:
        """Whether what an account wrote counts, and why it does not."""
        if login is None:
            return Judgement("its author's account is gone")
        key = login.lower()
        if key in self._allowed:
            return Judgement(None)
        now = self._issues.timing.monotonic()
        known = self._known.get(key)
        if known is None or now - known[1] > KNOWN_SECONDS:
            known = self._known[key] = self._ask(login), now
        return known[0]

    def _ask(self, login: str) -> Judgement:
        repository = self._where.name_with_owner
        try:
            held = self._issues.permission(self._where, login)
        except (NotFound, NotPublic, GitHubAuthError) as error:
            objection = f"whether {login} may write to {repository} is not told: {error}"
            return Judgement(objection, is_sure=False)
        return Judgement(None if held in WRITERS else f"{login} may not write to {repository}")
