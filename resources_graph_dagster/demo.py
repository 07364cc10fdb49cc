"""``demo``: the main job once; what it plays is in ``demo_job``, which is slow to load."""

from pathlib import Path
from typing import Annotated

import typer

from resources_graph_dagster import installed


def demo(
    *,
    archive: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play it on this archive, not on the packaged one."),
    ] = None,
) -> None:
    """Play the main job once on a small GitHub of its own; needs no login and no network."""
    installed.check("demo", "dagster")
    from resources_graph_core.sandbox.archive import (  # noqa: PLC0415 - slow
        load_archive,
        packaged_archives,
    )
    from resources_graph_dagster.demo_job import play  # noqa: PLC0415 - slow
    from resources_graph_dagster.demo_report import print_report  # noqa: PLC0415 - the same
    from resources_graph_dagster.demo_session import session_in  # noqa: PLC0415 - the same

    chosen = [archive] if archive else list(packaged_archives())
    # The packaged project is played in; its smaller neighbour is there for references.
    played_in = max((load_archive(path) for path in chosen), key=lambda one: len(one.issues))
    print_report(play(chosen, session_in(played_in)))
