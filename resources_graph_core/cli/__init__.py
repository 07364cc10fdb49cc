"""The command line: ``resources-graph``. Each module holds one group of commands."""

from resources_graph_core.cli.program import main

__all__ = ["main"]
