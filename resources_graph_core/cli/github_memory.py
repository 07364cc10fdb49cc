"""``roadmap``, ``decisions``, ``triage`` and ``requirements``: memory kept on GitHub."""

from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.errors import GraphUnavailable, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.access import StoreAccess
    from resources_graph_core.github_memory.triage import TriageBacklog

Backlog = Annotated[
    str,
    typer.Argument(
        metavar="WHERE", help="Where it is kept: owner/repo#12, or the URL of an issue or project."
    ),
]
Issue = Annotated[
    str, typer.Argument(metavar="ISSUE", help="Where it is kept: owner/repo#12, or a URL.")
]
State = Literal["todo", "doing", "done"]
Verdict = Literal["stale", "closeable", "fixable", "blocked"]

_TASK_COLUMNS = ("id", "state", "title", "metadata")
_DECISION_COLUMNS = ("created_at", "summary", "url")
_FLAGGED_COLUMNS = ("created_at", "author", "summary", "reason")
_VERDICT_COLUMNS = ("order", "ref", "verdict", "rationale")

roadmaps = typer.Typer(help="A roadmap: tasks in a task list of an issue.", no_args_is_help=True)
decisions = typer.Typer(
    help="Decisions, as comments of an issue or pull request.", no_args_is_help=True
)
triage = typer.Typer(
    help="Verdicts on issues, kept in a tracking issue or in a GitHub Project.",
    no_args_is_help=True,
)


@contextmanager
def _access(
    context: typer.Context, issue: str, session: str | None
) -> "Iterator[tuple[StoreAccess, Address]]":
    """Access to stores that records in the memory; while that is out of reach a note says so."""
    from resources_graph_core.github_memory.access import issue_named  # noqa: PLC0415 - slow

    where = issue_named(issue, options.settings(context))
    with _stores(context, session) as access:
        yield access, where


@contextmanager
def _stores(context: typer.Context, session: str | None) -> "Iterator[StoreAccess]":
    from resources_graph_core.github_memory.access import StoreAccess  # noqa: PLC0415 - slow

    with ExitStack() as stack:
        try:
            memory = stack.enter_context(options.writable_memory(context))
        except GraphUnavailable as error:
            output.print_note(f"not recorded on the graph: {error}")
            memory = None
        yield StoreAccess(options.settings(context), memory, session)


@contextmanager
def _backlog(context: typer.Context, where: str, session: str | None) -> "Iterator[TriageBacklog]":
    """The backlog in an issue or a project."""
    from resources_graph_core.github_memory.access import backlog_named  # noqa: PLC0415 - slow

    named = backlog_named(where, options.settings(context))
    with _stores(context, session) as access, access.triage(named) as store:
        yield store


@roadmaps.command("show")
def show_roadmap(
    context: typer.Context,
    issue: Issue,
    *,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Show a roadmap's tasks in their order."""
    with _access(context, issue, session) as (access, where), access.roadmap(where) as store:
        tasks = output.treated([asdict(task) for task in store.hydrate()])
    if json:
        output.print_json(tasks)
    else:
        output.print_table(_TASK_COLUMNS, tasks)


@roadmaps.command("next")
def next_task(
    context: typer.Context,
    issue: Issue,
    *,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Show the first task that nobody has begun."""
    with _access(context, issue, session) as (access, where), access.roadmap(where) as store:
        task = store.next_todo()
        is_empty = task is None and not store
    found = None if task is None else output.treated(asdict(task))
    if json:
        output.print_json(found)
    elif is_empty:
        output.print_note(f"there are no tasks in {where}")
    elif found is None:
        output.print_note(f"nothing is left to do in {where}")
    else:
        output.print_line(f"{found['id']}\t{found['title']}")


@roadmaps.command("set")
def set_task(
    context: typer.Context,
    issue: Issue,
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task's id.")],
    state: Annotated[State | None, typer.Argument(help="How far it is.")] = None,
    *,
    title: Annotated[str | None, typer.Option(help="A new title; the id stays.")] = None,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Set the state or the title of a task."""
    if state is None and title is None:
        raise UsageError("nothing to set; give a state (todo, doing, done) or --title")
    with _access(context, issue, session) as (access, where), access.roadmap(where) as store:
        changed = output.treated(asdict(store.change(task, title=title, state=state)))
    if json:
        output.print_json(changed)
    else:
        output.print_line(f"{changed['id']} is {changed['state']}: {changed['title']}")


@roadmaps.command("append")
def append_task(
    context: typer.Context,
    issue: Issue,
    titles: Annotated[list[str], typer.Argument(metavar="TITLE...", help="One task each.")],
    *,
    state: Annotated[State, typer.Option(help="How far they are.")] = "todo",
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Add tasks to the end of a roadmap, all in one write."""
    with (
        _access(context, issue, session) as (access, where),
        access.roadmap(where) as store,
        store.batch(),
    ):
        records = [store.append(title, state=state) for title in titles]
    # Their ids are what they were left as, which the end of the batch decides.
    made = output.treated([asdict(record) for record in records])
    if json:
        output.print_json(made)
    else:
        for task in made:
            output.print_line(task["id"])


@roadmaps.command("move")
def move_task(
    context: typer.Context,
    issue: Issue,
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task's id.")],
    *,
    before: Annotated[
        str | None, typer.Option(metavar="TASK", help="The task to stand before; else the end.")
    ] = None,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Move a task, with what is nested below it."""
    with _access(context, issue, session) as (access, where), access.roadmap(where) as store:
        store.move(task, before=before)
        tasks = output.treated([asdict(one) for one in store.hydrate()])
    if json:
        output.print_json(tasks)
    else:
        output.print_table(_TASK_COLUMNS, tasks)


@decisions.command("append", hidden=True)
@decisions.command("log")
def log_decision(
    context: typer.Context,
    issue: Issue,
    summary: Annotated[str, typer.Argument(metavar="SUMMARY", help="The decision in one line.")],
    *,
    rationale: Annotated[str, typer.Option(help="Why.")] = "",
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Post a decision as a comment."""
    with _access(context, issue, session) as (access, where), access.decisions(where) as log:
        posted = output.treated(asdict(log.append(summary, rationale=rationale)))
    if json:
        output.print_json(posted)
    else:
        output.print_line(posted["url"] or str(where))


@decisions.command("show")
def show_decisions(
    context: typer.Context,
    issue: Issue,
    *,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Show the decisions that count, oldest first, and apart those that do not."""
    with _access(context, issue, session) as (access, where), access.decisions(where) as log:
        counted, flagged = log.read()
    found = output.treated(
        {"decisions": list(map(asdict, counted)), "flagged": list(map(asdict, flagged))}
    )
    if json:
        output.print_json(found)
        return
    output.print_table(_DECISION_COLUMNS, found["decisions"])
    if flagged:
        output.print_line("")
        output.print_line("These do not count:")
        rows = [{**one["decision"], **one} for one in found["flagged"]]
        output.print_table(_FLAGGED_COLUMNS, rows)


@triage.command("show")
def show_triage(
    context: typer.Context,
    where: Backlog,
    *,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Show a backlog in the order of resolution."""
    with _backlog(context, where, session) as store:
        entries = output.treated([asdict(entry) for entry in store.hydrate()])
    if json:
        output.print_json(entries)
    else:
        output.print_table(_VERDICT_COLUMNS, entries)


@triage.command("set")
def set_verdict(
    context: typer.Context,
    where: Backlog,
    ref: Annotated[str, typer.Argument(metavar="REF", help="The issue judged: owner/repo#N.")],
    verdict: Annotated[Verdict, typer.Argument(help="What is to become of it.")],
    *,
    order: Annotated[int | None, typer.Option(help="When its turn is, lowest first.")] = None,
    rationale: Annotated[str | None, typer.Option(help="Why.")] = None,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Give a verdict on an issue; what is left out stays as it is."""
    given = {"verdict": verdict, "order": order, "rationale": rationale}
    fields = {name: value for name, value in given.items() if value is not None}
    with _backlog(context, where, session) as store:
        entry = output.treated(asdict(store.put(ref, fields)))
    if json:
        output.print_json(entry)
    else:
        output.print_line(f"{entry['ref']} is {entry['verdict']}, order {entry['order']}")


@triage.command("remove")
def remove_verdict(
    context: typer.Context,
    where: Backlog,
    ref: Annotated[str, typer.Argument(metavar="REF", help="The issue judged: owner/repo#N.")],
    *,
    session: options.Session = None,
    json: options.Json = False,
) -> None:
    """Take an issue out of a backlog."""
    with _backlog(context, where, session) as store:
        del store[ref]
    if json:
        output.print_json({"removed": ref})
    else:
        output.print_line(f"removed {ref}")


def requirements(
    context: typer.Context,
    *,
    project: Annotated[
        bool, typer.Option("--project", help="Also what a GitHub Project needs.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Check whether roadmaps, decisions and triage can be written to GitHub."""
    from resources_graph_core.github_memory.requirements import (  # noqa: PLC0415 - slow
        check_requirements,
    )

    found = check_requirements(require_project_scope=project, settings=options.settings(context))
    if json:
        output.print_json(found)
    elif found["ok"]:
        output.print_line("ready: GitHub takes the token")
    else:
        output.print_line(f"missing: {', '.join(found['missing'])}; {found['hint']}")
    if not found["ok"]:
        raise typer.Exit(1)


def add_to(application: typer.Typer) -> None:
    """Add these commands."""
    application.add_typer(roadmaps, name="roadmap")
    application.add_typer(decisions, name="decisions")
    application.add_typer(triage, name="triage")
    application.command()(requirements)
