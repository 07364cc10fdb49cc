"""A small GitHub of our own, served from archives, for the demo and the tests."""
