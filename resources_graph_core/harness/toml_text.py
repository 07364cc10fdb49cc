"""Changes to a TOML file: one table comes or goes, and every other byte stays.

The table goes to the end of the text as a block of its own. What ``tomlkit`` reads from the text is
always checked against what it should say; a text that a block cannot be added to, or out of which
it cannot be cut, is edited by ``tomlkit``, which keeps comments and order too.
"""

from __future__ import annotations

import re

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from resources_graph_core.errors import ConfigError


def parse(text: str, where: str) -> tomlkit.TOMLDocument:
    """The document in the text of the file ``where``. Raises ConfigError when it is no TOML."""
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        line = error.line if isinstance(error, ParseError) else 1
        raise ConfigError(
            f"{where}, line {line}: it is not valid TOML. "
            "Nothing was changed; correct the file and try again."
        ) from error


def table_in(text: str, where: str, parent: str, name: str) -> dict[str, object] | None:
    """What the table ``parent.name`` holds, or None without one. Raises ConfigError."""
    holder = parse(text, where).unwrap().get(parent)
    table = holder.get(name) if isinstance(holder, dict) else None
    return table if isinstance(table, dict) else None


def block(parent: str, name: str, values: dict[str, object], newline: str = "\n") -> str:
    """The table as text, without an end of the last line."""
    document = tomlkit.table()
    for key, value in values.items():
        document.add(key, value)
    body = document.as_string().rstrip("\n")
    return f"[{parent}.{name}]\n{body}".replace("\n", newline)


def add(text: str, where: str, parent: str, name: str, values: dict[str, object]) -> str:
    """The text with the table ``parent.name``, which it does not have. Raises ConfigError."""
    wanted = parse(text, where).unwrap()
    wanted.setdefault(parent, {})
    if not isinstance(wanted[parent], dict):
        raise ConfigError(f"{where}: {parent} is no table. Nothing was changed.")
    wanted[parent][name] = values
    newline = "\r\n" if "\r\n" in text else "\n"
    added = block(parent, name, values, newline)
    if text.endswith("\n"):
        longer = f"{text}{newline}{added}{newline}"
    else:
        longer = f"{text}{newline}{newline}{added}" if text else added
    if _says(longer, wanted):
        return longer
    document = parse(text, where)
    holder = document.setdefault(parent, tomlkit.inline_table())
    inner = tomlkit.inline_table()
    inner.update(values)
    holder[name] = inner
    return tomlkit.dumps(document)


def remove(text: str, where: str, parent: str, name: str) -> str:
    """The text without the table ``parent.name``, which it has. Raises ConfigError."""
    wanted = parse(text, where).unwrap()
    values = wanted[parent].pop(name)
    if not wanted[parent]:
        del wanted[parent]
    newline = "\r\n" if "\r\n" in text else "\n"
    added = block(parent, name, values, newline)
    for found in re.finditer(re.escape(added), text):
        start, end = found.start(), found.end()
        if text[end:].startswith(newline):
            start -= len(newline) if text[:start].endswith(newline) else 0
            end += len(newline)
        elif text[:start].endswith(newline * 2):
            start -= 2 * len(newline)
        shorter = text[:start] + text[end:]
        if _says(shorter, wanted):
            return shorter
    document = parse(text, where)
    holder = document[parent]
    if isinstance(holder, dict):
        del holder[name]
        if not holder and parent not in wanted:
            del document[parent]
    return tomlkit.dumps(document)


def renew(text: str, where: str, parent: str, name: str, values: dict[str, object]) -> str:
    """The text with these values in the table ``parent.name``, which it has. Raises ConfigError."""
    document = parse(text, where)
    holder = document[parent]
    if isinstance(holder, dict):
        holder[name].update(values)
    return tomlkit.dumps(document)


def _says(text: str, wanted: dict[str, object]) -> bool:
    try:
        said = tomlkit.parse(text).unwrap()
    except TOMLKitError:
        return False
    return bool(said == wanted)
