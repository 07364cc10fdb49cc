"""Whose decisions count: on a public issue anybody can post a comment that looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.errors import GitHubAuthError, NotFound, NotPublic

if TYPE_CHECKING:
    from collections.abc import Collection

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.issues import Issues

WRITERS = ("admin", "write")
"""Permissions of those who may write to a repository; GitHub tells maintainers as ``write``."""


class Trust:
    """Tells who counts: those on the ``allowed`` list, and who may write to the repository.

    GitHub is asked about each account once. How an account is associated with the repository says
    nothing about what it may do there.
    """

    def __init__(self, issues: Issues, where: Address, allowed: Collection[str] = ()) -> None:
        self._issues = issues
        self._where = where
        self._allowed = {login.lower() for login in allowed}
        self._known: dict[str, str | None] = {}

    def objection(self, login: str | None) -> str | None:
        """Why what an account wrote does not count; None when it does."""
        if login is None:
            return "its author's account is gone"
        key = login.lower()
        if key in self._allowed:
            return None
        if key not in self._known:
            self._known[key] = self._ask(login)
        return self._known[key]

    def _ask(self, login: str) -> str | None:
        repository = self._where.name_with_owner
        try:
            held = self._issues.permission(self._where, login)
        except (NotFound, NotPublic, GitHubAuthError) as error:
            return f"whether {login} may write to {repository} is not told: {error}"
        return None if held in WRITERS else f"{login} may not write to {repository}"
