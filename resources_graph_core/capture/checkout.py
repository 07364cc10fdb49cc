"""The repository of a working directory, as ``gh`` resolves it, by reading git's config files.

Git is never started: that would cost a hook more than all the rest. What gh does was read in its
source: a remote chosen with ``gh repo set-default`` (``remote.NAME.gh-resolved``) comes first, then
the remotes named upstream, github and origin, then the others in git's order, by name; only remotes
on known hosts count, and with ``GH_HOST`` only those on that host.
"""

from __future__ import annotations

import posixpath

from resources_graph_core.capture import git_config
from resources_graph_core.capture.repositories import Repository, from_remote_url
from resources_graph_core.errors import UsageError
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.capture.context import Context
    from resources_graph_core.capture.git_config import Entry

_RANKS = {"upstream": 3, "github": 2, "origin": 1}
_LARGEST_FILE = 1_000_000
_DEEPEST_INCLUDE = 10
_MOST_FOLDERS = 64


def read_file(path: str) -> str | None:
    """The text of a file of at most a megabyte; None when there is none that can be read."""
    from pathlib import Path  # noqa: PLC0415 - most commands name their repository themselves

    try:
        with Path(path).open(encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError):
        return None  # for git, too, a config file that is not there holds nothing
    return text if len(text) <= _LARGEST_FILE else None


class Checkout(Record):
    """Reads which repository a directory is a checkout of.

    ``read`` answers with the text of the file at an absolute path, or None.
    """

    read: Callable[[str], str | None] = staticmethod(read_file)

    def repository(self, context: Context) -> Repository | None:
        """The repository of ``context.cwd``, or None when gh would find none (or ask).

        ``GIT_DIR`` in the environment is obeyed; ``HOME`` and ``XDG_CONFIG_HOME`` say where the
        user's own git config is.
        """
        folders = self._git_folders(context)
        if folders is None:
            return None
        entries = list(self._entries(context, *folders))
        return _chosen(entries, context)

    def _git_folders(self, context: Context) -> tuple[str, str] | None:
        """The git folder of the working tree, and the one its worktrees share."""
        cwd = context.cwd
        if cwd is None or not cwd.startswith("/"):
            return None
        named = context.environment.get("GIT_DIR")
        folder = posixpath.join(cwd, named) if named else self._discovered(posixpath.normpath(cwd))
        if folder is None or self.read(posixpath.join(folder, "HEAD")) is None:
            return None
        common = (self.read(posixpath.join(folder, "commondir")) or "").strip()
        return folder, posixpath.normpath(posixpath.join(folder, common))

    def _discovered(self, directory: str) -> str | None:
        for _ in range(_MOST_FOLDERS):
            dot_git = posixpath.join(directory, ".git")
            pointer = self.read(dot_git)
            if pointer is not None:  # a worktree's or submodule's: one line, 'gitdir: <path>'
                key, _, target = pointer.partition(":")
                if key != "gitdir" or not target.strip():
                    return None
                return posixpath.normpath(posixpath.join(directory, target.strip()))
            if self.read(posixpath.join(dot_git, "HEAD")) is not None:
                return dot_git
            if self._is_bare(directory):
                return directory
            parent = posixpath.dirname(directory)
            if parent == directory:
                return None
            directory = parent
        return None

    def _is_bare(self, directory: str) -> bool:
        return self.read(posixpath.join(directory, "HEAD")) is not None and any(
            entry.section == "core" and entry.name == "bare"
            for entry in git_config.entries(self.read(posixpath.join(directory, "config")) or "")
        )

    def _entries(self, context: Context, folder: str, common: str) -> Iterator[Entry]:
        """Every variable git would see, weakest file first."""
        home = context.environment.get("HOME", "")
        user = context.environment.get("XDG_CONFIG_HOME") or (home and f"{home}/.config")
        files = ["/etc/gitconfig"]
        if user:
            files.append(posixpath.join(user, "git/config"))
        if home:
            files.append(posixpath.join(home, ".gitconfig"))
        files.append(posixpath.join(common, "config"))
        per_worktree = False
        for file in files:
            for entry in self._file(file, folder, home, 0):
                if (entry.section, entry.name) == ("extensions", "worktreeconfig"):
                    per_worktree = entry.value.lower() in {"true", "yes", "on", "1"}
                yield entry
        if per_worktree:
            yield from self._file(posixpath.join(folder, "config.worktree"), folder, home, 0)

    def _file(self, file: str, folder: str, home: str, depth: int) -> Iterator[Entry]:
        for entry in git_config.entries(self.read(file) or ""):
            yield entry
            if entry.name != "path" or depth == _DEEPEST_INCLUDE:
                continue
            base = posixpath.dirname(file)
            if entry.section == "include" or (
                entry.section == "includeif" and self._applies(entry.subsection, folder, home, base)
            ):
                included = posixpath.join(base, _at_home(entry.value, home))
                yield from self._file(included, folder, home, depth + 1)

    def _applies(self, condition: str, folder: str, home: str, base: str) -> bool:
        """Whether an ``includeIf`` condition holds; git-config(1) has the rules."""
        kind, _, pattern = condition.partition(":")
        if kind in {"gitdir", "gitdir/i"}:
            subject = folder
            pattern = _at_home(pattern, home)
            if pattern.startswith("./"):
                pattern = posixpath.join(base, pattern[2:])
            elif not pattern.startswith("/"):
                pattern = f"**/{pattern}"
        elif kind == "onbranch":
            head = (self.read(posixpath.join(folder, "HEAD")) or "").strip()
            subject = head.removeprefix("ref: refs/heads/")
        else:
            return False
        if pattern.endswith("/"):
            pattern += "**"
        if kind == "gitdir/i":
            subject, pattern = subject.lower(), pattern.lower()
        import fnmatch  # noqa: PLC0415 - conditions are rare

        return fnmatch.fnmatchcase(subject, pattern) or fnmatch.fnmatchcase(f"{subject}/", pattern)


def _at_home(path: str, home: str) -> str:
    return f"{home}{path[1:]}" if path.startswith("~/") and home else path


def _chosen(entries: list[Entry], context: Context) -> Repository | None:
    """The repository of the remote that gh would take."""
    urls, resolved = _remotes(entries)
    only = context.environment.get("GH_HOST", "").lower()
    candidates: list[tuple[str, Repository | None]] = []
    for name in sorted(urls, key=lambda name: (-_RANKS.get(name.lower(), 0), name)):
        try:
            repository = from_remote_url(urls[name])
        except UsageError:
            continue  # a path, or another thing that gh cannot use either
        if "." not in repository.host and "://" not in urls[name]:
            candidates.append((name, None))  # an alias: only ssh knows which host it stands for
        elif repository.host == only if only else context.knows(repository.host):
            candidates.append((name, repository))
    for name, candidate in candidates:
        choice = resolved.get(name, "")
        if choice == "base" or (choice and candidate is None):
            return candidate
        if choice and candidate is not None:
            owner, _, rest = choice.partition("/")
            return Repository(host=candidate.host, owner=owner, name=rest)
    return candidates[0][1] if candidates else None


def _remotes(entries: list[Entry]) -> tuple[dict[str, str], dict[str, str]]:
    """Each remote's URL, rewritten as git would, and what ``gh repo set-default`` noted of it."""
    rewrites = [
        (entry.value, entry.subsection)
        for entry in entries
        if (entry.section, entry.name) == ("url", "insteadof") and entry.value
    ]
    urls: dict[str, str] = {}
    resolved: dict[str, str] = {}
    for entry in entries:
        if entry.section != "remote":
            continue
        if entry.name == "url":
            urls.setdefault(entry.subsection, _rewritten(entry.value, rewrites))
        elif entry.name == "gh-resolved":
            resolved[entry.subsection] = entry.value
    return urls, resolved


def _rewritten(url: str, rewrites: list[tuple[str, str]]) -> str:
    """The URL after ``url.BASE.insteadOf``: the longest matching beginning is replaced."""
    matching = [rewrite for rewrite in rewrites if url.startswith(rewrite[0])]
    if not matching:
        return url
    beginning, base = max(matching, key=lambda rewrite: len(rewrite[0]))
    return base + url[len(beginning) :]
