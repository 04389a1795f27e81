"""Who did what, when, to what."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from annotator.models.projects import Project
from annotator.models.work import Assignment


class Event(models.Model):
    """One act, written once and never changed.

    `data` holds what the act replaced or made. `request_key` is made by the client that asked for it,
    so that a repeated request is answered instead of carried out twice.
    """

    project = models.ForeignKey(Project, models.PROTECT, null=True, related_name="events")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    request_key = models.UUIDField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "request_key"], name="one_act_per_request")
        ]
        indexes = [models.Index(fields=["project", "created_at"], name="event_by_project")]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M:%S} {self.verb}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the event once; raises TypeError on an attempt to change one."""
        if not self._state.adding:
            raise TypeError("Events are append-only: record a new one.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise TypeError: events are never removed."""
        raise TypeError("Events are append-only: they are never removed.")
