"""What Unicode does not show: found before anything else is, since it can part a word in two."""

from __future__ import annotations

from dataclasses import dataclass

from resources_graph_core.render import is_hidden

_HARMLESS = frozenset("\t\n")
_WITHOUT_HARMLESS = dict.fromkeys(map(ord, _HARMLESS))


@dataclass(frozen=True, slots=True)
class Bare:
    """A text without what is invisible, and where each of its characters stood before.

    ``places`` is None where nothing was taken out.
    """

    text: str
    places: tuple[int, ...] | None = None

    @property
    def hid_something(self) -> bool:
        """Whether anything invisible was in it."""
        return self.places is not None

    def place(self, position: int) -> int:
        """Where the character at ``position`` stood before."""
        return position if self.places is None else self.places[position]


def bare(text: str) -> Bare:
    """``text`` without invisible characters; line breaks and tabs stay."""
    if text.isascii() and text.translate(_WITHOUT_HARMLESS).isprintable():
        return Bare(text)
    hidden = {one for one in set(text) - _HARMLESS if is_hidden(one)}
    if not hidden:
        return Bare(text)
    places = [place for place, character in enumerate(text) if character not in hidden]
    return Bare("".join(text[place] for place in places), tuple(places))
