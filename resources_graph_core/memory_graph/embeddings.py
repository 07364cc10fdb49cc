"""Text as vectors: off by default, by any model that embeds, or one behind an HTTP API."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Final, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from resources_graph_core.errors import ConfigError, EmbeddingFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.memory_graph.model import Node

CHARACTERS: Final = 2000
"""How much of a text is embedded, unless a user chooses otherwise."""

MOST_DIMENSIONS: Final = 8192
_TIMEOUT_SECONDS: Final = 30.0


class Embedder(Protocol):
    """Any model that turns texts into vectors of ``dims`` numbers each."""

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order. May raise anything."""


def label_of(node: Node) -> str | None:
    """A node's label, or None when it has none."""
    return node.label or None


@dataclass(frozen=True, slots=True)
class Embeddings:
    """What is embedded, and by which model.

    ``kinds`` are the kinds of node that are (None: all), ``text`` gives a node's text (None skips
    the node), and ``characters`` is how much of that counts. A vector whose node got another text
    since answers no search until it is embedded anew (by a put or ``reembed`` of a handle with
    embeddings), nor does one of another model: choose the same wherever a graph is used.
    """

    model: Embedder
    kinds: frozenset[str] | None = None
    text: Callable[[Node], str | None] = label_of
    characters: int = CHARACTERS

    def __post_init__(self) -> None:
        """Refuse what cannot be. Raises ConfigError."""
        if not 1 <= self.model.dims <= MOST_DIMENSIONS:
            raise ConfigError(f"Vectors have 1 to {MOST_DIMENSIONS} numbers, not {self.model.dims}")
        if self.characters < 1:
            raise ConfigError("At least one character of a text has to be embedded.")

    def text_of(self, node: Node) -> str | None:
        """The text of a node that is embedded, or None when it is not.

        Raises EmbeddingFailed, for whatever ``text`` raises too.
        """
        if self.kinds is not None and node.kind not in self.kinds:
            return None
        try:
            text = self.text(node)
        except EmbeddingFailed:
            raise
        except Exception as error:
            raise EmbeddingFailed(
                f"The function that gives a node's text failed ({type(error).__name__})."
            ) from error
        if text is not None and not isinstance(text, str):
            raise EmbeddingFailed(
                f"The function that gives a node's text gave no text ({type(text).__name__})."
            )
        return text[: self.characters] if text else None

    @property
    def made_by(self) -> str:
        """The model in words: its dimensions, and its name where it has one."""
        name = getattr(self.model, "model", None)
        return f"{self.model.dims} {name if isinstance(name, str) else ''}".rstrip()

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text.

        Raises EmbeddingFailed, for whatever the model raises too, and for vectors of other
        dimensions than it has.
        """
        try:
            made = [[float(number) for number in vector] for vector in self.model.embed(texts)]
        except EmbeddingFailed:
            raise
        except Exception as error:
            raise EmbeddingFailed(
                f"The embedding model failed ({type(error).__name__}); nothing was embedded."
            ) from error
        if len(made) != len(texts):
            raise EmbeddingFailed(
                f"The embedding model gave {len(made)} vectors for {len(texts)} texts."
            )
        for vector in made:
            if len(vector) != self.model.dims:
                raise EmbeddingFailed(
                    f"The embedding model gave a vector of {len(vector)} numbers, and says that it "
                    f"gives {self.model.dims}. Set its dimensions right."
                )
            if not all(map(isfinite, vector)):
                raise EmbeddingFailed("The embedding model gave a number that is not finite.")
        return made


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Vector(_Lenient):
    index: int
    embedding: list[float]


class _Vectors(_Lenient):
    data: list[_Vector]


@dataclass(frozen=True, slots=True)
class OpenAICompatible:
    """An embedding model behind the ``/embeddings`` endpoint that many servers offer.

    See https://platform.openai.com/docs/api-reference/embeddings. ``url`` is what stands before
    ``/embeddings``, such as ``https://api.openai.com/v1`` or ``http://localhost:11434/v1``.
    ``ask_dims`` sends the wanted dimensions along, which not every model understands.
    """

    url: str
    model: str
    dims: int
    key: str | None = field(default=None, repr=False)
    ask_dims: bool = False
    timeout_seconds: float = _TIMEOUT_SECONDS

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, in one request. Raises EmbeddingFailed."""
        import httpx  # noqa: PLC0415 - slow, and most handles embed nothing

        asked: dict[str, object] = {"model": self.model, "input": list(texts)}
        if self.ask_dims:
            asked["dimensions"] = self.dims
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            answer = httpx.post(
                f"{self.url.rstrip('/')}/embeddings",
                json=asked,
                headers=headers,
                timeout=self.timeout_seconds,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbeddingFailed(
                f"The embedding model at {self.url} cannot be reached ({type(error).__name__}). "
                "Start it, or set its URL right."
            ) from error
        if answer.is_error:
            raise EmbeddingFailed(
                f"The embedding model at {self.url} answered with status {answer.status_code}; "
                f"check the key and the name of the model, {self.model!r}."
            )
        try:
            found = _Vectors.model_validate_json(answer.content).data
        except ValidationError:
            raise EmbeddingFailed(
                f"The embedding model at {self.url} answered with something else than vectors."
            ) from None
        return [one.embedding for one in sorted(found, key=lambda one: one.index)]
