"""What repositories, and what belongs to them as a whole, look like in REST answers."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.sandbox.identity import database_id, node_id
from resources_graph_core.sandbox.nodes import WEB, Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.sandbox.nodes import Label, Milestone, Repository

JsonObject = dict[str, Any]

GHOST = Actor("ghost")
"""Who stands for deleted accounts in most answers; reviews have null instead."""

_BASE64_LINE = 60


@dataclass(frozen=True, slots=True)
class RepositoryShapes:
    """Shapes repositories for one request; ``base_url`` stands before every ``url`` of the API.

    ``find`` gives the repository of a name where the one who asks may see it.
    """

    base_url: str
    find: Callable[[str], Repository | None]

    def user(self, who: Actor) -> JsonObject:
        """An account; a bot's login ends in ``[bot]``."""
        login = f"{who.login}[bot]" if who.typename == "Bot" else who.login
        url = f"{self.base_url}/users/{login}"
        return {
            "login": login,
            "id": who.database_id,
            "node_id": who.id,
            "avatar_url": who.avatar_url(),
            "gravatar_id": "",
            "url": url,
            "html_url": who.url,
            "repos_url": f"{url}/repos",
            "type": who.typename,
            "user_view_type": "public",
            "site_admin": False,
        }

    def repository(self, repository: Repository) -> JsonObject:
        """A repository as lists and other answers hold it."""
        url = self._repository_url(repository)
        return {
            "id": repository.database_id,
            "node_id": repository.id,
            "name": repository.name,
            "full_name": repository.name_with_owner,
            "private": repository.is_private,
            "owner": self.user(repository.owner),
            "html_url": repository.url,
            "description": repository.description,
            "fork": repository.fork_parent is not None,
            "url": url,
            "issues_url": f"{url}/issues{{/number}}",
            "pulls_url": f"{url}/pulls{{/number}}",
            "homepage": repository.homepage_url,
            "stargazers_count": repository.stargazer_count,
            "watchers_count": repository.stargazer_count,
            "forks_count": repository.fork_count,
            "open_issues_count": sum(not item.closed for item in repository.items.values()),
            "default_branch": repository.default_branch,
            "topics": list(repository.topics),
            "has_issues": repository.has_issues_enabled,
            "archived": repository.is_archived,
            "disabled": False,
            "visibility": repository.visibility.lower(),
            "license": _licence(repository.licence, self.base_url),
            "created_at": repository.created_at,
            "updated_at": repository.updated_at,
            "pushed_at": repository.pushed_at,
        }

    def whole_repository(self, repository: Repository) -> JsonObject:
        """A repository asked for by itself: also with what it was forked from."""
        shape = self.repository(repository)
        parent = self._parent(repository.fork_parent) if repository.fork_parent else None
        return shape | ({"parent": parent, "source": parent} if parent else {})

    def readme(self, repository: Repository) -> JsonObject:
        """The README as a file of the repository, its text in base64."""
        path = repository.readme_path or ""
        content = repository.readme_text.encode()
        encoded = base64.b64encode(content).decode()
        lines = [encoded[n : n + _BASE64_LINE] for n in range(0, len(encoded), _BASE64_LINE)]
        url = f"{self._repository_url(repository)}/contents/{path}?ref={repository.default_branch}"
        html_url = f"{repository.url}/blob/{repository.default_branch}/{path}"
        return {
            "type": "file",
            "name": path.rpartition("/")[2],
            "path": path,
            "sha": repository.readme_oid,
            "size": len(content),
            "url": url,
            "html_url": html_url,
            "encoding": "base64",
            "content": "".join(f"{line}\n" for line in lines),
            "_links": {"self": url, "html": html_url},
        }

    def label(self, label: Label) -> JsonObject:
        """A label."""
        return {
            "id": label.database_id,
            "node_id": label.id,
            "url": f"{self._repository_url(label.repository)}/labels/{label.name}",
            "name": label.name,
            "color": label.color,
            "default": label.is_default,
            "description": label.description,
        }

    def milestone(self, milestone: Milestone) -> JsonObject:
        """A milestone, with how many of its items are open and closed."""
        url = f"{self._repository_url(milestone.repository)}/milestones/{milestone.number}"
        items = milestone.repository.items.values()
        closed = [item.closed for item in items if item.milestone is milestone]
        return {
            "id": milestone.database_id,
            "node_id": milestone.id,
            "url": url,
            "html_url": milestone.url,
            "labels_url": f"{url}/labels",
            "number": milestone.number,
            "title": milestone.title,
            "description": milestone.description,
            "state": milestone.state.lower(),
            "creator": self.user(milestone.creator or GHOST),
            "open_issues": closed.count(False),
            "closed_issues": closed.count(True),
            "created_at": milestone.created_at,
            "updated_at": milestone.updated_at,
            "closed_at": milestone.closed_at,
            "due_on": milestone.due_on,
        }

    def _parent(self, name_with_owner: str) -> JsonObject:
        """What a repository was forked from; one that the sandbox does not have is public."""
        found = self.find(name_with_owner)
        if found is not None:
            return self.repository(found)
        owner, _, name = name_with_owner.partition("/")
        return {
            "id": database_id(node_id("Repository", name_with_owner.lower())),
            "node_id": node_id("Repository", name_with_owner.lower()),
            "name": name,
            "full_name": name_with_owner,
            "private": False,
            "visibility": "public",
            "owner": self.user(Actor(owner, "Organization")),
            "html_url": f"{WEB}/{name_with_owner}",
            "url": f"{self.base_url}/repos/{name_with_owner}",
        }

    def _repository_url(self, repository: Repository) -> str:
        return f"{self.base_url}/repos/{repository.name_with_owner}"


def _licence(spdx_id: str | None, base_url: str) -> JsonObject | None:
    if spdx_id is None:
        return None
    key = spdx_id.lower()
    return {
        "key": key,
        "name": spdx_id,
        "spdx_id": spdx_id,
        "url": f"{base_url}/licenses/{key}",
        "node_id": node_id("License", key),
    }
