"""What ``doctor`` looks at, one thing after the other: each look is a Finding and raises nothing.

Nothing is changed, but for the embedded engine, which is started when it does not run.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Literal

from resources_graph_core import failures
from resources_graph_core.config import data_folder, load_settings
from resources_graph_core.errors import GitHubUnavailable, ResourcesGraphError
from resources_graph_core.harness import HARNESSES
from resources_graph_core.spool import LARGEST_FILE, Spool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.config import Settings
    from resources_graph_core.github.hosts import HostAccess
    from resources_graph_core.harness.targets import Scope

State = Literal["ok", "note", "warning", "failed"]
"""``note`` is nothing to mend; only ``failed`` makes the whole examination fail."""

OTHER_DISTRIBUTION = "resources-graph"
"""A distribution on PyPI that installs commands of the same names."""

LATEST_FAILURES = 5
_NEARLY_FULL = 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what to do where something is wrong."""

    name: str
    state: State
    detail: str


def examine(graph_url: str | None, project: Path, home: Path) -> Iterator[Finding]:
    """Look at everything, for the project in one folder and the user with that home folder.

    ``graph_url`` is used instead of the setting where given.
    """
    try:
        settings = load_settings(graph_url=graph_url)
    except ResourcesGraphError as error:
        yield Finding("settings", "failed", str(error))
    else:
        yield _settings(settings)
        yield from _graph(settings)
        yield from _github(settings)
    yield from _spool(data_folder())
    yield from _failures(data_folder())
    for harness in HARNESSES:
        yield _harness(harness, project, home)
    yield from _other_distribution()


def _settings(settings: Settings) -> Finding:
    """The settings that could be read, with those that are not checked when they are."""
    from resources_graph_core.github_memory.configured import stores_in  # noqa: PLC0415 - slow

    try:
        stores_in(settings)
    except ResourcesGraphError as error:
        return Finding("settings", "failed", str(error))
    return Finding("settings", "ok", f"graph.url is {settings.graph_url}")


def _graph(settings: Settings) -> Iterator[Finding]:
    from resources_graph_core.graph import open_graph, schema  # noqa: PLC0415 - slow
    from resources_graph_core.store import touches  # noqa: PLC0415 - the same

    try:
        with open_graph(
            settings.graph_url, user=settings.graph_user, password=settings.graph_password
        ) as graph:
            yield Finding("graph", "ok", f"{graph.dialect} answers")
            lacks = schema.missing(graph)
            lost = touches.given_up(graph, settings.user, limit=LATEST_FAILURES)
    except ResourcesGraphError as error:
        yield Finding("graph", "failed", str(error))
        return
    if lacks:
        told = f"{len(lacks)} indexes and constraints are missing; run: resources-graph setup"
        yield Finding("schema", "warning", told)
    else:
        yield Finding("schema", "ok", "every index and unique constraint is there")
    for row in lost:
        told = f"{row['address']} after {row['attempts']} attempts: {row['error']}; touch it again"
        yield Finding("given up", "warning", told)


def _github(settings: Settings) -> Iterator[Finding]:
    """Every host: the login and what is left of the hourly limits, which costs no point to ask."""
    from resources_graph_core.address import DEFAULT_HOST  # noqa: PLC0415 - slow
    from resources_graph_core.github.hosts import HostAccess  # noqa: PLC0415 - the same
    from resources_graph_core.github.opening import further_hosts  # noqa: PLC0415 - the same

    main = HostAccess(settings.github_api_url, settings.github_token)
    for host, access in {DEFAULT_HOST: main, **further_hosts(settings)}.items():
        name = "github" if host == DEFAULT_HOST else host
        try:
            yield from _host(name, host, access, settings.github_reserve)
        except GitHubUnavailable as error:
            yield Finding(name, "note", f"not looked at: {error}")
        except ResourcesGraphError as error:
            yield Finding(name, "failed", str(error))


def _host(name: str, host: str, access: HostAccess, reserve: int) -> Iterator[Finding]:
    from resources_graph_core.github.opening import find_access  # noqa: PLC0415 - slow
    from resources_graph_core.github.problems import login_advice  # noqa: PLC0415 - the same
    from resources_graph_core.github.transport import Transport  # noqa: PLC0415 - the same

    api_url, token = find_access(access.api_url, access.token, host)
    transport = Transport(api_url, token, host=host)
    try:
        if token is None:
            told = f"no token: 60 requests an hour and no lists; {login_advice(host)}"
            yield Finding(f"{name} login", "warning", told)
        else:
            user = transport.get("/user", "your GitHub login").document
            yield Finding(f"{name} login", "ok", f"signed in as {_field(user, 'login')}")
        limits = _field(transport.get("/rate_limit", "your GitHub limits").document, "resources")
        kind, kept = ("core", 0) if token is None else ("graphql", reserve)
        left, most = (_field(_field(limits, kind), one) for one in ("remaining", "limit"))
        told = f"{left} of {most} points are left this hour"
        if isinstance(left, int) and left <= kept:
            told += f"; a sweep leaves the last {kept} to others (github.reserve) and waits"
            yield Finding(f"{name} limits", "warning", told)
        else:
            yield Finding(f"{name} limits", "ok", told)
    finally:
        transport.close()


def _field(document: object, name: str) -> object:
    return document.get(name) if isinstance(document, dict) else None


def _spool(folder: Path) -> Iterator[Finding]:
    spool = Spool(folder)
    try:
        waiting = len(spool.pending())
    except (OSError, ResourcesGraphError) as error:
        yield Finding("spool", "failed", f"it cannot be read: {error}")
        return
    size = spool.size()
    if size > LARGEST_FILE * _NEARLY_FULL:
        told = (
            f"{waiting} Touches wait in {size} of {LARGEST_FILE} bytes; run resources-graph status"
        )
        yield Finding("spool", "warning", told)
    else:
        yield Finding("spool", "ok", f"{waiting} Touches wait for the graph")


def _failures(folder: Path) -> Iterator[Finding]:
    try:
        latest = failures.recent(folder, LATEST_FAILURES)
    except OSError as error:
        yield Finding("failure log", "failed", f"it cannot be read: {error}")
        return
    if not latest:
        yield Finding("failure log", "ok", "no hook has failed")
    for failure in latest:
        told = f"{failure.at} {failure.where}: {failure.kind}: {failure.message}"
        yield Finding("failure log", "warning", told)


def _harness(harness: str, project: Path, home: Path) -> Finding:
    scopes: tuple[Scope, ...] = ("user", "project")
    try:
        states = [f"{_installed(harness, scope, project, home)} ({scope})" for scope in scopes]
    except ResourcesGraphError as error:
        return Finding(harness, "warning", str(error))
    old = any(state.startswith("out of date") for state in states)
    hint = f"; run: resources-graph install {harness}" if old else ""
    return Finding(harness, "warning" if old else "note", ", ".join(states) + hint)


def _installed(harness: str, scope: Scope, project: Path, home: Path) -> str:
    from resources_graph_core.harness import install  # noqa: PLC0415 - slow

    if not install.plan_uninstall(harness, scope, project, home):
        return "not installed"
    program = install.find_hook_program()
    changes = install.plan_install(harness, scope, project, home, program)
    return "out of date" if changes else "installed"


def _other_distribution() -> Iterator[Finding]:
    try:
        found = version(OTHER_DISTRIBUTION)
    except PackageNotFoundError:
        return
    told = (
        f"{OTHER_DISTRIBUTION} {found} is installed beside this, with commands of the same names; "
        f"run: pip uninstall {OTHER_DISTRIBUTION}, then install this one again"
    )
    yield Finding("installation", "warning", told)
