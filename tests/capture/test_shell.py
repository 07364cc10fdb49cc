"""The shell around a command: what runs, where, and with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

READS_5 = [
    "gh issue view 5 -R o/r",
    "  gh   issue view 5   -R o/r  ",
    "gh issue view 5 -R o/r | head",
    "gh issue view 5 -R o/r | jq . | less",
    "gh issue view 5 -R o/r > out.txt",
    "gh issue view 5 -R o/r 2>&1",
    "gh issue view 5 -R o/r 2>/dev/null || true",
    "2>&1 gh issue view 5 -R o/r",
    "gh issue view 5 -R o/r &",
    "gh issue view 5 -R o/r; echo done",
    "echo start && gh issue view 5 -R o/r",
    "false || gh issue view 5 -R o/r",
    "! gh issue view 5 -R o/r",
    "(gh issue view 5 -R o/r)",
    "{ gh issue view 5 -R o/r; }",
    "( ( gh issue view 5 -R o/r ) )",
    "x=$(gh issue view 5 -R o/r)",
    "x=`gh issue view 5 -R o/r`",
    'echo "$(gh issue view 5 -R o/r)"',
    'echo "title: $(gh issue view 5 -R o/r --json title -q .title)"',
    'export BODY="$(gh issue view 5 -R o/r)"',
    "cat <(gh issue view 5 -R o/r)",
    "diff <(gh issue view 5 -R o/r) b",
    "echo ${x:-$(gh issue view 5 -R o/r)}",
    '[ -n "$(gh issue view 5 -R o/r)" ] && echo yes',
    "[[ $(gh issue view 5 -R o/r) == x ]] || echo no",
    "arr=($(gh issue view 5 -R o/r))",
    "echo $(( $(gh issue view 5 -R o/r -q .x --json x) + 1 ))",
    "cat <<EOF\n$(gh issue view 5 -R o/r)\nEOF",
    "cat <<-EOF\n\tx $(gh issue view 5 -R o/r)\n\tEOF",
    'cat <<< "$(gh issue view 5 -R o/r)"',
    "case x in y) gh issue view 5 -R o/r;; esac",
    "case $(gh issue view 5 -R o/r) in y) ;; esac",
    "if gh issue view 5 -R o/r; then echo; fi",
    "if true; then gh issue view 5 -R o/r; fi",
    "if true; then :; elif false; then gh issue view 5 -R o/r; fi",
    "if true; then :; else gh issue view 5 -R o/r; fi",
    "while true; do gh issue view 5 -R o/r; sleep 5; done",
    "until gh issue view 5 -R o/r; do sleep 1; done",
    "for ((i=0;i<3;i++)); do gh issue view 5 -R o/r; done",
    "f() { gh issue view 5 -R o/r; }; f",
    "f() { gh issue view $1 -R o/r; }; f 5",
    'function f { gh issue view "$1" -R "$2"; }; f 5 o/r',
    "time gh issue view 5 -R o/r",
    "time -p gh issue view 5 -R o/r",
    "timeout 9 gh issue view 5 -R o/r",
    "timeout -k 5 30s gh issue view 5 -R o/r",
    "timeout --signal=KILL 9 gh issue view 5 -R o/r",
    "timeout --foreground 9 gh issue view 5 -R o/r",
    "nohup gh issue view 5 -R o/r &",
    "nice -n 5 gh issue view 5 -R o/r",
    "stdbuf -oL gh issue view 5 -R o/r",
    "setsid gh issue view 5 -R o/r",
    "sudo gh issue view 5 -R o/r",
    "sudo -u dev -E gh issue view 5 -R o/r",
    "sudo -n -- gh issue view 5 -R o/r",
    "command gh issue view 5 -R o/r",
    "exec gh issue view 5 -R o/r",
    "builtin command gh issue view 5 -R o/r",
    "env gh issue view 5 -R o/r",
    "env GH_REPO=o/r gh issue view 5",
    "env -i GH_REPO=o/r PATH=/bin gh issue view 5",
    "env -u X GH_REPO=o/r gh issue view 5",
    "env -- GH_REPO=o/r gh issue view 5",
    "env -S 'gh issue view 5 -R o/r'",
    "GH_REPO=o/r gh issue view 5",
    "GH_PAGER= NO_COLOR=1 gh issue view 5 -R o/r",
    "GH_TOKEN=$TOKEN gh issue view 5 -R o/r",
    "export GH_REPO=o/r; gh issue view 5",
    "export GH_REPO=o/r && gh issue view 5",
    "GH_REPO=o/r; export GH_REPO; gh issue view 5",
    "declare -x GH_REPO=o/r; gh issue view 5",
    "/usr/bin/gh issue view 5 -R o/r",
    "~/bin/gh issue view 5 -R o/r",
    "gh.exe issue view 5 -R o/r",
    "\\gh issue view 5 -R o/r",
    "'gh' issue view 5 -R o/r",
    "g''h issue view 5 -R o/r # gh",
    'gh "issue" \'view\' 5 "-R" o/r',
    "gh issue view $'5' -R o/r",
    'gh issue view $"5" -R o/r',
    "gh issue view 5 \\\n  -R o/r",
    "gh issue view 5 -R o'/'r",
    "bash -c 'gh issue view 5 -R o/r'",
    "bash -lc 'gh issue view 5 -R o/r'",
    "bash -l -c 'gh issue view 5 -R o/r'",
    "bash --login -c 'gh issue view 5 -R o/r'",
    "bash -o pipefail -c 'gh issue view 5 -R o/r'",
    "bash -euo pipefail -c 'gh issue view 5 -R o/r'",
    '/bin/zsh -lc "gh issue view 5 -R o/r"',
    "sh -c 'gh issue view $1 -R o/r' _ 5",
    "sh -c \"bash -c 'gh issue view 5 -R o/r'\"",
    "env GH_REPO=o/r bash -c 'gh issue view 5'",
    "GH_REPO=o/r bash -c 'gh issue view 5'",
    "timeout 9 bash -lc 'gh issue view 5 -R o/r'",
    "bash <<'EOF'\ngh issue view 5 -R o/r\nEOF",
    "bash -s <<EOF\ngh issue view 5 -R o/r\nEOF",
    "cat <<'EOF' | bash\ngh issue view 5 -R o/r\nEOF",
    "echo 'gh issue view 5 -R o/r' | sh",
    "bash <<< 'gh issue view 5 -R o/r'",
    "eval 'gh issue view 5 -R o/r'",
    "eval gh issue view 5 -R o/r",
    "watch -n 5 gh issue view 5 -R o/r",
    "N=5; gh issue view $N -R o/r",
    'N=5; gh issue view "$N" -R o/r',
    "N=5; gh issue view ${N} -R o/r",
    "N=5 R=o/r; gh issue view $N -R $R",
    "R=o/r\nN=5\ngh issue view $N -R $R",
    "FLAGS='-R o/r'; gh issue view 5 $FLAGS",
    "URL=https://github.com/o/r/issues/5; gh issue view $URL",
    "O=o; gh issue view 5 -R $O/r",
    'O=o; gh issue view 5 -R "${O}/r"',
    "N=$(echo 5); gh issue view $N -R o/r",
    "EMPTY=; gh issue view 5 $EMPTY -R o/r",
    "if [ -d x ]; then N=5; else N=5; fi; gh issue view $N -R o/r",
    "echo 5 | xargs gh issue view -R o/r",
    "echo 5 | xargs -n1 gh issue view -R o/r",
    "echo 5 | xargs -I{} gh issue view {} -R o/r",
    "echo 5 | xargs -I % sh -c 'gh issue view % -R o/r'",
    "printf '%s\\n' 5 | xargs -I{} gh issue view {} -R o/r",
    "seq 5 5 | xargs gh issue view -R o/r",
    "xargs gh issue view -R o/r <<< 5",
    "echo 5 | while read n; do gh issue view $n -R o/r; done",
    'echo 5 | while IFS= read -r n; do gh issue view "$n" -R o/r; done',
    "while read -r repo n; do gh issue view $n -R $repo; done <<< 'o/r 5'",
    "cd /tmp && gh issue view 5 -R o/r",
    'cd "$DIR" && gh issue view 5 -R o/r',
    "pushd x; gh issue view 5 -R o/r; popd",
    "set -euo pipefail; gh issue view 5 -R o/r",
    "# look\ngh issue view 5 -R o/r # really",
    "gh issue view 5 -R o/r\necho 'gh issue view 6 -R o/r'",
    "for x in a; do [ -z $x ] && continue; gh issue view 5 -R o/r; done",
    "test -f x && exit 0; gh issue view 5 -R o/r",
    "gh issue view 5 -R o/r && exit; gh issue view 5 -R o/r",
    "select x in a; do gh issue view 5 -R o/r; break; done",
]


@pytest.mark.parametrize("command", READS_5)
def test_what_runs(
    command: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == ["o/r#5"]


READS_NOTHING = [
    "",
    " ",
    "ls -la",
    "echo gh issue view 5 -R o/r",
    "echo 'gh issue view 5 -R o/r'",
    'echo "gh issue view 5 -R o/r"',
    "# gh issue view 5 -R o/r",
    "ls # gh issue view 5 -R o/r",
    "cat <<EOF\ngh issue view 5 -R o/r\nEOF",
    "cat <<'EOF'\n$(gh issue view 5 -R o/r)\nEOF",
    'cat <<"EOF"\n$(gh issue view 5 -R o/r)\nEOF',
    "cat > run.sh <<'EOF'\n#!/bin/sh\ngh issue view 5 -R o/r\nEOF",
    "git commit -m 'Read https://github.com/o/r/issues/5 and gh issue view 5 -R o/r'",
    "git commit -m \"$(cat <<'EOF'\nUse gh issue view 5 -R o/r\nEOF\n)\"",
    "gh pr create --body 'see gh issue view 5 -R o/r'",
    "grep -r 'gh issue view 5 -R o/r' .",
    "man gh issue",
    "which gh issue view 5 -R o/r",
    "command -v gh",
    "command -V gh issue view 5 -R o/r",
    "f() { gh issue view 5 -R o/r; }",
    "alias v='gh issue view 5 -R o/r'",
    "gh issue view $N -R o/r",
    'gh issue view "$N" -R o/r',
    "gh issue view 5 -R $R",
    "gh issue view $(cat n) -R o/r",
    "gh issue view 5 $FLAGS -R o/r",
    "gh issue view $((2+3)) -R o/r",
    "N=5; N=$(cat n); gh issue view $N -R o/r",
    "N=5; N+=1; gh issue view $N -R o/r",
    "N=5; read N; gh issue view $N -R o/r",
    "N=5; let N=N+1; gh issue view $N -R o/r",
    "N=5 gh issue view $N -R o/r",
    "N=5; if [ -d x ]; then N=6; fi; gh issue view $N -R o/r",
    "N=5; [ -d x ] && N=6; gh issue view $N -R o/r",
    "N=5; case $x in a) N=6;; esac; gh issue view $N -R o/r",
    "N=(5 6); gh issue view $N -R o/r",
    "N=5; gh issue view '$N' -R o/r",
    "N=5; gh issue view \\$N -R o/r",
    "N=5; gh issue view ${N%x} -R o/r",
    "N=5; gh issue view ${#N} -R o/r",
    "(N=5); gh issue view $N -R o/r",
    "N=5 | true; gh issue view $N -R o/r",
    "unset GH_REPO; gh issue view 5",
    "GH_REPO=o/r; gh issue view 5",  # not exported
    "GH_REPO=o/r true; gh issue view 5",
    "(export GH_REPO=o/r); gh issue view 5",
    "export GH_REPO=$R; gh issue view 5",
    "export GH_REPO=o/r; sudo gh issue view 5",
    "export GH_REPO=o/r; env -i gh issue view 5",
    "export GH_REPO=o/r; unset GH_REPO; gh issue view 5",
    "xargs gh issue view -R o/r",
    "cat numbers | xargs gh issue view -R o/r",
    "cat numbers | xargs -I{} gh issue view {} -R o/r",
    "echo 5 6 | xargs gh issue view -R o/r",  # two arguments at once
    "cat numbers | while read n; do gh issue view $n -R o/r; done",
    "while read n; do gh issue view $n -R o/r; done < numbers",
    "for n in $(cat numbers); do gh issue view $n -R o/r; done",
    "for n in *; do gh issue view $n -R o/r; done",
    "for n; do gh issue view $n -R o/r; done",
    "for ((i=5;i<6;i++)); do gh issue view $i -R o/r; done",
    "exit; gh issue view 5 -R o/r",
    "exec ls; gh issue view 5 -R o/r",
    "bash run.sh 'gh issue view 5 -R o/r'",
    'bash -c "$SCRIPT"',
    "bash -c 'echo gh issue view 5 -R o/r'",
    "ssh host 'gh issue view 5 -R o/r'",
    "python -c 'import os; os.system(\"gh issue view 5 -R o/r\")'",
    "python - <<'EOF'\ngh issue view 5 -R o/r\nEOF",
    "echo gh issue view 5 -R o/r >> run.sh",
    "gh issue view 5 -R o/r '",  # no shell runs this
    "gh issue view 5 -R 'o/r",
    "if gh issue view 5 -R o/r; then",
    "sudo -l gh issue view 5 -R o/r",
    "mygh issue view 5 -R o/r",
    "gh-dash issue view 5 -R o/r",
    "./gh/run issue view 5 -R o/r",
    "\0gh issue view 5 -R o/r",
    "GH=gh; $GHX issue view 5 -R o/r",
    "{gh,x} issue view 5 -R o/r",
]


@pytest.mark.parametrize("command", READS_NOTHING)
def test_what_does_not_run_or_is_not_known(command: str, context: Callable[..., Context]) -> None:
    assert capture_shell(command, context()) == []


@pytest.mark.parametrize(
    ("command", "numbers"),
    [
        ("for n in 1 2 3; do gh issue view $n -R o/r; done", [1, 2, 3]),
        ('for n in 1 2 3\ndo\n  gh issue view "$n" -R o/r\ndone', [1, 2, 3]),
        ("for n in {1..3}; do gh issue view $n -R o/r; done", [1, 2, 3]),
        ("for n in {1..5..2}; do gh issue view $n -R o/r; done", [1, 3, 5]),
        ("for n in {3..1}; do gh issue view $n -R o/r; done", [3, 2, 1]),
        ("for n in $(seq 1 3); do gh issue view $n -R o/r; done", [1, 2, 3]),
        ("for n in $(echo 1 2); do gh issue view $n -R o/r; done", [1, 2]),
        ("for n in 1 $X 3; do gh issue view $n -R o/r; done", [1, 3]),
        ("NS='1 2'; for n in $NS; do gh issue view $n -R o/r; done", [1, 2]),
        ("for n in 1 2 3; do gh issue view $n -R o/r; break; done", [1]),
        ("for n in 1 2; do gh issue view $n -R o/r || exit 1; done", [1, 2]),
        (
            "for n in 1 2; do for m in 3 4; do gh issue view $n$m -R o/r; done; done",
            [13, 14, 23, 24],
        ),
        ("for n in 1 2; do gh issue view $n -R o/r & done; wait", [1, 2]),
        ("for n in 1 2; do gh issue view $n -R o/r; done | tee log", [1, 2]),
        ("for n in 1 2; do gh issue view $n -R o/r; done > log", [1, 2]),
        ('for n in 1 2; do bash -c "gh issue view $n -R o/r"; done', [1, 2]),
        ("for u in https://github.com/o/r/issues/{1,2}; do gh issue view $u; done", [1, 2]),
        ("seq 1 3 | xargs -n1 gh issue view -R o/r", [1, 2, 3]),
        ("echo 1 2 3 | xargs -n 1 gh issue view -R o/r", [1, 2, 3]),
        ("printf '%s\\n' 1 2 | xargs -P2 -I{} gh issue view {} -R o/r", [1, 2]),
        ("printf '1\\n2\\n' | while read n; do gh issue view $n -R o/r; done", [1, 2]),
        ("while read n; do gh issue view $n -R o/r; done <<EOF\n1\n2\nEOF", [1, 2]),
        ("gh issue view 1 -R o/r && gh pr view 2 -R o/r; gh issue view 3 -R o/r", [1, 2, 3]),
        ("gh issue view 1 -R o/r || gh issue view 2 -R o/r", [1, 2]),
        ("echo $(gh issue view 1 -R o/r) $(gh issue view 2 -R o/r)", [1, 2]),
        ('echo "a $(gh issue view 1 -R o/r)  $(gh issue view 2 -R o/r) b"', [1, 2]),
        ("gh issue view $(gh issue view 1 -R o/r) -R o/r", [1]),
        ("f() { gh issue view $1 -R o/r; }; f 1; f 2", [1, 2]),
        ("gh issue view 1 -R o/r; gh issue view 2 -R 'o/r", []),
        ("gh issue view 1 -R o/r\ngh issue view 2 -R 'o/r", [1]),
        ("gh issue view 1 -R o/r\necho 'a\nb'\ngh issue view 2 -R o/r", [1, 2]),
        ("cat <<A > x\n$(gh issue view 1 -R o/r)\nA\ngh issue view 2 -R o/r", [1, 2]),
        ("cat <<'A' && gh issue view 1 -R o/r\nx\nA\ngh issue view 2 -R o/r", [1, 2]),
        ("N=1; gh issue view $N -R o/r; N=2; gh issue view $N -R o/r", [1, 2]),
        ("N=1; (N=2; gh issue view $N -R o/r); gh issue view $N -R o/r", [2, 1]),
        ("gh issue view 5 -R o/r; gh issue view 5 -R o/r", [5]),
    ],
)
def test_several_at_once(
    command: str,
    numbers: list[int],
    context: Callable[..., Context],
    shown: Callable[..., list[str]],
) -> None:
    assert shown(capture_shell(command, context())) == [f"o/r#{number}" for number in numbers]


def test_two_limits_of_one_list_are_two_asks(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    command = "gh pr list -R o/r -L 5; gh pr list -R o/r -L 5; gh pr list -R o/r"
    assert shown(capture_shell(command, context())) == [
        "o/r/pulls?state=open [5]",
        "o/r/pulls?state=open [30]",
    ]


def test_a_directory_that_nobody_knows_is_no_checkout(context: Callable[..., Context]) -> None:
    at_home = context(cwd="/home/dev/widgets")
    for command in (
        "cd $X && gh issue view 5",
        "cd - && gh issue view 5",
        "[ -d ../gears ] && cd ../gears; gh issue view 5",
        "cd ../gears || cd /; gh issue view 5",
        "popd; gh issue view 5",
        "cd ~other; gh issue view 5",
    ):
        assert capture_shell(command, at_home) == [], command


@pytest.mark.parametrize(
    "command",
    [
        "cd ~/gears && gh issue view 5",
        "cd $HOME/gears; gh issue view 5",
        'cd "$HOME/gears" || exit 1; gh issue view 5',
        "D=../gears; cd $D; gh issue view 5",
        "cd ..; cd gears; gh issue view 5",
        "cd; cd gears; gh issue view 5",
        "cd -- ../gears && gh issue view 5",
        "pushd ../gears && gh issue view 5",
        "env -C ../gears gh issue view 5",
        "mkdir -p x && cd ../gears && gh issue view 5",
        "cd ../gears && bash -c 'gh issue view 5'",
        "cd ../gears 2>/dev/null && gh issue view 5",
    ],
)
def test_a_directory_that_is_known(
    command: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    at_home = context(cwd="/home/dev/widgets")
    assert shown(capture_shell(command, at_home)) == ["octo-org/gears#5"]
