"""What a few programs print: ``echo 5 | xargs gh issue view`` and ``$(cat <<EOF …)`` are read.

Pure functions of their arguments and input; UNKNOWN for all else.
"""

from __future__ import annotations

import re

from resources_graph_core.capture.flags import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LINES = 500
_LONGEST = 100_000
_SILENT = frozenset(["true", ":", "cd", "pushd", "mkdir", "sleep", "set", "unset", "touch"])
_FORMAT = re.compile(r"(?:[^%\\]|\\n|%s|%d)*")


def of(words: Sequence[str], stdin: str | None) -> str:
    """What the program with these words prints, or UNKNOWN."""
    name, arguments = words[0], words[1:]
    if name in _SILENT:
        return ""
    text = UNKNOWN
    if name == "echo":
        text = _echo(arguments)
    elif name == "printf":
        text = _printf(arguments)
    elif name == "seq":
        text = _seq(arguments)
    elif name == "cat" and (not arguments or arguments == ("-",)):
        text = UNKNOWN if stdin is None else stdin
    return text if len(text) <= _LONGEST else UNKNOWN


def _echo(arguments: Sequence[str]) -> str:
    end = "\n"
    if arguments and arguments[0] == "-n":
        arguments, end = arguments[1:], ""
    if arguments and arguments[0].startswith("-") and set(arguments[0][1:]) <= set("neE"):
        return UNKNOWN
    return " ".join(arguments) + end


def _printf(arguments: Sequence[str]) -> str:
    if not arguments or arguments[0].startswith("-") or not _FORMAT.fullmatch(arguments[0]):
        return UNKNOWN
    form, values = arguments[0].replace("\\n", "\n").replace("%d", "%s"), list(arguments[1:])
    holes = form.count("%s")
    if not holes:
        return form
    made: list[str] = []
    while values or not made:
        pieces = form.split("%s")
        taken, values = values[:holes], values[holes:]
        taken += [""] * (holes - len(taken))
        made.append(pieces[0] + "".join(map("".join, zip(taken, pieces[1:], strict=True))))
    return "".join(made)


def _seq(arguments: Sequence[str]) -> str:
    if not 1 <= len(arguments) <= 3 or not all(re.fullmatch(r"-?[0-9]{1,9}", a) for a in arguments):  # noqa: PLR2004 - first, step, last
        return UNKNOWN
    numbers = [int(argument) for argument in arguments]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1  # noqa: PLR2004 - the same
    if step == 0:
        return UNKNOWN
    made = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    return UNKNOWN if len(made) > _MOST_LINES else "".join(f"{number}\n" for number in made)
