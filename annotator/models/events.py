"""Events: what people did, written once."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from annotator.models.projects import Project
from annotator.models.work import Assignment


class Event(models.Model):
    """One action, written once and never changed.

    `data` holds the replaced or created values. `request_key` is the client's idempotency key. An Event
    outlives its objects: `project_id` and `assignment_id` stay after a project or an image is purged, and ids
    are never reused.
    """

    # Both begin other indexes.
    project = models.ForeignKey(
        Project, models.DO_NOTHING, null=True, related_name="events", db_constraint=False, db_index=False
    )
    assignment = models.ForeignKey(
        Assignment, models.DO_NOTHING, null=True, related_name="events", db_constraint=False, db_index=False
    )
    # PROTECT: removing the actor would change the Event.
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    request_key = models.UUIDField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "request_key"], name="one_act_per_request")
        ]
        indexes = [
            models.Index(fields=["project", "created_at"], name="event_by_project"),
            models.Index(fields=["project", "verb", "id"], name="event_by_verb"),
        ]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M:%S} {self.verb}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Create the Event; raises TypeError on an attempt to change one."""
        if not self._state.adding:
            raise TypeError("Events are append-only: record a new one.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise TypeError: Events are never removed."""
        raise TypeError("Events are append-only: they are never removed.")
