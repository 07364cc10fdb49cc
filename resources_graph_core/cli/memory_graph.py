"""``memory``: the operations of the memory graph, JSON in and JSON out, errors too."""

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from resources_graph_core.cli import options, output
from resources_graph_core.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.memory_graph import Embeddings
    from resources_graph_core.memory_graph.operations import Operation

OPERATIONS: Final = {
    "put": "Make a node, or record a new version of it.",
    "link": "Assert that one node stands in a relation to another.",
    "supersede": "Retire an edge, and record the one that replaces it.",
    "match": "Find nodes, or edges, by what they are.",
    "get": "One node by its id or Address, with the edges at it.",
    "recall": "Walk along the cheapest paths, and tell what is reached.",
    "recall_many": "Several recalls over one load.",
    "subgraph": "The nodes that a recall reaches and the edges among them.",
    "trace": "All versions of a node.",
    "trace_edge": "An edge with all that it superseded and that superseded it.",
    "stats": "Count what the graph holds.",
    "reembed": "Bring the vectors up to date.",
    "dump": "Everything of the graph.",
    "load": "Add a dump to the graph, all of it or nothing.",
    "replay": "Apply journal entries in order.",
    "drop": "Remove the whole graph, never a Resource.",
}
"""What each operation does, in a line; the table itself is slow to load."""

KEY_VARIABLE: Final = "RESOURCES_GRAPH_EMBED_KEY"

Request = Annotated[
    str | None,
    typer.Argument(
        metavar="[JSON]",
        help="The request, from stdin when left out; its fields stand below.",
    ),
]
Origin = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who writes; cli:<user> when left out.")
]
Trusted = Annotated[bool, typer.Option("--trusted", help="Writes were observed, not claimed.")]
Privileged = Annotated[
    bool, typer.Option("--privileged", help="May change what others wrote, load and drop.")
]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Write nothing.")]
GraphId = Annotated[
    str, typer.Option("--graph", metavar="ID", help="Which graph; main has what GitHub holds too.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="subgraph: json, graphml, mermaid or html."),
]
EmbedUrl = Annotated[
    str | None,
    typer.Option(
        envvar="RESOURCES_GRAPH_EMBED_URL",
        help=f"An OpenAI-compatible API for embeddings; its key is in {KEY_VARIABLE}.",
    ),
]
EmbedModel = Annotated[
    str | None, typer.Option(envvar="RESOURCES_GRAPH_EMBED_MODEL", help="The model there.")
]
EmbedDims = Annotated[
    int | None,
    typer.Option(envvar="RESOURCES_GRAPH_EMBED_DIMS", min=1, help="Numbers in its vectors."),
]


class _WithFields(TyperCommand):
    """The command of an operation; its help has the fields of the request too."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Typer keeps its types private
        """The help of a command, and the fields, which are loaded for nothing else."""
        super().format_help(ctx, formatter)
        from resources_graph_core.memory_graph import OPERATIONS, fields  # noqa: PLC0415 - slow

        operation = OPERATIONS[self.name or ""]
        if rows := [(one.name, one.said) for one in fields.fields(operation)]:
            with formatter.section("Fields of the request"):
                formatter.write_dl(rows)
        for remark in fields.remarks(operation):
            formatter.write_paragraph()
            formatter.write_text(remark)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A command's own options."""

    request: str | None
    origin: str | None
    trusted: bool
    privileged: bool
    read_only: bool
    graph_id: str


def _command(name: str) -> "Callable[..., None]":
    """The command that runs an operation."""

    def run(  # noqa: PLR0913 - one for each option
        context: typer.Context,
        request: Request = None,
        *,
        origin: Origin = None,
        trusted: Trusted = False,
        privileged: Privileged = False,
        read_only: ReadOnly = False,
        graph: GraphId = "main",
        format_: Format = None,
        embed_url: EmbedUrl = None,
        embed_model: EmbedModel = None,
        embed_dims: EmbedDims = None,
    ) -> None:
        asked = _Asked(request, origin, trusted, privileged, read_only, graph)
        embeddings = _embeddings(embed_url, embed_model, embed_dims)
        more = {} if format_ is None else {"format": format_}
        answer = _run(context, name, asked, more, embeddings)
        if answer.get("text") is not None:
            sys.stdout.write(answer["text"])
        else:
            output.print_json(answer)

    return run


def _run(
    context: typer.Context,
    name: str,
    asked: _Asked,
    more: dict[str, str],
    embeddings: "Embeddings | None",
) -> dict[str, Any]:
    from resources_graph_core.memory_graph import (  # noqa: PLC0415 - slow
        Access,
        MemoryGraph,
        dispatch,
    )
    from resources_graph_core.memory_graph.operations import (  # noqa: PLC0415 - the same
        OPERATIONS as TABLE,
    )
    from resources_graph_core.memory_graph.vectors import off  # noqa: PLC0415 - the same

    operation = TABLE[name]
    arguments = _arguments(asked.request, operation) | more
    user = options.settings(context).user
    access = Access(
        origin=f"cli:{user}" if asked.origin is None else asked.origin,
        trusted=asked.trusted,
        privileged=asked.privileged,
        read_only=asked.read_only,
        user=user,
    )
    opening = options.writable_memory if operation.writes else options.memory
    with (
        opening(context) as memory,
        MemoryGraph(
            memory.graph, graph_id=asked.graph_id, access=access, embeddings=embeddings
        ) as handle,
    ):
        try:
            return dispatch(handle, name, arguments)
        except UsageError as error:
            if embeddings is None and str(error) == str(off()):
                raise UsageError(
                    f"{name}: embeddings are off; turn them on with --embed-url, --embed-model and "
                    "--embed-dims"
                ) from None
            raise


def _arguments(given: str | None, operation: "Operation") -> dict[str, Any]:
    """The request from the command line or from stdin. Raises UsageError for what is no object."""
    if given is not None and given != "-":
        text = given
    else:
        try:
            text = "" if given is None and sys.stdin.isatty() else sys.stdin.read()
        except UnicodeDecodeError:
            raise UsageError("the request on stdin is no UTF-8") from None
    if not text.strip():
        return {}
    if operation.bare_id and not text.lstrip().startswith("{"):
        return {"id": text.strip()}
    return operation.read(text)


def _embeddings(url: str | None, model: str | None, dims: int | None) -> "Embeddings | None":
    """Embeddings when all three are given. Raises ConfigError when only some are."""
    if url is None and model is None and dims is None:
        return None
    if url is None or model is None or dims is None:
        raise ConfigError("embeddings need --embed-url, --embed-model and --embed-dims together")
    from resources_graph_core.memory_graph import (  # noqa: PLC0415 - slow
        Embeddings,
        OpenAICompatible,
    )

    return Embeddings(OpenAICompatible(url, model, dims, key=os.environ.get(KEY_VARIABLE)))


def serve(
    context: typer.Context,
    *,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 finds a free one.")] = 8463,
    trusted: Trusted = False,
    privileged: Privileged = False,
    read_only: ReadOnly = False,
    embed_url: EmbedUrl = None,
) -> None:
    """Serve the operations over HTTP until Ctrl-C; beyond loopback, memory.token is needed."""
    from resources_graph_core.memory_graph.callers import Service  # noqa: PLC0415 - slow
    from resources_graph_core.memory_graph.http import serve as serve_http  # noqa: PLC0415 - same

    service = Service(
        token=options.settings(context).memory_token,
        trusted=trusted,
        privileged=privileged,
        read_only=read_only,
        embed_url=embed_url,
        embed_key=os.environ.get(KEY_VARIABLE),
    )
    with options.memory(context) as memory:
        memory.setup()
    serve_http(lambda: options.graph(context), service, host=host, port=port, announce=_announce)


def _announce(url: str) -> None:
    sys.stdout.write(f"{json.dumps({'listening': url})}\n")
    sys.stdout.flush()


def add_to(application: typer.Typer) -> None:
    """Add these commands, as ``memory …``."""
    group = typer.Typer(help="A memory graph for agents: JSON in, JSON out.")
    for name, does in OPERATIONS.items():
        group.command(name, cls=_WithFields, help=does)(_command(name))
    group.command()(serve)
    application.add_typer(group, name="memory")
