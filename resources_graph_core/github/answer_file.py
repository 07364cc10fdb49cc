"""REST answers kept with their ETag in a file, so that the next process asks conditionally too.

Only what anyone may read is kept here, as the transport sees to. It is a convenience and never a
need: a file that is spoilt is thrown away, and without one that can be opened nothing is kept.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from resources_graph_core.github.conditional import Remembered, Request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEPT = 2000
"""How many answers are kept: the least recently used one goes first."""

KEPT_BYTES = 64 * 1024 * 1024
"""How much their bodies may hold together."""

KEPT_SECONDS = 7 * 24 * 3600
"""How long an answer is kept that nobody asks for: what was withdrawn is gone by then too."""

_BUSY_SECONDS = 2.0
_LAYOUT = 1

_TABLE = """
CREATE TABLE answers (
    url TEXT NOT NULL, accept TEXT NOT NULL, with_token INTEGER NOT NULL,
    etag TEXT NOT NULL, next_url TEXT, size INTEGER NOT NULL, used INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (url, accept, with_token)
)
"""
_INDEX = "CREATE INDEX answers_used ON answers (used, size)"
_FIND = """
SELECT etag, content, next_url FROM answers WHERE url = ? AND accept = ? AND with_token = ?
"""
_USE = "UPDATE answers SET used = ? WHERE url = ? AND accept = ? AND with_token = ?"
_KEEP = """
INSERT OR REPLACE INTO answers (url, accept, with_token, etag, next_url, size, used, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_FORGET = """
DELETE FROM answers
WHERE url = ?1 OR substr(url, 1, length(?1) + 1) IN (?1 || '/', ?1 || '?')
"""
_TOO_OLD = "DELETE FROM answers WHERE used < ?"
_TOO_MUCH = """
DELETE FROM answers WHERE rowid IN (
    SELECT rowid FROM (
        SELECT rowid, row_number() OVER newest AS place, sum(size) OVER newest AS held
        FROM answers WINDOW newest AS (ORDER BY used DESC, rowid DESC)
    ) WHERE place > ? OR held > ?
)
"""

ResultT = TypeVar("ResultT")

_log = logging.getLogger(__name__)


class AnswerFile:
    """Answers in an SQLite file that only its owner can read, opened when first used.

    Several threads and processes may use it at once. It holds ``most`` answers and ``most_bytes``
    of their bodies; ``clock`` gives the time in seconds.
    """

    def __init__(
        self,
        path: Path,
        *,
        most: int = KEPT,
        most_bytes: int = KEPT_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._most = most
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, request: Request) -> Remembered | None:
        """The answer to a request, or None when it is not kept or cannot be read."""

        def find(connection: sqlite3.Connection) -> Remembered | None:
            row = connection.execute(_FIND, _key(request)).fetchone()
            if row is None:
                return None
            connection.execute(_USE, (int(self._clock()), *_key(request)))
            return Remembered(*row)

        return self._with(find)

    def keep(self, request: Request, answer: Remembered) -> None:
        """Keep an answer, and let go of the ones that were not used for longest."""
        if len(answer.content) > self._most_bytes:
            return
        row = (answer.etag, answer.next_url, len(answer.content), int(self._clock()))

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(_KEEP, (*_key(request), *row, answer.content))
            connection.execute(_TOO_MUCH, (self._most, self._most_bytes))

        self._with(write)

    def forget(self, url: str) -> None:
        """Let go of all answers from an address and what is under it."""
        self._with(lambda connection: connection.execute(_FORGET, (url,)))

    def close(self) -> None:
        """Close the file; it is opened again when used again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _with(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT | None:
        """What ``work`` returns, done in one transaction; None when the file does not allow it."""
        with self._lock:
            try:
                return self._transaction(work)
            except (OSError, sqlite3.OperationalError) as error:  # busy, full, read-only
                _log.info("answers of GitHub are not kept in %s: %s", self._path, error)
            except sqlite3.DatabaseError as error:
                self._throw_away(error)
            return None

    def _transaction(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        if self._connection is None:
            self._connection = self._open()
        with self._connection:
            return work(self._connection)

    def _open(self) -> sqlite3.Connection:
        # Made here, so that nobody else can read it at any moment.
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        try:
            # What a crash of the machine spoils is thrown away, so nothing waits for the disk.
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA secure_delete = ON")
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                (layout,) = connection.execute("PRAGMA user_version").fetchone()
                if layout != _LAYOUT:
                    connection.execute("DROP TABLE IF EXISTS answers")
                    connection.execute(_TABLE)
                    connection.execute(_INDEX)
                    connection.execute(f"PRAGMA user_version = {_LAYOUT}")
                connection.execute(_TOO_OLD, (int(self._clock()) - KEPT_SECONDS,))
        except BaseException:
            connection.close()
            raise
        return connection

    def _throw_away(self, error: sqlite3.DatabaseError) -> None:
        _log.warning("%s is spoilt and thrown away: %s", self._path, error)
        self._close()
        try:
            self._path.unlink(missing_ok=True)
        except OSError as refusal:
            _log.warning("%s cannot be removed: %s", self._path, refusal.strerror)


def _key(request: Request) -> tuple[str, str, int]:
    return request.url, request.accept, int(request.with_token)
