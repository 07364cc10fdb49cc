"""A life of one memory, step by step, beside a model of what it should answer."""

from __future__ import annotations

import copy
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from resources_graph_core import clock
from resources_graph_core.address import Address, Filters
from resources_graph_core.config import Settings
from resources_graph_core.errors import GitHubError, UsageError
from resources_graph_core.github import Limits, answers, open_source
from resources_graph_core.graph import open_graph
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.nodes import Issue, PullRequest, Review
from resources_graph_core.store import checks
from resources_graph_core.sweep import run
from resources_graph_core.sweep.lease import LEASE_SECONDS
from tests.archives import archived, archived_comment, write_archive
from tests.sweep import looking
from tests.sweep.breaking import DyingGraph, Killed, Watched, at_event, interrupt
from tests.sweep.clocks import Clock
from tests.sweep.model import Model, Touched
from tests.sweep.world import World

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.graph import Graph
    from resources_graph_core.sandbox.nodes import Repository
    from resources_graph_core.sweep import SweepEvent, SweepReport

USER = "mona"
TOKEN = "made-up"
NAMES = ("octo-org/widgets", "octo-org/gadgets", "octo-org/gizmos", "else/where")
NUMBERS = 5
LABELS = ("bug", "help wanted")
SESSIONS = ("first", "second")
ATTEMPTS = 5

names = st.sampled_from(NAMES)
numbers = st.integers(1, NUMBERS)
picks = st.integers(0, 11)
lists = st.builds(
    lambda kind, state, labels, author, limit: (
        kind,
        Filters(state=state, labels=labels, author=author),
        limit,
    ),
    st.sampled_from(["issues", "pulls"]),
    st.sampled_from(["open", "closed", "all"]),
    st.lists(st.sampled_from(LABELS), max_size=2),
    st.sampled_from([None, None, "mona", "hubot"]),
    st.sampled_from([None, 1, 2, 30]),
)
MESSAGES = (
    "nothing",
    "see #1",
    "Fixes #1",
    "Closes #2, as in octo-org/gadgets#1",
    "octo-org/widgets#3",
)


def write_start(folder: Path) -> list[Path]:
    """Three small repositories, whose items speak of each other."""
    thread = {"id": "T_1", "path": "src/one.py", "line": 3}
    review = archived_comment(
        "Looks good",
        id="PRR_1",
        state="APPROVED",
        comments=[archived_comment("Here?", id="PRRC_1", path="src/one.py", thread="T_1")],
    )
    return [
        write_archive(
            folder,
            issues=[
                archived(1, comments=[archived_comment(f"comment {n}") for n in range(2)]),
                archived(2, labels=["bug"], state="CLOSED", body="As said in #1"),
            ],
            pulls=[archived(3, body="Fixes #1", reviews=[review], reviewThreads=[thread])],
        ),
        write_archive(
            folder,
            repo="octo-org/gadgets",
            issues=[archived(1, id="N_11", body="Like octo-org/widgets#1", author="hubot")],
            pulls=[archived(2, id="N_12", body="Closes octo-org/widgets#2")],
        ),
        write_archive(folder, repo="octo-org/gizmos", issues=[archived(1, id="N_21")]),
    ]


class SandboxMemory(Memory):
    """A memory of the sandbox's GitHub that waits for nothing, and tells what it fetched."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        super().__init__(graph, settings)
        self.fetched: list[str] = []

    def open_source(self) -> OpenSource:
        """Without pauses and reserves."""
        limits = Limits(reserve=0, longest_wait=0, in_flight=1)
        return open_source(self.settings.github_api_url, self.settings.github_token, limits=limits)

    def swept(
        self,
        on_event: Callable[[SweepEvent], None] | None = None,
        graph: Graph | None = None,
    ) -> SweepReport:
        """Sweep, perhaps over another graph."""
        over = Memory(graph or self.graph, self.settings)
        with self.open_source() as source:
            watched: Any = Watched(source, self.fetched)
            with over.sweeper(watched, on_event=on_event) as sweep:
                return sweep.run()


class Life(RuleBasedStateMachine):
    """The rules; each example begins with an empty memory and three repositories on GitHub."""

    graph: ClassVar[Graph]
    engine_url: ClassVar[str]
    folder: ClassVar[Path]
    dead_process: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.time = Clock()
        self._patched = (clock.time, answers.time)
        clock.time = answers.time = self.time  # type: ignore[assignment]  # all that they use of it
        self.graph.query("MATCH (n) DETACH DELETE n")
        self.sandbox = Sandbox(write_start(self.folder), token=TOKEN, clock=self.time.datetime)
        self.sandbox.__enter__()
        self.state = self.sandbox.state
        self.memory = SandboxMemory(self.graph, self._settings(TOKEN))
        self.stranger = SandboxMemory(self.graph, self._settings(None))
        self.model = Model()
        self.asked: dict[tuple[str, int | None], Address] = {}
        self.forgotten: set[str] = set()
        self.secrets: dict[str, set[str]] = {}
        self.claimed_until = 0.0
        self.somebody_died = False
        self.written = 0
        self.unchecked = True

    def _settings(self, token: str | None) -> Settings:
        return Settings(
            graph_url=self.engine_url,
            user=USER,
            github_api_url="http://127.0.0.1:1",
            github_token=token,
        ).changed(github_api_url=self.sandbox.url)

    def teardown(self) -> None:
        """Stop the sandbox, give the time back."""
        self.sandbox.__exit__(None, None, None)
        clock.time, answers.time = self._patched

    @initialize(known=st.booleans())
    def begin(self, known: bool) -> None:  # noqa: FBT001 - drawn by name
        """Perhaps with everything in memory."""
        if known:
            for name in NAMES[:3]:
                self.touch_everything(name)
            self.sweep()

    # What agents do.

    def _touch(self, address: Address, session: str, *, prompted: bool) -> None:
        self.asked[address.key, address.limit] = address
        self.unchecked = True
        try:
            made = self.memory.touch(
                address, session=session, provenance="PROMPTED" if prompted else "FETCHED"
            )
        except UsageError:
            assert session in self.forgotten
            return
        assert session not in self.forgotten
        self.model.touches[made.touch_id] = Touched(
            made.touch_id, session, address, prompted, made.at
        )

    @rule(name=names, session=st.sampled_from(SESSIONS), prompted=st.booleans())
    def touch_repository(self, name: str, session: str, prompted: bool) -> None:
        owner, _, bare = name.partition("/")
        self._touch(Address.of_repository(owner, bare), session, prompted=prompted)

    @rule(
        name=names,
        number=numbers,
        session=st.sampled_from(SESSIONS),
        prompted=st.booleans(),
    )
    def touch_item(self, name: str, number: int, session: str, prompted: bool) -> None:
        owner, _, bare = name.partition("/")
        self._touch(Address.of_item(owner, bare, number), session, prompted=prompted)

    @rule(name=names, wanted=lists, session=st.sampled_from(SESSIONS), prompted=st.booleans())
    def touch_list(self, name: str, wanted: Any, session: str, prompted: bool) -> None:
        owner, _, bare = name.partition("/")
        kind, filters, limit = wanted
        address = Address.of_listing(owner, bare, kind, filters, limit=limit)
        self._touch(address, session, prompted=prompted)

    @rule(name=names)
    def touch_everything(self, name: str) -> None:
        """Of a repository, as an agent does that works there."""
        self.touch_repository(name, SESSIONS[0], prompted=False)
        for number in range(1, NUMBERS + 1):
            self.touch_item(name, number, SESSIONS[0], prompted=False)
        for state in ("open", "closed"):
            wanted = ("issues", Filters(state=state), None)
            self.touch_list(name, wanted, SESSIONS[0], prompted=False)

    @precondition(lambda self: self.asked)
    @rule()
    def touch_all_again(self) -> None:
        for address in list(self.asked.values()):
            self._touch(address, SESSIONS[0], prompted=False)

    @precondition(lambda self: len(self.forgotten) < len(SESSIONS) - 1 and len(self.asked) > 5)
    @rule()
    def forget(self) -> None:
        self.unchecked = True
        session = SESSIONS[-1]
        mine = [one for one in self.model.touches.values() if one.session == session]
        assert self.memory.forget(session) == len(mine)
        for touch in mine:
            del self.model.touches[touch.touch_id]
        self.forgotten.add(session)

    # What happens on GitHub.

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
    def delete_item(self, pick: int, how: Any) -> None:
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

    # Sweeps.

    def _is_limited(self) -> bool:
        """Whether a limit of GitHub's keeps a Sweep from everything."""
        return self.memory.limited_until() is not None

    def _pending(self) -> list[Touched]:
        """What a Sweep takes on now."""
        if self._is_limited():
            return []
        claimed: set[str] = set()
        if self.time.time() < self.claimed_until:
            rows = self.graph.query(
                "MATCH (touch:Touch {status: 'pending'}) WHERE touch.claimed_by IS NOT NULL "
                "RETURN touch.address AS address"
            )
            claimed = {row["address"] for row in rows}
        return [
            one
            for one in self.model.touches.values()
            if (one.status == "pending" or one.reason == "rate_limited")
            and one.address.key not in claimed
        ]

    def _expect(self, *, anonymous: bool = False) -> tuple[Model, set[str]]:
        """The model after a Sweep, and the Touches that it deals with."""
        after = copy.deepcopy(self.model)
        for touch in after.touches.values():
            if touch.reason == "rate_limited" and not self._is_limited():
                touch.status, touch.reason = "pending", None
        ids = {one.touch_id for one in self._pending()}
        world = World(self.state, anonymous=anonymous)
        after.sweep(world, [after.touches[one] for one in ids], anonymous=anonymous)
        return after, ids

    @precondition(lambda self: self.model.touches)
    @rule()
    def sweep(self) -> None:
        self.unchecked = True
        after, ids = self._expect()
        if self._perhaps_subsumed():
            self._sweep_disturbed(self.memory.swept)
            self._all_settled(ids)
            return
        self.memory.fetched.clear()
        report = self.memory.swept()
        self.model = after
        assert report.resolved == sum(after.touches[one].status == "resolved" for one in ids)
        self._nothing_twice()
        if self.time.time() >= self.claimed_until and not self._is_limited():
            self.somebody_died = False

    @precondition(lambda self: self.model.touches)
    @rule()
    def sweep_as_a_stranger(self) -> None:
        self.unchecked = True
        if self._perhaps_subsumed():
            self._sweep_disturbed(self.stranger.swept, anonymous=True)
            return
        after, _ = self._expect(anonymous=True)
        self.stranger.swept()
        self.model = after

    def _perhaps_subsumed(self) -> bool:
        """Whether wider lists may answer for one that was only mentioned, and save its fetch."""
        return any(
            one.prompted
            and one.address.kind == "listing"
            and not self.model.serves(self.model.find_listing(one.address), one.address.limit)
            for one in self._pending()
        )

    def _all_settled(self, ids: set[str]) -> None:
        left = [one for one in ids if self.model.touches[one].status == "pending"]
        assert not left, f"not all the work was done: {left}"

    def _nothing_twice(self) -> None:
        twice = [key for key, count in Counter(self.memory.fetched).items() if count > 1]
        assert not twice, f"fetched more than once: {twice}"

    def _sweep_disturbed(self, sweep: Callable[[], object], *, anonymous: bool = False) -> None:
        """Sweep in a way of which nobody can tell how far it comes; what it did must be right."""
        self.unchecked = True
        before = copy.deepcopy(self.model)
        after, ids = self._expect(anonymous=anonymous)
        try:
            sweep()
        except (GitHubError, Killed, KeyboardInterrupt):
            pass
        finally:
            self.sandbox.faults.clear()
        self.model = looking.adopt(self.graph, before, after)
        rows = {row["touch_id"]: row for row in self.memory.touches()}
        for touch_id, touch in self.model.touches.items():
            row = rows[touch_id]
            status, reason = row["status"], row.get("reason")
            attempts = row.get("attempts") or 0
            possible = [(touch.status, touch.reason, touch.attempts)]
            if touch_id in ids:
                goal = after.touches[touch_id]
                again = touch.attempts + 1
                failed = ("pending", None) if again < ATTEMPTS else ("unresolved", "failed")
                if touch.prompted and touch.address.kind == "listing":
                    possible.append(("resolved", None, touch.attempts))
                possible += [
                    ("pending", None, touch.attempts),
                    ("unresolved", "rate_limited", touch.attempts),
                    (goal.status, goal.reason, touch.attempts),
                    (*failed, again),
                ]
            assert (status, reason, attempts) in possible, (touch, row, possible)
            touch.status, touch.reason, touch.attempts = status, reason, attempts

    @precondition(lambda self: self.model.touches)
    @rule(
        fault=st.sampled_from(["no points", "few points", "secondary", "502", "outage", "cut"]),
        event=st.integers(0, 4),
    )
    def sweep_while_github_fails(self, fault: str, event: int) -> None:
        faults = self.sandbox.faults
        ways: dict[str, Callable[[], None]] = {
            "no points": lambda: faults.points_left(0, api="graphql"),
            "few points": lambda: faults.points_left(event, api="graphql", resets_in=600),
            "secondary": lambda: faults.secondary_limit(retry_after=30),
            "502": lambda: faults.bad_gateway(times=1 + event),
            "outage": lambda: faults.bad_gateway(times=1000),
            "cut": lambda: faults.cut_body(times=1 + event),
        }
        if event == 0:
            ways[fault]()
        self._sweep_disturbed(lambda: self.memory.swept(at_event(event, ways[fault])))

    @precondition(lambda self: self.model.touches)
    @rule(
        field=st.sampled_from(["comments", "labels", "issues", "closingIssuesReferences"]),
        error=st.sampled_from(["RESOURCE_LIMITS_EXCEEDED", None]),
        times=st.integers(1, 3),
    )
    def sweep_with_answers_that_lack_something(
        self, field: str, error: str | None, times: int
    ) -> None:
        self.sandbox.faults.break_connections(field, error=error, times=times)
        self._sweep_disturbed(self.memory.swept)

    @precondition(lambda self: self.model.touches)
    @rule(event=st.integers(1, 6))
    def sweep_until_interrupted(self, event: int) -> None:
        self._sweep_disturbed(lambda: self.memory.swept(at_event(event, interrupt)))

    @precondition(lambda self: self.model.touches)
    @rule(statement=st.integers(1, 45), done=st.booleans(), local=st.booleans())
    def sweep_until_killed(self, statement: int, done: bool, local: bool) -> None:
        """On this machine, where its death is known, or on another, where its lease must end."""
        graph = DyingGraph(self.graph, statement, done=done)
        held = self.time.time() < self.claimed_until
        self._sweep_disturbed(lambda: self.memory.swept(graph=graph))
        if not graph.died:
            return
        self.somebody_died = True
        process = self.dead_process if local else "elsewhere"
        self.graph.query(
            "MATCH (touch:Touch) WHERE touch.claimed_by IS NOT NULL "
            "WITH touch, split(touch.claimed_by, '#') AS parts "
            "SET touch.claimed_by = parts[0] + '#' + parts[1] + '#' + $process + '#' + parts[3]",
            process=str(process),
        )
        if not local or held:
            self.claimed_until = self.time.time() + LEASE_SECONDS

    @precondition(lambda self: self.model.touches)
    @rule()
    def two_sweeps_at_once(self) -> None:
        """With pages so small that both get some."""
        ended: list[BaseException] = []

        def sweep(memory: SandboxMemory) -> None:
            try:
                memory.swept()
            except BaseException as error:  # noqa: BLE001 - a thread's, raised again below
                ended.append(error)

        def both() -> None:
            with open_graph(self.engine_url) as other:
                second = SandboxMemory(other, self.memory.settings)
                second.fetched = self.memory.fetched
                threads = [
                    threading.Thread(target=sweep, args=(one,)) for one in (self.memory, second)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()

        _, ids = self._expect()
        page, run.PAGE = run.PAGE, 2
        try:
            self._sweep_disturbed(both)
        finally:
            run.PAGE = page
        assert not ended, ended
        self._all_settled(ids)

    # What must hold after every step.

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        """Looked at after each step that may have written to memory."""
        self.time.move(2)
        if self.unchecked:
            self.memory_answers_as_the_model_says()
            self.touches_stand_where_the_model_says()
            self.the_graph_is_whole()
            self.nothing_secret_is_stored()
            self.nothing_stays_claimed()
            self.unchecked = False

    def memory_answers_as_the_model_says(self) -> None:
        for address in self.asked.values():
            if address.kind == "listing":
                self._check_list(address)
            else:
                self._check_thing(address)

    def _check_thing(self, address: Address) -> None:
        answer = self.memory.read(address)
        node_id = self.model.find(address)
        if node_id is None:
            assert answer.outcome == "miss", f"{address} should be a miss"
            self._check_note(address, answer.note or "")
            return
        kept = self.model.kept[node_id]
        assert kept.snapshot is not None
        assert answer.outcome == "hit", f"{address} should be {node_id}, not a miss: {answer.note}"
        told = (answer.resource["node_id"], answer.kind, answer.served_from)
        assert told == (node_id, kept.kind, kept.where), f"for {address}"
        wrong = looking.differences(answer.resource, answer.comments, kept.snapshot)
        assert not wrong, f"{address} is stored otherwise than it was: {wrong}"

    def _check_note(self, address: Address, note: str) -> None:
        places = (address.key, address.repository.key)
        if any(self.model.tombstone_at(place) for place in places):
            assert note.startswith("Withdrawn from memory"), f"{address}: {note}"
            return
        touches = [one for one in self.model.touches.values() if one.address.key == address.key]
        if not touches:
            return
        latest = max(one.at for one in touches)
        reasons = {one.reason for one in touches if one.at == latest}
        if reasons == {"not_found"}:
            assert "knew nothing" in note, f"{address}: {note}"
        elif reasons == {"not_public"}:
            assert "not public" in note, f"{address}: {note}"
        elif len(reasons) == 1:
            assert note.startswith("Not in memory. Fetch it"), f"{address}: {note}"

    def _check_list(self, address: Address) -> None:
        answer = self.memory.read(address)
        keys = {address.key, self.model.find_listing(address)}
        exact = [key for key in keys if self.model.serves(key, address.limit)]
        if answer.outcome == "miss":
            assert not exact, f"{address} should be served by {exact}"
            return
        members = [one["node_id"] for one in answer.members]
        if answer.outcome == "hit":
            assert answer.served_from in exact, f"{address} by {answer.served_from}: {exact}"
            expected = self.model.listings[answer.served_from].members[: address.limit]
        else:
            served_by = (answer.served_from or "").split("+")
            assert all(self.model.listings[key].full for key in served_by)
            expected = self.model.filtered(served_by, address)
        assert members == expected, f"{address} (limit {address.limit}) by {answer.served_from}"
        for member in answer.members:
            snapshot = self.model.kept[member["node_id"]].snapshot
            assert snapshot is not None, f"{member['node_id']} was withdrawn"
            stored = {name: member.get(name) for name in snapshot.values}
            assert stored == snapshot.values

    def touches_stand_where_the_model_says(self) -> None:
        rows = self.memory.touches()
        stored = {
            row["touch_id"]: (row["status"], row.get("reason"), row.get("attempts") or 0)
            for row in rows
        }
        expected = {
            one.touch_id: (one.status, one.reason, one.attempts)
            for one in self.model.touches.values()
        }
        wrong = {
            self.model.touches[key].address.key: (stored.get(key), state)
            for key, state in expected.items()
            if stored.get(key) != state
        }
        assert not wrong, f"Touches as they are and should be: {wrong}"
        assert stored.keys() == expected.keys()

    def the_graph_is_whole(self) -> None:
        assert looking.broken(self.graph) == {}
        assert checks.miscounted_listings(self.graph) == []
        assert checks.resolved_without_target(self.graph) == []
        assert looking.edges(self.graph) == self.model.edges()

    def nothing_secret_is_stored(self) -> None:
        secret = set().union(*self.secrets.values())
        assert not secret & looking.texts(self.graph)

    def nothing_stays_claimed(self) -> None:
        """But what somebody held who was killed, until the next Sweep."""
        rows = self.graph.query(
            "MATCH (touch:Touch) WHERE touch.claimed_by IS NOT NULL RETURN touch"
        )
        assert not rows or self.somebody_died
