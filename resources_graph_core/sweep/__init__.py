"""The Sweep: plan, fetch, store, resolve, link; each step can be called alone."""
