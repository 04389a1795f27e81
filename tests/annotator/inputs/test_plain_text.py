"""Names that hide, turn round or imitate; and those of people who write otherwise, which do nothing of it."""

from __future__ import annotations

import pytest

from annotator.batches.assignments import InvalidBatch, check_settings
from annotator.batches.closing import InvalidReason, checked_reason
from annotator.exchange.formats.file_names import fault_of
from annotator.inputs.plain_text import mixed_scripts, turns_text_round
from annotator.people.codes import PersonRefused, check_user_name, member_to_take_over
from annotator.people.members import add_person
from annotator.people.tokens import create_token
from annotator.projects.creation import ProjectRefused, create_project
from annotator.projects.prompts import GroupsRefused, set_groups
from tests.factories import make_project, make_user

ROOT = "r\u043e\u043et"  # with two Cyrillic letters
TURNED = "nur\u202egnp.exe"
NAMES = (
    *("Zoë", "Ólafur", "Łukasz", "Ольга", "Ελένη", "אסתר", "فاطمه", "山田太郎", "やまだ-Taro", "김민준"),
    *("नीलम", "ann1", "a.b-c_d", "Հայկ", "ไพลิน", "می\u200cخواهم"),
)


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_people_keep_their_names(name: str) -> None:
    assert not mixed_scripts(name)
    assert not turns_text_round(name)
    if "\u200c" not in name:
        check_user_name(name)
        assert member_to_take_over(make_project("pilot"), name) is None


@pytest.mark.django_db
@pytest.mark.parametrize("name", [ROOT, "\u0440\u0430ul", "\u0391da", "a\u202eb", "a\u200bb", "a\u2066b"])
def test_imitations_are_no_user_names(name: str) -> None:
    with pytest.raises(PersonRefused) as refused:
        check_user_name(name)
    assert refused.value.field == "username"
    with pytest.raises(PersonRefused):
        member_to_take_over(make_project("pilot"), name)
    with pytest.raises(PersonRefused):
        add_person(project=make_project("other"), username=name, role="annotator")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\u0441\u043e\u0440", "Cop", "\uff43op", "cop"])
def test_whole_names_that_look_like_somebody_else_are_taken(name: str) -> None:
    make_user("cop")
    with pytest.raises(PersonRefused):
        check_user_name(name)
    check_user_name("copper")


@pytest.mark.django_db
def test_nothing_turns_the_direction_of_reading() -> None:
    with pytest.raises(InvalidBatch):
        check_settings(TURNED, "anatomy", "never")
    with pytest.raises(ProjectRefused) as refused:
        create_project(name=TURNED, slug="pilot", code="ada", actor=make_user("ada"))
    assert refused.value.field == "name"
    with pytest.raises(InvalidReason):
        checked_reason(TURNED)
    with pytest.raises(GroupsRefused):
        set_groups(project=make_project("pilot"), groups={"hug": TURNED}, actor=None)
    with pytest.raises(ValueError, match="direction"):
        create_token(user=make_user("bea"), name=TURNED, days=1, secret="x")
    assert "direction" in fault_of(TURNED)
    assert fault_of("\u200fשלום.png") == ""
