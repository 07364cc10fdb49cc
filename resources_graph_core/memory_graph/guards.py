"""What may not be stored, and what is stored with a flag.

A credential in a graph that many agents read is a leak, and nobody has to put one there: strings
that look like one are refused, by what their issuers put in front of them (see
:mod:`resources_graph_core.untrusted.credentials`). A label that reads as an
instruction is stored, but flagged, since a model that recalls it should take it as data only.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import Refused, UsageError
from resources_graph_core.graph.values import clean_text, key_text
from resources_graph_core.memory_graph.model import GRAPH_ID_PATTERN, LONGEST_ID
from resources_graph_core.untrusted.credentials import Credential, credentials
from resources_graph_core.untrusted.invisible import bare
from resources_graph_core.untrusted.steering import gives_orders

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from resources_graph_core.memory_graph.model import Edge, Node

LARGEST_ATTRS_BYTES: Final = 65_536
DEEPEST_ATTRS: Final = 16
"""How many lists and objects may stand inside one another in attrs, which is one itself."""

# What a text of GitHub's may well show, but nobody has to store.
_ALSO: Final = tuple(
    (kind, re.compile(pattern, re.ASCII))
    for kind, pattern in (
        ("OpenAI key", r"\bsk-[A-Za-z0-9_]{20,}"),
        ("Slack token", r"\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
        ("Azure storage key", r"\bAccountKey=[A-Za-z0-9+/]{40,}"),
        ("password in a URL", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/:@]{3,100}@"),
    )
)
# A password that is given to a name, with no space between and letters and digits in it: what
# refers to one, as db_password_2, $PASSWORD1 and vault:app1/db do, may be stored.
_GIVEN: Final = re.compile(
    r"(?<![a-z0-9])(?:password|passwd|passphrase|api_?key|(?:access|secret)_?key|client_?secret)"
    r"(?:=|[\"']\s{0,3}:\s{0,3})[\"']?"
    r"(?![a-z][a-z0-9]*(?:[_-][a-z0-9]+)+(?:$|[\s\"'`,;&]))"
    r"(?=[^\s\"'`,;&]{0,200}[a-z])(?=[^\s\"'`,;&]{0,200}[0-9])"
    r"[^\s\"'`,;&/:(){}\[\]<>$%\\]{8,200}(?=$|[\s\"'`,;&])",
    re.ASCII | re.IGNORECASE,
)
_MAYBE: Final = re.compile(
    r"sk-|xox|AccountKey|://|passw|passphrase|key[=\"']|secret[=\"']", re.IGNORECASE
)
"""What each of those has somewhere: one look tells that a text has none of them."""

_INSTRUCTIONS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}"
    r"\b(?:previous|prior|above|earlier|all|your|these|any)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules?|messages?|directions?|guidelines?|context)\b"
    r"|\byou (?:must|should|shall|will|are) (?:now|always|never|immediately)\b"
    r"|\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt)\b"
    r"|^\s*(?:system|assistant|developer)\s*:"
    r"|</?\s*(?:system|assistant|instructions?|prompt|tool_(?:call|result))\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal|ask)\b"
    r".{0,40}\b(?:user|human|anyone)\b"
    r"|\b(?:act|behave|respond) as (?:if|an?|the)\b"
    r"|\b(?:run|execute|call|invoke) (?:the|this|these|following)\b.{0,30}"
    r"\b(?:command|script|code|tool|function)s?\b",
    re.IGNORECASE | re.DOTALL,
)


def reads_as_instruction(label: str) -> bool:
    """Whether a label tells its reader to do something, or hides characters."""
    seen = bare(label)
    return (
        seen.hid_something or _INSTRUCTIONS.search(seen.text) is not None or gives_orders(seen.text)
    )


def check_graph_id(graph_id: str) -> None:
    """Raise UsageError for a graph_id that is none, Refused for one with a credential."""
    check_credential("graph_id", graph_id)
    if not re.fullmatch(GRAPH_ID_PATTERN, graph_id):
        raise UsageError(
            f"{graph_id[:40]!r} is no graph_id: 1 to 128 ASCII letters, digits and any of _.:-"
        )


def check_credential(where: str, text: str) -> None:
    """Raise Refused, naming where it stands and of what kind it is, when a text holds one."""
    found = _credentials(bare(text).text)
    if found:
        raise Refused(
            f"{where} holds what looks like a credential ({found[0].kind}); nothing was stored. "
            "Store where it is kept instead, and revoke it if it was shown to anybody."
        )


def without_credentials(text: str) -> str:
    """A text that may be shown: what looks like a credential in it is left out."""
    for found in reversed(_credentials(text)):
        text = f"{text[: found.start]}({found.kind}){text[found.end :]}"
    return text


def check_node(node: Node) -> None:
    """Raise Refused, naming the field, when a node's version may not be stored."""
    texts = {"id": node.id, "kind": node.kind, "origin": node.origin, "writer": node.writer}
    _check_names(texts)
    _check_length("id", node.id)
    _check_text("label", node.label)
    attrs_text(node.attrs)


def check_edge(edge: Edge) -> None:
    """Raise Refused, naming the field, when an edge may not be stored."""
    texts = {
        name: value
        for name in ("id", "src", "dst", "rel", "scope", "origin", "supersedes")
        if (value := getattr(edge, name)) is not None
    }
    _check_names(texts)
    _check_length("id", edge.id)
    if (
        edge.valid_from is not None
        and edge.valid_to is not None
        and edge.valid_to < edge.valid_from
    ):
        raise Refused("valid_to lies before valid_from; write the time it began first.")
    attrs_text(edge.attrs)


def attrs_text(attrs: Mapping[str, JsonValue]) -> str:
    """Attrs as they are stored: JSON with sorted keys, in ASCII.

    Raises Refused for attrs that nest too deep, are too large, hold a credential, or a number that
    JSON has not.
    """
    for where, text in _texts(attrs):
        check_credential(where, text)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Refused(f"{where} holds half a character, which cannot be told again.") from None
    try:
        stored = json_text(attrs)
    except ValueError:
        raise Refused("attrs hold a number that is not finite, which JSON cannot write.") from None
    if len(stored) > LARGEST_ATTRS_BYTES:
        raise Refused(
            f"attrs take {len(stored):,} bytes as JSON; {LARGEST_ATTRS_BYTES:,} at most. Keep long "
            "text elsewhere and store where it is."
        )
    return stored


def json_text(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """A value as JSON with sorted keys, in ASCII: the same for equal values, and for no others.

    Raises ValueError for a number that is not finite.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _check_names(texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        _check_text(name, text)
        if not text.isprintable() or key_text(text) != text:
            raise Refused(
                f"{name} is printable text without white space at an end; this one is not."
            )


def _check_length(name: str, text: str) -> None:
    if len(text) > LONGEST_ID:
        raise Refused(f"{name} has {len(text)} characters; {LONGEST_ID} at most.")


def _check_text(name: str, text: str) -> None:
    check_credential(name, text)
    if clean_text(text) != text:
        raise Refused(f"{name} holds a NUL or half a character, which no graph engine stores.")


def _credentials(text: str) -> Sequence[Credential]:
    """What looks like a credential in a text, in order and apart from one another."""
    found = list(credentials(text))
    if _MAYBE.search(text):
        for kind, pattern in (*_ALSO, ("password", _GIVEN)):
            for match in pattern.finditer(text):
                if all(one.end <= match.start() or match.end() <= one.start for one in found):
                    found.append(Credential(kind, match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


def _texts(attrs: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """Every key and every text in attrs with where it stands. Raises Refused when too deep."""
    waiting: list[tuple[str, JsonValue, int]] = [("attrs", dict(attrs), 1)]
    while waiting:
        where, value, depth = waiting.pop()
        if isinstance(value, str):
            yield where, value
            continue
        if not isinstance(value, dict | list):
            continue
        if depth > DEEPEST_ATTRS:
            raise Refused(f"attrs nest deeper than {DEEPEST_ATTRS} levels; flatten them.")
        if isinstance(value, dict):
            for number, (key, item) in enumerate(value.items()):
                yield f"the name of entry {number} of {where}", key
                inside = f"{where}.{key[:40]}"
                if isinstance(item, str):
                    yield inside, f"{key}={item}"  # a name may tell that its value is a secret
                else:
                    waiting.append((inside, item, depth + 1))
        else:
            waiting += [(f"{where}[{n}]", item, depth + 1) for n, item in enumerate(value)]
