"""What made a Touch: the tool call and the subagent that another package keeps in the same graph.

``actions-graph`` (read in its 0.7.1 from PyPI; ``sessions-graph`` 0.11.1 adds nothing that is used
here) records what an agent does as

- ``(:Session {session_id})-[:HAS_ACTION]->(:Action:ToolCall {action_id, tool_use_id, tool_name})``,
- ``(:Session)-[:HAS_AGENT]->(:Agent {agent_id, agent_type})-[:HAS_ACTION]->(:Action:ToolCall)`` for
  what a subagent did.

``tool_use_id`` is the harness's own id of the call, the one a Touch has; nothing says that it is
unique beyond one Session, so it is compared within one. An Agent may be in several Sessions.
``Agent.agent_id`` is the harness's id of the subagent, or its name where that is all there is.

Nothing here makes a node: a Touch is linked with CAUSED_BY and BY_AGENT to nodes that are there.
Since the call may be recorded after the Touch, a Touch waits, marked by ``awaiting``, until its
links are drawn or :data:`WAIT_DAYS` have passed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph

WAIT_DAYS = 3
"""How long a Touch waits for what made it: where the other package is not in use, nothing comes."""

# The id in a WITH of its own makes FalkorDB look it up; otherwise it joins a scan of all calls.
_LINK_CALLS = """
UNWIND $touch_ids AS touch_id
MATCH (touch:Touch {touch_id: touch_id})-[:IN_SESSION]->(session:Session)
WITH touch, session, touch.tool_use_id AS tool_use_id
MATCH (call:ToolCall {tool_use_id: tool_use_id})<-[:HAS_ACTION]-(holder)
OPTIONAL MATCH (holder)<-[within:HAS_AGENT]-(session)
WITH touch, session, call, holder, count(within) AS inside
WHERE inside > 0 OR holder.session_id = session.session_id
MERGE (touch)-[:CAUSED_BY]->(call)
FOREACH (agent IN CASE WHEN inside > 0 THEN [holder] ELSE [] END |
  MERGE (touch)-[:BY_AGENT]->(agent))
RETURN count(DISTINCT touch) AS linked
"""

_LINK_AGENTS = """
UNWIND $touch_ids AS touch_id
MATCH (touch:Touch {touch_id: touch_id})-[:IN_SESSION]->(:Session)-[:HAS_AGENT]->(agent:Agent)
WHERE agent.agent_id = touch.agent_name
MERGE (touch)-[:BY_AGENT]->(agent)
RETURN count(DISTINCT touch) AS linked
"""

_SETTLE = """
UNWIND $touch_ids AS touch_id
MATCH (touch:Touch {touch_id: touch_id})
OPTIONAL MATCH (touch)-[:CAUSED_BY]->(call)
OPTIONAL MATCH (touch)-[:BY_AGENT]->(agent)
WITH touch, count(call) AS calls, count(agent) AS agents
WHERE (touch.tool_use_id IS NULL OR calls > 0) AND (touch.agent_name IS NULL OR agents > 0)
SET touch.awaiting = null
"""

_WITHIN_REACH = """
MATCH (touch:Touch {awaiting: 'cause'})
WITH touch.touch_id AS touch_id, touch.tool_use_id AS tool_use_id
MATCH (:ToolCall {tool_use_id: tool_use_id})
RETURN DISTINCT touch_id
UNION
MATCH (touch:Touch {awaiting: 'cause'})-[:IN_SESSION]->(:Session)-[:HAS_AGENT]->(agent:Agent)
WHERE agent.agent_id = touch.agent_name
RETURN DISTINCT touch.touch_id AS touch_id
"""

_GIVE_UP = """
MATCH (touch:Touch {awaiting: 'cause'})
WHERE touch.at < $before
SET touch.awaiting = null
"""


def link(graph: Graph, touch_ids: Sequence[str]) -> int:
    """Link these Touches to what made them, as far as it is recorded by now.

    Returns how many links were looked up and are there: one for a call, one for a named subagent.
    """
    linked = 0
    for batch in batches(touch_ids):
        for statement in (_LINK_CALLS, _LINK_AGENTS):
            linked += int(graph.query(statement, touch_ids=list(batch))[0]["linked"])
        graph.query(_SETTLE, touch_ids=list(batch))
    return linked


def link_waiting(graph: Graph, now: str) -> int:
    """Link the Touches that wait, and give up on those older than WAIT_DAYS at ``now``.

    Costs by how many wait, not by how many there are. Returns as :func:`link`.
    """
    found = [str(row["touch_id"]) for row in graph.query(_WITHIN_REACH)]
    linked = link(graph, found)
    before = datetime.fromisoformat(now) - timedelta(days=WAIT_DAYS)
    graph.query(_GIVE_UP, before=f"{before:%Y-%m-%dT%H:%M:%SZ}")
    return linked
