"""What each asset holds, property by property, as Dagster shows columns."""

from __future__ import annotations

from dagster import TableColumn, TableSchema

_COLUMN_SCHEMA = "dagster/column_schema"
"""The metadata key that Dagster's catalogue shows as columns."""


def _schema(**columns: str) -> dict[str, TableSchema]:
    found = [TableColumn(name, description=description) for name, description in columns.items()]
    return {_COLUMN_SCHEMA: TableSchema(found)}


TOUCHES = _schema(
    address="What an agent reached for, such as github:owner/repo#1",
    provenance="FETCHED, or PROMPTED when it was only mentioned",
    status="pending; resolved or unresolved once it was swept",
    planned_by="The run that means to deal with it",
    claimed_by="The process that works on it, until claimed_until",
    attempts="How often it was tried in vain",
    error="Why it was not resolved yet",
    at="When, in UTC",
)

RESOURCES = _schema(
    node_id="GitHub's own id, which stays when it is renamed",
    address="Where it is now",
    title="Of issues and pull requests",
    body="Of issues and pull requests; a repository has its readme",
    state="OPEN, CLOSED or MERGED",
    updated_at="When it changed last, as GitHub says",
    fetched_at="When it was fetched or checked last",
    run_id="The run that stored its content",
)

LISTINGS = _schema(
    key="The repository, the kind and the filters, or the search text",
    total_count="How many GitHub has",
    member_count="How many are stored, in GitHub's order",
    fully_expanded="Whether that is all of them",
    fetched_at="When it was fetched last",
)

LINKS = _schema(
    REFERENCES="From what mentions to what is mentioned",
    CLOSES="From a pull request to the issue that it closes",
    CAUSED_BY="From a Touch to the tool call that it came from",
    BY_AGENT="From a Touch to the agent whose it was",
)
