"""Command line flags, read the way each kind of program reads them.

``parse_pflag`` follows the rules of Go's pflag, which ``gh`` uses: flags and arguments mix,
``--`` ends the flags, ``--limit 5``, ``--limit=5``, ``-L 5``, ``-L5`` and ``-L=5`` are the same,
short flags bundle, a switch takes a value only after ``=``, and long flags are never abbreviated.
"""

from __future__ import annotations

import re

from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COMMA_LINE = re.compile(r'(?:[^",]*|"(?:[^"]|"")*")(?:,(?:[^",]*|"(?:[^"]|"")*"))*')
_COMMA_FIELD = re.compile(r'(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))')

UNKNOWN = "\0"
"""Stands for what only running the command would tell; no argument can hold it otherwise."""

_TRUE = frozenset(["1", "t", "T", "true", "TRUE", "True"])
_FALSE = frozenset(["0", "f", "F", "false", "FALSE", "False"])


class FlagSet:
    """The flags one command takes.

    ``values`` and ``switches`` are written ``name`` or ``name,x`` with the short form last.
    """

    def __init__(self, *, values: Sequence[str] = (), switches: Sequence[str] = ()) -> None:
        self.takes_value: dict[str, bool] = {}
        self.long_of: dict[str, str] = {}
        for specs, takes_value in ((values, True), (switches, False)):
            for spec in specs:
                name, _, short = spec.partition(",")
                self.takes_value[name] = takes_value
                if short:
                    self.long_of[short] = name

    def knows(self, name: str) -> bool:
        """Whether a flag takes a value. Raises UsageError when the command has no such flag."""
        if name not in self.takes_value:
            raise UsageError("the command has a flag that is not known")
        return self.takes_value[name]

    def plus(self, *, values: Sequence[str] = (), switches: Sequence[str] = ()) -> FlagSet:
        """These flags and more."""
        wider = FlagSet(values=values, switches=switches)
        wider.takes_value |= self.takes_value
        wider.long_of |= self.long_of
        return wider


class Flags:
    """What a command line says: every value of every flag in order, and the arguments."""

    def __init__(self) -> None:
        self.values: dict[str, list[str]] = {}
        self.arguments: list[str] = []

    def add(self, name: str, value: str) -> None:
        """Note one more value of a flag."""
        self.values.setdefault(name, []).append(value)

    def last(self, name: str) -> str | None:
        """The value that counts for a flag given at most once, or None.

        Raises UsageError when it cannot be known.
        """
        values = self.values.get(name)
        return known(values[-1]) if values else None

    def all(self, name: str) -> list[str]:
        """Every value of a flag that repeats. Raises UsageError when one cannot be known."""
        return [known(value) for value in self.values.get(name, [])]

    def is_on(self, name: str) -> bool:
        """Whether a switch is on."""
        return self.last(name) in _TRUE


def known(text: str) -> str:
    """The text itself. Raises UsageError when part of it only running the command would tell."""
    if UNKNOWN in text:
        raise UsageError("part of the command is not known before it runs")
    return text


def parse_pflag(arguments: Sequence[str], flag_set: FlagSet) -> Flags:
    """Read ``arguments``. Raises UsageError for a flag the command does not have."""
    flags = Flags()
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            flags.arguments.extend(rest)
        elif argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            takes_value = flag_set.knows(name)
            if not equals:
                value = _following(rest, name) if takes_value else "true"
            flags.add(name, value if takes_value else _checked(name, value))
        elif argument.startswith("-") and argument != "-":
            _parse_bundle(argument[1:], rest, flag_set, flags)
        else:
            flags.arguments.append(argument)
    return flags


def _parse_bundle(bundle: str, rest: Iterator[str], flag_set: FlagSet, flags: Flags) -> None:
    while bundle:
        name = flag_set.long_of.get(bundle[0], "")
        takes_value = flag_set.knows(name)
        bundle = bundle[1:]
        if takes_value:
            value = bundle.removeprefix("=") if bundle else _following(rest, name)
            flags.add(name, value)
            return
        if bundle.startswith("="):
            flags.add(name, _checked(name, bundle[1:]))
            return
        flags.add(name, "true")


def _checked(name: str, value: str) -> str:
    if value not in _TRUE | _FALSE:
        raise UsageError(f"--{name} is true or false and nothing else")
    return value


def _following(rest: Iterator[str], name: str) -> str:
    value = next(rest, None)
    if value is None:
        raise UsageError(f"{name} needs a value")
    return value


def comma_list(texts: Sequence[str]) -> list[str]:
    """The values of a pflag list: each text is one line of comma-separated values (RFC 4180).

    Raises UsageError for a quote out of place, as pflag does, and for an empty value.
    """
    found: list[str] = []
    for text in texts:
        if not text:
            continue
        if not _COMMA_LINE.fullmatch(text):
            raise UsageError("the list has a quote out of place")
        fields = _COMMA_FIELD.findall(text)
        found.extend(inside.replace('""', '"') or bare for inside, bare in fields)
    if not all(value.strip() for value in found):
        raise UsageError("the list has an empty value")
    return found
