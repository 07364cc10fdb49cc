"""``curl``, ``wget``, HTTPie (``http``, ``https``) and ``xh`` command lines to what they read.

Only a plain GET reads: a body, another method, or HEAD is none. A flag that is not known here might
take the next word for its value or turn the request into a write, so the command is not read then.
"""

from __future__ import annotations

import re
from urllib.parse import quote_plus

from resources_graph_core.capture import urls
from resources_graph_core.capture.flags import UNKNOWN, FlagSet, known, parse_pflag
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.capture.context import Context

_CURL_BODY = (
    *("data,d", "data-ascii", "data-binary", "data-raw", "data-urlencode"),
    *("form,F", "form-string", "json", "upload-file,T"),
)
_CURL = FlagSet(
    values=[
        *_CURL_BODY,
        *("request,X", "url", "url-query", "header,H", "output,o", "user,u", "user-agent,A"),
        *("referer,e", "cookie,b", "cookie-jar,c", "write-out,w", "max-time,m", "range,r"),
        *("connect-timeout", "retry", "retry-delay", "retry-max-time", "proxy,x", "dump-header,D"),
        *("cacert", "capath", "cert,E", "key", "resolve", "connect-to", "oauth2-bearer", "stderr"),
        *("output-dir", "max-redirs", "limit-rate", "speed-limit,Y", "speed-time,y", "proto"),
        *("proto-redir", "proto-default", "interface", "max-filesize", "noproxy", "proxy-user,U"),
        *("aws-sigv4", "ciphers", "dns-servers", "etag-compare", "etag-save", "expect100-timeout"),
        *("keepalive-time", "local-port", "netrc-file", "pinnedpubkey", "rate", "time-cond,z"),
        *(
            "tls-max",
            "tls13-ciphers",
            "trace",
            "trace-ascii",
            "unix-socket",
            "variable",
            "config,K",
        ),
        *("continue-at,C", "parallel-max", "happy-eyeballs-timeout-ms", "doh-url", "cert-type"),
    ],
    switches=[
        *("silent,s", "show-error,S", "location,L", "fail,f", "include,i", "head,I", "insecure,k"),
        *("verbose,v", "get,G", "remote-name,O", "remote-header-name,J", "progress-bar,#"),
        *("globoff,g", "compressed", "netrc,n", "no-buffer,N", "ipv4,4", "ipv6,6", "http1.1"),
        *("http1.0,0", "http2", "http2-prior-knowledge", "http3", "http0.9", "tlsv1,1", "tlsv1.2"),
        *("tlsv1.3", "fail-with-body", "fail-early", "location-trusted", "no-progress-meter"),
        *(
            "parallel,Z",
            "remote-name-all",
            "retry-all-errors",
            "retry-connrefused",
            "raw",
            "anyauth",
        ),
        *(
            "basic",
            "digest",
            "negotiate",
            "ntlm",
            "create-dirs",
            "disable,q",
            "path-as-is",
            "no-keepalive",
        ),
        *("ssl-reqd", "no-alpn", "no-sessionid", "tcp-fastopen", "tcp-nodelay", "styled-output"),
        *(
            "no-styled-output",
            "trace-time",
            "xattr",
            "no-clobber",
            "remove-on-error",
            "netrc-optional",
        ),
        *("help,h", "version,V", "manual,M", "proxy-insecure", "post301", "post302", "post303"),
    ],
)
_CURL_SHOWS = ("help", "version", "manual", "head", "config", "form", "form-string", "json")
_CURL_DATA = ("data", "data-ascii", "data-binary", "data-raw", "data-urlencode")

_WGET = FlagSet(
    values=[
        *("output-document,O", "output-file,o", "append-output,a", "directory-prefix,P"),
        *("user-agent,U", "header", "method", "post-data", "post-file", "body-data", "body-file"),
        *("timeout,T", "tries,t", "wait,w", "waitretry", "connect-timeout", "read-timeout"),
        *("dns-timeout", "limit-rate", "user", "password", "http-user", "http-password", "referer"),
        *("load-cookies", "save-cookies", "max-redirect", "ca-certificate", "ca-directory"),
        *("certificate", "private-key", "compression", "progress", "prefer-family", "quota,Q"),
        *("bind-address", "secure-protocol", "retry-on-http-error", "input-file,i", "execute,e"),
        *("level,l", "accept,A", "reject,R", "domains,D", "base,B", "cut-dirs", "local-encoding"),
    ],
    switches=[
        *(
            "quiet,q",
            "no-verbose",
            "verbose,v",
            "server-response,S",
            "continue,c",
            "timestamping,N",
        ),
        *("no-check-certificate", "no-cache", "no-cookies", "content-disposition", "show-progress"),
        *("trust-server-names", "inet4-only,4", "inet6-only,6", "no-clobber", "background,b"),
        *("no-config", "no-hsts", "no-proxy", "no-netrc", "content-on-error", "debug,d", "spider"),
        *("force-directories,x", "no-directories", "no-host-directories", "https-only", "help,h"),
        *("version,V", "auth-no-challenge", "retry-connrefused", "no-iri", "ignore-length"),
    ],
)
_WGET_SHOWS = ("help", "version", "spider", "input-file", "execute")
_WGET_BODY = ("post-data", "post-file", "body-data", "body-file")

_HTTPIE = FlagSet(
    values=[
        *("auth,a", "auth-type,A", "output,o", "print,p", "pretty", "style,s", "session"),
        *("session-read-only", "timeout", "proxy", "verify", "cert", "cert-key", "max-redirects"),
        *("format-options", "response-charset", "response-mime", "ssl", "ciphers", "raw"),
        *("default-scheme", "boundary", "cert-key-pass", "history-print,P", "max-headers"),
        *("resolve", "bearer", "http-version", "format-option", "interface", "unix-socket"),
    ],
    switches=[
        *("headers,h", "body,b", "meta,m", "verbose,v", "all", "stream,S", "follow,F", "json,j"),
        *("form,f", "multipart", "download,d", "continue,c", "quiet,q", "check-status", "offline"),
        *("ignore-stdin,I", "unsorted", "sorted", "no-verify", "ignore-netrc", "path-as-is"),
        *("compress,x", "chunked", "help", "version", "debug", "traceback", "native-tls", "curl"),
        *("ipv4,4", "ipv6,6", "https", "no-check-status", "curl-long"),
    ],
)
_HTTPIE_SHOWS = ("help", "version", "offline", "curl", "curl-long", "raw", "multipart", "chunked")
_METHOD = re.compile(r"[A-Za-z]+")
_ITEM = re.compile(r"((?:[^\\:=@;]|\\.)+)(:=@|==@|=@|:@|:=|==|=|@|:|;)(.*)", re.DOTALL)
_GLOB = re.compile(r"[\[\]{}]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def _read(url: str, context: Context) -> list[Address]:
    """What one URL reads; a scheme may be missing. Nothing when no Address names it."""
    if UNKNOWN in url.partition("?")[0]:
        raise UsageError("the URL is not known before the command runs")
    if UNKNOWN in url:  # in the query, which decides what a list holds but not which item it is
        url = url.partition("?")[0] + "?unknown="
    if not _SCHEME.match(url):
        url = f"http://{url}"
    try:
        return urls.addresses(url, context)
    except UsageError:
        return []  # this URL names nothing; others of the same command still may


def _each(found: Sequence[str], context: Context) -> list[Address]:
    if any(url.startswith(UNKNOWN) for url in found):
        raise UsageError("an argument is not known before the command runs, and may be a flag")
    return [address for url in found for address in _read(url, context)]


def curl(arguments: Sequence[str], context: Context, _stdin: str | None) -> list[Address]:
    """What ``curl`` reads, each part between ``--next`` on its own.

    Raises UsageError when it cannot be told.
    """
    parts: list[list[str]] = [[]]
    for argument in arguments:
        if argument in {"--next", "-:"}:
            parts.append([])
        else:
            parts[-1].append(argument)
    return [address for part in parts for address in _curl_part(part, context)]


def _curl_part(arguments: Sequence[str], context: Context) -> list[Address]:
    flags = parse_pflag(arguments, _CURL)
    body = [name for name in _CURL_DATA if name in flags.values]
    moved = "get" in flags.values
    method = flags.last("request") or ("POST" if body and not moved else "GET")
    if method != "GET" or any(name in flags.values for name in _CURL_SHOWS):
        return []
    if "upload-file" in flags.values:
        return []
    query = [_url_encoded(value) for value in flags.values.get("url-query", [])]
    if moved:
        for name in body:
            encode = _url_encoded if name == "data-urlencode" else _plain_data
            query.extend(encode(value) for value in flags.values[name])
    found: list[str] = []
    for url in [*flags.arguments, *flags.values.get("url", [])]:
        if _GLOB.search(url.partition("?")[0]) and "globoff" not in flags.values:
            raise UsageError("the URL is a pattern of curl's")
        found.append(_with_query(url, query))
    return _each(found, context)


def _with_query(url: str, more: Sequence[str]) -> str:
    if not more:
        return url
    url = url.partition("#")[0]
    return url + ("&" if "?" in url else "?") + "&".join(more)


def _plain_data(value: str) -> str:
    return UNKNOWN if value.startswith("@") else value


def _url_encoded(value: str) -> str:
    """``--data-urlencode``: ``content``, ``=content``, ``name=content``; a file is unknown."""
    name, equals, content = value.partition("=")
    if "@" in name or (not equals and value.startswith("@")):
        return UNKNOWN
    if UNKNOWN in value:
        return UNKNOWN
    if not equals:
        return quote_plus(value)
    return f"{name}={quote_plus(content)}" if name else quote_plus(content)


def wget(arguments: Sequence[str], context: Context, _stdin: str | None) -> list[Address]:
    """What ``wget`` reads. Raises UsageError when it cannot be told."""
    expanded = ["--no-verbose" if word == "-nv" else word for word in arguments]
    flags = parse_pflag(expanded, _WGET)
    if any(name in flags.values for name in (*_WGET_SHOWS, *_WGET_BODY)):
        return []
    if (flags.last("method") or "GET").upper() != "GET":
        return []
    return _each(flags.arguments, context)


def httpie(arguments: Sequence[str], context: Context, stdin: str | None) -> list[Address]:
    """What HTTPie or ``xh`` reads. Raises UsageError when it cannot be told."""
    flags = parse_pflag(arguments, _HTTPIE)
    if any(name in flags.values for name in _HTTPIE_SHOWS) or not flags.arguments:
        return []
    words = [known(flags.arguments[0]), *flags.arguments[1:]]
    method = ""
    if len(words) > 1 and _METHOD.fullmatch(words[0]):
        method, words = words[0].upper(), words[1:]
    query, has_body = _items(words[1:])
    reads_stdin = stdin is not None and not flags.is_on("ignore-stdin")
    if not method:
        method = "POST" if has_body or reads_stdin else "GET"
    if method != "GET":
        return []
    return _each([_with_query(words[0], query)], context)


def _items(words: Sequence[str]) -> tuple[list[str], bool]:
    """The query parameters among the request items, and whether there is a body."""
    query: list[str] = []
    has_body = False
    for word in words:
        match = _ITEM.fullmatch(word)
        if match is None:
            raise UsageError("an argument is no request item")
        name, sign, value = (match[1].replace("\\", ""), match[2], match[3])
        if sign == "==":
            query.append(f"{quote_plus(name)}={_item_value(value)}")
        elif sign == "==@":
            query.append(UNKNOWN)
        elif sign not in {":", ";", ":@"}:
            has_body = True
    return query, has_body


def _item_value(value: str) -> str:
    return UNKNOWN if UNKNOWN in value else quote_plus(value)


READERS: dict[str, Callable[[Sequence[str], Context, str | None], list[Address]]] = {
    "curl": curl,
    "wget": wget,
    "httpie": httpie,
}
"""Who reads which client's command line."""
