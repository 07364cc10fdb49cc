"""``gh api``: REST paths and GraphQL documents to what they read.

As observed with gh 2.103: ``-f``, ``-F`` or ``--input`` make the request a POST unless ``-X`` says
otherwise; with ``-X GET`` fields become query parameters.
"""

from __future__ import annotations

import re

from resources_graph_core.capture import rest, urls
from resources_graph_core.capture.context import GITHUB
from resources_graph_core.capture.flags import UNKNOWN, Flags, FlagSet, known, parse_pflag
from resources_graph_core.capture.repositories import implied
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.capture.context import Context

_FLAGS = FlagSet(
    values=[
        *("method,X", "raw-field,f", "field,F", "header,H", "hostname", "input"),
        *("jq,q", "template,t", "preview,p", "cache"),
    ],
    switches=[
        *("paginate", "slurp", "include,i", "silent", "verbose"),
        *("allow-escape-sequences", "help,h"),
    ],
)
_PLACEHOLDER = re.compile(r"\{(owner|repo|branch)\}|(?<![\w:]):(owner|repo|branch)\b")
_INTEGER = re.compile(r"-?[0-9]{1,18}")


def addresses(arguments: Sequence[str], context: Context, stdin: str | None) -> list[Address]:
    """What ``gh api`` with these arguments reads; ``stdin`` is what it is piped, if known.

    Raises UsageError when it writes, or reads nothing that an Address names.
    """
    flags = parse_pflag(arguments, _FLAGS)
    if flags.is_on("help") or len(flags.arguments) != 1:
        raise UsageError("gh api takes one endpoint")
    host = (flags.last("hostname") or context.default_host).lower()
    endpoint = flags.arguments[0]
    has_body = any(name in flags.values for name in ("raw-field", "field", "input"))
    method = (flags.last("method") or ("POST" if has_body else "GET")).upper()
    if endpoint in {"graphql", "/graphql"}:
        if method != "POST":
            raise UsageError("GitHub answers GraphQL to a POST only")
        return _graphql(flags, host, context, stdin)
    if method != "GET":
        raise UsageError(f"a {method} reads nothing that is remembered")
    return _rest(endpoint, flags, host, context)


def _rest(endpoint: str, flags: Flags, host: str, context: Context) -> list[Address]:
    target, _, query = endpoint.partition("?")
    target = _filled(known(target), host, context)
    query = query.partition("#")[0]
    if UNKNOWN not in query:
        query = _filled(query, host, context)
    try:
        values = rest.parameters(query)
    except ValueError:
        raise UsageError("the endpoint has a query that is no text") from None
    values |= _fields(flags, host, context)
    paginate = flags.is_on("paginate")
    if any(UNKNOWN in part for pair in values.items() for part in pair):
        values = {"unknown": ""}  # enough for an item, whose parameters do not matter
    if "://" not in target:
        return rest.addresses(host, target.removeprefix("/"), values, context, paginate=paginate)
    host, path, _ = urls.split(target)
    api = rest.path_of_api_url(host, path)
    if api is None:
        raise UsageError("the URL is not that of an API")
    return rest.addresses(*api, values, context, paginate=paginate)


def _fields(flags: Flags, host: str, context: Context) -> dict[str, str]:
    """The fields as query parameters; UNKNOWN for one that is read from a file."""
    values: dict[str, str] = {}
    for name in ("raw-field", "field"):
        for field in flags.values.get(name, []):
            key, equals, value = field.partition("=")
            if not equals:
                raise UsageError("a field is written key=value")
            if name == "field":
                value = UNKNOWN if value.startswith("@") else _filled(value, host, context)
            values[key] = value
    return values


def _filled(text: str, host: str, context: Context) -> str:
    """``{owner}`` and ``{repo}`` (also ``:owner``, ``:repo``) filled in, as gh does."""
    if not _PLACEHOLDER.search(text):
        return text
    repository = implied(context)
    if repository.host != host:
        raise UsageError("the working directory's repository is on another host than is asked")
    names = {"owner": repository.owner, "repo": repository.name, "branch": UNKNOWN}
    return known(_PLACEHOLDER.sub(lambda match: names[match[1] or match[2]], text))


def _graphql(flags: Flags, host: str, context: Context, stdin: str | None) -> list[Address]:
    from resources_graph_core.capture import graphql  # noqa: PLC0415 - only when asked for

    if host != GITHUB and not context.knows(host):
        raise UsageError(f"{host!r} is not a host named in the settings")
    fields: dict[str, object] = {}
    source = flags.last("input")
    if source is not None:
        fields = _body(stdin if source == "-" else None)
    for field in flags.values.get("raw-field", []):
        key, _, value = field.partition("=")
        fields[key] = value
    for field in flags.values.get("field", []):
        key, _, value = field.partition("=")
        fields[key] = _typed(value, host, context, stdin)
    document, operation = fields.pop("query", None), fields.pop("operationName", None)
    if not isinstance(document, str):
        raise UsageError("the GraphQL query is not known before it runs")
    variables = fields.pop("variables", None)
    if isinstance(variables, dict):
        fields |= variables
    return graphql.addresses(
        known(document),
        fields,
        context,
        host=host,
        operation=operation if isinstance(operation, str) else None,
        paginate=flags.is_on("paginate"),
    )


def _body(text: str | None) -> dict[str, object]:
    """The JSON object that is sent. Raises UsageError when it is not known or none."""
    import json  # noqa: PLC0415 - bodies are rare

    try:
        body = json.loads(known(text or ""))
    except (ValueError, RecursionError):
        raise UsageError("what is sent is not known before it runs, or no JSON") from None
    if not isinstance(body, dict):
        raise UsageError("what is sent is no JSON object")
    return body


def _typed(value: str, host: str, context: Context, stdin: str | None) -> object:
    """A ``-F`` value: numbers, booleans and null typed, placeholders filled, ``@-`` read."""
    if value == "@-":
        return UNKNOWN if stdin is None else stdin
    if value.startswith("@"):
        return UNKNOWN
    literals: dict[str, object] = {"true": True, "false": False, "null": None}
    if value in literals:
        return literals[value]
    return int(value) if _INTEGER.fullmatch(value) else _filled(value, host, context)
