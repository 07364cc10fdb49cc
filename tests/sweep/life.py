"""A memory and a small GitHub, and what agents do there: touch things, forget sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
)

from resources_graph_core import clock
from resources_graph_core.address import Address, Filters
from resources_graph_core.config import Settings
from resources_graph_core.errors import UsageError
from resources_graph_core.github import Limits, open_source, problems
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, archived_comment, write_archive
from tests.sweep.breaking import Watched
from tests.sweep.clocks import Clock
from tests.sweep.model import Model, Touched

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from resources_graph_core.address import ListKind
    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.graph import Graph
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


Wanted = tuple["ListKind", Filters, int | None]
"""A list that is asked for: of what, which of them, and how many at most."""


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


class Touching(RuleBasedStateMachine):
    """The parts, and the rules of what agents do."""

    graph: ClassVar[Graph]
    engine_url: ClassVar[str]
    folder: ClassVar[Path]
    dead_process: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.time = Clock()
        self._patched = (clock.time, problems.time)
        clock.time = problems.time = self.time  # type: ignore[assignment]  # all that they use of it
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
        clock.time, problems.time = self._patched

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
    def touch_repository(self, *, name: str, session: str, prompted: bool) -> None:
        owner, _, bare = name.partition("/")
        self._touch(Address.of_repository(owner, bare), session, prompted=prompted)

    @rule(
        name=names,
        number=numbers,
        session=st.sampled_from(SESSIONS),
        prompted=st.booleans(),
    )
    def touch_item(self, *, name: str, number: int, session: str, prompted: bool) -> None:
        owner, _, bare = name.partition("/")
        self._touch(Address.of_item(owner, bare, number), session, prompted=prompted)

    @rule(name=names, wanted=lists, session=st.sampled_from(SESSIONS), prompted=st.booleans())
    def touch_list(self, *, name: str, wanted: Wanted, session: str, prompted: bool) -> None:
        owner, _, bare = name.partition("/")
        kind, filters, limit = wanted
        address = Address.of_listing(owner, bare, kind, filters, limit=limit)
        self._touch(address, session, prompted=prompted)

    @rule(name=names)
    def touch_everything(self, name: str) -> None:
        """Of a repository, as an agent does that works there."""
        self.touch_repository(name=name, session=SESSIONS[0], prompted=False)
        for number in range(1, NUMBERS + 1):
            self.touch_item(name=name, number=number, session=SESSIONS[0], prompted=False)
        for state in ("open", "closed"):
            wanted: Wanted = ("issues", Filters(state=state), None)
            self.touch_list(name=name, wanted=wanted, session=SESSIONS[0], prompted=False)

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
