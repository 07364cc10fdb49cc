"""A damaged append-only file: the engine refuses it, and the repair keeps all before the damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import GraphUnavailable, UsageError
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.repair import repair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WRITTEN = 20


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The folder of an engine that was stopped after 20 statements of one node each."""
    data = tmp_path / "graph"
    with open_graph(f"embedded://{data}") as graph:
        for number in range(WRITTEN):
            graph.query("CREATE (:Counter {n: $n, text: $text})", n=number, text="x" * 50)
    embedded.stop(data)
    yield data
    embedded.stop(data)


def appended(folder: Path) -> Path:
    (found,) = (folder / "appendonlydir").glob("*.incr.aof")
    return found


def numbers(folder: Path) -> list[object]:
    with open_graph(f"embedded://{folder}") as graph:
        return [row["n"] for row in graph.query("MATCH (c:Counter) RETURN c.n AS n ORDER BY n")]


def in_the_middle(content: bytes) -> bytes:
    begins = content.index(b"\r\n*", len(content) // 2)  # within a text it would go unnoticed
    return content[: begins + 2] + bytes(40) + content[begins + 42 :]


@pytest.mark.parametrize(
    ("damage", "fewest"),
    [
        (lambda content: content + bytes(4096), WRITTEN),
        (lambda content: content + b"\n<<<<<<< HEAD\n" * 9, WRITTEN),
        (lambda content: content + b"*2\r\n*1\r\n$1\r\nx\r\n", WRITTEN),
        (in_the_middle, WRITTEN // 4),
    ],
)
def test_all_before_the_damage_is_there_after_the_repair(
    folder: Path, damage: Callable[[bytes], bytes], fewest: int
) -> None:
    file = appended(folder)
    content = damage(file.read_bytes())
    file.write_bytes(content)
    with pytest.raises(GraphUnavailable, match="resources-graph graph repair"):
        embedded.start(folder)
    done = repair(folder)
    assert done.cut_bytes > 0
    assert done.kept_bytes + done.cut_bytes == len(content)
    (copy,) = done.copies
    assert copy.read_bytes() == content
    assert copy.stat().st_mode & 0o077 == 0
    kept = numbers(folder)
    assert kept == list(range(len(kept)))
    assert len(kept) >= fewest


def test_what_a_transaction_without_its_end_did_is_cut_off(folder: Path) -> None:
    file = appended(folder)
    content = file.read_bytes()
    begun = b"*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nx\r\n"
    file.write_bytes(content + begun + b"*1\r\n$4\r\nEXEC\r\n" + begun + b"?")
    done = repair(folder)
    assert done.cut_bytes == len(begun) + 1
    assert numbers(folder) == list(range(WRITTEN))


def test_files_appended_to_after_a_damaged_one_are_cut_off_with_it(folder: Path) -> None:
    first = appended(folder)
    content = first.read_bytes()
    manifest = first.with_name("appendonly.aof.manifest")
    second = first.with_name("appendonly.aof.2.incr.aof")
    second.write_bytes(b"*2\r\n$4\r\nINCR\r\n$1\r\nx\r\n")
    second.chmod(0o600)
    with manifest.open("a") as lines:
        lines.write(f"file {second.name} seq 2 type i\n")
    first.write_bytes(content + bytes(10))
    done = repair(folder)
    assert [copy.name.partition(".damaged")[0] for copy in done.copies] == [first.name, second.name]
    assert second.read_bytes() == b""
    assert numbers(folder) == list(range(WRITTEN))


def test_a_second_damage_gets_a_copy_of_its_own(folder: Path) -> None:
    for number in (1, 2):
        with appended(folder).open("ab") as file:
            file.write(b"?" * number)
        (copy,) = repair(folder).copies
        assert copy.name.endswith(f".damaged-{number}")
        assert copy.read_bytes().endswith(b"?" * number)


def test_sound_files_stay_as_they_are(folder: Path) -> None:
    before = appended(folder).read_bytes()
    done = repair(folder)
    assert (done.kept_bytes, done.cut_bytes, done.copies) == (len(before), 0, ())
    assert appended(folder).read_bytes() == before


def test_a_running_engine_is_left_alone(folder: Path) -> None:
    embedded.start(folder)
    with pytest.raises(UsageError, match="graph stop"):
        repair(folder)
    assert numbers(folder) == list(range(WRITTEN))


def test_a_folder_without_a_graph(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to repair"):
        repair(tmp_path)
    assert list(tmp_path.iterdir()) == []
