"""The Sweep: plan, fetch, store, resolve, link; each step can be called alone."""

from resources_graph_core.sweep.plan import Entry, Plan, plan_touches
from resources_graph_core.sweep.report import SweepEvent, SweepReport
from resources_graph_core.sweep.run import LISTINGS, RESOURCES, Sweep

__all__ = [
    "LISTINGS",
    "RESOURCES",
    "Entry",
    "Plan",
    "Sweep",
    "SweepEvent",
    "SweepReport",
    "plan_touches",
]
