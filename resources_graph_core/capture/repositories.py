"""Which repository is meant: the forms that ``gh`` takes, and what stands behind none at all.

The forms were observed with gh 2.103: ``OWNER/REPO``, ``HOST/OWNER/REPO``, ``https://HOST/OWNER/REPO``
and ``git@HOST:OWNER/REPO.git``; a bare ``REPO`` and deeper URLs are errors there.
"""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from resources_graph_core.address import Address
from resources_graph_core.capture.context import GITHUB
from resources_graph_core.errors import UsageError
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.capture.context import Context

_GIT_SUFFIX = ".git"
_OWNER_AND_NAME = 2
_WITH_HOST = 3
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


class Repository(Record):
    """A repository as it was referred to, on which host."""

    host: str
    owner: str
    name: str

    def address(self) -> Address:
        """The Address of the repository itself. Raises UsageError when GitHub could not know it."""
        return Address.of_repository(self.owner, self.name, host=self.host)

    def item(self, number: int) -> Address:
        """The Address of its issue or pull request ``number``. Raises UsageError likewise."""
        return Address.of_item(self.owner, self.name, number, host=self.host)


def host_of_url(scheme: str, hostname: str, port: int | None) -> str:
    """A URL's host as Addresses name it: lower-case, without ``www.`` or its scheme's own port."""
    host = hostname.lower()
    if host in {f"www.{GITHUB}", f"ssh.{GITHUB}", f"redirect.{GITHUB}"}:
        host = GITHUB
    if port is None or port == _DEFAULT_PORTS.get(scheme) or host == GITHUB:
        return host
    return f"{host}:{port}"


def from_remote_url(url: str) -> Repository:
    """The repository behind a git remote's URL: https, ssh, git, or ``user@host:owner/repo``.

    Raises UsageError when it is a path, or not two segments deep.
    """
    scheme, separator, _ = url.partition("://")
    if not separator:
        host, colon, path = url.partition(":")
        if not colon or "/" in host or not host:
            raise UsageError("that is not a remote URL")
        scheme, host = "ssh", host.rpartition("@")[2].lower()
        host = host_of_url(scheme, host, None)
    else:
        try:
            parts = urlsplit(url)
            scheme = parts.scheme.removeprefix("git+")
            port = None if scheme in {"ssh", "git"} else parts.port
            host = host_of_url(scheme, parts.hostname or "", port)
        except ValueError:
            raise UsageError("that is not a URL") from None
        if scheme not in _DEFAULT_PORTS:
            raise UsageError("that is not a remote URL")
        path = unquote(parts.path)
    segments = path.strip("/").split("/")
    if len(segments) != _OWNER_AND_NAME:
        raise UsageError("the URL does not end in owner/repo")
    name = segments[1].removesuffix(_GIT_SUFFIX)
    return Repository(host=host, owner=segments[0], name=name)


def named(text: str, context: Context) -> Repository:
    """The repository that ``-R text`` or ``GH_REPO=text`` names.

    Raises UsageError when gh would refuse it, or when its host is not configured.
    """
    if "://" in text or ":" in text.partition("/")[0]:
        repository = from_remote_url(text)
    else:
        segments = text.split("/")
        if len(segments) == _OWNER_AND_NAME:
            repository = Repository(host=context.default_host, owner=segments[0], name=segments[1])
        elif len(segments) == _WITH_HOST:
            host, owner, name = segments
            repository = Repository(host=host_of_url("https", host, None), owner=owner, name=name)
        else:
            raise UsageError(f"{text!r} is not owner/repo")
        if repository.name.lower().endswith(_GIT_SUFFIX):
            raise UsageError(f"{text!r} is no repository: GitHub allows no name ending in .git")
    return _configured(repository, context)


def current(context: Context) -> Repository:
    """The repository of the working directory. Raises UsageError when there is none to be found."""
    found = None
    if context.checkout is not None and context.cwd is not None:
        found = context.checkout.repository(context)
    if found is None:
        raise UsageError("the working directory is no checkout of a repository on a known host")
    return _configured(found, context)


def implied(context: Context) -> Repository:
    """The repository gh takes without ``-R``: ``GH_REPO``, else that of the working directory.

    Raises UsageError when there is none.
    """
    text = context.environment.get("GH_REPO", "")
    return named(text, context) if text else current(context)


def _configured(repository: Repository, context: Context) -> Repository:
    if not context.knows(repository.host):
        raise UsageError(f"{repository.host!r} is not a host named in the settings")
    return repository
