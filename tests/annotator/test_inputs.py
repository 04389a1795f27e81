"""What people type: days, numbers, names; and how a form says what it refuses."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from annotator.batches.assignments import InvalidBatch, check_settings
from annotator.exchange.formats.names import fault_of
from annotator.inputs.days import lookups
from annotator.inputs.numbers import DecimalField, FloatField, IntegerField, decimal
from annotator.inputs.plain_text import InvalidReason, checked_reason, turns_text_round
from annotator.models import Event
from annotator.people.codes import PersonRefused, check_user_name, member_to_take_over
from annotator.people.members import add_person
from annotator.projects.creation import create_project
from annotator.projects.prompts import GroupsRefused, set_groups
from annotator.web.forms.recruiting import RecruitmentForm
from annotator.web.views.account.tokens import TokenForm
from tests.factories import make_project, make_user


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


NO_NUMBERS = ("1_0", "１２", "٣", "", "nan", "inf", "1e999", "1.2.3", "0x1", "1 0")


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), (" 1,5 ", 1.5), ("-.5", -0.5), ("1e3", 1000), ("2.", 2), ("+0.1", 0.1)]
    + [(text, None) for text in NO_NUMBERS],
)
def test_numbers(text: str, number: float | None) -> None:
    assert decimal(text) == number


@pytest.mark.parametrize("kind", [IntegerField, FloatField, DecimalField])
def test_fields_refuse_other_digits(kind: type[IntegerField]) -> None:
    assert kind().clean(" 12 ") == 12
    for text in ("1_0", "１２"):
        with pytest.raises(ValidationError) as refused:
            kind().clean(text)
        assert refused.value.code == "invalid" or refused.value.error_list[0].code == "invalid"


TURNED = "nur\u202egnp.exe"
NAMES = (
    *("Zoë", "Ólafur", "Łukasz", "Ольга", "Ελένη", "אסתר", "فاطمه", "山田太郎", "やまだ-Taro", "김민준"),
    *("नीलम", "ann1", "a.b-c_d", "Հայկ", "ไพลิน", "می\u200cخواهم"),
)


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_people_keep_their_names(name: str) -> None:
    assert not turns_text_round(name)
    if "\u200c" not in name:
        check_user_name(name)
        assert member_to_take_over(make_project("pilot"), name) is None


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "a\u2066b"])
def test_hidden_characters_are_in_no_user_name(name: str) -> None:
    with pytest.raises(PersonRefused) as refused:
        check_user_name(name)
    assert refused.value.field == "username"
    with pytest.raises(PersonRefused):
        member_to_take_over(make_project("pilot"), name)
    with pytest.raises(PersonRefused):
        add_person(project=make_project("other"), username=name, role="annotator")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["Cop", "\uff43op", "cop"])
def test_names_that_differ_by_case_or_width_are_taken(name: str) -> None:
    make_user("cop")
    with pytest.raises(PersonRefused):
        check_user_name(name)
    check_user_name("copper")


@pytest.mark.django_db
def test_nothing_turns_the_direction_of_reading() -> None:
    with pytest.raises(InvalidBatch):
        check_settings(TURNED, "anatomy")
    with pytest.raises(ValidationError) as refused:
        create_project(name=TURNED, slug="pilot", code="ada", actor=make_user("ada"))
    assert list(refused.value.message_dict) == ["name"]
    with pytest.raises(InvalidReason):
        checked_reason(TURNED)
    with pytest.raises(GroupsRefused):
        set_groups(project=make_project("pilot"), groups={"hug": TURNED}, actor=None)
    assert TokenForm({"name": TURNED, "days": 1, "request_key": uuid4()}).errors.keys() == {"name"}
    assert "stopped_code" in RecruitmentForm(make_project("crowd"), {"stopped_code": TURNED}).errors
    assert "direction" in fault_of(TURNED)
    assert fault_of("\u200fשלום.png") == ""
