"""What has to be there before anything can be written to GitHub, and what to run when it is not."""

from __future__ import annotations

from shutil import which
from typing import TYPE_CHECKING, TypedDict

from resources_graph_core.errors import GitHubAuthError, NotPublic, RequirementMissing
from resources_graph_core.github_memory.opening import open_issues

if TYPE_CHECKING:
    from resources_graph_core.config import Settings

PROJECT_SCOPES = ("project",)
"""Scopes that let a classic token write to a GitHub Project."""
_WRITING_SCOPES = ("repo", "public_repo")
_SIGN_IN = "run `gh auth login`, or set GITHUB_TOKEN"


class Requirements(TypedDict):
    """How things stand: whether all is there, and what is missing.

    ``gh`` says whether the GitHub CLI is installed (nothing here needs more of it than its login),
    ``auth`` whether GitHub takes the token. ``scopes`` is empty for a token that has none to tell
    of, such as a fine-grained one.
    """

    ok: bool
    gh: bool
    auth: bool
    scopes: list[str]
    missing: list[str]
    hint: str


def check_requirements(
    *, require_project_scope: bool = False, settings: Settings | None = None
) -> Requirements:
    """Ask GitHub whether the token is good, and look at its scopes.

    Raises RequirementMissing (an EnvironmentError) when there is no token or GitHub rejects it; a
    scope that is missing is told in ``missing``, with what to run in ``hint``.
    """
    issues = open_issues(settings=settings)
    try:
        viewer = issues.viewer()
        scopes = viewer.scopes
    except GitHubAuthError as error:
        raise RequirementMissing(f"GitHub cannot be written to: {error}; {_SIGN_IN}") from None
    except NotPublic:  # a token of an app is good, but nobody's
        scopes = None
    finally:
        issues.close()
    missing = []
    if scopes is not None:  # others have permissions, which GitHub does not list
        if not set(scopes) & set(_WRITING_SCOPES):
            missing.append("repo")
        if require_project_scope and not set(scopes) & set(PROJECT_SCOPES):
            missing.append("project")
    return Requirements(
        ok=not missing,
        gh=which("gh") is not None,
        auth=True,
        scopes=sorted(scopes or ()),
        missing=missing,
        hint=f"run `gh auth refresh -s {','.join(missing)}`" if missing else "",
    )
