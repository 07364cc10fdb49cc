"""What a store read last, in files: disposable, never taken for what is on GitHub."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from resources_graph_core.clock import now

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.projects import ProjectAddress

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The file that shows what a store held when it was last read or written."""

    folder: Path | None
    kind: str
    where: Address | ProjectAddress

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
