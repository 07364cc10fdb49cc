"""GitHub's answers as they come in: HTTP replies, and the GraphQL answers inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from resources_graph_core.github.answers import Answer, Meaning, QueryError, message_in, rule_for


class _QueryErrorShape(BaseModel):
    model_config = ConfigDict(extra="ignore")

    message: str = ""
    type: str | None = None
    path: tuple[str | int, ...] = ()
    extensions: dict[str, Any] = Field(default_factory=dict)

    @property
    def kind(self) -> str:
        code = self.extensions.get("code")
        return self.type or (code if isinstance(code, str) else "")

    @property
    def lacks(self) -> str | None:
        """As graphql-ruby, which GitHub runs, tells of what a schema does not have."""
        told = self.extensions.get
        match self.kind:
            case "undefinedField":
                return str(told("fieldName"))
            case "argumentNotAccepted":
                return f"{told('name')}.{told('argumentName')}"
        return None


class RateLimitShape(BaseModel):
    """What a document cost, what is left of the hourly points, and until when (ISO-8601 UTC)."""

    model_config = ConfigDict(extra="ignore")

    cost: int
    remaining: int
    reset_at: str = Field(alias="resetAt")


class GraphQLAnswer(BaseModel):
    """A GraphQL answer that came with status 200: data, errors, or some of both."""

    model_config = ConfigDict(extra="ignore")

    data: dict[str, Any] | None = None
    raw_errors: list[_QueryErrorShape] = Field(default_factory=list, alias="errors")
    headers: Mapping[str, str] = Field(default_factory=dict)

    @property
    def errors(self) -> list[QueryError]:
        """The errors, each with the path to what is missing for it."""
        return [QueryError(one.kind, one.message, one.path, one.lacks) for one in self.raw_errors]

    @property
    def rate_limit(self) -> RateLimitShape | None:
        """What it cost, where it says so; ValidationError when that is of the wrong shape."""
        told = (self.data or {}).get("rateLimit")
        return None if told is None else RateLimitShape.model_validate(told)


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer: headers by lower-case name, and its JSON where it is 2xx."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    document: Any
    next_url: str | None

    @property
    def answer(self) -> Answer:
        """The answer as the table of meanings sees it."""
        return Answer(self.status, self.headers, message_in(self.content.decode(errors="replace")))

    @property
    def meaning(self) -> Meaning | None:
        """What it means, by that table; None for a good answer."""
        return None if self.good else rule_for(self.answer).meaning

    @property
    def good(self) -> bool:
        """Whether it is a success, as HTTP has it."""
        return 200 <= self.status < 300  # noqa: PLR2004 - see above


def first_problem(error: ValidationError) -> str:
    """Where a shape did not fit, and how; never the value itself."""
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(step) for step in problem['loc'])}: {problem['msg']}"
