"""Repositories: their facts, and their README in sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.render_model import facts
from resources_graph_core.render_model.blocks import Block, Line
from resources_graph_core.render_model.quoting import (
    aside,
    cautions,
    joined,
    one_line,
    quoted,
    without_nothing,
)
from resources_graph_core.render_model.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.untrusted import Treatment

    Row = Mapping[str, Any]

_DEEPEST = 3
"""Headings below this level begin no section of their own."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a README, its heading included; ``number`` is from 1."""

    number: int
    title: str
    text: str


def readme_sections(readme: str) -> list[Section]:
    """A README cut at its headings of the first three levels; one section where it has none."""
    lines = readme.split("\n")
    cuts = _headings(readme)
    if not cuts or any(line.strip() for line in lines[: cuts[0][0]]):
        cuts = [(0, ""), *cuts]
    ends = [*(start for start, _ in cuts[1:]), len(lines)]
    texts = [
        (title, "\n".join(lines[start:end]).strip("\n"))
        for (start, title), end in zip(cuts, ends, strict=True)
    ]
    told = [(title, text) for title, text in texts if text.strip()]
    return [Section(number, title, text) for number, (title, text) in enumerate(told, start=1)]


def head(repository: Row, treatment: Treatment, now: str) -> Block:
    """What the repository is."""
    name = one_line(treatment, repository.get("name_with_owner"))
    description, odd = quoted(
        treatment, str(repository.get("description") or "").replace("\n", " ")
    )
    details = facts.line(_details(repository, treatment))
    heading = facts.line(
        [
            "Repository",
            "archived" if repository.get("archived") is True else "",
            facts.counted(facts.number(repository.get("stars")) or 0, "star"),
            facts.aged_day("created", repository.get("created_at"), now),
            facts.aged_day("pushed", repository.get("pushed_at"), now),
            cautions(odd),
        ]
    )
    lines = [*aside(name), *description, *aside(details)]
    data = {
        "state": "archived" if repository.get("archived") is True else None,
        "title": name,
        "url": one_line(treatment, repository.get("url")),
        "created_at": facts.time(repository.get("created_at")),
        "details": details,
        "cautions": odd,
    }
    return Block("head", "the repository", heading, tuple(lines), without_nothing(data))


def section_blocks(
    sections: Sequence[Section], total: int, treatment: Treatment
) -> Iterator[Block]:
    """Sections of a README, one block each, made only when they are looked at."""
    for section in sections:
        lines, odd = quoted(treatment, section.text)
        heading = facts.line([f"README section {section.number} of {total}", cautions(odd)])
        data = without_nothing(
            {
                "number": section.number,
                "title": one_line(treatment, section.title),
                "cautions": odd,
            }
        )
        name = f"README section {section.number}"
        yield Block("sections", name, heading, lines, data, number=section.number)


def outline(sections: Sequence[Section], treatment: Treatment) -> Block:
    """One line for each section of a README."""
    lines = []
    for section in sections:
        title = one_line(treatment, section.title) or "(before the first heading)"
        size = tokens(section.text)
        data = {"number": section.number, "title": title, "tokens": size}
        lines.append(Line(f"{section.number} · {title} · about {size:,} tokens", data))
    heading = f"README: {facts.counted(len(lines), 'section') or 'none in memory'}"
    return Block("sections", "the outline", heading, tuple(lines))


def _details(repository: Row, treatment: Treatment) -> Iterator[str]:
    for label, name in (
        ("default branch", "default_branch"),
        ("licence", "licence"),
        ("fork of", "fork_parent"),
    ):
        value = one_line(treatment, repository.get(name))
        yield f"{label}: {value}" if value else ""
    topics = joined(treatment, repository.get("topics"))
    yield f"topics: {topics}" if topics else ""


def _headings(readme: str) -> list[tuple[int, str]]:
    """The line and the title of each heading, as Markdown (and reStructuredText's underlines)."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only for repositories

    parsed = MarkdownIt("commonmark").parse(readme)
    return [
        (token.map[0], parsed[position + 1].content)
        for position, token in enumerate(parsed)
        if token.type == "heading_open" and token.map and token.level == 0
        if int(token.tag.removeprefix("h")) <= _DEEPEST
    ]
