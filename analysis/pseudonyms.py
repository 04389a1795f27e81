"""Pseudonyms that replace annotators' codes in files."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Mapping

from django.utils.crypto import salted_hmac

from annotator.models import Project

LETTERS = 8
SALT = "analysis.pseudonyms"


def pseudonyms(project: Project) -> Mapping[str, str]:
    """Return code → pseudonym of all current and former members of the project.

    A pseudonym stays the same in every export even if the code or account changes, and differs between
    projects. It cannot be traced back without the site's secret key.
    """
    rows = project.memberships.order_by("pk").values_list("pk", "code")
    return {code: pseudonym(project.pk, f"member {pk}") for pk, code in rows}


def pseudonym(project_id: int, who: str) -> str:
    """Return the pseudonym of a text: `p-` and eight letters and digits, keyed by project."""
    digest = salted_hmac(f"{SALT}.{project_id}", who, algorithm="sha256").digest()
    # The letter in front keeps spreadsheets from reading it as a number.
    return f"p-{b32encode(digest).decode()[:LETTERS].lower()}"
