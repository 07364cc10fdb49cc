"""Every error this project raises on purpose, in one small tree.

A message says what happened, to what, and what to do next; it never holds a token.
"""

LONGEST_MESSAGE = 1000
"""Characters of a message; what it quotes may be of any length."""


def shortened(message: str) -> str:
    """A message with its beginning and its end, where its middle is too long."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    head, tail = message[: LONGEST_MESSAGE // 2], message[-LONGEST_MESSAGE // 4 :]
    left_out = len(message) - len(head) - len(tail)
    return f"{head}… ({left_out:,} characters left out) …{tail}"


class ResourcesGraphError(Exception):
    """The root: catch this to catch everything the project raises on purpose."""

    exit_status = 1
    """What the command line ends with when this error reaches it."""

    def __str__(self) -> str:
        """The message, without the middle of one that quotes something very long."""
        return shortened(super().__str__())


class UsageError(ResourcesGraphError, ValueError):
    """What was asked cannot be understood, such as an Address that names nothing."""

    exit_status = 2


class ConfigError(ResourcesGraphError):
    """A setting is missing, unknown or malformed."""

    exit_status = 2


class ArchiveError(ResourcesGraphError):
    """A sandbox archive cannot be read or is not in the archive format."""


class GraphUnavailable(ResourcesGraphError):  # noqa: N818 - says how things stand, as its siblings do
    """The graph cannot be started, reached or signed in to.

    Nothing was written, unless the message says that a statement was cut off under way.
    """


class GraphQueryError(ResourcesGraphError):
    """The engine refused a statement or a value in it. Nothing of it was written."""


class GitHubError(ResourcesGraphError):
    """The root of what can go wrong with GitHub."""


class GitHubUnavailable(GitHubError):  # noqa: N818 - says how things stand
    """GitHub cannot be reached, or keeps failing, or answered with something of the wrong shape."""


class GitHubAuthError(GitHubError):
    """GitHub rejected the token; every Touch stays pending."""


class RateLimited(GitHubError):  # noqa: N818 - says how things stand
    """A limit of GitHub's is used up.

    ``retry_at`` says when to come back (ISO-8601 UTC), or is None when nothing but a login helps.
    """

    def __init__(self, message: str, retry_at: str | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class NotFound(GitHubError):  # noqa: N818 - says how things stand
    """GitHub knows nothing at this Address (or does not say so to strangers)."""


class NotPublic(GitHubError):  # noqa: N818 - says how things stand
    """What the Address names exists but is not public, so it is never stored."""


class NotAllowed(GitHubError):  # noqa: N818 - says how things stand
    """The token may read but not write there. Nothing was written."""


class WriteConflict(ResourcesGraphError):  # noqa: N818 - says how things stand
    """Others went on changing the same text until the tries were used up."""


class WriteUncertain(ResourcesGraphError):  # noqa: N818 - says how things stand
    """It cannot be told whether something was written; look before writing it again."""


class BlockError(ResourcesGraphError):
    """A block in an issue cannot be understood. It is left as it is.

    ``line`` is the line of the text (from 1) where the trouble is, ``where`` the issue.
    """

    def __init__(self, message: str, line: int, where: str = "") -> None:
        super().__init__(f"{where} line {line}: {message}".lstrip())
        self.message = message
        self.line = line


class NoSuchEntry(UsageError, KeyError):  # noqa: N818 - says how things stand
    """A store holds nothing under this key."""

    def __str__(self) -> str:
        """The message as it is; a KeyError alone would show it in quotes."""
        return shortened(Exception.__str__(self))


class RequirementMissing(ResourcesGraphError, EnvironmentError):  # noqa: N818 - says how things stand
    """Something outside the project is missing, such as a login; the message says what to run."""


class AccessDenied(ResourcesGraphError):  # noqa: N818 - says how things stand
    """A handle of the memory graph may not do what was asked. Nothing was written."""


class UnknownId(ResourcesGraphError):  # noqa: N818 - says how things stand
    """The memory graph has no node or edge with this id, or did not have it at the time asked."""


class Refused(UsageError):  # noqa: N818 - says how things stand
    """A guard of the memory graph refuses a value: a credential, or one that is too large."""


class EmbeddingFailed(ResourcesGraphError):  # noqa: N818 - says how things stand
    """The model that turns text into vectors cannot be reached or answered with something else."""


class Conflict(UsageError):  # noqa: N818 - says how things stand
    """What the memory graph holds already stands in the way, such as an id that is taken."""
