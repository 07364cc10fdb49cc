"""What the stores ask of GitHub: an issue's text and its history, comments, who may do what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from resources_graph_core.errors import GitHubAuthError, NotAllowed, NotFound, NotPublic, UsageError
from resources_graph_core.github.answers import query_error_for, wrong_shape
from resources_graph_core.github.documents import Ask, On, Operation, Variable
from resources_graph_core.github.pace import Timing
from resources_graph_core.github.problems import login_advice
from resources_graph_core.github.replies import first_problem
from resources_graph_core.github_memory.pacing import WritePace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from resources_graph_core.address import Address
    from resources_graph_core.github.replies import GraphQLAnswer, Reply
    from resources_graph_core.github.transport import Transport, WriteMethod

TEXT_HISTORY = "TextHistory"
"""The name of the one GraphQL operation that is sent."""
LONGEST_BODY = 262_144
"""Bytes of UTF-8 in the text of an issue or comment, as GitHub stores it."""

_PAGE = 100
"""Comments on a page, the most that GitHub gives."""


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


_ShapeT = TypeVar("_ShapeT", bound=_Shape)


class _User(_Shape):
    login: str


class IssueText(_Shape):
    """An issue or pull request as far as its text goes; ``url`` is its address in the API."""

    node_id: str
    number: int
    title: str
    body: str | None = None
    url: str
    html_url: str
    repository_url: str

    @property
    def text(self) -> str:
        """The text; empty where there is none."""
        return self.body or ""

    @property
    def repository(self) -> tuple[str, str]:
        """Owner and name of the repository, which may have been renamed since."""
        *_, owner, name = self.repository_url.split("/")
        return owner, name


class CommentText(_Shape):
    """A comment: ``created_at`` is ISO-8601 UTC; ``user`` is None for a deleted account."""

    node_id: str
    body: str | None = None
    user: _User | None = None
    created_at: str
    html_url: str

    @property
    def repository(self) -> tuple[str, str]:
        """Owner and name of the repository that it is in, wherever it was looked for."""
        owner, name = urlsplit(self.html_url).path.split("/")[1:3]
        return owner, name

    @property
    def author(self) -> str | None:
        """Who wrote it."""
        return self.user.login if self.user else None


class _Permission(_Shape):
    permission: str


class _Visibility(_Shape):
    private: bool  # internal repositories of an enterprise are private too


class _Edit(_Shape):
    diff: str | None = None


class _Edits(_Shape):
    nodes: tuple[_Edit | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who the token belongs to; ``scopes`` is None for a token that has none to tell of."""

    login: str
    scopes: tuple[str, ...] | None


class Issues:
    """Issues on one GitHub, read with conditional requests and written at a pace.

    ``write_pause`` is how many seconds there are at least between two writes, one as GitHub asks;
    of all processes that share a ``pace_file``.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        write_pause: float = 1.0,
        timing: Timing | None = None,
        pace_file: Path | None = None,
    ) -> None:
        self._transport = transport
        self.timing = timing or Timing()
        self._pace = WritePace(write_pause, self.timing, file=pace_file)

    @property
    def may_write(self) -> bool:
        """Whether there is a token at all."""
        return self._transport.has_token

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def read(self, where: Address) -> IssueText:
        """The text now; what did not change since it was last read costs no point."""
        path = _path(where)
        return _shaped(IssueText, self._transport.get(path, str(where)), str(where))

    def replace_text(self, issue: IssueText, text: str, where: Address) -> str:
        """Replace the text of an issue, and return it as GitHub keeps it.

        UsageError for a text that is too long; Passing leaves open whether it was done.
        """
        reply = self._write("PATCH", issue.url, where, {"body": fitting(text, where)})
        return _shaped(IssueText, reply, str(where)).text

    def history(self, issue: IssueText, where: Address, count: int) -> list[str | None]:
        """The ``count`` latest versions of the text, newest first.

        Empty for a text that was never edited; None for a version whose text is withheld. That the
        ``diff`` of an entry is the whole text is known from what GitHub answers; its schema says
        only that it sums the edit up.
        """
        what = f"the history of {where}"
        reply = self._transport.query(text_history(issue, count), what)
        item = ((reply.data or {}).get("repository") or {}).get("issueOrPullRequest")
        if item is None and reply.errors:
            raise query_error_for(reply.errors[0], reply.headers, what)
        try:
            edits = _Edits.model_validate((item or {}).get("userContentEdits") or {})
        except ValidationError as error:
            raise wrong_shape(what, first_problem(error)) from None
        return [edit.diff if edit else None for edit in edits.nodes or ()]

    def comments(self, where: Address, *, since: str | None = None) -> Iterator[CommentText]:
        """Every comment of the conversation, oldest first; of those since a time where given."""
        asked: dict[str, str | int] = {"since": since} if since else {}
        path = f"{_path(where)}/comments"
        what = f"the comments of {where}"
        adapter = TypeAdapter(list[CommentText])
        number = 0
        full = True
        while full:  # a full last page that was known may have had no successor then
            asked = {**asked, "page": number + 1} if number else asked
            for page in self._transport.get_pages(path, what, parameters=asked):
                number += 1
                full = len(page) == _PAGE
                try:
                    yield from adapter.validate_python(page)
                except ValidationError as error:
                    raise wrong_shape(what, first_problem(error)) from None

    def post_comment(self, where: Address, text: str) -> CommentText:
        """Add a comment. Passing leaves open whether it was done."""
        path = f"{_path(where)}/comments"
        reply = self._write("POST", path, where, {"body": fitting(text, where)})
        return _shaped(CommentText, reply, str(where))

    def is_public(self, where: Address) -> bool:
        """Whether anyone may read the repository now. Not, where GitHub does not say so.

        It can be made private at any time; what did not change since costs no point.
        """
        path = f"/repos/{where.owner}/{where.name}"
        try:
            reply = self._transport.get(path, where.repository.key)
        except (NotFound, NotPublic):
            return False
        return not _shaped(_Visibility, reply, where.repository.key).private

    def permission(self, where: Address, login: str) -> str:
        """What an account may do in a repository: admin, write, read or none.

        Maintainers are told as ``write`` and those who may triage as ``read``:
        https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user.
        Only a token that may write there is told; NotPublic, NotFound or GitHubAuthError else.
        """
        path = f"/repos/{where.owner}/{where.name}/collaborators/{quote(login, safe='')}/permission"
        what = f"what {login} may do in {where.repository}"
        return _shaped(_Permission, self._transport.get(path, what), what).permission

    def viewer(self) -> Viewer:
        """Who the token belongs to and what it may do. GitHubAuthError without one."""
        if not self.may_write:
            raise GitHubAuthError(f"There is no token for GitHub; {login_advice()}")
        reply = self._transport.get("/user", "the login of the token")
        scopes = reply.headers.get("x-oauth-scopes")
        told = None if scopes is None else tuple(filter(None, map(str.strip, scopes.split(","))))
        return Viewer(_shaped(_User, reply, "the login of the token").login, told)

    def query(self, operation: Operation, what: str) -> GraphQLAnswer:
        """Send a GraphQL document; its errors are the caller's to judge. A mutation waits its turn.

        GitHubAuthError without a token, which GraphQL wants even to read.
        """
        if not self.may_write:
            raise GitHubAuthError(f"{what} needs a token; {login_advice()}")
        if operation.kind == "mutation":
            self._pace.wait()
        return self._transport.query(operation, what)

    def _write(
        self, method: WriteMethod, path: str, where: Address, payload: Mapping[str, str]
    ) -> Reply:
        if not self.may_write:
            raise GitHubAuthError(f"Writing to {where} needs a token; {login_advice()}")
        self._pace.wait()
        try:
            return self._transport.write(method, path, str(where), payload)
        except NotPublic as error:
            raise NotAllowed(
                f"The token may not write to {where} ({error}); use one of an account with write "
                "access, with the scope repo or public_repo, or the permission to write issues"
            ) from None


def fitting(text: str, where: Address) -> str:
    """``text``, when GitHub can keep it. UsageError, with a way out, when it cannot."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The text for {where} holds half a character at {error.start}; write it anew"
        ) from None
    if size > LONGEST_BODY:
        raise UsageError(
            f"The text of {where} would be {size:,} bytes, and GitHub keeps {LONGEST_BODY:,}. "
            "Nothing was sent. Remove what is done, shorten the metadata, or begin another issue."
        )
    return text


def _path(where: Address) -> str:
    return f"/repos/{where.owner}/{where.name}/issues/{where.number}"


def text_history(issue: IssueText, count: int) -> Operation:
    """The question for the ``count`` latest versions of an issue's text."""
    owner, name = issue.repository
    edits = (Ask("userContentEdits", {"first": count}, (Ask("nodes", parts=(Ask("diff"),)),)),)
    asked = {
        "owner": Variable("owner", "String!", owner),
        "name": Variable("name", "String!", name),
    }
    number = Variable("number", "Int!", issue.number)
    item = Ask(
        "issueOrPullRequest", {"number": number}, (On("Issue", edits), On("PullRequest", edits))
    )
    return Operation(TEXT_HISTORY, (Ask("repository", asked, (item,)),))


def _shaped(shape: type[_ShapeT], reply: Reply, what: str) -> _ShapeT:
    try:
        return shape.model_validate(reply.document)
    except ValidationError as error:
        raise wrong_shape(what, first_problem(error)) from None
