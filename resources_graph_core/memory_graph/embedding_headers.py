"""Which embeddings a call over HTTP asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from resources_graph_core.errors import AccessDenied, ConfigError, UsageError
from resources_graph_core.memory_graph.embeddings import CHARACTERS, Embeddings, OpenAICompatible

if TYPE_CHECKING:
    from starlette.datastructures import Headers

    from resources_graph_core.memory_graph.callers import Service


def embeddings_of(headers: Headers, service: Service) -> Embeddings | None:
    """The embeddings that a request asks for; None when it names no model.

    Raises UsageError for settings that cannot be, AccessDenied for an API that may not be asked.
    """
    model, dims = headers.get("Memory-Embed-Model"), headers.get("Memory-Embed-Dims")
    url = headers.get("Memory-Embed-Url") or service.embed_url
    if model is None and dims is None:
        return None
    if not model or dims is None or url is None:
        raise UsageError("Embeddings need Memory-Embed-Url, -Model and -Dims together.")
    own = url == service.embed_url
    if not own and service.token is not None:
        raise AccessDenied(
            "This server asks no API for embeddings but the one that it was started with."
        )
    if not _is_web_address(url):
        raise UsageError("Memory-Embed-Url is no http or https address.")
    key = headers.get("Memory-Embed-Key") or (service.embed_key if own else None)
    kinds = headers.get("Memory-Embed-Kinds")
    try:
        return Embeddings(
            OpenAICompatible(url, model, _number("Memory-Embed-Dims", dims), key=key),
            kinds=frozenset(one.strip() for one in kinds.split(",")) if kinds else None,
            characters=_number(
                "Memory-Embed-Characters", headers.get("Memory-Embed-Characters", str(CHARACTERS))
            ),
        )
    except ConfigError as error:
        raise UsageError(str(error)) from None


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not match, a port that is no number
        return False


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):  # noqa: PLR2004 - enough digits
        raise UsageError(f"{name} is a whole number.")
    return int(text)
