"""Which items a Listing holds: by GitHub's own list where that can tell, else by a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resources_graph_core.address import DEFAULT_HOST, Address, Filters
from resources_graph_core.errors import NotFound
from resources_graph_core.github import lists, queries
from resources_graph_core.github.documents import PAGE_LIMIT
from resources_graph_core.github.freshness import version_of
from resources_graph_core.github.light_shapes import (
    IssuePage,
    MilestoneScope,
    PullRequestPage,
    SearchPage,
)
from resources_graph_core.github.mapping import check_public
from resources_graph_core.github.outcomes import parsed
from resources_graph_core.github.source import ListingIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from resources_graph_core.github.asking import Asker
    from resources_graph_core.github.documents import Argument
    from resources_graph_core.github.light_shapes import IssueVersion, PullRequestVersion
    from resources_graph_core.github.shapes import (
        Connection,
        RepositoryRef,
    )
    from resources_graph_core.github.source import Version


def index_of(asker: Asker, address: Address, *, host: str = DEFAULT_HOST) -> ListingIndex:
    """Which items the list at ``address`` holds, a hundred a request; see Source.

    Raises what GitHub's answers mean, as the Asker does.
    """
    arguments = lists.list_arguments(address)
    if arguments is None:
        return _searched(asker, address, host)
    return _listed(asker, address, arguments, host)


@dataclass(slots=True)
class _Found:
    """What was found so far, each once, of at most ``limit`` (None: all)."""

    limit: int | None
    host: str
    versions: dict[str, Version] = field(default_factory=dict)

    def add(self, shapes: Iterable[IssueVersion | PullRequestVersion | None]) -> None:
        """Add those that are public."""
        for shape in shapes:
            version = version_of(shape, self.host) if shape is not None else None
            if version is not None:
                self.versions.setdefault(version.node_id, version)

    @property
    def page_size(self) -> int:
        """How many to ask for next."""
        if self.limit is None:
            return PAGE_LIMIT
        return max(1, min(PAGE_LIMIT, self.limit - len(self.versions)))

    @property
    def enough(self) -> bool:
        """Whether there are as many as were asked for."""
        return self.limit is not None and len(self.versions) >= self.limit

    def index(self, repository: RepositoryRef, total_count: int) -> ListingIndex:
        """All of it, as the Sweep takes it."""
        owner, _, name = repository.name_with_owner.partition("/")
        return ListingIndex(
            Address.of_repository(owner, name, host=self.host),
            repository.id,
            total_count,
            tuple(self.versions.values())[: self.limit],
        )


def _listed(
    asker: Asker, address: Address, arguments: Mapping[str, Argument], host: str
) -> ListingIndex:
    found = _Found(address.limit, host)
    after = None
    while True:
        question = queries.list_index(address, arguments, first=found.page_size, after=after)
        answer = asker.ask(queries.LIST_INDEX, question)
        page: IssuePage | PullRequestPage
        items: Connection[IssueVersion] | Connection[PullRequestVersion]
        if address.list_kind == "issues":
            page = parsed(IssuePage, answer, str(address))
            items = page.issues
        else:
            page = parsed(PullRequestPage, answer, str(address))
            items = page.pull_requests
        check_public(page, str(address))
        found.add(items.nodes)
        after = items.page_info.end_cursor
        if not items.page_info.has_next_page or found.enough:
            return found.index(page, items.total_count)


def _searched(asker: Asker, address: Address, host: str) -> ListingIndex:
    number = lists.milestone_number(address.filters or Filters())
    answer = asker.ask(queries.SEARCH_SCOPE, queries.search_scope(address, number))
    scope = parsed(MilestoneScope, answer, str(address))
    check_public(scope, str(address))
    if number is not None and scope.milestone is None:
        raise NotFound(f"GitHub knows no milestone {number} in {address.repository}")
    title = scope.milestone.title if scope.milestone else None
    whole_text = text = lists.search_text(address, scope.name_with_owner, title)
    found = _Found(address.limit, host)
    total = after = None
    seen = 0
    while True:
        question = queries.search_index(address, text, first=found.page_size, after=after)
        page = parsed(SearchPage, asker.ask(queries.SEARCH_INDEX, question), str(address))
        total = page.issue_count if total is None else total
        before = len(found.versions)
        found.add(page.nodes)
        seen += len(page.nodes)
        after = page.page_info.end_cursor
        there = [node for node in page.nodes if node is not None]
        if found.enough or not there:
            break
        if not page.page_info.has_next_page or seen >= lists.SEARCH_RESULTS:
            # A search ends after so many results; the next one goes on where it ended.
            ended = seen < lists.SEARCH_RESULTS or lists.sorts_itself(address)
            if ended or len(found.versions) == before:
                break
            text = lists.before(whole_text, there[-1].created_at)
            after, seen = None, 0
    return found.index(scope, total)
