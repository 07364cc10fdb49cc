"""A repository's Address and its partition."""

from __future__ import annotations

import pytest
from dagster import DagsterInstance
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.address import Address
from resources_graph_core.errors import UsageError
from resources_graph_dagster.partitions import partition_of, repository_of, repository_partitions

NAMES = st.text("abcxyz0123456789._-", min_size=1, max_size=30).filter(
    lambda name: name not in {".", ".."}
)


@given(name=NAMES, host=st.sampled_from(["github.com", "ghe.corp.com", "localhost:8080"]))
def test_a_partition_stands_for_its_repository(name: str, host: str) -> None:
    key = Address.of_repository("octo-org", name, host=host).key
    assert repository_of(partition_of(key)) == key


@pytest.mark.parametrize(
    ("key", "partition"),
    [
        ("github:octo-org/widgets", "octo-org/widgets"),
        ("github:ghe.corp.com/octo-org/widgets", "ghe.corp.com/octo-org/widgets"),
        ("github:octo-org/dots....js", "octo-org/dots%2E%2E%2E.js"),
    ],
)
def test_a_partition_reads_like_the_repository(key: str, partition: str) -> None:
    assert partition_of(key) == partition


def test_dagster_takes_partitions_of_every_kind() -> None:
    names = ["widgets", "a.b", "...", "dots....js", "-", "__", "1"]
    partitions = [partition_of(Address.of_repository("octo-org", name).key) for name in names]
    with DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(repository_partitions.name), partitions)
        assert set(instance.get_dynamic_partitions("repository")) == set(partitions)


@pytest.mark.parametrize("partition", ["widgets", "octo-org/widgets#1", "", "a/b/c/d"])
def test_a_partition_that_is_no_repository_is_refused(partition: str) -> None:
    with pytest.raises(UsageError):
        repository_of(partition)
