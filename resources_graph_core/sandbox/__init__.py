"""A small GitHub of our own, served from archives, for the demo and the tests."""

from resources_graph_core.sandbox.faults import Refusal
from resources_graph_core.sandbox.server import Sandbox, serve

__all__ = ["Refusal", "Sandbox", "serve"]
