"""``gh`` command lines. What each reads was observed with gh 2.103 or read in its help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

W = "octo-org/widgets"

ITEMS = [
    f"gh issue view 42 -R {W}",
    f"gh issue view 42 -R={W}",
    f"gh issue view 42 -R{W}",
    f"gh issue view 42 --repo {W}",
    f"gh issue view 42 --repo={W}",
    f"gh issue view -R {W} 42",
    f"gh -R {W} issue view 42",
    f"gh issue -R {W} view 42",
    f"gh --repo={W} issue view 42",
    f"gh issue view -R {W} -- 42",
    f"gh issue view '#42' -R {W}",
    f"gh issue view 007042 -R {W}".replace("007042", "0042"),
    f"gh issue view 42 -cR {W}",
    f"gh issue view 42 -R a/b -R {W}",
    f"gh issue view 42 --comments -R {W}",
    f"gh issue view 42 --comments=true -R {W}",
    f"gh issue view 42 -R {W} --web=false",
    f"gh issue view 42 -R {W} --json title,body --jq .title",
    f"gh issue view 42 -R {W} --json title -q '.title'",
    f"gh issue view 42 -R {W} --json title -t '{{{{.title}}}}'",
    f'gh issue view 42 -R {W} --json "$FIELDS"',
    "gh issue view 42 -R OCTO-ORG/Widgets",
    f"gh issue view 42 -R github.com/{W}",
    f"gh issue view 42 -R https://github.com/{W}",
    f"gh issue view 42 -R https://github.com/{W}.git",
    f"gh issue view 42 -R https://www.github.com/{W}",
    f"gh issue view 42 -R git@github.com:{W}.git",
    f"gh issue view 42 -R ssh://git@github.com/{W}.git",
    f"gh issue view https://github.com/{W}/issues/42",
    f"gh issue view https://github.com/{W}/issues/42 -R a/b",
    f"gh issue view http://www.github.com/{W}/pull/42",
    f"gh issue view 'https://github.com/{W}/issues/42#issuecomment-99'",
    f"gh pr view 42 -R {W}",
    f"gh pr view '#42' -R {W}",
    f"gh pr view 42 --comments -R {W}",
    f"gh pr view https://github.com/{W}/pull/42",
    f"gh pr view https://github.com/{W}/pull/42/files",
    f"gh pr view https://github.com/{W}/pull/42/changes",
    f"gh pr view https://github.com/{W}/pull/42.diff",
    f"gh pr view 'https://github.com/{W}/pull/42#discussion_r5'",
    f"gh pr diff 42 -R {W}",
    f"gh pr diff 42 -R {W} --color never --name-only",
    f"gh pr diff 42 -R {W} -e '*.lock' --patch",
    f"gh pr checks 42 -R {W}",
    f"gh pr checks 42 -R {W} --watch -i 5 --fail-fast --required",
    f"gh pr checks 42 -R {W} --json name,state",
    f"GH_REPO={W} gh issue view 42",
    f"GH_REPO=github.com/{W} gh pr view 42",
    f"GH_REPO=a/b gh issue view 42 -R {W}",
    f"GH_HOST=github.com gh issue view 42 -R {W}",
]


@pytest.mark.parametrize("command", ITEMS)
def test_a_command_that_reads_an_item(
    command: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == [f"{W}#42"]


REPOSITORIES = [
    f"gh repo view {W}",
    f"gh repo view github.com/{W}",
    f"gh repo view https://github.com/{W}",
    f"gh repo view https://github.com/{W}.git",
    f"gh repo view {W} --json description -q .description",
    f"gh repo view {W} -b main",
    f"gh repo view --branch=main {W}",
    "cd /home/dev/widgets && gh repo view",
    "cd /home/dev/widgets && GH_REPO=a/b gh repo view",
    f"gh api repos/{W}",
]


@pytest.mark.parametrize("command", REPOSITORIES)
def test_a_command_that_reads_a_repository(
    command: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == [W]


LISTS = [
    (f"gh issue list -R {W}", "issues?state=open [30]"),
    (f"gh issue ls -R {W}", "issues?state=open [30]"),
    (f"gh -R {W} issue list", "issues?state=open [30]"),
    (f"gh issue list -R {W} --state OPEN", "issues?state=open [30]"),
    (f"gh issue list -R {W} -s closed", "issues?state=closed [30]"),
    (f"gh issue list -R {W} -s=all", "issues?state=all [30]"),
    (f"gh issue list -R {W} -sall -L5", "issues?state=all [5]"),
    (f"gh issue list -R {W} -L 5", "issues?state=open [5]"),
    (f"gh issue list -R {W} -L=5", "issues?state=open [5]"),
    (f"gh issue list -R {W} --limit 1000", "issues?state=open [1000]"),
    (f"gh issue list -R {W} --limit=200", "issues?state=open [200]"),
    (f"gh issue list -R {W} --limit 5 --limit 7", "issues?state=open [7]"),
    (f"gh issue list -R {W} -l bug", "issues?labels=bug&state=open [30]"),
    (f"gh issue list -R {W} --label=Bug", "issues?labels=bug&state=open [30]"),
    (f"gh issue list -R {W} -l ui,bug", "issues?labels=bug,ui&state=open [30]"),
    (f"gh issue list -R {W} -l ui -l bug", "issues?labels=bug,ui&state=open [30]"),
    (
        f"gh issue list -R {W} -l bug,ui -l 'good first issue'",
        "issues?labels=bug,good%20first%20issue,ui&state=open [30]",
    ),
    (
        f'gh issue list -R {W} --label "area: db,cache"',
        "issues?labels=area:%20db,cache&state=open [30]",
    ),
    (
        f"""gh issue list -R {W} -l '"area: db,cache",x'""",
        "issues?labels=area:%20db%2Ccache,x&state=open [30]",
    ),
    (f"gh issue list -R {W} -l '🐛 bug'", "issues?labels=%F0%9F%90%9B%20bug&state=open [30]"),
    (f"gh issue list -R {W} -l ''", "issues?state=open [30]"),
    (f"gh issue list -R {W} -A Mona", "issues?author=mona&state=open [30]"),
    (f"gh issue list -R {W} --author=mona", "issues?author=mona&state=open [30]"),
    (f"gh issue list -R {W} -a mona -A hubot", "issues?assignee=mona&author=hubot&state=open [30]"),
    (f"gh issue list -R {W} -m 'Big 1.0'", "issues?milestone=big%201.0&state=open [30]"),
    (f"gh issue list -R {W} -m 3", "issues?milestone=%233&state=open [30]"),
    (f"gh issue list -R {W} -S crash", "issues?state=open&q=crash [30]"),
    (f"gh issue list -R {W} -S 'App  Crash'", "issues?state=open&q=App%20Crash [30]"),
    (f"gh issue list -R {W} --search='is:open crash'", "issues?state=open&q=is:open%20crash [30]"),
    (f"gh issue list -R {W} -S 'is:closed x'", "issues?state=closed&q=is:closed%20x [30]"),
    (f"gh issue list -R {W} -s open -S 'state:closed'", "issues?state=closed [30]"),
    (f"gh issue list -R {W} -s all -S 'no:label'", "issues?state=all&q=no:label [30]"),
    # Qualifiers alone are what `gh search` and the flags say too.
    (f"gh issue list -R {W} -S 'label:bug'", "issues?labels=bug&state=open [30]"),
    (f"gh issue list -R {W} -l ui -S 'label:bug'", "issues?labels=bug,ui&state=open [30]"),
    (f"gh issue list -R {W} -s all -S 'is:open label:bug'", "issues?labels=bug&state=open [30]"),
    (f"gh issue list -R {W} -S 'is:open no:label'", "issues?state=open&q=no:label [30]"),
    (f"gh issue list -R {W} -S 'sort:created-desc'", "issues?state=open [30]"),
    (f"gh issue list -R {W} -S 'author:Mona'", "issues?author=mona&state=open [30]"),
    (f"gh issue list -R {W} -A mona -S 'author:Mona'", "issues?author=mona&state=open [30]"),
    (f"gh issue list -R {W} -S 'no:assignee'", "issues?assignee=none&state=open [30]"),
    (f"gh issue list -R {W} -S 'milestone:v1'", "issues?milestone=v1&state=open [30]"),
    (f"gh pr list -R {W} -s all -S 'is:merged'", "pulls?state=merged [30]"),
    # Where the two contradict, or no filter says it, the text stays as it is.
    (
        f"gh issue list -R {W} -A mona -S 'author:hubot'",
        "issues?author=mona&state=open&q=author:hubot [30]",
    ),
    (f"gh pr list -R {W} -S 'is:merged'", "pulls?state=open&q=is:merged [30]"),
    (
        f"gh issue list -R {W} -S 'label:bug OR label:ui'",
        "issues?state=open&q=label:bug%20OR%20label:ui [30]",
    ),
    (f"gh issue list -R {W} -S 'label:bug x'", "issues?state=open&q=label:bug%20x [30]"),
    (
        f"gh issue list -R {W} -S 'x sort:created-desc'",
        "issues?state=open&q=x%20sort:created-desc [30]",
    ),
    (f"gh issue list -R {W} --json number,title -q '.[].number'", "issues?state=open [30]"),
    (f"gh issue list -R {W} --json number --template '{{{{.}}}}'", "issues?state=open [30]"),
    (f"gh pr list -R {W}", "pulls?state=open [30]"),
    (f"gh pr ls --repo {W}", "pulls?state=open [30]"),
    (f"gh pr list -R {W} -s merged", "pulls?state=merged [30]"),
    (f"gh pr list -R {W} --state closed -L 100", "pulls?state=closed [100]"),
    (f"gh pr list -R {W} -l bug -A mona", "pulls?author=mona&labels=bug&state=open [30]"),
    (f"gh pr list -R {W} -a mona", "pulls?assignee=mona&state=open [30]"),
    (f"gh pr list -R {W} -s merged -S x", "pulls?state=merged&q=x [30]"),
    (f"gh pr list -R {W} -S 'review:required'", "pulls?state=open&q=review:required [30]"),
    (f"GH_REPO={W} gh pr list", "pulls?state=open [30]"),
    (f"gh search issues --repo {W}", "issues?state=all [30]"),
    (f"gh search issues -R {W} --state open --label bug", "issues?labels=bug&state=open [30]"),
    (f"gh search issues -R {W} --label bug,ui", "issues?labels=bug,ui&state=all [30]"),
    (f"gh search issues -R {W} crash", "issues?state=all&q=crash [30]"),
    (f"gh search issues -R {W} 'app crash' now", "issues?state=all&q=%22app%20crash%22%20now [30]"),
    (f"gh search issues repo:{W} is:open crash -L 5", "issues?state=open&q=crash [5]"),
    (
        f"gh search issues --repo={W} --author mona --state closed",
        "issues?author=mona&state=closed [30]",
    ),
    (f"gh search issues -R {W} --assignee mona", "issues?assignee=mona&state=all [30]"),
    (f"gh search issues -R {W} --no-assignee", "issues?assignee=none&state=all [30]"),
    (f"gh search issues -R {W} --no-milestone", "issues?milestone=none&state=all [30]"),
    (f"gh search issues -R {W} --no-label", "issues?state=all&q=no:label [30]"),
    (f"gh search issues -R {W} --milestone 'v 1'", "issues?milestone=v%201&state=all [30]"),
    (f"gh search issues -R {W} --mentions mona", "issues?state=all&q=mentions:mona [30]"),
    (f"gh search issues x -R {W} --match title", "issues?state=all&q=x%20in:title [30]"),
    (
        f"gh search issues -R {W} --created '>2026-01-01'",
        "issues?state=all&q=created:%3E2026-01-01 [30]",
    ),
    (f"gh search issues -R {W} -- -label:bug", "issues?state=all&q=-label:bug [30]"),
    (
        f"gh search issues -R {W} 'label:good first issue'",
        "issues?labels=good%20first%20issue&state=all [30]",
    ),
    (f"gh search issues -R {W} --label bug --sort created", "issues?labels=bug&state=all [30]"),
    (
        f"gh search issues x -R {W} --sort created --order desc",
        "issues?state=all&q=x%20sort:created-desc [30]",
    ),
    (f"gh search prs -R {W} --merged", "pulls?state=merged [30]"),
    (f"gh search prs -R {W} --state open crash --json url", "pulls?state=open&q=crash [30]"),
]


@pytest.mark.parametrize(("command", "expected"), LISTS)
def test_a_command_that_lists(
    command: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == [f"{W}/{expected}"]


NOTHING = [
    "gh",
    "gh --help",
    "gh --version",
    "gh auth status",
    "gh status",
    "gh browse",
    f"gh issue status -R {W}",
    f"gh pr status -R {W}",
    "gh issue view 42",  # no checkout here
    "gh issue list",
    "gh pr view",
    f"gh pr view -R {W}",
    f"gh pr view feature/x -R {W}",
    f"gh pr view mona:branch -R {W}",
    f"gh pr view https://github.com/{W}/issues/42",
    f"gh pr view https://github.com/{W}/pulls/42",
    f"gh pr checkout 42 -R {W}",
    f"gh pr create -R {W} --title x --body y",
    f"gh pr merge 42 -R {W}",
    f"gh pr comment 42 -R {W} -b x",
    f"gh issue comment 42 -R {W} -b x",
    f"gh issue close 42 -R {W}",
    f"gh issue edit 42 -R {W} --add-label bug",
    f"gh issue create -R {W}",
    f"gh issue view 42 -R {W} --web",
    f"gh issue view 42 -w -R {W}",
    f"gh issue view 42 -R {W} --help",
    f"gh issue view 42 -R {W} -h",
    f"gh issue view 42 -R {W} --json",
    f"gh issue view 42 43 -R {W}",
    f"gh issue view -R {W}",
    f"gh issue view {W}#42",
    f"gh issue view GH-42 -R {W}",
    f"gh issue view issues/42 -R {W}",
    f"gh issue view github.com/{W}/issues/42",
    f"gh issue view 0 -R {W}",
    f"gh issue view 2147483648 -R {W}",
    f"gh issue view 99999999999999999999 -R {W}",
    f"gh issue view ² -R {W}",
    f"gh issue view \uff14\uff12 -R {W}",
    f"gh issue view #42 -R {W}",  # a comment, to a shell
    f"gh issue view -42 -R {W}",
    f"gh issue view 42 -R https://github.com/{W}/issues",
    "gh issue view 42 -R widgets",
    f"gh issue view 42 -R {W}.git",
    f"gh issue view 42 -R {W}/x/y",
    f"gh issue view 42 -R gitlab.com/{W}",
    f"gh issue view 42 -R https://ghe.corp.com/{W}",
    f"GH_HOST=ghe.corp.com gh issue view 42 -R {W}",
    "GH_REPO=widgets gh issue view 42",
    f"gh issue view https://ghe.corp.com/{W}/issues/42",
    f"gh issue view https://github.com/{W}/discussions/42",
    f"gh issue view 42 -R {W} --unknown",
    f"gh issue view 42 -R {W} --repository x",
    f"gh issue view 42 -R {W} --comments=maybe",
    f"gh issue list -R {W} --web",
    f"gh issue list -R {W} --author @me",
    f"gh issue list -R {W} --assignee @me",
    f"gh issue list -R {W} --assignee @copilot",
    f"gh issue list -R {W} -S 'author:@me'",
    f"gh issue list -R {W} --mention mona",
    f"gh issue list -R {W} --app dependabot",
    f"gh issue list -R {W} --type Bug",
    f"gh issue list -R {W} -s merged",
    f"gh issue list -R {W} -s nonsense",
    f"gh issue list -R {W} -L 0",
    f"gh issue list -R {W} -L x",
    f"gh issue list -R {W} -L -5",
    f"gh issue list -R {W} -S 'is:pr x'",
    f"gh issue list -R {W} -S 'repo:a/b x'",
    f"gh issue list -R {W} -S 'org:a x'",
    f"gh issue list -R {W} -S 'sort:updated-desc'",
    f"gh issue list -R {W} -S 'x sort:comments'",
    f"gh issue list -R {W} crash",
    f"gh issue list -R {W} $FLAGS",
    f"gh issue list -R {W} -l $LABEL",
    f'gh issue list -R {W} -l "$LABEL"',
    f'gh issue list -R {W} -L "$N"',
    f"gh issue list -R {W} -l 'a,,b'",
    f"""gh issue list -R {W} -l 'a"b,c'""",
    f"gh issue list -R {W} -m '#3'",
    f"gh issue list -R {W} -m none",
    f"gh issue list -R {W} -a none",
    f"gh issue list -R {W} --search",
    f"gh pr list -R {W} --draft",
    f"gh pr list -R {W} -d",
    f"gh pr list -R {W} --draft=false",
    f"gh pr list -R {W} --base main",
    f"gh pr list -R {W} -B main",
    f"gh pr list -R {W} --head topic",
    f"gh pr list -R {W} -S 'is:issue'",
    f"gh pr list -R {W} -m 3",
    "gh repo list octo-org",
    f"gh repo view {W}/issues",
    f"gh repo view https://github.com/{W}/issues",
    f"gh repo view -R {W}",
    f"gh repo view {W} --web",
    f"gh repo clone {W}",
    "gh repo view widgets",
    "gh repo view",
    "gh search issues crash",
    "gh search issues crash --owner octo-org",
    f"gh search issues -R {W} -R a/b crash",
    f"gh search issues -R {W},a/b crash",
    f"gh search issues -R https://github.com/{W} crash",
    "gh search issues -R widgets crash",
    f"gh search issues -R {W} --owner octo-org",
    f"gh search issues -R {W} --owner @me",
    f"gh search issues -R {W} --author @me",
    f"gh search issues -R {W} --state all",
    f"gh search issues -R {W} --include-prs",
    f"gh search issues -R {W} is:pr",
    f"gh search issues 'repo:{W} is:open x'",  # one argument is one phrase
    f"gh search issues -R {W} --sort updated",
    f"gh search issues -R {W} --sort created --order asc",
    f"gh search issues -R {W} --search-type semantic x",
    f"gh search issues -R {W} -L 1001",
    f"gh search issues -R {W} a OR b",
    f"gh search issues -R {W} --archived",
    f"gh search issues -R {W} --web",
    f"gh search prs -R {W} --draft",
    f"gh search prs -R {W} --review required",
    f"gh search prs -R {W} --checks success",
    f"gh search code -R {W} x",
    "gh search repos widgets",
    f"gh search commits -R {W} x",
    f"gh run list -R {W}",
    f"gh release view -R {W}",
    f"gh co 42 -R {W}",
]


@pytest.mark.parametrize("command", NOTHING)
def test_a_command_that_reads_nothing_an_address_names(
    command: str, context: Callable[..., Context]
) -> None:
    assert capture_shell(command, context()) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"gh issue list -R {W} -A @me", "issues?author=mona&state=open [30]"),
        (f"gh pr list -R {W} -a @me", "pulls?assignee=mona&state=open [30]"),
        (f"gh search issues -R {W} --author @me", "issues?author=mona&state=all [30]"),
        (
            f"gh search prs -R {W} review-requested:@me",
            "pulls?state=all&q=review-requested:mona [30]",
        ),
        (f"gh issue list -R {W} -S 'involves:@me x'", "issues?state=open&q=involves:mona%20x [30]"),
    ],
)
def test_me_is_the_configured_login(
    command: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context(login="mona"))) == [f"{W}/{expected}"]


@pytest.mark.parametrize(
    "command",
    [
        "gh status",
        f"gh issue status -R {W}",
        f"gh pr status -R {W}",
        "gh search issues --owner @me x",
        f"gh issue list -R {W} -a @copilot",
    ],
)
def test_what_stays_relative_to_the_user_is_not_recorded(
    command: str, context: Callable[..., Context]
) -> None:
    assert capture_shell(command, context(login="mona")) == []


def test_a_bare_name_is_the_users_own_repository(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell("gh repo view dotfiles", context(login="Mona"))) == ["mona/dotfiles"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("gh issue view 5 -R ghe.corp.com/o/r", "ghe.corp.com/o/r#5"),
        ("gh issue view 5 -R https://GHE.corp.com/o/r", "ghe.corp.com/o/r#5"),
        ("gh issue view https://ghe.corp.com/o/r/issues/5", "ghe.corp.com/o/r#5"),
        ("GH_HOST=ghe.corp.com gh issue view 5 -R o/r", "ghe.corp.com/o/r#5"),
        ("GH_HOST=ghe.corp.com GH_REPO=o/r gh issue view 5", "ghe.corp.com/o/r#5"),
        ("GH_REPO=ghe.corp.com/o/r gh issue view 5", "ghe.corp.com/o/r#5"),
        ("GH_HOST=ghe.corp.com gh issue view 5 -R github.com/o/r", "o/r#5"),
        ("GH_HOST=ghe.corp.com gh repo view o/r", "ghe.corp.com/o/r"),
        ("gh api --hostname ghe.corp.com repos/o/r/issues/5", "ghe.corp.com/o/r#5"),
        ("cd /home/dev/inside && gh issue view 5", "ghe.corp.com/team/tool#5"),
        ("gh pr list -R octo.ghe.com/o/r", "octo.ghe.com/o/r/pulls?state=open [30]"),
    ],
)
def test_a_host_of_the_settings(
    command: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    hosts = frozenset(["ghe.corp.com", "octo.ghe.com"])
    assert shown(capture_shell(command, context(hosts=hosts))) == [expected]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("gh issue view 5", ["octo-org/widgets#5"]),
        ("gh pr list", ["octo-org/widgets/pulls?state=open [30]"]),
        ("cd ../gears && gh pr view 5", ["octo-org/gears#5"]),
        ("cd ../gears; gh pr view 5; cd -; gh pr view 6", ["octo-org/gears#5"]),
        ("(cd ../gears && gh pr view 5); gh pr view 6", ["octo-org/gears#5", "octo-org/widgets#6"]),
        ("cd ../none && gh pr view 5", []),
        ("cd ../inside && gh pr view 5", []),
        ("cd src/deep && gh pr view 5", ["octo-org/widgets#5"]),
        ("gh issue view 5 -R a/b", ["a/b#5"]),
        ("GH_REPO=a/b gh issue view 5", ["a/b#5"]),
        ("gh repo view", ["octo-org/widgets"]),
    ],
)
def test_in_a_checkout(
    command: str,
    expected: list[str],
    context: Callable[..., Context],
    shown: Callable[..., list[str]],
) -> None:
    assert shown(capture_shell(command, context(cwd="/home/dev/widgets"))) == expected


def test_the_environment_of_the_session_counts(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    around = context(cwd="/home/dev/widgets", environment={"GH_REPO": "a/b"})
    assert shown(capture_shell("gh issue view 5", around)) == ["a/b#5"]
    assert shown(capture_shell("unset GH_REPO; gh issue view 5", around)) == ["octo-org/widgets#5"]
    assert shown(capture_shell("env -u GH_REPO gh issue view 5", around)) == ["octo-org/widgets#5"]
    assert shown(capture_shell("GH_REPO=c/d; gh issue view 5", around)) == ["c/d#5"]
