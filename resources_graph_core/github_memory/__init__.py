"""Durable memory for agents, kept on GitHub: a roadmap, a log of decisions, a triage backlog."""
