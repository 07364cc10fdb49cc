"""GitHub: transport, queries, and the sources that a Sweep fetches from."""
