"""What happens on GitHub while nobody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    precondition,
    rule,
)

from resources_graph_core.sandbox.nodes import Issue, PullRequest
from resources_graph_core.sandbox.reviews import Review
from tests.sweep.life import LABELS, MESSAGES, NUMBERS, Touching, names, picks

if TYPE_CHECKING:
    from resources_graph_core.sandbox.nodes import Repository
    from resources_graph_core.sandbox.state import Gone


class Happening(Touching):
    """The rules of what happens on GitHub."""

    def _items(self) -> list[Issue | PullRequest]:
        return [item for each in self.state.repositories for item in each.items.values()]

    def _item(self, pick: int) -> Issue | PullRequest | None:
        items = self._items()
        return items[pick % len(items)] if items else None

    def _repository(self, pick: int) -> Repository | None:
        every = self.state.repositories
        return every[pick % len(every)] if every else None

    def _text(self, said_in: Repository) -> str:
        """A text like no other; what is written where few may read is a secret."""
        self.written += 1
        text = f"text {self.written}"
        if said_in.is_private:
            self.secrets.setdefault(said_in.id, set()).add(text)
        return text

    def _edit(self, item: Issue | PullRequest, **changes: object) -> None:
        self.state.edit_item(item.repository.name_with_owner, item.number, **changes)

    @rule(pick=picks, message=st.sampled_from(MESSAGES))
    def edit_texts(self, pick: int, message: str) -> None:
        if item := self._item(pick):
            text = self._text(item.repository)
            self._edit(item, title=text, body=message)

    @rule(pick=picks, labels=st.lists(st.sampled_from(LABELS), unique=True))
    def label(self, pick: int, labels: list[str]) -> None:
        if item := self._item(pick):
            self._edit(item, labels=labels)

    @rule(pick=picks)
    def close_or_reopen(self, pick: int) -> None:
        item = self._item(pick)
        if item is None:
            return
        if item.state == "OPEN":
            merged = isinstance(item, PullRequest) and pick % 2
            self._edit(item, state="MERGED" if merged else "CLOSED", closed_at=self.state.now)
        else:
            self._edit(item, state="OPEN", closed_at=None)

    @rule(pick=picks)
    def describe(self, pick: int) -> None:
        if each := self._repository(pick):
            with self.state.lock:
                each.description, each.updated_at = self._text(each), self.state.now

    @rule(pick=picks)
    def comment(self, pick: int) -> None:
        if item := self._item(pick):
            text = self._text(item.repository)
            self.state.add_comment(item.repository.name_with_owner, item.number, text)

    @rule(pick=picks, what=st.sampled_from(["delete", "minimise", "edit", "resolve"]))
    def change_comment(self, pick: int, what: str) -> None:
        commented = [one for one in self._items() if one.comments]
        if not commented:
            return
        item = commented[pick % len(commented)]
        comment = item.comments[pick % len(item.comments)]
        where = (item.repository.name_with_owner, item.number)
        if what == "delete":
            self.state.delete_comment(*where, comment.id)
        elif what == "minimise":
            self.state.minimize_comment(*where, comment.id, "outdated")
        elif what == "edit":
            comment.body = self._text(item.repository)
            self._edit(item)
        else:
            self._resolve()

    def _resolve(self) -> None:
        for item in self._items():
            for thread in item.review_threads if isinstance(item, PullRequest) else ():
                self.state.resolve_thread(thread.id, resolved=not thread.is_resolved)

    @rule(pick=picks)
    def review(self, pick: int) -> None:
        """Add a review, which need not move the item's ``updatedAt``."""
        pulls = [one for one in self._items() if isinstance(one, PullRequest)]
        if not pulls:
            return
        pull = pulls[pick % len(pulls)]
        with self.state.lock:
            pull.reviews.append(
                Review(
                    id=f"PRR_new_{self.written}",
                    author=pull.author,
                    author_association="NONE",
                    body=self._text(pull.repository),
                    created_at=self.state.now,
                    updated_at=self.state.now,
                    pull_request=pull,
                    state="COMMENTED",
                    commit_oid="0" * 40,
                )
            )

    @rule(pick=picks)
    def open_issue(self, pick: int) -> None:
        each = self._repository(pick)
        if each is None or len(each.items) >= NUMBERS:
            return
        number = max([0, *each.items]) + 1
        gone = self.state.whereabouts(each.name_with_owner, number)
        if gone is not None:
            return  # GitHub never gives a number twice
        with self.state.lock:
            now, text = self.state.now, self._text(each)
            each.items[number] = Issue(
                id=f"N_new_{self.written}",
                author=None,
                author_association="NONE",
                body=text,
                created_at=now,
                updated_at=now,
                repository=each,
                number=number,
                title=text,
                state="OPEN",
                labels=[],
                assignees=[],
                milestone=None,
                locked=False,
                active_lock_reason=None,
                closed_at=None,
                state_reason=None,
                issue_type=None,
                sub_issues_total=0,
                sub_issues_completed=0,
            )
        self.state.edit_item(each.name_with_owner, number)

    @rule(pick=picks, to=picks)
    def transfer(self, pick: int, to: int) -> None:
        issues = [one for one in self._items() if isinstance(one, Issue)]
        if not issues:
            return
        issue, target = issues[pick % len(issues)], self._repository(to)
        if target is None or target is issue.repository:
            return
        # What leaves a private place is for everybody to read, and the other way round.
        for texts in self.secrets.values():
            texts.clear()
        self.state.transfer_item(
            issue.repository.name_with_owner, issue.number, target.name_with_owner
        )

    @rule(pick=picks, to=names)
    def rename(self, pick: int, to: str) -> None:
        """Perhaps to a name that another repository had before."""
        each = self._repository(pick)
        if each is not None and self.state.repository(to, follow_renames=False) is None:
            self.state.rename_repository(each.name_with_owner, to)

    @rule(pick=picks, how=st.sampled_from(["deleted", "discussion"]))
    def delete_item(self, pick: int, how: Gone) -> None:
        if item := self._item(pick):
            self.state.delete_item(item.repository.name_with_owner, item.number, how)

    @rule(pick=picks)
    def flip_visibility(self, pick: int) -> None:
        each = self._repository(pick)
        if each is None:
            return
        if each.is_private:
            self.secrets.pop(each.id, None)
        visibility: Any = "PUBLIC" if each.is_private else "PRIVATE"
        self.state.set_visibility(each.name_with_owner, visibility)

    @precondition(lambda self: len(self.state.repositories) > 2)
    @rule(pick=picks)
    def delete_repository(self, pick: int) -> None:
        if each := self._repository(pick):
            self.state.delete_repository(each.name_with_owner)

    @rule()
    def wait(self) -> None:
        """Until every limit and every lease is over."""
        self.time.move(2 * 3600)
