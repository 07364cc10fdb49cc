"""A subgraph as a document: valid, and inert whatever the labels hold; the page in a browser."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from resources_graph_core.memory_graph import Edge, Node, formats
from resources_graph_core.memory_graph.tracing import Past

if TYPE_CHECKING:
    from pathlib import Path

NASTY = '</script><script>document.title = "taken"</script> "quoted" [a] & \x1b | é'
FIRST, LATER, LAST = (f"2026-01-0{day}T00:00:00.000000Z" for day in (1, 2, 3))


def node(name: str, label: str, recorded_at: str = FIRST) -> Node:
    return Node(
        id=name,
        kind="task",
        label=label,
        origin="o",
        writer="o",
        provenance="claimed",
        recorded_at=recorded_at,
    )


def edge(name: str, src: str, dst: str, **fields: object) -> Edge:
    values: dict[str, object] = {"id": name, "src": src, "dst": dst, "rel": "needs", "origin": "o"}
    values |= {"provenance": "observed", "recorded_at": FIRST}
    return Edge.model_validate(values | fields)


NODES = [node("a", NASTY), node("b", "Plain"), node("c", "Later", LATER), node("d", "New", LAST)]
PASTS = {
    "a": Past(FIRST, ()),
    "b": Past(FIRST, ()),
    "c": Past(LATER, ()),
    "d": Past(FIRST, (node("d", f"Old {NASTY}", LATER),)),
}
"""Of d the first version is not among those read."""
EDGES = [
    edge("e1", "a", "b", superseded_at=LATER),
    edge("e2", "a", "b", recorded_at=LATER, supersedes="e1", directed=False),
    edge("e3", "b", "c", recorded_at=LAST),
    edge("e4", "b", "b"),
]


def test_graphml_can_be_read() -> None:
    root = ET.fromstring(formats.graphml(NODES, EDGES))  # noqa: S314 - our own
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    labels = [
        data.text
        for data in root.findall("g:graph/g:node/g:data", space)
        if data.get("key") == "node.label"
    ]
    assert labels == [NASTY.replace("\x1b", ""), "Plain", "Later", "New"]
    ends = [(one.get("source"), one.get("target")) for one in root.iter(f"{{{space['g']}}}edge")]
    assert ends == [("a", "b"), ("a", "b"), ("b", "c"), ("b", "b")]
    declared = {key.get("id") for key in root.findall("g:key", space)}
    assert {data.get("key") for data in root.iter(f"{{{space['g']}}}data")} <= declared


def test_mermaid_quotes_what_means_something_there() -> None:
    lines = formats.mermaid(NODES, EDGES).splitlines()
    assert lines[0] == "flowchart LR"
    assert re.fullmatch(r'  n0\["[\w #;:/.…-]+"\]', lines[1])
    assert lines[5:] == [
        '  n0 -->|"needs"| n1',
        '  n0 ---|"needs"| n1',
        '  n1 -->|"needs"| n2',
        '  n1 -->|"needs"| n1',
    ]


def test_the_page_holds_its_data_and_loads_nothing() -> None:
    page = formats.html(NODES, EDGES, PASTS)
    assert page.count("</script>") == 2
    assert not re.findall(r'(?:src|href)="|url\(["\']?http|@import', page)
    held = re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL)
    assert held is not None
    told = [
        [version["label"] for version in one["versions"]] for one in json.loads(held[1])["nodes"]
    ]
    assert told == [[NASTY], ["Plain"], ["Later"], [f"Old {NASTY}", "New"]]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium on this machine")
def test_the_page_in_a_browser(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only with a browser

    path = tmp_path / "graph.html"
    path.write_text(formats.html(NODES, EDGES, PASTS), "utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        try:
            page = browser.new_page()
            faults: list[str] = []
            asked: list[str] = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("request", lambda request: asked.append(request.url))
            page.goto(path.as_uri())
            count, about = page.locator("#count"), page.locator("#about")
            assert count.text_content() == "4 nodes, 3 edges"
            assert page.title() == "Memory graph"
            page.get_by_role("button", name="New", exact=True).press("Enter")
            assert about.locator("h2").text_content() == "New"
            assert about.locator("p").count() == 0
            slider = page.locator("#time")
            slider.press("ArrowLeft")
            assert count.text_content() == "4 nodes, 2 edges"
            assert about.locator("h2").text_content() == f"Old {NASTY}"
            assert about.locator("p").count() == 0
            assert page.title() == "Memory graph"
            page.screenshot(path=tmp_path / "graph.png")
            slider.press("Home")
            assert count.text_content() == "3 nodes, 2 edges"
            assert about.locator("h2").text_content() == f"Old {NASTY}"
            assert "is not in this page" in str(about.locator("p").text_content())
            page.get_by_role("button", name="Plain").press("Enter")
            assert about.locator("h2").text_content() == "Plain"
            slider.press("End")
            page.get_by_role("button", name="Later").press("Enter")
            slider.press("Home")
            assert about.text_content() == "What was chosen was not known at this moment."
            assert faults == []
            assert asked == [path.as_uri()]
        finally:
            browser.close()
