"""What may not be stored, and what is stored with a flag.

A credential in a graph that many agents read is a leak, and nobody has to put one there: strings
that look like one are refused by what their issuers put in front of them. A label that reads as an
instruction is stored, but flagged, since a model that recalls it should take it as data only.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import Refused, UsageError
from resources_graph_core.graph.values import clean_text, key_text
from resources_graph_core.memory_graph.model import GRAPH_ID_PATTERN, LONGEST_ID

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from resources_graph_core.memory_graph.model import Edge, Node

LARGEST_ATTRS_BYTES: Final = 65_536
DEEPEST_ATTRS: Final = 16
"""How many lists and objects may stand inside one another in attrs, which is one itself."""

# Prefixes as the issuers document them:
# https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/,
# https://docs.gitlab.com/security/tokens/#token-prefixes,
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html,
# https://docs.slack.dev/authentication/tokens, https://docs.stripe.com/keys,
# https://docs.pypi.org/api/secrets/, RFC 7468 (private keys), RFC 7519 (JWT).
_CREDENTIALS: Final = tuple(
    (kind, re.compile(pattern, re.ASCII))
    for kind, pattern in (
        ("GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}"),
        ("GitLab token", r"\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[\w-]{20,}"),
        ("AWS access key", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
        ("Slack token", r"\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"),
        ("Anthropic key", r"\bsk-ant-[\w-]{20,}"),
        ("OpenAI key", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_]{20,}"),
        ("Google key", r"\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
        ("Stripe key", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/]{20,}"),
        ("npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
        ("PyPI token", r"\bpypi-[\w-]{50,}"),
        ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
        ("SendGrid key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
        ("DigitalOcean token", r"\bdo[opr]_v1_[a-f0-9]{40,}"),
        ("Shopify token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
        ("Databricks token", r"\bdapi[a-f0-9]{32}"),
        ("Docker token", r"\bdckr_[a-z]+_[\w-]{20,}"),
        ("HashiCorp Vault token", r"\bhvs\.[\w-]{24,}"),
        ("Azure storage key", r"\bAccountKey=[A-Za-z0-9+/]{40,}"),
        ("private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        ("JSON Web Token", r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
        ("password in a URL", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/:@]{3,100}@"),
    )
)

_MAYBE: Final = re.compile(
    r"gh[pousr]_|github_pat_|gl[a-z]+-|A[KS]IA|xox|xapp-|sk-|AIza|ya29|GOCSPX|[sr]k_|whsec_|npm_"
    r"|pypi-|hf_|SG\.|do[opr]_v1_|shp|dapi|dckr_|hvs\.|AccountKey|PRIVATE KEY|eyJ|://"
)
"""What every credential has somewhere: one look tells that a text has none of them."""

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
_INVISIBLE: Final = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Characters that nobody sees, or that turn the direction of writing: a way to hide words."""


def reads_as_instruction(label: str) -> bool:
    """Whether a label tells its reader to do something, or hides characters."""
    return bool(_INSTRUCTIONS.search(label) or _INVISIBLE.search(label))


def check_graph_id(graph_id: str) -> None:
    """Raise UsageError for a graph_id that is none."""
    if not re.fullmatch(GRAPH_ID_PATTERN, graph_id):
        raise UsageError(
            f"{graph_id[:40]!r} is no graph_id: 1 to 128 ASCII letters, digits and any of _.:-"
        )


def without_credentials(text: str) -> str:
    """A text that may be shown: what looks like a credential in it is left out."""
    for kind, pattern in _CREDENTIALS:
        text = pattern.sub(f"({kind})", text)
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
        _check_credential(where, text)
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
    _check_credential(name, text)
    if clean_text(text) != text:
        raise Refused(f"{name} holds a NUL or half a character, which no graph engine stores.")


def _check_credential(where: str, text: str) -> None:
    if not _MAYBE.search(text):
        return
    for kind, pattern in _CREDENTIALS:
        if pattern.search(text):
            raise Refused(
                f"{where} holds what looks like a credential ({kind}); nothing was stored. Store "
                "where it is kept instead, and revoke it if it was shown to anybody."
            )


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
                waiting.append((f"{where}.{key[:40]}", item, depth + 1))
        else:
            waiting += [(f"{where}[{n}]", item, depth + 1) for n, item in enumerate(value)]
