"""A subgraph as a document for a renderer: GraphML, Mermaid, or a page that needs nothing else."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.requests import SubgraphFormat
    from resources_graph_core.memory_graph.tracing import Past

_NAMESPACE: Final = "http://graphml.graphdrawing.org/xmlns"
_NODE_DATA: Final = ("kind", "label", "attrs", "origin", "provenance", "recorded_at")
_EDGE_DATA: Final = (
    *("rel", "cost", "scope", "attrs", "origin", "provenance"),
    *("valid_from", "valid_to", "recorded_at", "superseded_at", "supersedes"),
)
_SHORT: Final = 80


def document(
    format_: SubgraphFormat,
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    pasts: Mapping[str, Past],
) -> str | None:
    """The text of a subgraph in a format; None for json, which is the answer itself.

    ``pasts`` are what nodes were before, by id, for the page.
    """
    match format_:
        case "graphml":
            return graphml(nodes, edges)
        case "mermaid":
            return mermaid(nodes, edges)
        case "html":
            return html(nodes, edges, pasts)
    return None


def graphml(nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """GraphML (http://graphml.graphdrawing.org/specification.html); every value is a string.

    Characters that XML 1.0 cannot hold are left out.
    """
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for target, names in (("node", _NODE_DATA), ("edge", _EDGE_DATA)):
        for name in names:
            kind = "double" if name == "cost" else "string"
            key = {"id": f"{target}.{name}", "for": target, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, "key", key)
    graph = ET.SubElement(root, "graph", id="memory", edgedefault="directed")
    for node in nodes:
        made = ET.SubElement(graph, "node", id=_xml(node.id))
        _data(made, "node", node, _NODE_DATA)
    for edge in edges:
        ends = {"id": _xml(edge.id), "source": _xml(edge.src), "target": _xml(edge.dst)}
        directed = {} if edge.directed else {"directed": "false"}
        made = ET.SubElement(graph, "edge", ends | directed)
        _data(made, "edge", edge, _EDGE_DATA)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def mermaid(nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """A Mermaid flowchart (https://mermaid.js.org/syntax/flowchart.html)."""
    names = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    lines = ["flowchart LR"]
    lines += [f'  {names[node.id]}["{_quoted(f"{node.kind}: {node.label}")}"]' for node in nodes]
    for edge in edges:
        arrow = "-->" if edge.directed else "---"
        lines.append(f'  {names[edge.src]} {arrow}|"{_quoted(edge.rel)}"| {names[edge.dst]}')
    return "\n".join(lines) + "\n"


def html(nodes: Sequence[Node], edges: Sequence[Edge], pasts: Mapping[str, Past]) -> str:
    """A page with the graph and a slider over what was known when; it loads nothing.

    Each node comes with its versions, oldest first, of which the page shows the one of the moment.
    """
    page = files(__package__).joinpath("page.html").read_text("utf-8")
    data = json.dumps(
        {
            "nodes": [_with_past(node, pasts.get(node.id)) for node in nodes],
            "edges": [edge.model_dump(mode="json") for edge in edges],
        }
    )
    # No text of the graph's can end the script that holds it.
    inert = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return page.replace("{{data}}", inert)


def _with_past(node: Node, past: Past | None) -> dict[str, object]:
    earlier = () if past is None else past.versions
    versions = [*(one for one in earlier if one != node), node]
    return {
        "id": node.id,
        "first_recorded": versions[0].recorded_at if past is None else past.first_recorded,
        "versions": [one.model_dump(mode="json") for one in versions],
    }


def _data(element: ET.Element, target: str, record: Node | Edge, names: Sequence[str]) -> None:
    for name in names:
        value = getattr(record, name)
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        ET.SubElement(element, "data", key=f"{target}.{name}").text = _xml(text)


def _xml(text: str) -> str:
    """What of a text XML 1.0 can hold; see its section 2.2."""
    return "".join(one for one in text if one in "\t\n\r" or " " <= one not in "\ufffe\uffff")


def _quoted(text: str) -> str:
    """A text between quotes in Mermaid, which writes other characters as numbers."""
    short = text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
    return "".join(one if one.isalnum() or one in " :/._-…" else f"#{ord(one)};" for one in short)
