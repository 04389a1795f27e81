"""Names under which annotators stand in files for people who shall not know them."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Mapping

from django.utils.crypto import salted_hmac

from annotator.models import Project

LETTERS = 8
SALT = "analysis.pseudonyms"


def pseudonyms(project: Project) -> Mapping[str, str]:
    """Return code → pseudonym of everybody who ever was in the project.

    The pseudonym of a person is the same in every export, whatever becomes of their code or account, and
    another one in every other project. Nobody finds the person from it without the site's secret key.
    """
    rows = project.memberships.order_by("pk").values_list("pk", "code")
    return {code: pseudonym(project.pk, f"member {pk}") for pk, code in rows}


def pseudonym(project_id: int, who: str) -> str:
    """Return the pseudonym of a text: `p-` and eight letters and digits, from a key of the project's own."""
    digest = salted_hmac(f"{SALT}.{project_id}", who, algorithm="sha256").digest()
    # A letter in front: no spreadsheet takes it for a number.
    return f"p-{b32encode(digest).decode()[:LETTERS].lower()}"
