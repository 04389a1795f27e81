"""People and their roles inside a project."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.crypto import salted_hmac

from annotator.models.projects import Project


def default_preferences() -> dict[str, Any]:
    """Return how the labelling page looks and listens until a person says otherwise."""
    return {"single_keys": True, "surround": "auto", "show_score": False}


class User(AbstractUser):
    """An account. What a person may do is said by their memberships, not here.

    `preferences` are the person's own settings of the labelling page: `single_keys` (bool), `surround`
    ("auto", "light", "dark"), `show_score` (bool, where the batch leaves the choice). With another
    `session_salt` all sessions end.
    """

    preferences = models.JSONField(default=default_preferences, blank=True)
    session_salt = models.CharField(max_length=32, blank=True, editable=False)

    def _get_session_auth_hash(self, secret: str | bytes | None = None) -> str:
        # What Django makes of the password alone, so that an empty salt ends no session.
        return salted_hmac(
            "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash",
            self.password + self.session_salt,
            secret=secret,
            algorithm="sha256",
        ).hexdigest()


class Membership(models.Model):
    """A person's role in one project.

    `code` is the name under which the person appears in data and exports. Answers hang on the
    membership, so they outlive the account.
    """

    class Role(models.TextChoices):
        """What a person is in a project."""

        LEAD = "lead", "Lead"
        ANNOTATOR = "annotator", "Annotator"
        REVIEWER = "reviewer", "Reviewer"

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    code = models.CharField(max_length=80)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_membership_per_person"),
            models.UniqueConstraint(fields=["project", "code"], name="one_person_per_code"),
            models.CheckConstraint(
                condition=models.Q(role__in=["lead", "annotator", "reviewer"]), name="known_role"
            ),
        ]

    def __str__(self) -> str:
        return self.code
