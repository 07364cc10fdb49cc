"""The settings file: values by dotted name in TOML, edited without losing comments.

It knows nothing of which settings there are; :mod:`resources_graph_core.config` does.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, MutableMapping

    from tomlkit import TOMLDocument


def read_values(path: Path) -> dict[str, tuple[object, int]]:
    """Each value by dotted name, with the line (from 1) that sets it; empty without a file.

    Raises ConfigError when the file cannot be read or is not TOML.
    """
    text = _read(path)
    if not text:
        return {}
    import tomllib  # noqa: PLC0415 - 25 ms that a machine without a file saves

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path, error, text) from None
    return {name: (value, _line_of(name, text)) for name, value in _leaves(document)}


def store_value(path: Path, name: str, value: str) -> None:
    """Set ``name`` to ``value``; comments, order and spacing stay.

    The file is replaced in one step, mode 0600. Raises ConfigError when that is not possible.
    """
    document = _parse(path)
    *tables, key = name.split(".")
    table: MutableMapping[str, object] = document
    import tomlkit  # noqa: PLC0415 - only for writing

    for part in tables:
        inner = table.setdefault(part, tomlkit.table())
        if not isinstance(inner, dict):
            raise ConfigError(f"{path}: {part!r} is not a table; remove it and try again")
        table = inner
    table[key] = value
    _write(path, tomlkit.dumps(document))


def remove_value(path: Path, name: str) -> bool:
    """Remove ``name``; False when the file does not set it. Raises ConfigError as storing does."""
    document = _parse(path)
    *tables, key = name.split(".")
    table: MutableMapping[str, object] = document
    for part in tables:
        inner = table.get(part)
        if not isinstance(inner, dict):
            return False
        table = inner
    if key not in table:
        return False
    import tomlkit  # noqa: PLC0415 - only for writing

    del table[key]
    _write(path, tomlkit.dumps(document))
    return True


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text; correct or remove it") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def _parse(path: Path) -> TOMLDocument:
    import tomlkit  # noqa: PLC0415 - only for writing
    from tomlkit.exceptions import ParseError  # noqa: PLC0415 - the same

    text = _read(path)
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        raise _not_toml(path, error, text) from None


def _not_toml(path: Path, error: ValueError, text: str) -> ConfigError:
    """An error that names the line; what the file holds stays out of it, for it may be a secret."""
    line = re.search(r"at line (\d+)", str(error))
    number = line.group(1) if line else text.count("\n") + 1
    return ConfigError(f"{path} line {number} is not TOML; correct or remove it")


def _leaves(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _line_of(name: str, text: str) -> int:
    """The line that sets ``name``; tomllib keeps no positions, so table headers are followed here.

    Inside an inline table it is the line on which the table starts.
    """
    prefix = ""
    nearest = 1
    for number, line in enumerate(text.splitlines(), start=1):
        key = re.sub(r"[\s\"'\[\]]", "", line.partition("=")[0].partition("#")[0])
        if line.lstrip().startswith("["):
            prefix = f"{key}."
            continue
        if prefix + key == name:
            return number
        if key and name.startswith(f"{prefix}{key}."):
            nearest = number
    return nearest


def _write(path: Path, text: str) -> None:
    """Replace ``path``, or what it links to, in one step; readable by its owner only."""
    import tempfile  # noqa: PLC0415 - only for writing

    path = path.resolve()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # mkstemp makes the file with mode 0600 (Python's documentation of tempfile).
        handle, temporary = tempfile.mkstemp(prefix=".config-", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None
