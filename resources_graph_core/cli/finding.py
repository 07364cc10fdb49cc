"""``find``: where words stand in what memory holds."""

from typing import Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.find_filters import FoundKind, FoundState


def find(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="WORDS", help="More of them found rank higher.")],
    *,
    repo: Annotated[str | None, typer.Option(help="Only in owner/repo.")] = None,
    kind: Annotated[FoundKind | None, typer.Option(help="Only these.")] = None,
    state: Annotated[FoundState | None, typer.Option(help="Only in this state.")] = None,
    label: Annotated[str | None, typer.Option(help="Only with this label.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Results at most.")] = 10,
    json: options.Json = False,
) -> None:
    """Search titles, texts, comments, tasks, decisions and verdicts; GitHub is not asked."""
    from resources_graph_core.render_model import finding  # noqa: PLC0415 - slow

    with options.memory(context) as memory:
        found = memory.find(
            query, repository=repo, kind=kind, state=state, label=label, limit=limit
        )
    results = finding.results(query, found)
    if json:
        output.print_json(results.model_dump(mode="json", exclude_none=True))
    else:
        output.print_line(finding.as_text(results))


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(find)
