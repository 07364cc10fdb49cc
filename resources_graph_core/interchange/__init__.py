"""Memory out of the graph and into it again: JSON Lines of everything, or archives.

JSON Lines hold what memory holds, node by node and edge by edge: nothing is lost. An archive is the
JSON that IETF working groups keep of a repository, extended as the sandbox reads it: it holds one
repository's content, and none of what memory knows about itself.
"""
