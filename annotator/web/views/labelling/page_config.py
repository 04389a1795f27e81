"""The configuration of the annotation page's script."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from annotator.models import Assignment, User
from annotator.people.preferences import preferences_of
from annotator.projects.tags import tags_of
from annotator.protocols.registry import page_of
from annotator.web.views.guidelines.addresses import guideline_address
from annotator.web.views.labelling.undoable_submission import Submitted
from scoring.payloads import FLAG_REASONS


def page_config(user: User, assignment: Assignment, after: Submitted | None) -> dict[str, Any]:
    """Return the user, their settings, the protocol's configuration and addresses.

    `after` is the submission or skip that can be undone, if any.
    """
    project = assignment.batch.project
    return {
        "user": user.pk,
        "username": user.get_username(),
        "preferences": preferences_of(user),
        "protocol": assignment.batch.protocol,
        "flag_reasons": [{"code": code, "title": title} for code, title in FLAG_REASONS.items()],
        "tags": [{"number": number, "title": name} for number, name in tags_of(project).items()],
        **page_of(assignment.batch.protocol).config(project),
        "urls": {
            "label": reverse("label", args=[0]),
            "queue": reverse("queue", args=[project.slug]),
            "login": reverse("login"),
            "preferences": reverse("preferences"),
            "guide": guideline_address(project, assignment.batch.protocol),
        },
        "after": after
        and {
            "id": after.pk,
            "number": after.place,
            "version": after.version,
            "skipped": after.outcome == "skipped",
        },
    }
