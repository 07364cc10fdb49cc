"""What a shell knows at one point of a script: its variables, its directory, whether it goes on."""

from __future__ import annotations

import posixpath

from resources_graph_core.capture.context import ENVIRONMENT_NAMES
from resources_graph_core.capture.flags import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

_LONGEST = 100_000
"""Characters of a variable, or of what a program prints, that are kept."""


class Scope:
    """The state of one shell. A subshell works on a copy, branches are merged.

    ``variables`` holds what the script itself assigned (UNKNOWN where only running it would tell);
    ``ended`` is the word that ended the current block: exit, return, break or continue.
    """

    def __init__(self, environment: Mapping[str, str], cwd: str | None) -> None:
        self.inherited = dict(environment)
        self.variables: dict[str, str] = {}
        self.exported = set(environment)
        self.functions: dict[str, Node] = {}
        self.cwd = cwd
        self.ended = ""

    def copy(self) -> Scope:
        """The same state, free to go its own way."""
        twin = Scope(self.inherited, self.cwd)
        twin.variables = dict(self.variables)
        twin.exported = set(self.exported)
        twin.functions = dict(self.functions)
        twin.ended = self.ended
        return twin

    def become(self, other: Scope) -> None:
        """Take over another state."""
        self.variables, self.exported = other.variables, other.exported
        self.functions, self.cwd, self.ended = other.functions, other.cwd, other.ended

    def merge(self, branches: Sequence[Scope]) -> None:
        """Go on after one of the branches, nobody knows which: keep what they agree on."""
        going_on = [branch for branch in branches if not branch.ended]
        if not going_on:
            self.become(branches[0])
            return
        first, *others = going_on
        self.become(first)
        for other in others:
            for name in self.variables.keys() | other.variables.keys():
                if self.variables.get(name) != other.variables.get(name):
                    self.variables[name] = UNKNOWN
            self.exported |= other.exported
            self.cwd = self.cwd if self.cwd == other.cwd else None

    def value(self, name: str) -> str:
        """The value of a variable, or UNKNOWN."""
        return self.variables.get(name, self.inherited.get(name, UNKNOWN))

    def assign(self, name: str, value: str) -> None:
        """Set a variable. One too long to be part of anything GitHub knows is not kept."""
        self.variables[name] = value if len(value) <= _LONGEST else UNKNOWN

    def lose(self, *names: str) -> None:
        """Know no longer what these variables hold."""
        self.variables |= dict.fromkeys(names, UNKNOWN)

    def environment(self, changes: Mapping[str, str | None]) -> dict[str, str]:
        """What a program started now finds in its environment, of the variables that matter."""
        found: dict[str, str] = {}
        for name in ENVIRONMENT_NAMES:
            value: str | None = None
            if name in self.exported:
                value = self.variables.get(name, self.inherited.get(name))
            if name in changes:
                value = changes[name]
            if value is not None:
                found[name] = value
        return found

    def path(self, target: str) -> str | None:
        """``target`` seen from the current directory; None when only running would tell."""
        if target == "~" or target.startswith("~/"):
            target = self.value("HOME") + target[1:]
        if UNKNOWN in target or target.startswith("~") or not target:
            return None
        if target.startswith("/"):
            return posixpath.normpath(target)
        return None if self.cwd is None else posixpath.normpath(posixpath.join(self.cwd, target))

    def change_directory(self, arguments: Sequence[str]) -> None:
        """``cd``: without an argument to the home directory; ``cd -`` goes nobody knows where."""
        targets = [word for word in arguments if word not in {"-L", "-P", "-e", "-@", "--"}]
        if not targets:
            targets = ["~"]
        self.cwd = self.path(targets[0]) if len(targets) == 1 and targets[0] != "-" else None
