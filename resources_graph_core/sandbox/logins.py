"""How lists and searches name an account: a bot by its login with ``[bot]`` behind it.

REST shows a bot's login with ``[bot]``, GraphQL without. The sandbox takes every filter as REST and
search do: without ``[bot]`` it names the user, not the bot. A deleted account goes by ``ghost``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.sandbox.nodes import Actor


def listed_login(who: Actor | None) -> str:
    """The login, in lower case, that a filter has to name to find this account."""
    if who is None:
        return "ghost"
    login = who.login.lower()
    return f"{login}[bot]" if who.typename == "Bot" else login


def searched_login(text: str) -> str:
    """The login that ``author:text`` of a search means; ``app/name`` is a bot's."""
    login = text.lower()
    return f"{login.removeprefix('app/')}[bot]" if login.startswith("app/") else login
