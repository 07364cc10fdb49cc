"""A stand-in for the ``gh`` program, as far as ``ge`` calls it: ``auth status`` and ``api``.

It asks the GitHub at GITHUB_API_URL, with the token in GH_TOKEN. Standard library only, since it
starts once for every call.
"""

from __future__ import annotations

import json
import os
import re
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit


def _request(method: str, url: str, fields: dict[str, str]) -> tuple[object, str]:
    """One request: the JSON of its answer, and the address of the next page."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
    headers = {"Authorization": f"Bearer {os.environ['GH_TOKEN']}", "User-Agent": "gh-shim"}
    path = address.path + (f"?{address.query}" if address.query else "")
    connection.request(method, path, json.dumps(fields) if fields else None, headers)
    reply = connection.getresponse()
    document = json.loads(reply.read() or b"null")
    if reply.status >= 400:
        sys.exit(f"gh: {document['message']} (HTTP {reply.status})")
    following = re.search(r'<([^>]*)>; rel="next"', reply.headers.get("Link", ""))
    return document, following[1] if following else ""


def main(arguments: list[str]) -> None:
    """Do what the arguments of ``gh`` say, and print what it prints."""
    if arguments[:2] == ["auth", "status"]:
        sys.stdout.write("github.com\n  - Token scopes: 'repo', 'project'\n")
        return
    if arguments[0] != "api":
        sys.exit(f"unknown command {arguments[0]}")
    method, fields, paginate, endpoint = "GET", dict[str, str](), False, ""
    rest = iter(arguments[1:])
    for argument in rest:
        match argument:
            case "-X":
                method = next(rest)
            case "-f":
                name, _, value = next(rest).partition("=")
                fields[name] = value
            case "--paginate":
                paginate = True
            case _:
                endpoint = argument
    document, following = _request(method, f"{os.environ['GITHUB_API_URL']}/{endpoint}", fields)
    while paginate and following and isinstance(document, list):
        more, following = _request(method, following, {})
        document = [*document, *more] if isinstance(more, list) else document
    sys.stdout.write(json.dumps(document))


if __name__ == "__main__":
    main(sys.argv[1:])
