"""GitHub's REST over the sandbox's state, as far as the project and agents read it.

Pure: a request in, an answer out. Limits, outages and who is let in are somebody else's. Where
things moved to and what became of them is told as in
https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api and
https://docs.github.com/rest/issues/issues#get-an-issue.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from resources_graph_core.sandbox.nodes import Actor, PullRequest
from resources_graph_core.sandbox.rest_lists import Page, issues_in, pulls_in
from resources_graph_core.sandbox.rest_shapes import Shapes
from resources_graph_core.sandbox.search import MOST_RESULTS, search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.sandbox.nodes import Issue, Repository
    from resources_graph_core.sandbox.rest_repository_shapes import JsonObject
    from resources_graph_core.sandbox.state import State

ThingT = TypeVar("ThingT")

MOST_FILES = 3000
"""GitHub lists no more changed files of a pull request."""

JSON = "application/json; charset=utf-8"
_DOCUMENTATION = "https://docs.github.com/rest"
_RAW = re.compile(r"application/vnd\.github(?:\.v3)?\.raw(?:\+json)?")
_ROUTE = re.compile(
    r"/(?:repos/(?P<name>[^/]+/[^/]+)|repositories/(?P<id>\d+))(?P<below>/.*)?\Z", re.ASCII
)
_ITEM = re.compile(r"/(issues|pulls)/(\d{1,10})(/[a-z]+)?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class RestRequest:
    """A request: ``path`` without ``/api/v3``, header names in lower case.

    ``base_url`` is where the sandbox is reached, such as ``http://127.0.0.1:1234``.
    """

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    authenticated: bool = False
    base_url: str = "https://api.github.com"


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """An answer: ``body`` is text to send as it is, None for nothing, anything else as JSON."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON


class _Refusal(Exception):  # noqa: N818 - an answer other than 200, not a fault
    """Ends the work on a request with this answer."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        headers = headers or {}
        told = {"url": headers["location"]} if "location" in headers else {"status": str(status)}
        body = {"message": message, "documentation_url": _DOCUMENTATION, **told}
        self.answer = RestAnswer(status, body, headers)


def answer(state: State, request: RestRequest) -> RestAnswer:
    """What GitHub would answer; a HEAD as a GET, whose body the server leaves out.

    Hold ``state.lock`` while the state may change.
    """
    try:
        if request.method not in {"GET", "HEAD"}:
            raise _not_found()
        return _conditional(_Reader(state, request).read(), request)
    except _Refusal as refusal:
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

    def _user(self) -> RestAnswer:
        if not self._request.authenticated:
            raise _Refusal(401, "Requires authentication")
        return RestAnswer(200, self._shapes.user(Actor("octocat")))

    def _search(self) -> RestAnswer:
        query = self._request.query
        text, sort = query.get("q", "").strip(), query.get("sort")
        if not text:
            raise _Refusal(422, "Validation Failed")
        if sort:
            text = f"{text} sort:{sort}-{query.get('order', 'desc')}"
        found = [item for item in search(self._state, text) if self._sees(item.repository)]
        page = Page.of(query)
        if (page.number - 1) * page.size >= MOST_RESULTS:
            raise _Refusal(422, f"Only the first {MOST_RESULTS} search results are available")
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
            raise _Refusal(410, "Issues are disabled for this repo")
        issues = issues_in(repository, self._request.query)
        if issues is None:
            raise _Refusal(422, "Validation Failed")
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

    def _gone(self, repository: Repository, number: int) -> _Refusal:
        whereabouts = self._state.whereabouts(repository.name_with_owner, number)
        if whereabouts is None:
            return _not_found()
        if whereabouts.moved_to is None:
            return _Refusal(410, "This issue was deleted")
        name, new_number = whereabouts.moved_to
        target = self._state.repository(name)
        if target is None or not self._may_know_of(target):
            return _not_found()
        return self._moved(f"/repositories/{target.database_id}/issues/{new_number}")

    def _moved(self, path: str) -> _Refusal:
        location = self._request.base_url + path
        if self._request.query:
            location += "?" + urlencode(self._request.query)
        return _Refusal(301, "Moved Permanently", {"location": location})

    def _page(self, things: Sequence[ThingT], shape: Callable[[ThingT], JsonObject]) -> RestAnswer:
        page = Page.of(self._request.query)
        body = [shape(thing) for thing in page.cut(things)]
        return RestAnswer(200, body, self._links(page, len(things)))

    def _links(self, page: Page, total: int) -> dict[str, str]:
        request = self._request
        return page.links(request.base_url + request.path, request.query, total)


def _not_found() -> _Refusal:
    return _Refusal(404, "Not Found")


def _saml(repository: Repository) -> _Refusal:
    owner = repository.owner.login
    return _Refusal(
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
