"""The tools that read memory: ``resource``, ``find``, ``inflight`` and ``status``."""

from typing import TYPE_CHECKING, Annotated

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from resources_graph_core.clock import now
from resources_graph_core.find_filters import FoundKind, FoundState
from resources_graph_core.harness import MCP_TOOL
from resources_graph_core.mcp_server.tools import OfferedTool
from resources_graph_core.render_model import (
    DEFAULT_BUDGET,
    Answer,
    answer,
    as_data,
    as_text,
    asked,
    finding,
    flight,
    holdings,
)
from resources_graph_core.render_model.ask import LARGEST_BUDGET, SMALLEST_BUDGET

if TYPE_CHECKING:
    from resources_graph_core.mcp_server.kept import KeptMemory

RESOURCE = (
    "Read a public GitHub issue, pull request, repository or list from memory, without asking "
    "GitHub: the head and the first comments, then what is left and how to get it. A miss says so: "
    "then fetch it yourself."
)
FIND = (
    "Search titles, texts and comments of what memory holds, and tasks, decisions and verdicts "
    f"that agents keep; GitHub may have more. Read a result with `{MCP_TOOL}`."
)
INFLIGHT = (
    "The pull requests in memory, open or merged, that close or mention an issue: look before you "
    "start work on it."
)
STATUS = "What memory holds, how fresh it is, and what waits to be fetched."

_ADDRESS = (
    "What you would fetch: owner/repo#12, owner/repo, #12 here, a github.com or API URL, "
    "or a gh or curl command line."
)


def tools(kept: "KeptMemory") -> list[OfferedTool]:
    """The tools, on a kept memory."""

    def resource(  # noqa: PLR0913 - one for each way to ask
        address: Annotated[str, Field(description=_ADDRESS)],
        *,
        page: Annotated[int, Field(ge=1, description="Of a long answer.")] = 1,
        budget: Annotated[
            int, Field(ge=SMALLEST_BUDGET, le=LARGEST_BUDGET, description="Tokens at most.")
        ] = DEFAULT_BUDGET,
        comments: Annotated[str, Field(description='Only these, such as "41-80".')] = "",
        since: Annotated[str, Field(description="Only comments from this day on.")] = "",
        comment: Annotated[int, Field(ge=0, description="Only this one.")] = 0,
        outline: Annotated[
            bool, Field(description="A line for each comment or README section.")
        ] = False,
        reviews: Annotated[bool, Field(description="Only reviews, by thread.")] = False,
        files: Annotated[bool, Field(description="Only the changed files.")] = False,
        section: Annotated[int, Field(ge=0, description="Only this one of a README.")] = 0,
    ) -> Annotated[CallToolResult, Answer]:
        ask = asked(
            page=page,
            budget=budget,
            comments=comments,
            since=since,
            comment=comment or None,
            outline=outline,
            reviews=reviews,
            files=files,
            section=section or None,
        )
        found = kept.use(lambda memory: memory.read(address, brief=True))
        composed = answer(found, ask, now=now())
        return _result(as_text(composed), as_data(composed))

    def find(
        query: Annotated[str, Field(description="Words; more of them found ranks higher.")],
        *,
        repo: Annotated[str, Field(description="Only in owner/repo.")] = "",
        kind: Annotated[FoundKind | None, Field(description="Only these.")] = None,
        state: Annotated[FoundState | None, Field(description="Only in this state.")] = None,
        label: Annotated[str, Field(description="Only with this label.")] = "",
        limit: Annotated[int, Field(ge=1, le=50, description="Results at most.")] = 10,
    ) -> Annotated[CallToolResult, finding.Results]:
        found = kept.use(
            lambda memory: memory.find(
                query, repository=repo or None, kind=kind, state=state, label=label, limit=limit
            )
        )
        results = finding.results(query, found)
        return _result(finding.as_text(results), results)

    def inflight(
        issue: Annotated[str, Field(description="As for `resource`: owner/repo#12.")],
    ) -> Annotated[CallToolResult, flight.InFlight]:
        found = kept.use(lambda memory: memory.inflight(issue))
        pulls = flight.in_flight(found)
        return _result(flight.as_text(pulls), pulls)

    def status() -> Annotated[CallToolResult, holdings.Holdings]:
        found = kept.use(lambda memory: memory.freshness())
        held = holdings.holdings(found, now=now())
        return _result(holdings.as_text(held), held)

    return [
        OfferedTool(resource, RESOURCE, name=MCP_TOOL),
        OfferedTool(find, FIND),
        OfferedTool(inflight, INFLIGHT),
        OfferedTool(status, STATUS),
    ]


def _result(text: str, data: BaseModel) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=data.model_dump(mode="json", exclude_none=True),
    )
