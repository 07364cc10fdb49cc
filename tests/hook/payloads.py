"""Payloads as no harness would write them, made from those that they do write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

SAMPLES = [
    (folder.name, file.stem, json.loads(file.read_text()))
    for folder in sorted((Path(__file__).parents[1] / "harness/payloads").iterdir())
    for file in sorted(folder.glob("*.json"))
]
"""Harness, name of the sample, payload."""

TEXTS = [
    "",
    " ",
    "gh issue view 5 -R o/r",
    "gh issue view 5 -R 'o/r",
    "gh issue list -R o/r -L 99999999999999999999 -l 'a,b' -l c",
    "gh api repos/{owner}/{repo}/issues/1 --method GET",
    'gh api graphql -f query=\'{repository(owner:"o",name:"r"){issue(number:1){title}}}\'',
    "for n in 1 2 3; do gh pr view $n -R o/r; done",
    "curl -s 'https://api.github.com/repos/o/r/pulls?state=all&per_page=1' | jq .",
    'bash -lc "$(gh issue view 1 -R o/r)" <<EOF\n`x`\nEOF',
    "((((((((((gh",
    "gh " * 400,
    "https://github.com/o/r/issues/1",
    "https://[github.com/o/r",
    "https://github.com/o/r/issues?q=is%3Aopen+label%3A%F0%9F%90%9B+\ud800",
    "see o/r#12, GH-3, #4 and a@b.c",
    "hit github:o/r#1",
    "subsumed github:o/r/issues?state=open by github:o/r/issues?state=open",
    "\x00\x1b[31m\u202e\ud83d github.com",
    "../../etc/passwd",
    "mcp__github__issue_read",
    "MCP:resource",
    "resource",
    "PreToolUse",
    "preToolUse",
    "é" * 3000,
]
VALUES: list[Any] = [None, True, False, 0, -1, 2**70, 1.5, 1e308, [], {}, [[]], {"a": {"b": []}}]


def mutated(random: Random) -> tuple[str, str | None, bytes]:
    """The harness asked for, the event named on the command line, and the payload's bytes."""
    owner, stem, sample = random.choice(SAMPLES)
    name = owner if random.random() < 0.8 else random.choice(SAMPLES)[0]
    event = stem.removeprefix("pascal-").partition("-")[0] if random.random() < 0.7 else None
    value = sample
    for _ in range(random.choice([0, 1, 1, 2, 3, 8])):
        value = _changed(value, random)
    text = json.dumps(value).encode()
    if random.random() < 0.2:
        place = random.randrange(len(text) + 1)
        junk = random.randbytes(random.randrange(6))
        text = text[:place] + junk + text[place + random.choice([0, 1, len(text)]) :]
    return name, event, text


def _changed(value: Any, random: Random) -> Any:  # noqa: ANN401 - any JSON
    """The value with one part of it, near or deep, replaced, removed, doubled or added."""
    if isinstance(value, dict) and value:
        key = random.choice(list(value))
        copy = dict(value)
        match random.randrange(7):
            case 0:
                del copy[key]
            case 1:
                copy[random.choice(TEXTS)] = copy.pop(key)
            case 2:
                copy[key] = [copy[key], copy[key]]
            case 3:
                copy[key] = json.dumps(copy[key])
            case _:
                copy[key] = _changed(copy[key], random)
        return copy
    if isinstance(value, list) and value:
        copy_of = list(value)
        place = random.randrange(len(copy_of))
        copy_of[place] = _changed(copy_of[place], random)
        return copy_of
    return random.choice(TEXTS) if random.random() < 0.7 else random.choice(VALUES)
