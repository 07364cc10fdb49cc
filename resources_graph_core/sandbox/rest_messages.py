"""Requests to the sandbox's REST and its answers, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

JSON = "application/json; charset=utf-8"
_DOCUMENTATION = "https://docs.github.com/rest"


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
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """An answer: ``body`` is text to send as it is, None for nothing, anything else as JSON."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = JSON


class Refused(Exception):  # noqa: N818 - an answer other than 200, not a fault
    """Ends the work on a request with this answer."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        headers = headers or {}
        told = {"url": headers["location"]} if "location" in headers else {"status": str(status)}
        body = {"message": message, "documentation_url": _DOCUMENTATION, **told}
        self.answer = RestAnswer(status, body, headers)
