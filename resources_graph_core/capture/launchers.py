"""Programs that start other programs (``env``, ``sudo``, ``timeout``, ``xargs``, ``bash -c`` …).

``unwrap`` peels them off one by one until what really runs is left: a Program with its arguments,
or a Script that a shell reads.
"""

from __future__ import annotations

import posixpath

from resources_graph_core.capture.context import ENVIRONMENT_NAMES
from resources_graph_core.capture.flags import UNKNOWN
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHELLS = frozenset(["bash", "sh", "zsh", "dash", "ksh", "ash"])
_MOST_RUNS = 200


class Program(Record):
    """A program that runs: its words, and what changes in its surroundings.

    ``environment`` holds what is set for it alone (None: taken away), ``cwd`` where it starts when
    it is told so. ``stdin`` is what it is piped: None when nothing is, UNKNOWN when nobody knows.
    """

    words: tuple[str, ...]
    environment: dict[str, str | None]
    cwd: str | None = None
    stdin: str | None = None

    @property
    def name(self) -> str:
        """The program's name without its folder."""
        return posixpath.basename(self.words[0]).removesuffix(".exe")


class Script(Record):
    """Text that a shell runs, with its positional parameters."""

    text: str
    parameters: tuple[str, ...]
    program: Program


class _Options(Record):
    """How a launcher's options are read: which take a value, and how many arguments come first."""

    short: str = ""
    long: tuple[str, ...] = ()
    arguments: int = 0


_LAUNCHERS = {
    "command": _Options(),
    "builtin": _Options(),
    "exec": _Options(short="a"),
    "nohup": _Options(),
    "time": _Options(short="fo", long=("format", "output")),
    "timeout": _Options(short="ks", long=("kill-after", "signal"), arguments=1),
    "gtimeout": _Options(short="ks", long=("kill-after", "signal"), arguments=1),
    "nice": _Options(short="n", long=("adjustment",)),
    "ionice": _Options(short="cnp", long=("class", "classdata", "pid")),
    "stdbuf": _Options(short="ioe", long=("input", "output", "error")),
    "setsid": _Options(),
    "unbuffer": _Options(),
    "caffeinate": _Options(short="tw"),
    "doas": _Options(short="uC"),
    "sudo": _Options(
        short="ugpChrtRDT",
        long=("user", "group", "prompt", "close-from", "host", "role", "type", "chroot", "chdir"),
    ),
    "env": _Options(short="uCS", long=("unset", "chdir", "split-string")),
    "watch": _Options(short="n", long=("interval",)),
}
_XARGS = _Options(
    short="IiLlnPsdEea", long=("max-args", "max-procs", "max-lines", "replace", "delimiter")
)


def unwrap(program: Program) -> Iterator[Program | Script]:
    """What really runs; ``xargs`` may run a program several times."""
    pending = [program]
    steps = 0
    while pending and steps < _MOST_RUNS:
        steps += 1
        current = pending.pop(0)
        if not current.words:
            continue
        if current.name in _SHELLS:
            yield from _shell(current)
        elif current.name == "xargs":
            pending[:0] = _xargs(current)
        elif current.name in _LAUNCHERS:
            following = _launched(current)
            if isinstance(following, Script):
                yield following
            elif following is not None:
                pending.insert(0, following)
        else:
            yield current


def _launched(program: Program) -> Program | Script | None:
    name = program.name
    options = _LAUNCHERS[name]
    seen, rest = _skip_options(program.words[1:], options)
    names = {option for option, _ in seen}
    environment, cwd = dict(program.environment), program.cwd
    if name == "command" and names & {"-v", "-V"}:
        return None
    if name in {"sudo", "doas"} and names & {"-l", "-v", "-e", "-i", "-s", "-k", "-K"}:
        return None
    environment |= _taken_away(name, seen)
    for option, value in seen:
        if name == "env" and option in {"-S", "--split-string"}:
            rest = (*value.split(), *rest)
    if name in {"env", "sudo"}:
        for option, value in seen:
            if option in {"-C", "-D", "--chdir"}:
                cwd = value
        while rest and "=" in rest[0].split(UNKNOWN)[0]:
            variable, _, value = rest[0].partition("=")
            environment[variable] = value
            rest = rest[1:]
    rest = rest[options.arguments :]
    inner = Program(words=rest, environment=environment, cwd=cwd, stdin=program.stdin)
    if name == "watch" and not names & {"-x", "--exec"}:
        return Script(text=" ".join(rest), parameters=(), program=inner)
    return inner if rest else None


def _taken_away(name: str, seen: Sequence[tuple[str, str]]) -> dict[str, str | None]:
    """The variables that a launcher takes out of the environment."""
    names = {option for option, _ in seen}
    if name in {"sudo", "doas"}:
        return {} if names & {"-E", "--preserve-env"} else dict.fromkeys(ENVIRONMENT_NAMES)
    if name != "env":
        return {}
    if names & {"-i", "--ignore-environment"}:
        return dict.fromkeys(ENVIRONMENT_NAMES)
    return {value: None for option, value in seen if option in {"-u", "--unset"}}


def _skip_options(
    words: Sequence[str], options: _Options
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """The options before the first argument, with their values, and everything from there on."""
    seen: list[tuple[str, str]] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if not word.startswith("-") or word == "-":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name in options.long and at + 1 < len(words):
                at += 1
                value = words[at]
            seen.append((f"--{name}", value))
        else:
            for place, letter in enumerate(word[1:], start=2):
                if letter in options.short:
                    value = word[place:]
                    if not value and at + 1 < len(words):
                        at += 1
                        value = words[at]
                    seen.append((f"-{letter}", value))
                    break
                seen.append((f"-{letter}", ""))
        at += 1
    return seen, tuple(words[at:])


def _shell(program: Program) -> Iterator[Script]:
    """``bash -c TEXT``, ``bash -lc TEXT``, or a shell that reads its script from a pipe."""
    words = program.words[1:]
    reads_text = reads_stdin = False
    at = 0
    while at < len(words) and words[at].startswith(("-", "+")) and words[at] != "--":
        word = words[at]
        if not word.startswith("--"):
            reads_text = reads_text or (word[0] == "-" and "c" in word)
            reads_stdin = reads_stdin or "s" in word
            if word.endswith(("o", "O")):
                at += 1
        elif word in {"--rcfile", "--init-file"}:
            at += 1
        at += 1
    rest = words[at + 1 :] if words[at : at + 1] == ("--",) else words[at:]
    if reads_text:
        if rest:
            yield Script(text=rest[0], parameters=rest[2:], program=program)
    elif (reads_stdin or not rest) and program.stdin:
        yield Script(text=program.stdin, parameters=rest, program=program)


def _xargs(program: Program) -> list[Program]:
    """The runs of ``xargs``; what it reads is known when an ``echo`` or ``printf`` wrote it."""
    seen, rest = _skip_options(program.words[1:], _XARGS)
    values = dict(seen)
    if not rest:
        return []
    stdin = UNKNOWN if program.stdin is None or "-a" in values else program.stdin
    placeholder = values.get("-I") or values.get("--replace")
    if "-i" in values and not placeholder:
        placeholder = "{}"
    unusual = values.keys() & {"-d", "-0", "-E", "-e", "-L", "-l", "--null", "--delimiter"}
    if UNKNOWN in stdin or unusual or any(mark in stdin for mark in "'\"\\"):
        if placeholder:
            return [_run(program, [word.replace(placeholder, UNKNOWN) for word in rest])]
        return [_run(program, [*rest, UNKNOWN])]
    if placeholder:
        lines = [line.strip() for line in stdin.splitlines() if line.strip()]
        return [
            _run(program, [word.replace(placeholder, line) for word in rest])
            for line in lines[:_MOST_RUNS]
        ]
    inputs = stdin.split()
    most = values.get("-n") or values.get("--max-args") or ""
    size = int(most) if most.isascii() and most.isdecimal() and 0 < len(most) < 6 else len(inputs)  # noqa: PLR2004 - no command line is longer
    size = max(size, 1)
    starts = range(0, max(len(inputs), 1), size)
    return [_run(program, [*rest, *inputs[at : at + size]]) for at in starts][:_MOST_RUNS]


def _run(program: Program, words: Sequence[str]) -> Program:
    return Program(words=tuple(words), environment=program.environment, cwd=program.cwd)
