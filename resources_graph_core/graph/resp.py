"""A few commands to a Redis server over a unix socket, at the cost of importing ``hiredis`` only.

The full clients need a fifth of a second to import, too long for looking whether an engine runs.
"""

from __future__ import annotations

import socket

import hiredis

from resources_graph_core.closing import Closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

_CHUNK_BYTES = 65536


class ServerError(Exception):
    """The server answered with an error, such as ``LOADING …`` while it reads its data."""


class Connection(Closed):
    """One connection to the Redis server at a unix socket; times are in seconds.

    Raises OSError where nobody listens, and TimeoutError (an OSError) after ``timeout``.
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float) -> None:
        self._reader = hiredis.Reader(encoding="utf-8", errors="replace")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise

    def allow(self, timeout: float) -> None:
        """Wait at most ``timeout`` seconds for the server from now on."""
        self._socket.settimeout(timeout)

    def send(self, *words: str | int) -> None:
        """Send one command without waiting for its answer."""
        # hiredis declares a tuple of one word; it takes any number.
        self._socket.sendall(hiredis.pack_command(words))  # type: ignore[arg-type]

    def call(self, *words: str | int) -> object:
        """Send one command and return its answer.

        Raises ServerError when the server refuses it, and OSError when the connection breaks.
        """
        self.send(*words)
        while (answer := self._reader.gets()) is False:
            data = self._socket.recv(_CHUNK_BYTES)
            if not data:
                raise ConnectionResetError("the server closed the connection")
            self._reader.feed(data)
        if isinstance(answer, hiredis.ReplyError):
            raise ServerError(str(answer))
        return answer

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
