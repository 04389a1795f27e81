"""Days as people choose them: also the first and the last of the calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from annotator.inputs.days import lookups
from annotator.models import Event
from tests.factories import make_project


def test_both_days_are_included() -> None:
    assert lookups("at", date(2026, 2, 28), date(2026, 2, 28)) == {
        "at__gte": datetime(2026, 2, 28, tzinfo=UTC),
        "at__lt": datetime(2026, 3, 1, tzinfo=UTC),
    }
    assert lookups("at", None, None) == {}


def test_the_last_day_has_no_day_after_it() -> None:
    assert lookups("at", None, date.max) == {}
    assert lookups("at", None, date(9999, 12, 30)) == {"at__lt": datetime(9999, 12, 31, tzinfo=UTC)}


@pytest.mark.databases
@pytest.mark.django_db
def test_a_database_takes_the_ends_of_the_calendar() -> None:
    Event.objects.create(project=make_project("pilot"), verb="batch_closed", data={})
    for since, until, found in (
        (date.min, date.max, 1),
        (date.min, date.min, 0),
        (date.max, date.max, 0),
        (None, date(9999, 12, 30), 1),
    ):
        assert Event.objects.filter(**lookups("created_at", since, until)).count() == found
