"""The operations as functions that models may call, for an MCP server: ``graph_put`` and so on.

A server brings the handle and offers them; its own seam takes three lines::

    def graph_tools(kept: KeptMemory) -> list[OfferedTool]:
        def use(work: Work, *, repeat: bool) -> dict[str, Any]:
            return kept.use(lambda memory: work(handle_on(memory)), repeat=repeat)

        return [OfferedTool(one.function, one.description, name=one.name, writes=one.writes)
                for one in tools(use)]

Errors are those of the operations, from the project's own tree; a server makes failures of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol

from pydantic import AliasChoices, Field

from resources_graph_core.memory_graph.operations import OPERATIONS, dispatch

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from resources_graph_core.memory_graph.handle import MemoryGraph
    from resources_graph_core.memory_graph.operations import Operation

PREFIX: Final = "graph_"

Work = Callable[["MemoryGraph"], dict[str, Any]]
"""What is done with a handle."""


class Use(Protocol):
    """Does work with the server's handle.

    One that went away is opened again and, with ``repeat``, the work done once more.
    """

    def __call__(self, work: Work, *, repeat: bool) -> dict[str, Any]:
        """What the work answers."""


@dataclass(frozen=True, slots=True)
class GraphTool:
    """One tool.

    ``request`` is the model of its arguments. ``function`` takes them by name, as its signature
    says, and answers with plain JSON values.
    """

    name: str
    description: str
    request: type[BaseModel]
    writes: bool
    function: Callable[..., dict[str, Any]]


def tools(use: Use, *, read_only: bool = False) -> list[GraphTool]:
    """A tool for each operation; with ``read_only`` those that write are left out."""
    return [
        _tool(operation, use)
        for operation in OPERATIONS.values()
        if not (read_only and operation.writes)
    ]


def run(handle: MemoryGraph, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the tool ``name`` does with a handle: arguments and answer are plain JSON values.

    Raises UsageError for arguments that are none, and whatever the operation raises.
    """
    return dispatch(handle, name.removeprefix(PREFIX), arguments)


def _tool(operation: Operation, use: Use) -> GraphTool:
    name = f"{PREFIX}{operation.name}"
    parameters = _parameters(operation)
    defaults = {one.name: one.default for one in parameters}

    def function(**arguments: object) -> dict[str, Any]:
        # A server fills in defaults, but an operation tells what is given from what is not.
        given = {key: value for key, value in arguments.items() if value != defaults[key]}
        return use(lambda handle: run(handle, name, given), repeat=not operation.writes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operation.description
    signature = Signature(parameters, return_annotation=dict[str, Any])
    function.__signature__ = signature  # type: ignore[attr-defined]  # inspect.signature reads it
    function.__annotations__ = {one.name: one.annotation for one in parameters} | {
        "return": dict[str, Any]
    }
    return GraphTool(name, operation.description, operation.request, operation.writes, function)


def _parameters(operation: Operation) -> list[Parameter]:
    """The fields of a request as parameters that are given by name; answers come in short."""
    made = []
    for name, field in operation.request.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if name == "project":
            default = "summary"
        made.append(
            Parameter(
                _written(name, field),
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.is_required() else default,
                annotation=_annotation(field),
            )
        )
    return made


def _annotation(field: FieldInfo) -> Any:  # noqa: ANN401 - a type that is made here
    """The field's type with its bounds, its description and its other names."""
    bounded = field.annotation
    for one in field.metadata:
        bounded = Annotated[bounded, one]  # type: ignore[assignment]  # a type made at run time
    return Annotated[
        bounded, Field(description=field.description, validation_alias=field.validation_alias)
    ]


def _written(name: str, field: FieldInfo) -> str:
    """What callers write for a field: its alias, where it has one."""
    alias = field.validation_alias
    first = alias.choices[0] if isinstance(alias, AliasChoices) else alias
    return first if isinstance(first, str) else name
