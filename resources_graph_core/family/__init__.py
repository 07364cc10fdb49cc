"""This project inside ``memgraph-context-graph``, in place of ``resources-graph``.

Its hook runner and its MCP server find what is here by entry points, under the names that
``resources-graph`` has there: the connector ``resources-graph`` and the tool ``resource``. Nothing
else of the project imports this package, since it imports theirs (the extra ``context-graph``).
"""
