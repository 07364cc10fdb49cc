"""The grammar of bash and its parser, loaded the short way.

The package ``tree_sitter_bash`` imports ``importlib.resources`` for its highlighting queries, and
``tree_sitter`` imports ``typing``: 30 ms for what nobody needs here, a third of what a hook has. So
their extension modules are loaded by themselves; where a release has moved them, the packages are
imported as usual.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Parser


def parser() -> Parser:
    """A parser of shell commands."""
    library, grammar = _extension("tree_sitter"), _extension("tree_sitter_bash")
    if library is None or grammar is None:
        from importlib import import_module  # noqa: PLC0415 - only when the short way is closed

        library, grammar = import_module("tree_sitter"), import_module("tree_sitter_bash")
    made: Parser = library.Parser(library.Language(grammar.language()))
    return made


def _extension(package: str) -> ModuleType | None:
    """A package's extension module, or None when it is not where it has been so far."""
    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    found = PathFinder.find_spec(package, sys.path)
    if found is None or found.submodule_search_locations is None:
        return None
    spec = PathFinder.find_spec(name, found.submodule_search_locations)
    if spec is None or spec.loader is None:
        return None
    module = spec.loader.create_module(spec)
    if module is not None:
        spec.loader.exec_module(module)
    return module
