"""The Dagster code location: sweeps that people run, watch and understand."""
