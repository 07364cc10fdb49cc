"""GitHub's REST over the sandbox's state, as far as the project and agents use it.

Pure: a request in, an answer out. Limits, outages and who is let in are somebody else's. Where
things moved to and what became of them is told as in
https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api and
https://docs.github.com/rest/issues/issues#get-an-issue.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlencode

from resources_graph_core.sandbox.nodes import Actor, PullRequest
from resources_graph_core.sandbox.rest_lists import Page, issues_in, pulls_in
from resources_graph_core.sandbox.rest_messages import Refused, RestAnswer, RestRequest
from resources_graph_core.sandbox.rest_shapes import Shapes
from resources_graph_core.sandbox.rest_writes import add_comment, edit_item, permission
from resources_graph_core.sandbox.search import MOST_RESULTS, search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.sandbox.nodes import Issue, Repository
    from resources_graph_core.sandbox.rest_repository_shapes import JsonObject
    from resources_graph_core.sandbox.state import State

ThingT = TypeVar("ThingT")

_READING = ("GET", "HEAD")
MOST_FILES = 3000
"""GitHub lists no more changed files of a pull request."""

_RAW = re.compile(r"application/vnd\.github(?:\.v3)?\.raw(?:\+json)?")
_ROUTE = re.compile(
    r"/(?:repos/(?P<name>[^/]+/[^/]+)|repositories/(?P<id>\d+))(?P<below>/.*)?\Z", re.ASCII
)
_PERMISSION = re.compile(r"/collaborators/([^/]+)/permission\Z")
_ITEM = re.compile(r"/(issues|pulls)/(\d{1,10})(/[a-z]+)?\Z", re.ASCII)


def answer(state: State, request: RestRequest) -> RestAnswer:
    """What GitHub would answer; a HEAD as a GET, whose body the server leaves out.

    Hold ``state.lock`` while the state may change.
    """
    try:
        if request.method in _READING:
            return _conditional(_Reader(state, request).read(), request)
        return _Reader(state, request).write()
    except Refused as refusal:
        return refusal.answer


class _Reader:
    """Reads what one request asks for."""

    def __init__(self, state: State, request: RestRequest) -> None:
        self._state = state
        self._request = request
        self._shapes = Shapes(request.base_url, self._visible)

    def read(self) -> RestAnswer:
        path = self._request.path
        if path == "/user":
            return self._user()
        if path == "/search/issues":
            return self._search()
        route = _ROUTE.match(path)
        if route is None:
            raise _not_found()
        below = (route["below"] or "").rstrip("/")
        repository = self._repository(route["name"], route["id"], below)
        return self._in_repository(repository, below)

    def write(self) -> RestAnswer:
        """Change what the request says: an issue's text, or its conversation by a comment."""
        route = _ROUTE.match(self._request.path)
        below = (route["below"] or "").rstrip("/") if route else ""
        place = _ITEM.match(below)
        if route is None or place is None or place[1] != "issues":
            raise _not_found()
        self._needs_token()
        repository = self._repository(route["name"], route["id"], below)
        item = repository.items.get(int(place[2]))
        if item is None:
            raise self._gone(repository, int(place[2]))
        match self._request.method, place[3] or "":
            case "PATCH", "":
                edit_item(self._state, item, self._request.body)
                return RestAnswer(200, self._shapes.issue(item))
            case "POST", "/comments":
                comment = add_comment(self._state, item, self._request.body)
                return RestAnswer(201, self._shapes.comment(comment))
        raise _not_found()

    def _needs_token(self) -> None:
        if not self._request.authenticated:
            raise Refused(401, "Requires authentication")

    def _user(self) -> RestAnswer:
        self._needs_token()
        scopes = self._state.scopes
        headers = {} if scopes is None else {"x-oauth-scopes": ", ".join(scopes)}
        return RestAnswer(200, self._shapes.user(Actor(self._state.viewer)), headers)

    def _permission(self, repository: Repository, login: str) -> RestAnswer:
        self._needs_token()
        held = permission(self._state, repository, login)
        user = self._shapes.user(Actor(login))
        return RestAnswer(200, {"permission": held, "role_name": held, "user": user})

    def _search(self) -> RestAnswer:
        query = self._request.query
        text, sort = query.get("q", "").strip(), query.get("sort")
        if not text:
            raise Refused(422, "Validation Failed")
        if sort:
            text = f"{text} sort:{sort}-{query.get('order', 'desc')}"
        found = [item for item in search(self._state, text) if self._sees(item.repository)]
        page = Page.of(query)
        if (page.number - 1) * page.size >= MOST_RESULTS:
            raise Refused(422, f"Only the first {MOST_RESULTS} search results are available")
        listed = found[:MOST_RESULTS]
        items = [self._shapes.issue(item) | {"score": 1.0} for item in page.cut(listed)]
        body = {"total_count": len(found), "incomplete_results": False, "items": items}
        return RestAnswer(200, body, self._links(page, len(listed)))

    def _in_repository(self, repository: Repository, below: str) -> RestAnswer:
        match below:
            case "":
                return RestAnswer(200, self._shapes.whole_repository(repository))
            case "/readme":
                return self._readme(repository)
            case "/issues":
                return self._issues(repository)
            case "/pulls":
                pulls = pulls_in(repository, self._request.query)
                return self._page(pulls, self._shapes.pull)
        asked = _PERMISSION.match(below)
        if asked is not None:
            return self._permission(repository, unquote(asked[1]))
        return self._item(repository, below)

    def _item(self, repository: Repository, below: str) -> RestAnswer:
        route = _ITEM.match(below)
        if route is None:
            raise _not_found()
        kind, number, part = route[1], int(route[2]), route[3] or ""
        item = repository.items.get(number)
        if item is None:
            raise self._gone(repository, number) if kind + part == "issues" else _not_found()
        if kind == "issues":
            return self._issue(item, part)
        if not isinstance(item, PullRequest):
            raise _not_found()
        return self._pull(item, part)

    def _readme(self, repository: Repository) -> RestAnswer:
        if repository.readme_path is None:
            raise _not_found()
        if _RAW.search(self._request.headers.get("accept", "")):
            raw = "application/vnd.github.raw+json; charset=utf-8"
            return RestAnswer(200, repository.readme_text, content_type=raw)
        return RestAnswer(200, self._shapes.readme(repository))

    def _issues(self, repository: Repository) -> RestAnswer:
        if not repository.has_issues_enabled:
            raise Refused(410, "Issues are disabled for this repo")
        issues = issues_in(repository, self._request.query)
        if issues is None:
            raise Refused(422, "Validation Failed")
        return self._page(issues, self._shapes.issue)

    def _issue(self, item: Issue | PullRequest, part: str) -> RestAnswer:
        match part:
            case "":
                return RestAnswer(200, self._shapes.issue(item))
            case "/comments":
                since = self._request.query.get("since", "")
                kept = [comment for comment in item.comments if since <= comment.updated_at]
                return self._page(kept, self._shapes.comment)
            case "/timeline":
                return self._timeline(item)
        raise _not_found()

    def _timeline(self, item: Issue | PullRequest) -> RestAnswer:
        mentions = self._state.references.mentions.get(item.id, ())
        events = [
            *({"event": "commented"} | self._shapes.comment(one) for one in item.comments),
            *(
                self._shapes.cross_reference(event)
                for event in mentions
                if self._sees(event.source.repository)
            ),
        ]
        ordered = sorted(events, key=lambda event: str(event["created_at"]))
        return self._page(ordered, lambda event: event)

    def _pull(self, pull: PullRequest, part: str) -> RestAnswer:
        # A pending review is seen by its author alone.
        reviews = [review for review in pull.reviews if review.state != "PENDING"]
        match part:
            case "":
                return RestAnswer(200, self._shapes.whole_pull(pull))
            case "/reviews":
                return self._page(reviews, self._shapes.review)
            case "/comments":
                comments = [comment for review in reviews for comment in review.comments]
                comments.sort(key=lambda comment: comment.created_at)
                return self._page(comments, self._shapes.review_comment)
            case "/files":
                return self._page(pull.files[:MOST_FILES], self._shapes.file)
        raise _not_found()

    def _repository(self, name: str | None, number: str | None, below: str) -> Repository:
        if name is not None:
            found = self._state.repository(name)
        else:
            found = next(
                (one for one in self._state.repositories if str(one.database_id) == number), None
            )
        if found is None or not self._may_know_of(found):
            raise _not_found()
        if found.access == "saml" and self._request.authenticated:
            raise _saml(found)
        if name is not None and found.name_with_owner.lower() != name.lower():
            raise self._moved(f"/repositories/{found.database_id}{below}")
        return found

    def _visible(self, name: str) -> Repository | None:
        found = self._state.repository(name)
        return found if found is not None and self._sees(found) else None

    def _sees(self, repository: Repository) -> bool:
        kept_back = repository.access == "saml" and self._request.authenticated
        return self._may_know_of(repository) and not kept_back

    def _may_know_of(self, repository: Repository) -> bool:
        if repository.access == "hidden":
            return False
        return self._request.authenticated or not repository.is_private

    def _gone(self, repository: Repository, number: int) -> Refused:
        whereabouts = self._state.whereabouts(repository.name_with_owner, number)
        if whereabouts is None:
            return _not_found()
        if whereabouts.moved_to is None:
            return Refused(410, "This issue was deleted")
        name, new_number = whereabouts.moved_to
        target = self._state.repository(name)
        if target is None or not self._may_know_of(target):
            return _not_found()
        return self._moved(f"/repositories/{target.database_id}/issues/{new_number}")

    def _moved(self, path: str) -> Refused:
        location = self._request.base_url + path
        if self._request.query:
            location += "?" + urlencode(self._request.query)
        if self._request.method in _READING:
            return Refused(301, "Moved Permanently", {"location": location})
        return Refused(307, "Temporary Redirect", {"location": location})

    def _page(self, things: Sequence[ThingT], shape: Callable[[ThingT], JsonObject]) -> RestAnswer:
        page = Page.of(self._request.query)
        body = [shape(thing) for thing in page.cut(things)]
        return RestAnswer(200, body, self._links(page, len(things)))

    def _links(self, page: Page, total: int) -> dict[str, str]:
        request = self._request
        return page.links(request.base_url + request.path, request.query, total)


def _not_found() -> Refused:
    return Refused(404, "Not Found")


def _saml(repository: Repository) -> Refused:
    owner = repository.owner.login
    return Refused(
        403,
        "Resource protected by organization SAML enforcement. You must grant your OAuth token "
        "access to this organization.",
        {"x-github-sso": f"required; url=https://github.com/orgs/{owner}/sso"},
    )


def _conditional(found: RestAnswer, request: RestRequest) -> RestAnswer:
    """``found`` with its ETag; 304 without a body when the one who asks has it already."""
    text = json.dumps([found.content_type, found.body], sort_keys=True)
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()}"'
    headers = {**found.headers, "etag": f"W/{tag}", "vary": "Accept, Authorization"}
    known = {
        one.strip().removeprefix("W/")
        for one in request.headers.get("if-none-match", "").split(",")
    }
    if known & {tag, "*"}:
        return RestAnswer(304, None, headers)
    return RestAnswer(found.status, found.body, headers, found.content_type)
