"""What a store read last, in files: disposable, never taken for what is on GitHub.

``cache_dir`` holds a readable snapshot of each store, and the answers that conditional requests
need, so that a second process pays no more for an unchanged issue than a second read does.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import MutableMapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from resources_graph_core.clock import now
from resources_graph_core.github.conditional import Remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.address import Address

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The file that shows what a store held when it was last read or written."""

    folder: Path | None
    kind: str
    where: Address

    @property
    def path(self) -> Path | None:
        """The file, whose name no other store's has; None without a folder."""
        if self.folder is None:
            return None
        return self.folder / f"{self.kind}_{quote(self.where.key, safe='')}.json"

    def keep(self, held: object) -> None:
        """Write what the store holds; a file that cannot be written is only logged."""
        if self.path is not None:
            document = {"fetched_at": now(), "address": self.where.key, self.kind: held}
            _write(self.path, json.dumps(document, indent=2, default=str).encode())


class KeptAnswers(MutableMapping[str, Remembered]):
    """REST's answers in files, one for each request; what cannot be read is not there.

    Readable by their owner only, since an issue may be private.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, request: str) -> Remembered:
        """The answer to a request; KeyError when it is not kept."""
        try:
            document = json.loads(self._path(request).read_bytes())
            if document["request"] != request:
                raise KeyError(request)
            content = str(document["content"]).encode("utf-8", "surrogateescape")
            return Remembered(str(document["etag"]), content, document["next_url"])
        except (OSError, ValueError, TypeError) as error:
            raise KeyError(request) from error

    def __setitem__(self, request: str, answer: Remembered) -> None:
        """Keep an answer."""
        document = {
            "request": request,
            "etag": answer.etag,
            "content": answer.content.decode("utf-8", "surrogateescape"),
            "next_url": answer.next_url,
        }
        _write(self._path(request), json.dumps(document).encode())

    def __delitem__(self, request: str) -> None:
        """Let go of an answer; KeyError when it is not kept."""
        try:
            self._path(request).unlink()
        except OSError as error:
            raise KeyError(request) from error

    def __iter__(self) -> Iterator[str]:
        """The requests whose answers are kept."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                yield str(json.loads(path.read_bytes())["request"])
            except (OSError, ValueError, KeyError, TypeError):
                _log.info("%s is no kept answer", path)

    def __len__(self) -> int:
        """How many are kept."""
        return sum(1 for _ in self)

    def _path(self, request: str) -> Path:
        return self._folder / f"{sha256(request.encode()).hexdigest()}.json"


def _write(path: Path, content: bytes) -> None:
    """Replace a file in one step; a failure is logged, since all of it is on GitHub anyway."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".kept-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        _log.warning("%s cannot be written: %s", path, error.strerror or error)
