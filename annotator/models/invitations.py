"""Invitations into a project."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotator.models.people import Membership
from annotator.models.projects import Project


class Invitation(models.Model):
    """A link with which one person can join a project in one role, once, until it expires.

    Only the SHA-256 of the link's secret is stored, so the database cannot be used to join. `code` is the
    person's name in the data; `note` reminds leads whom they invited. `made_place` tells that the member
    with this code was made to hold the place until the person joins.

    `email` is kept only as long as the invitation can be used. `mail` tells what became of the message to it,
    `mail_error` why it failed.
    """

    class Mail(models.TextChoices):
        """What became of the message with the link."""

        WAITING = "waiting", "Mail waits"
        SENT = "sent", "Mail sent"
        FAILED = "failed", "Mail failed"

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Membership.Role)
    code = models.CharField(max_length=80, blank=True)
    note = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True, default="", db_default="")
    mail = models.CharField(max_length=7, choices=Mail, blank=True, default="", db_default="")
    mail_error = models.CharField(max_length=200, blank=True, default="", db_default="")
    made_place = models.BooleanField(default=False, db_default=False)
    secret_sha256 = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    membership = models.ForeignKey(
        Membership, models.SET_NULL, null=True, blank=True, related_name="invitations"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=["lead", "annotator", "reviewer"]), name="known_invited_role"
            ),
            models.CheckConstraint(
                condition=models.Q(used_at__isnull=True) | models.Q(revoked_at__isnull=True),
                name="used_or_revoked_not_both",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()} for {self.project}"
