"""From strangers' text to quoted lines and to data, through one answer's treatment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.render_model.blocks import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.untrusted import Treatment


def quoted(treatment: Treatment, text: object) -> tuple[tuple[Line, ...], list[str]]:
    """A text's lines, and what is remarkable about it; nothing for an empty one."""
    given = str(text or "").strip("\r\n")
    if not given:
        return (), []
    treated = treatment.treat(given)
    return tuple(map(Line, treated.text.split("\n"))), list(treated.suspicions)


def one_line(treatment: Treatment, text: object) -> str:
    """A text in one line."""
    return treatment.one_line(str(text if text is not None else "")).text


def joined(treatment: Treatment, values: object) -> str:
    """A list of names in one line; nothing for none."""
    if not isinstance(values, list | tuple):
        return ""
    return ", ".join(one_line(treatment, value) for value in values)


def cautions(suspicions: list[str]) -> str:
    """What is remarkable, for a heading; nothing for nothing."""
    return f"caution: {'; '.join(dict.fromkeys(suspicions))}" if suspicions else ""


def without_nothing(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data without what says nothing."""
    return {name: value for name, value in data.items() if value not in (None, "", [], {})}
