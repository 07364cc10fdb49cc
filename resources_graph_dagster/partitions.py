"""One partition for each repository, added as soon as something in it was touched."""

from __future__ import annotations

from dagster import DynamicPartitionsDefinition

from resources_graph_core.address import Address
from resources_graph_core.errors import UsageError

repository_partitions = DynamicPartitionsDefinition(name="repository")
"""Keys are ``owner/repo``, or ``host/owner/repo`` for another host than github.com."""

_SCHEME = "github:"
# Dagster keeps "..." for ranges of keys, and GitHub allows it in a name; "%" is in no name.
_RANGE, _RANGE_IN_KEY = "...", "%2E%2E%2E"


def partition_of(repository: str) -> str:
    """The partition of a repository, given the key of its Address."""
    return repository.removeprefix(_SCHEME).replace(_RANGE, _RANGE_IN_KEY)


def repository_of(partition: str) -> str:
    """The key of the repository's Address; the other way round. UsageError when it is none."""
    address = Address.from_key(f"{_SCHEME}{partition.replace(_RANGE_IN_KEY, _RANGE)}")
    if address.kind != "repo":
        raise UsageError(f"{partition!r} is no partition; one is a repository, as owner/repo")
    return address.key
