"""What ``find`` may be narrowed to; apart from it, since a command line names them at its start."""

from __future__ import annotations

from typing import Literal

FoundKind = Literal["issue", "pull_request", "repository", "task", "decision", "verdict"]
FoundState = Literal["open", "closed", "merged"]
