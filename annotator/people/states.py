"""The states of invitations and recruitment links."""

from __future__ import annotations

from django.db.models import TextChoices


class InvitationState(TextChoices):
    """The state of an invitation or a recruitment link."""

    OPEN = "open", "Open"
    USED = "used", "Used"
    REVOKED = "revoked", "Revoked"
    EXPIRED = "expired", "Expired"


class InvitationClosed(Exception):
    """The link is used, revoked or expired, or its project is being deleted."""
