"""Put our hooks and MCP server into a harness's configuration, and take exactly that out again.

Planning reads files and changes nothing; ``apply`` writes what was planned. A file that cannot be
understood stops the whole plan.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core.errors import ConfigError
from resources_graph_core.harness import MCP_SERVER, targets, toml_text
from resources_graph_core.harness.json_config import JsonConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from resources_graph_core.harness.targets import Scope

_PLUGIN = "opencode_plugin.js"
_PLUGIN_MARK = "// Made by `resources-graph install opencode`"


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None stands for a file that is not there.

    ``root`` is the folder whose configuration it is: folders below it that are left empty go too.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    root: Path

    def diff(self) -> str:
        """The change as a unified diff without surrounding lines, which may hold secrets."""
        old, new = (
            (content or b"").decode("utf-8", "replace").splitlines(keepends=True)
            for content in (self.before, self.after)
        )
        lines = difflib.unified_diff(
            old,
            new,
            "/dev/null" if self.before is None else str(self.path),
            "/dev/null" if self.after is None else str(self.path),
            n=0,
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def find_hook_program() -> str:
    """The absolute path of ``resources-graph-hook``: beside this Python, else on the PATH.

    Raises ConfigError when it is in neither.
    """
    beside = Path(sys.executable).with_name(targets.HOOK_PROGRAM)
    if beside.is_file():
        return str(beside)
    found = shutil.which(targets.HOOK_PROGRAM)
    if found is None:
        raise ConfigError(
            f"{targets.HOOK_PROGRAM} was not found beside {sys.executable} or on the PATH. "
            "Install resources-graph-dagster into this environment."
        )
    return str(Path(found).absolute())


def plan_install(
    harness: str,
    scope: Scope,
    root: Path,
    home: Path,
    command: str,
    *,
    mcp: bool = True,
    environment: Mapping[str, str] = os.environ,
) -> list[Change]:
    """What to change so that a harness calls the hook program at the absolute path ``command``.

    ``scope`` says whether in the project ``root`` or for the user with this ``home``; ``mcp``
    whether to register our MCP server as well. Empty when all is in place. Raises UsageError for an
    unknown harness, and ConfigError, naming file and line, for a file that cannot be changed.
    """
    place = targets.places(harness, scope, root, home, environment)
    base = root if scope == "project" else home
    changes = [_install_hooks(harness, place.hooks, command, base)]
    if mcp:
        changes.append(_install_server(harness, place.mcp, command, base))
    return [change for change in changes if change.before != change.after]


def plan_uninstall(
    harness: str,
    scope: Scope,
    root: Path,
    home: Path,
    *,
    environment: Mapping[str, str] = os.environ,
) -> list[Change]:
    """What to change so that nothing of ours is left. Raises as ``plan_install`` does."""
    place = targets.places(harness, scope, root, home, environment)
    base = root if scope == "project" else home
    servers = {place.mcp}
    if harness == "opencode":  # its other spelling may have come to be preferred since
        servers |= {place.mcp.with_suffix(".json"), place.mcp.with_suffix(".jsonc")}
    changes = [_uninstall_hooks(harness, place.hooks, base)]
    changes += [_uninstall_server(harness, path, base) for path in sorted(servers)]
    return [change for change in changes if change.before != change.after]


def apply(changes: Iterable[Change]) -> None:
    """Write what was planned, each file at once, its mode kept and symbolic links followed.

    Raises ConfigError when a file is no longer what the plan was made for (nothing is written
    then), or cannot be written.
    """
    planned = list(changes)
    for change in planned:
        if _read(change.path) != change.before:
            raise ConfigError(
                f"{change.path} was changed by someone else meanwhile. Nothing was written; "
                "try again."
            )
    for change in planned:
        try:
            _write(change)
        except OSError as error:
            raise ConfigError(
                f"{change.path} cannot be written: {error.strerror}. Correct that and try again."
            ) from error


def _hooks_config(harness: str, path: Path) -> JsonConfig:
    return JsonConfig(
        where=str(path),
        entries=lambda program: targets.hooks_of(harness, program),
        preamble=targets.preamble_of(harness),
    )


def _server_config(harness: str, path: Path) -> JsonConfig:
    key = targets.servers_key(harness)
    return JsonConfig(
        where=str(path),
        entries=lambda program: {key: {MCP_SERVER: targets.server_of(harness, program)}},
        preamble={},
    )


def _install_hooks(harness: str, path: Path, program: str, base: Path) -> Change:
    before = _read(path)
    text = _decoded(path, before)
    if harness == "opencode":
        if text is not None and not text.startswith(_PLUGIN_MARK):
            raise ConfigError(f"{path} is there and not ours. Move it away and try again.")
        return Change(path, before, _plugin(program).encode(), base)
    after = _hooks_config(harness, path).install(text, program)
    return Change(path, before, after.encode(), base)


def _uninstall_hooks(harness: str, path: Path, base: Path) -> Change:
    before = _read(path)
    text = _decoded(path, before)
    if text is None:
        return Change(path, None, None, base)
    if harness == "opencode":
        return Change(path, before, None if text.startswith(_PLUGIN_MARK) else before, base)
    after = _hooks_config(harness, path).uninstall(text)
    return Change(path, before, None if after is None else after.encode(), base)


def _install_server(harness: str, path: Path, program: str, base: Path) -> Change:
    before = _read(path)
    text = _decoded(path, before)
    if path.suffix == ".toml":
        after = _with_table(harness, path, text, program)
    else:
        after = _server_config(harness, path).install(text, program)
    return Change(path, before, after.encode(), base)


def _uninstall_server(harness: str, path: Path, base: Path) -> Change:
    before = _read(path)
    text = _decoded(path, before)
    if text is None:
        return Change(path, None, None, base)
    if path.suffix == ".toml":
        after = _without_table(harness, path, text)
    else:
        after = _server_config(harness, path).uninstall(text)
    return Change(path, before, None if after is None else after.encode(), base)


def _with_table(harness: str, path: Path, text: str | None, program: str) -> str:
    parent = targets.servers_key(harness)
    wanted = targets.server_of(harness, program)
    if text is None:
        return toml_text.block(parent, MCP_SERVER, wanted) + "\n"
    there = toml_text.table_in(text, str(path), parent, MCP_SERVER)
    if there is not None:
        its_program = targets.program_in(there)
        if its_program is None:
            raise ConfigError(
                f"{path}: [{parent}.{MCP_SERVER}] is already there and runs something else. "
                "Rename it and try again."
            )
        if there.items() >= wanted.items():
            return text
        if there == targets.server_of(harness, its_program):
            return _with_table(harness, path, _without_table(harness, path, text), program)
        return toml_text.renew(text, str(path), parent, MCP_SERVER, wanted)
    return toml_text.add(text, str(path), parent, MCP_SERVER, wanted)


def _without_table(harness: str, path: Path, text: str) -> str | None:
    parent = targets.servers_key(harness)
    there = toml_text.table_in(text, str(path), parent, MCP_SERVER)
    program = None if there is None else targets.program_in(there)
    if program is None:
        return text
    wanted = targets.server_of(harness, program)
    if text == toml_text.block(parent, MCP_SERVER, wanted) + "\n":
        return None
    return toml_text.remove(text, str(path), parent, MCP_SERVER)


def _plugin(program: str) -> str:
    template = resources.files("resources_graph_core.harness").joinpath(_PLUGIN).read_text("utf-8")
    return template.replace('"@PROGRAM@"', json.dumps(program))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}. Nothing was changed."
        ) from error


def _decoded(path: Path, content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: it is not UTF-8 text. Nothing was changed."
        ) from error


def _write(change: Change) -> None:
    target = change.path.resolve()
    if change.after is None:
        target.unlink()
        _remove_empty_folders(target.parent, change.root.resolve())
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    descriptor, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(change.after)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove_empty_folders(folder: Path, root: Path) -> None:
    while folder != root and root in folder.parents and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
