"""The OpenAPI document of the HTTP surface, made from the operations' own schemas."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from resources_graph_core.memory_graph.model import GRAPH_ID_PATTERN
from resources_graph_core.memory_graph.operations import OPERATIONS, Operation

STATUSES: Final = {
    400: "The request is wrong, or a guard refuses it.",
    401: "The bearer token is missing or wrong.",
    403: "This may not be done here.",
    404: "There is no such node, edge or path.",
    500: "The graph or an embedding model failed.",
}
"""What each status but 200 says."""

_MODEL: Final = "#/components/schemas/{model}"


class Problem(BaseModel):
    """What went wrong: the name of the error and a message that says what to do next."""

    name: str
    message: str


class Failure(BaseModel):
    """The answer to a request that failed."""

    error: Problem


ORIGIN_HEADER: Final = "Memory-Origin"
ORIGIN_PATTERN: Final = "^[!-~]([ -~]{0,126}[!-~])?$"
"""An origin as a header can hold it everywhere: ASCII, without white space at an end."""

EMBEDDING_HEADERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "Memory-Embed-Url": ("An OpenAI-compatible API for embeddings.", {"type": "string"}),
    "Memory-Embed-Model": ("The model there.", {"type": "string"}),
    "Memory-Embed-Dims": ("Numbers in its vectors.", {"type": "integer", "minimum": 1}),
    "Memory-Embed-Kinds": ("Kinds of node to embed, between commas.", {"type": "string"}),
    "Memory-Embed-Characters": ("How much of a text.", {"type": "integer", "minimum": 1}),
    "Memory-Embed-Key": ("The key for that API.", {"type": "string"}),
}
"""The embedding settings of a request: what each means, and its schema."""


def document(*, read_only: bool, needs_token: bool) -> dict[str, Any]:
    """The document, as JSON values; one for reading leaves out the operations that write."""
    offered = [one for one in OPERATIONS.values() if not (read_only and one.writes)]
    schemas, definitions = models_json_schema(
        [
            *((one.request, "validation") for one in offered),
            *((one.response, "serialization") for one in offered),
            (Failure, "serialization"),
        ],
        ref_template=_MODEL,
    )
    components: dict[str, Any] = {"schemas": definitions["$defs"]}
    for schema in components["schemas"].values():
        if "project" in schema.get("properties", {}):
            schema["properties"]["project"]["default"] = "summary"
    made: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "The memory graph",
            "version": version("resources-graph-dagster"),
            "description": "A growable, time-aware memory graph for agents.",
        },
        "paths": {
            f"/graphs/{{graph_id}}/{one.name}": {
                "post": _operation(
                    one,
                    schemas[one.request, "validation"],
                    schemas[one.response, "serialization"],
                    schemas[Failure, "serialization"],
                )
            }
            for one in offered
        },
        "components": components,
    }
    if needs_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
    return made


def _operation(
    operation: Operation, request: dict[str, Any], response: dict[str, Any], failure: dict[str, Any]
) -> dict[str, Any]:
    """One operation's entry."""
    graph_id = {
        "name": "graph_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "pattern": GRAPH_ID_PATTERN},
    }
    origin = {
        "name": ORIGIN_HEADER,
        "in": "header",
        "description": "Who the writes are by.",
        "required": operation.writes,
        "schema": {"type": "string", "pattern": ORIGIN_PATTERN},
    }
    embedding = [
        {"name": name, "in": "header", "description": said, "schema": schema}
        for name, (said, schema) in EMBEDDING_HEADERS.items()
    ]
    failures = {
        str(status): {"description": said, "content": {"application/json": {"schema": failure}}}
        for status, said in STATUSES.items()
    }
    return {
        "operationId": operation.name,
        "summary": operation.description.partition(". ")[0].rstrip(".") + ".",
        "description": operation.description,
        "parameters": [graph_id, origin, *embedding],
        "requestBody": {
            "required": operation.needs_input,
            "content": {"application/json": {"schema": request}},
        },
        "responses": {
            "200": {
                "description": (operation.response.__doc__ or "").strip().partition("\n")[0],
                "content": {"application/json": {"schema": response}},
            },
            **failures,
        },
    }
