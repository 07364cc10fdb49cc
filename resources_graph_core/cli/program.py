"""From the arguments to an exit status: the one place that turns errors into lines on stderr."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from resources_graph_core.errors import ResourcesGraphError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE = 0
FAILED = 1
WRONG_USAGE = 2
DONE_IN_PART = 3
"""Touches were left for a later Sweep."""
INTERRUPTED = 128 + 2
"""What a shell reports for a program ended by Ctrl-C (SIGINT is 2)."""
BROKEN_PIPE = 128 + 13
"""What a shell reports for a program whose reader went away (SIGPIPE is 13)."""

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What the system says when a disk is full or a terminal is gone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (None: the process's own) name; return its exit status.

    Errors of the project become one line on stderr, or with ``--json`` one JSON document on
    stdout. Anything unexpected is one line too, and its traceback with ``--debug``.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # text that the terminal cannot show is no failure
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit; see "Note on SIGPIPE" in its signal module.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"error: {_unwritable(error)}\n")
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _open_closed_streams() -> None:
    """Put the null device where a standard stream was closed: nothing else may take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for good


def _run(arguments: list[str]) -> int:
    import typer  # noqa: PLC0415 - the only slow import; not before streams and Ctrl-C are handled

    from resources_graph_core.cli.application import command  # noqa: PLC0415 - the same

    try:
        result = command().main(args=arguments, prog_name="resources-graph", standalone_mode=False)
    except ResourcesGraphError as error:
        return _failed(error, error.exit_status, arguments)
    except typer.TyperException as error:
        usage = UsageError(f"{error.format_message()} See {_help_for(arguments)}")
        return _failed(usage, error.exit_code, arguments)
    except typer.Abort:
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # Typer makes that a plain failure
            raise error.__context__ from None
        raise
    except Exception as error:
        if "--debug" in arguments:
            raise
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            error = _unwritable(error)
        return _failed(error, FAILED, arguments)
    return result if isinstance(result, int) else DONE


def _unwritable(error: OSError) -> ResourcesGraphError:
    return ResourcesGraphError(f"nothing more can be written: {error.strerror}; make room for it")


def _help_for(arguments: list[str]) -> str:
    """The command that shows the help of what was asked for."""
    from resources_graph_core.cli.application import command  # noqa: PLC0415 - see _run

    known = getattr(command(), "commands", {})
    named = [argument for argument in arguments if argument in known][:1]
    return " ".join(["resources-graph", *named, "--help"])


def _public_name(error: Exception) -> str:
    """The name of an error in the public tree, whatever finer kind it is."""
    kinds = (kind for kind in type(error).__mro__ if kind.__module__ == UsageError.__module__)
    return next(kinds, type(error)).__name__


def _failed(error: Exception, status: int, arguments: list[str]) -> int:
    """Say what went wrong, in one line or in JSON; return the exit status."""
    message = " ".join(str(error).split())
    if not isinstance(error, ResourcesGraphError):
        message = (
            f"something unexpected went wrong ({type(error).__name__}: {message}); "
            "run it again as resources-graph --debug … and report what it shows"
        )
    in_json_alone = _answers_in_json_alone(arguments)
    if in_json_alone or "--json" in arguments:
        from resources_graph_core.cli.output import print_json  # noqa: PLC0415 - for errors only

        print_json({"error": {"name": _public_name(error), "message": message}})
    else:
        from resources_graph_core.render import visible  # noqa: PLC0415 - for errors only

        sys.stderr.write(f"error: {visible(message, line_breaks=False)}\n")
    return FAILED if in_json_alone else status


def _answers_in_json_alone(arguments: list[str]) -> bool:
    """Whether it is one of the ``memory`` commands, whose errors are JSON and end with status 1."""
    words = iter(arguments)
    for word in words:
        if word == "--graph":
            next(words, None)
        elif not word.startswith("-"):
            return word == "memory"
    return False
