"""A growable, time-aware memory graph for agents, in the same graph as the Resources."""
