"""Accounts, their roles in projects, and the links that invite or recruit people."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models

from annotator.database.constraints import known
from annotator.models.projects import Project


def default_preferences() -> dict[str, Any]:
    """Return the default settings of the annotation page and of adjudicating."""
    return {"single_keys": True, "surround": "auto", "show_score": False, "hide_codes": False}


class User(AbstractUser):
    """An account. Its rights come from memberships.

    `preferences` are the user's settings of the annotation page: `single_keys` (bool), `surround` ("auto",
    "light", "dark"), `show_score` (bool, if the batch allows the choice); `hide_codes` (bool) shows letters
    in place of annotators' codes while adjudicating.
    """

    preferences = models.JSONField(default=default_preferences, blank=True)


class Membership(models.Model):
    """A person's role in one project.

    `code` is the person's name in data and exports. Annotations belong to the membership, so they outlive the
    account. `recruitment` is the recruitment link that made the place, if any. A lead can let an annotator
    who `draws_faces` decide where the faces of the project's images are.
    """

    class Role(models.TextChoices):
        """A person's role in a project."""

        LEAD = "lead", "Lead"
        ANNOTATOR = "annotator", "Annotator"
        REVIEWER = "reviewer", "Reviewer"

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    code = models.CharField(max_length=80)
    is_active = models.BooleanField(default=True)
    draws_faces = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    recruitment = models.ForeignKey(
        "Invitation", models.SET_NULL, null=True, blank=True, related_name="places"
    )

    class Meta:
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="one_membership_per_person"),
            models.UniqueConstraint(fields=["project", "code"], name="one_person_per_code"),
            known("role", "lead annotator reviewer", name="known_role"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def has_account(self) -> bool:
        """Whether the member is linked to an account that can sign in; one query unless it is loaded."""
        return self.user is not None and self.user.is_active


class Recruited(models.Model):
    """What somebody who joined by a recruitment link brought and said about themselves, if asked.

    Kept apart from annotations: no export, bundle, API answer or Event has the panel's ids. Only the page of
    the link shows them, because leads pay by them.
    """

    membership = models.OneToOneField(Membership, models.CASCADE, related_name="recruited")
    participant = models.CharField(max_length=80, blank=True)
    study = models.CharField(max_length=80, blank=True)
    session = models.CharField(max_length=80, blank=True)
    agreed_at = models.DateTimeField(null=True)
    answers = models.JSONField(null=True)
    stopped_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.membership)


class Invitation(models.Model):
    """A link with which one person can join a project in one role, once, or several people as annotators.

    Its link is signed and stored nowhere, so the database cannot be used to join (see
    `annotator.people.invitations`); `request_key` is that of the form that made it. One person is named by
    `code` in the data; `made_place` tells that the member with this code was made to hold the place until the
    person joins. A recruitment link has no code: each who joins takes one of its `places`, members
    without an account that were made with it, so its cap is their number.

    `completion_code` is shown to those recruited who have finished their queue; each code may be an address
    that leads back to the panel. Who joins first agrees to `consent`, if there is any, and answers
    `questions`, the definition of a rating form. `screens_out` names an answer, as `item=choice`, with which
    nobody joins.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Membership.Role, default=Membership.Role.ANNOTATOR)
    code = models.CharField(max_length=80, blank=True)
    made_place = models.BooleanField(default=False, db_default=False)
    request_key = models.UUIDField()
    completion_code = models.CharField(max_length=200, blank=True)
    screened_out_code = models.CharField(max_length=200, blank=True)
    stopped_code = models.CharField(max_length=200, blank=True)
    consent = models.TextField(blank=True)
    questions = models.JSONField(default=dict, blank=True)
    screens_out = models.CharField(max_length=80, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            known("role", "lead annotator reviewer", name="known_invited_role"),
            models.CheckConstraint(
                condition=models.Q(used_at__isnull=True) | models.Q(revoked_at__isnull=True),
                name="used_or_revoked_not_both",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()} for {self.project}"

    @property
    def recruits(self) -> bool:
        """Whether several people can join by it."""
        return not self.code
