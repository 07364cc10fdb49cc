"""The statements: one module for each thing kept in the graph. All Cypher of the core is here."""
