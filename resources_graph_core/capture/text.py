"""Whatever a person or an agent would write to name something on GitHub, to Addresses."""

from __future__ import annotations

from resources_graph_core.address import Address, parse_address, parse_number
from resources_graph_core.capture import prompts, rest, urls
from resources_graph_core.capture.context import GITHUB
from resources_graph_core.capture.repositories import current
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.capture.context import Context

_PROGRAMS = frozenset(["gh", "curl", "wget", "http", "https", "xh", "xhs"])


def addresses(text: str, context: Context) -> list[Address]:
    """What ``text`` names: a key, a URL, ``owner/repo``, ``owner/repo#n``, a command, an API path.

    Anything else is read as a prompt is. Empty when it names nothing.
    """
    text = text.strip()
    words = text.split(maxsplit=1)
    if not words:
        return []
    if len(words) > 1 and words[0] in _PROGRAMS:
        from resources_graph_core.capture import commands  # noqa: PLC0415 - the grammar takes long

        return list(commands.addresses(text, context))
    if len(words) > 1 and not text.startswith("github:"):
        return list(prompts.addresses(text, context))
    try:
        return _one(text, context)
    except UsageError:
        return list(prompts.addresses(text, context))


def _one(text: str, context: Context) -> list[Address]:
    lowered = text.lower()
    if lowered.startswith(("https://", "http://")):
        return urls.addresses(text, context)
    if lowered.startswith(("repos/", "/repos/", "search/issues?", "/search/issues?")):
        path, _, query = text.partition("?")
        try:
            values = rest.parameters(query)
        except ValueError:
            raise UsageError("the path has a query that is no text") from None
        return rest.addresses(GITHUB, path, values, context)
    if lowered.startswith((f"{GITHUB}/", f"www.{GITHUB}/", f"api.{GITHUB}/")):
        return urls.addresses(f"https://{text}", context)
    if text.startswith("#"):
        return [current(context).item(parse_number(text[1:]))]
    address = parse_address(text)
    if not lowered.startswith("github:") and prompts.is_file(address.owner, address.name):
        raise UsageError(f"{text!r} is rather a file of a checkout")
    if not context.knows(address.host):
        raise UsageError(f"{address.host!r} is not a host named in the settings")
    return [address]
