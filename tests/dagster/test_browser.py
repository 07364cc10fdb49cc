"""What a person sees and clicks on Dagster's pages, in a real browser.

With ``SCREENSHOTS=FOLDER`` in the environment every page that is looked at is kept as a picture.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.dagster.running import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

    from tests.dagster.running import Running

ASSETS = ("pending_touches", "resources", "listings", "cross_links")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        CHROMIUM is None, reason="chromium is not installed; make test-system installs it"
    ),
]
expect.set_options(timeout=PATIENCE_SECONDS * 1000)


@pytest.fixture
def page(running: Running) -> Iterator[Page]:
    """A page of a browser of its own; the sensor is off, so that only clicks start runs."""
    running.set_sensor(on=False)
    with sync_playwright() as playwright:
        # As root, chromium's own sandbox cannot be used; only pages of this machine are opened.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(
            viewport={"width": 1500, "height": 1200}, base_url=running.status()["url"]
        )
        opened.set_default_timeout(PATIENCE_SECONDS * 1000)
        yield opened
        browser.close()


def kept(page: Page, name: str) -> None:
    """Keep a picture of the page, where somebody wants to look."""
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


def materialise(page: Page, partition: str) -> None:
    """Click a repository through, from the lineage graph to its run."""
    page.goto("/asset-groups")
    page.get_by_role("button", name="Materialize").first.click()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_text("Select a partition").click()
    page.get_by_role("menuitem", name=partition).click()
    page.keyboard.press("Escape")
    kept(page, "dialog")
    dialog.get_by_role("button", name="Launch 1 run").click()
    expect(dialog).to_be_hidden()


def test_a_click_materialises_one_repository(running: Running, page: Page) -> None:
    with running.memory() as memory:
        memory.touch_many(
            [
                "octo-org/widgets",
                "octo-org/widgets#1",
                "octo-org/widgets#99",
                "octo-org/widgets/issues?state=open",
                "octo-org/gadgets#1",
            ]
        )
    running.add_partitions(["octo-org/widgets", "octo-org/gadgets"])

    page.goto("/asset-groups")
    for asset in ASSETS:
        expect(page.get_by_text(asset, exact=True).first).to_be_visible()
    kept(page, "lineage")

    materialise(page, "octo-org/widgets")
    page.goto("/assets/cross_links?view=partitions")
    expect(page.get_by_text("Materialized (1)")).to_be_visible()
    expect(page.get_by_text("Missing (1)")).to_be_visible()

    page.goto("/assets/resources?view=partitions&partition=octo-org%2Fwidgets")
    expect(page.get_by_text("Materialized", exact=True)).to_be_visible()
    table = page.get_by_role("table")
    expect(table.get_by_text("what became of them")).to_be_visible()
    expect(table.get_by_text("unresolved: not found")).to_be_visible()
    link = table.get_by_role("link", name="octo-org/widgets#1")
    expect(link).to_have_attribute("href", "https://github.com/octo-org/widgets/issues/1")
    kept(page, "resources")
    page.goto("/asset-groups")
    expect(page.get_by_text(ASSETS[-1], exact=True).first).to_be_visible()
    kept(page, "lineage-green")
    with running.memory() as memory:
        assert memory.read("octo-org/widgets#1").outcome == "hit"
        assert {entry.address.repository.key for entry in memory.pending().entries} == {
            "github:octo-org/gadgets"
        }


def test_a_repository_that_fails_shows_why(running: Running, page: Page) -> None:
    running.sandbox.faults.heavy_above_nodes = 200  # an item's comments are more than that
    with running.memory() as memory:
        memory.touch("octo-org/gadgets#2")
    # Were there only one, the dialog would have chosen it already.
    running.add_partitions(["octo-org/widgets", "octo-org/gadgets"])
    materialise(page, "octo-org/gadgets")
    page.goto("/assets/resources?view=partitions&partition=octo-org%2Fgadgets")
    expect(page.get_by_text("Failed (1)")).to_be_visible()
    kept(page, "failed-partition")
    failed = next(run for run in running.runs() if run["status"] == "FAILURE")
    page.goto(f"/runs/{failed['runId']}")
    expect(
        page.get_by_text(re.compile("could not be fetched or stored: .*502")).first
    ).to_be_visible()
    kept(page, "failed-run")
