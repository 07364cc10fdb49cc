"""``config``: the settings in force and the file that keeps them."""

import sys
from typing import Annotated

import typer

from resources_graph_core import config
from resources_graph_core.cli import options, output
from resources_graph_core.errors import UsageError

Name = Annotated[str, typer.Argument(metavar="NAME", help="A setting, such as graph.url.")]


_STORES = ("github_memory.roadmaps", "github_memory.decisions", "github_memory.triage")


def get(context: typer.Context, name: Name, *, json: options.Json = False) -> None:
    """Show a setting in force; of a secret only whether it is set."""
    found = config.value_in_force(name, _given(context))
    if json:
        output.print_json(_document(found))
    else:
        output.print_line(found.shown)


def list_settings(context: typer.Context, *, json: options.Json = False) -> None:
    """Show every setting, its value and where that comes from."""
    documents = [_document(found) for found in config.values_in_force(_given(context))]
    if json:
        output.print_json(documents)
    else:
        output.print_table(("name", "value", "origin", "where"), documents)


def set_setting(
    name: Name,
    value: Annotated[
        str | None, typer.Argument(help="Its value; a secret is asked for, or read from stdin.")
    ] = None,
) -> None:
    """Keep a setting in the file."""
    setting = config.setting_named(name)
    if setting.secret and value is not None:
        raise UsageError(
            f"{name} is a secret, and arguments are seen by everyone on this machine and kept in "
            f"the shell's history; run resources-graph config set {name} and type it there"
        )
    if value is None:
        value = _ask(setting)
        if not value.strip():
            raise UsageError(
                f"no value for {name} was typed or piped in, so nothing was changed; "
                f"to remove it, run: resources-graph config unset {name}"
            )
    if name == "graph.url":
        from resources_graph_core.graph.opening import check_url  # noqa: PLC0415 - seldom needed

        check_url(value)
    if name in _STORES:
        _check_stores(setting, value)
    config.set_value(name, value)
    output.print_line(f"set {name} in {config.config_path()}")
    _warn_of_stronger(setting)


def _check_stores(setting: config.Setting, value: str) -> None:
    """Raise ConfigError for what names no issue; hooks check no value of these, which is slow."""
    from resources_graph_core.github_memory.configured import stores_in  # noqa: PLC0415 - slow

    none = config.Settings(graph_url="", user="", github_api_url="")
    stores_in(none.changed(**{setting.field_name: value}))


def _ask(setting: config.Setting) -> str:
    """The value typed at a terminal, unseen when it is secret, or piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.read()
    asked: str = typer.prompt(setting.name, hide_input=setting.secret)
    return asked


def _warn_of_stronger(setting: config.Setting) -> None:
    """Say so when the environment still wins over what was just set."""
    found = config.value_in_force(setting.name)
    if found.origin == "environment":
        output.print_note(f"note: {found.where} is set in the environment and wins over the file")


def unset(name: Name) -> None:
    """Remove a setting from the file."""
    removed = config.unset_value(name)
    where = config.config_path()
    output.print_line(f"removed {name} from {where}" if removed else f"{name} is not in {where}")


def path() -> None:
    """Show where the file is."""
    output.print_line(str(config.config_path()))


def _given(context: typer.Context) -> dict[str, str | None]:
    """What the command line itself sets."""
    given = context.find_object(options.Options) or options.Options()
    return {"graph_url": given.graph_url}


def _document(found: config.Value) -> dict[str, object]:
    return {
        "name": found.setting.name,
        "value": found.shown,
        "secret": found.setting.secret,
        "origin": found.origin,
        "where": found.where,
    }


def add_to(application: typer.Typer) -> None:
    """Add these commands, as ``config …``."""
    group = typer.Typer(help="Settings: the environment wins over the file.")
    group.command()(get)
    group.command("list")(list_settings)
    group.command("set")(set_setting)
    group.command()(unset)
    group.command()(path)
    application.add_typer(group, name="config")
