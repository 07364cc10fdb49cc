"""One answer's worth of strangers' text: what is treated, and what is told of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.render import visible
from resources_graph_core.untrusted.credentials import credentials
from resources_graph_core.untrusted.invisible import bare
from resources_graph_core.untrusted.steering import defused, gives_orders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.untrusted.invisible import Bare

ORDERS = "reads as orders to a model"
CONTROL = "model control tokens, broken up"
HIDDEN = "invisible characters, shown"
COMMENT = "an HTML comment, which GitHub hides"

Suspicion = str
"""What is remarkable about a text, in words of ours: one of the constants above."""


@dataclass(frozen=True, slots=True)
class Treated:
    """A text as a model may see it, and what is remarkable about it."""

    text: str
    suspicions: tuple[Suspicion, ...] = ()


class Treatment:
    """Treats the texts of one answer, and counts the credentials that it masked.

    The same credential gets the same number throughout, so that a model can follow it without
    knowing it.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}

    def treat(self, text: str) -> Treated:
        """``text`` made fit for a model; line breaks and tabs stay."""
        text = text.replace("\r\n", "\n")
        seen = bare(text)
        shown, broken = defused(visible(self._mask(text, seen)))
        return Treated(shown, tuple(_suspicions(seen, broken)))

    def one_line(self, text: str) -> Treated:
        """The same in one line."""
        return self.treat(" ".join(text.splitlines()))

    def treat_all(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """A JSON value with every text in it treated, names too."""
        match value:
            case str():
                return self.treat(value).text
            case dict():
                return {self.treat_all(name): self.treat_all(held) for name, held in value.items()}
            case list() | tuple():
                return [self.treat_all(held) for held in value]
        return value

    @property
    def masked(self) -> dict[str, int]:
        """How many different credentials of each kind were masked so far."""
        return dict(Counter({kind: len(known) for kind, known in self._numbers.items()}))

    def _mask(self, text: str, seen: Bare) -> str:
        parts: list[str] = []
        done = 0
        for found in credentials(seen.text):
            known = self._numbers.setdefault(found.kind, {})
            number = known.setdefault(seen.text[found.start : found.end], len(known) + 1)
            parts += [text[done : seen.place(found.start)], f"[{found.kind} {number}, masked]"]
            done = seen.place(found.end - 1) + 1
        return "".join([*parts, text[done:]])


def _suspicions(seen: Bare, broken: int) -> Iterator[Suspicion]:
    if gives_orders(seen.text):
        yield ORDERS
    if broken:
        yield CONTROL
    if seen.hid_something:
        yield HIDDEN
    if "<!--" in seen.text:
        yield COMMENT
