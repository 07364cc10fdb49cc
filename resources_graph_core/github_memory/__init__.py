"""Durable memory for agents, kept on GitHub: a roadmap, a log of decisions, a triage backlog.

GitHub is the single source of truth, and what ``ge`` writes is read and the other way round::

    from resources_graph_core.github_memory import github_memory

    with github_memory("owner/repo", roadmap_issue=1, decisions_target=1) as kept:
        task = kept.roadmap.append("Write the parser")
        kept.roadmap[task.id] = "doing"
        kept.decisions.append("Parse by hand", rationale="The grammar is small")

Everything is imported on first use, since it loads an HTTP client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.github_memory.access import StoreAccess
    from resources_graph_core.github_memory.bundle import GitHubMemory, github_memory
    from resources_graph_core.github_memory.decisions import DecisionLog
    from resources_graph_core.github_memory.graph_record import GraphRecord
    from resources_graph_core.github_memory.projects import ProjectAddress
    from resources_graph_core.github_memory.records import (
        Decision,
        FlaggedDecision,
        TaskRecord,
        TaskState,
        TriageEntry,
        TriageVerdict,
    )
    from resources_graph_core.github_memory.requirements import check_requirements
    from resources_graph_core.github_memory.roadmap import RoadmapStore
    from resources_graph_core.github_memory.triage import TriageBacklog

_HOME = {
    "Decision": "records",
    "DecisionLog": "decisions",
    "FlaggedDecision": "records",
    "GitHubMemory": "bundle",
    "GraphRecord": "graph_record",
    "ProjectAddress": "projects",
    "RoadmapStore": "roadmap",
    "StoreAccess": "access",
    "TaskRecord": "records",
    "TaskState": "records",
    "TriageBacklog": "triage",
    "TriageEntry": "records",
    "TriageVerdict": "records",
    "check_requirements": "requirements",
    "github_memory": "bundle",
}

__all__ = [
    "Decision",
    "DecisionLog",
    "FlaggedDecision",
    "GitHubMemory",
    "GraphRecord",
    "ProjectAddress",
    "RoadmapStore",
    "StoreAccess",
    "TaskRecord",
    "TaskState",
    "TriageBacklog",
    "TriageEntry",
    "TriageVerdict",
    "check_requirements",
    "github_memory",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
