"""Which repository a directory is a checkout of, as gh would say."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import Context, capture_shell
from resources_graph_core.capture.checkout import Checkout, read_file

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "ref: refs/heads/main\n"


def resolve(
    config: str,
    *,
    cwd: str = "/w/r",
    more: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    hosts: tuple[str, ...] = (),
) -> str:
    files = {"/w/r/.git/HEAD": HEAD, "/w/r/.git/config": config, **(more or {})}
    context = Context(
        cwd=cwd,
        environment={"HOME": "/home/dev", **(environment or {})},
        hosts=frozenset(hosts),
        checkout=Checkout(read=files.get),
    )
    found = capture_shell("gh repo view", context)
    return str(found[0]) if found else ""


def remote(name: str, url: str, *more: str) -> str:
    return "\n".join([f'[remote "{name}"]', f"\turl = {url}", *[f"\t{line}" for line in more], ""])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/o/r.git", "o/r"),
        ("https://github.com/o/r", "o/r"),
        ("https://github.com/o/r/", "o/r"),
        ("http://github.com/O/R.git", "o/r"),
        ("https://www.github.com/o/r", "o/r"),
        ("https://user:token@github.com/o/r.git", "o/r"),
        ("https://x-access-token@github.com/o/x.js.git", "o/x.js"),
        ("git@github.com:o/r.git", "o/r"),
        ("git@github.com:o/r", "o/r"),
        ("git@github.com:/o/r.git", "o/r"),
        ("github.com:o/r.git", "o/r"),
        ("org-123@github.com:o/r.git", "o/r"),
        ("ssh://git@github.com/o/r.git", "o/r"),
        ("ssh://git@github.com:22/o/r.git", "o/r"),
        ("ssh://git@ssh.github.com:443/o/r.git", "o/r"),
        ("git+ssh://git@github.com/o/r.git", "o/r"),
        ("git://github.com/o/r.git", "o/r"),
        ('"https://github.com/o/r.git"', "o/r"),
        ("https://github.com/o/r.git ; mine", "o/r"),
        ("https://github.com/o/\\\nr.git", "o/r"),
        ("/srv/git/r.git", ""),
        ("../r.git", ""),
        ("file:///srv/o/r.git", ""),
        ("https://gitlab.com/o/r.git", ""),
        ("https://ghe.corp.com/o/r.git", ""),
        ("git@work:o/r.git", ""),
        ("https://github.com/o", ""),
        ("https://github.com/o/r/x", ""),
        ("https://[github.com/o/r", ""),
        ("", ""),
    ],
)
def test_the_url_of_a_remote(url: str, expected: str) -> None:
    assert resolve(remote("origin", url)) == expected


ORIGIN = remote("origin", "https://github.com/me/r")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (ORIGIN + remote("upstream", "https://github.com/them/r"), "them/r"),
        (ORIGIN + remote("github", "https://github.com/gh/r"), "gh/r"),
        (
            remote("upstream", "git@github.com:up/r")
            + remote("github", "git@github.com:gh/r")
            + ORIGIN,
            "up/r",
        ),
        (remote("aaa", "https://github.com/a/r") + ORIGIN, "me/r"),
        (remote("bbb", "https://github.com/b/r") + remote("aaa", "https://github.com/a/r"), "a/r"),
        (ORIGIN + remote("upstream", "https://gitlab.com/them/r"), "me/r"),
        (ORIGIN + remote("upstream", "git@work:them/r"), ""),
        (ORIGIN + remote("zzz", "git@work:them/r"), "me/r"),
        (ORIGIN + remote("fork", "https://github.com/them/r", "gh-resolved = base"), "them/r"),
        (remote("origin", "https://github.com/me/r", "gh-resolved = base"), "me/r"),
        (remote("origin", "https://github.com/me/r", "gh-resolved = them/other"), "them/other"),
        (
            remote("origin", "https://github.com/me/r", "gh-resolved = base")
            + remote("upstream", "https://github.com/them/r"),
            "me/r",
        ),
        (ORIGIN.replace("[remote", "[Remote"), "me/r"),
        (ORIGIN + remote("origin", "https://github.com/second/r"), "me/r"),
        ("[core]\n\tbare = false\n", ""),
        ("", ""),
        ('[remote "origin"\n url = https://github.com/o/r\n', ""),
        ("# comment\n; comment\n" + ORIGIN, "me/r"),
        ('[remote "origin"] url = https://github.com/o/r\n', "o/r"),
    ],
)
def test_which_remote_counts(config: str, expected: str) -> None:
    assert resolve(config) == expected


def test_hosts() -> None:
    both = ORIGIN + remote("upstream", "https://ghe.corp.com/team/r")
    assert resolve(both) == "me/r"
    assert resolve(both, hosts=("ghe.corp.com",)) == "ghe.corp.com/team/r"
    assert resolve(both, hosts=("ghe.corp.com",), environment={"GH_HOST": "github.com"}) == "me/r"
    only = {"GH_HOST": "ghe.corp.com"}
    assert resolve(ORIGIN, hosts=("ghe.corp.com",), environment=only) == ""


@pytest.mark.parametrize(
    ("rewrite", "url", "expected"),
    [
        ('[url "https://github.com/"]\n insteadOf = gh:\n', "gh:o/r", "o/r"),
        (
            '[url "git@github.com:"]\n insteadOf = https://github.com/\n',
            "https://github.com/o/r",
            "o/r",
        ),
        ('[url "https://github.com/o/"]\n insteadOf = "my:"\n', "my:r", "o/r"),
        (
            (
                '[url "https://github.com/a/"]\n insteadOf = x:\n'
                '[url "https://github.com/b/"]\n insteadOf = x:y/\n'
            ),
            "x:y/r",
            "b/r",
        ),
        (
            '[url "https://mirror.corp/"]\n insteadOf = https://github.com/\n',
            "https://github.com/o/r",
            "",
        ),
    ],
)
def test_instead_of(rewrite: str, url: str, expected: str) -> None:
    assert resolve(rewrite + remote("origin", url)) == expected
    in_home = {"/home/dev/.gitconfig": rewrite}
    assert resolve(remote("origin", url), more=in_home) == expected
    in_user = {"/home/dev/.config/git/config": rewrite}
    assert resolve(remote("origin", url), more=in_user) == expected
    in_xdg = {"/cfg/git/config": rewrite}
    there = {"XDG_CONFIG_HOME": "/cfg"}
    assert resolve(remote("origin", url), more=in_xdg, environment=there) == expected


def test_below_the_top_folder_and_outside() -> None:
    assert resolve(ORIGIN, cwd="/w/r/src/deep") == "me/r"
    assert resolve(ORIGIN, cwd="/w/r/src/../lib") == "me/r"
    assert resolve(ORIGIN, cwd="/w") == ""
    assert resolve(ORIGIN, cwd="/") == ""
    assert resolve(ORIGIN, cwd="relative") == ""


def test_a_worktree_reads_the_common_folder() -> None:
    more = {
        "/w/tree/.git": "gitdir: /w/r/.git/worktrees/tree\n",
        "/w/r/.git/worktrees/tree/HEAD": HEAD,
        "/w/r/.git/worktrees/tree/commondir": "../..\n",
    }
    assert resolve(ORIGIN, cwd="/w/tree/src", more=more) == "me/r"
    more["/w/tree/.git"] = "gitdir: ../r/.git/worktrees/tree\n"
    assert resolve(ORIGIN, cwd="/w/tree", more=more) == "me/r"
    more["/w/tree/.git"] = "nonsense"
    assert resolve(ORIGIN, cwd="/w/tree", more=more) == ""


def test_a_worktrees_own_config() -> None:
    own = remote("origin", "https://github.com/own/r", "gh-resolved = them/r")
    more = {
        "/w/tree/.git": "gitdir: /w/r/.git/worktrees/tree\n",
        "/w/r/.git/worktrees/tree/HEAD": HEAD,
        "/w/r/.git/worktrees/tree/commondir": "../..\n",
        "/w/r/.git/worktrees/tree/config.worktree": own,
    }
    assert resolve(ORIGIN, cwd="/w/tree", more=more) == "me/r"
    enabled = "[extensions]\n\tworktreeConfig = true\n" + ORIGIN
    assert resolve(enabled, cwd="/w/tree", more=more) == "them/r"


def test_a_submodule_has_a_folder_of_its_own() -> None:
    more = {
        "/w/r/sub/.git": "gitdir: ../.git/modules/sub\n",
        "/w/r/.git/modules/sub/HEAD": HEAD,
        "/w/r/.git/modules/sub/config": remote("origin", "git@github.com:s/sub.git"),
    }
    assert resolve(ORIGIN, cwd="/w/r/sub", more=more) == "s/sub"


def test_a_bare_repository() -> None:
    more = {"/srv/r.git/HEAD": HEAD, "/srv/r.git/config": "[core]\n\tbare = true\n" + ORIGIN}
    assert resolve("", cwd="/srv/r.git", more=more) == "me/r"


def test_git_dir_in_the_environment() -> None:
    assert resolve(ORIGIN, cwd="/elsewhere", environment={"GIT_DIR": "/w/r/.git"}) == "me/r"
    assert resolve(ORIGIN, cwd="/w/r", environment={"GIT_DIR": "/none"}) == ""


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        ("[include]\n path = extra\n", "inc/r"),
        ("[include]\n path = /w/r/.git/extra\n", "inc/r"),
        ("[include]\n path = ~/extra\n", "home/r"),
        ("[include]\n path = missing\n", ""),
        ('[includeIf "gitdir:/w/"]\n path = extra\n', "inc/r"),
        ('[includeIf "gitdir:/w/r/"]\n path = extra\n', "inc/r"),
        ('[includeIf "gitdir:/x/"]\n path = extra\n', ""),
        ('[includeIf "gitdir/i:/W/"]\n path = extra\n', "inc/r"),
        ('[includeIf "gitdir:r/.git"]\n path = extra\n', "inc/r"),
        ('[includeIf "onbranch:main"]\n path = extra\n', "inc/r"),
        ('[includeIf "onbranch:release/"]\n path = extra\n', ""),
        ('[includeIf "unknown:x"]\n path = extra\n', ""),
        ("[include]\n path = config\n", ""),  # itself, without end
    ],
)
def test_includes(include: str, expected: str) -> None:
    more = {
        "/w/r/.git/extra": remote("origin", "https://github.com/inc/r"),
        "/home/dev/extra": remote("origin", "https://github.com/home/r"),
    }
    assert resolve(include, more=more) == expected


def test_nobody_may_look() -> None:
    assert capture_shell("gh issue view 5", Context(cwd="/w/r")) == []
    assert capture_shell("gh issue view 5", Context(checkout=Checkout())) == []


def test_files_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    assert read_file(str(tmp_path)) is None
    assert read_file(str(tmp_path / "missing")) is None
    assert read_file("a\0b") is None
    (tmp_path / "large").write_text("x" * 1_000_001)
    assert read_file(str(tmp_path / "large")) is None
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert read_file(str(tmp_path / "bytes")) is not None


def test_what_git_itself_makes(tmp_path: Path) -> None:
    """A clone's config, a worktree and an insteadOf as real git writes them."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "x",
        "GIT_AUTHOR_EMAIL": "x@example.com",
        "GIT_COMMITTER_NAME": "x",
        "GIT_COMMITTER_EMAIL": "x@example.com",
    }

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, env=environment)  # noqa: S607 - whichever git the machine has

    git("config", "--global", "url.git@github.com:.insteadOf", "gh:")
    git("init", "-q", "main")
    git("-C", "main", "remote", "add", "origin", "gh:me/thing.git")
    git("-C", "main", "remote", "add", "upstream", "gh:them/thing.git")
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "x")
    git("-C", "main", "worktree", "add", "-q", "../tree")
    home = {"HOME": str(tmp_path)}
    for folder in ("main", "tree"):
        context = Context(cwd=str(tmp_path / folder), environment=home, checkout=Checkout())
        assert [str(a) for a in capture_shell("gh issue view 5", context)] == ["them/thing#5"]
    git("-C", "main", "config", "remote.origin.gh-resolved", "base")
    context = Context(cwd=str(tmp_path / "tree"), environment=home, checkout=Checkout())
    assert [str(a) for a in capture_shell("gh issue view 5", context)] == ["me/thing#5"]
