"""Events stay as they were written."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError

from annotator.models import Event
from tests.factories import make_project


@pytest.mark.django_db
@pytest.mark.databases
def test_what_was_written_stays() -> None:
    """The model refuses everywhere, PostgreSQL whoever asks."""
    event = Event.objects.create(project=make_project(), verb="batch_closed")
    event.verb = "x"
    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        event.delete()
    if connection.vendor == "postgresql":
        for change in (
            lambda: Event.objects.filter(pk=event.pk).update(verb="x"),
            lambda: cast(Any, Event.objects.filter(pk=event.pk))._raw_delete("default"),
        ):
            with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
                change()
    assert Event.objects.get(pk=event.pk).verb == "batch_closed"
