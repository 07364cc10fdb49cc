"""Credentials, told by the prefix that their provider gives them.

Only prefixes: guessing by entropy takes hashes, tracebacks and identifiers for secrets, and an
issue without them is worth little. Where a provider documents the form, it is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Form(NamedTuple):
    """A kind of credential: one of the ``signs`` is in any text that holds one, and its form."""

    kind: str
    signs: tuple[str, ...]
    pattern: re.Pattern[str]


def _form(kind: str, signs: str, pattern: str) -> _Form:
    return _Form(kind, tuple(signs.split()), re.compile(f"(?<![A-Za-z0-9_]){pattern}", re.ASCII))


_FORMS = (
    # https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,251}"),
    _form("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,251}"),
    # https://docs.gitlab.com/security/tokens/#token-prefixes
    _form(
        "GitLab token",
        "glpat- glptt- glrt- gldt- glcbt- glsoat- glagent- gloas- glft- glimt- glffct-",
        r"gl(?:pat|ptt|rt|dt|cbt|soat|agent|oas|ft|imt|ffct)-[A-Za-z0-9_.-]{20,}",
    ),
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    _form("AWS access key", "AKIA ASIA", r"(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _form("Google API key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _form("Google OAuth token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    _form("Google OAuth secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _form("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _form(
        "OpenAI key",
        "sk-proj- sk-svcacct- sk-admin-",
        r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}",
    ),
    _form("OpenAI key", "T3BlbkFJ", r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    _form("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    _form("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _form("Replicate token", "r8_", r"r8_[A-Za-z0-9]{37,}"),
    # https://docs.slack.dev/authentication/tokens
    _form("Slack token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _form("Slack token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    _form(
        "Slack webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}",
    ),
    _form(
        "Discord webhook",
        "/api/webhooks/",
        r"https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{30,}",
    ),
    # https://docs.stripe.com/keys
    _form("Stripe key", "k_live_ k_test_", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    _form("Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9]{24,}"),
    _form("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    # npm's "About access tokens", and what PyPI's help says of API tokens
    _form("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _form("PyPI token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    _form("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _form("crates.io token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _form("Docker token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    _form("DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _form("Databricks token", "dapi", r"dapi[a-f0-9]{32}"),
    _form("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    _form("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    _form("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}"),
    _form("Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _form("Notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    _form("Grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9_=+/]{32,}"),
    _form("Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{40,}"),
    _form("Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _form("Sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_=+/-]{40,}"),
    _form("age secret key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    # https://www.rfc-editor.org/rfc/rfc7519: the first two parts begin as JSON objects do
    _form(
        "JSON Web Token",
        ".eyJ",
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}",
    ),
    # https://www.rfc-editor.org/rfc/rfc7468; one that was never closed ends with its lines
    _form(
        "private key",
        "-----BEGIN",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]{0,20000}-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:\s*[A-Za-z0-9+/=]{16,})*)",
    ),
)


_SIGNS = tuple((sign, form) for form in _FORMS for sign in form.signs)


@dataclass(frozen=True, slots=True)
class Credential:
    """Where a credential stands in a text, and of what kind it is. Its repr does not show it."""

    kind: str
    start: int
    end: int


def credentials(text: str) -> Sequence[Credential]:
    """What in ``text`` (without invisible characters) looks like a credential, in order.

    Of two that overlap, the one that begins first counts.
    """
    forms = [form for sign, form in _SIGNS if sign in text]
    if not forms:
        return []
    found = [
        Credential(form.kind, match.start(), match.end())
        for form in forms
        for match in form.pattern.finditer(text)
    ]
    kept: list[Credential] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept
