"""The right to adjudicate in a batch: who has it, for which images, and what ends it."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.annotations.adjudication import AdjudicationRefused
from annotator.models import Adjudication, Assignment, Batch, Event, Membership
from annotator.people.adjudicators import (
    RightRefused,
    choose_adjudicators,
    images_to_adjudicate,
    right_to_adjudicate,
    sees_codes,
)
from tests.annotator.adjudicating import Case, settle
from tests.factories import (
    REVIEWER,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    user_of,
)
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer(case: Case) -> Membership:
    return make_member(case.project, REVIEWER, code="rev")


def give(case: Case, *members: Membership, batch: Batch | None = None) -> None:
    choose_adjudicators(batch=batch or case.batch, chosen=members, actor=case.user)


def may(case: Case, member: Membership) -> bool:
    return right_to_adjudicate(member, case.image, "anatomy") is not None


class TestWhoHasIt:
    """Leads always, reviewers by batch, annotators never."""

    def test_a_reviewer_of_the_batch(self, case: Case, reviewer: Membership) -> None:
        assert not may(case, reviewer)
        assert images_to_adjudicate(reviewer, "anatomy") == set()
        give(case, reviewer)
        assert may(case, reviewer)
        assert images_to_adjudicate(reviewer, "anatomy") == {case.image.pk}
        assert not sees_codes(reviewer, "anatomy")
        row = settle(case, actor=user_of(reviewer), causes={})
        assert row.decided_by == reviewer

    def test_not_of_another_batch_or_protocol(self, case: Case, reviewer: Membership) -> None:
        other = make_batch(case.project)
        give(case, reviewer, batch=other)
        assert not may(case, reviewer)
        give(case, reviewer)
        assert right_to_adjudicate(reviewer, case.image, "presence") is None
        assert right_to_adjudicate(reviewer, make_image(case.project), "anatomy") is None

    @pytest.mark.parametrize("status", list(Assignment.Status.values))
    def test_not_of_an_image_of_their_own(self, case: Case, reviewer: Membership, status: str) -> None:
        give(case, reviewer)
        position = None if status == Assignment.Status.WITHDRAWN else 1
        own = make_assignment(reviewer, batch=make_batch(case.project), image=case.image)
        Assignment.objects.filter(pk=own.pk).update(status=status, position=position)
        assert not may(case, reviewer)
        assert images_to_adjudicate(reviewer, "anatomy") == set()
        with refused(AdjudicationRefused, "no-lead"):
            settle(case, actor=user_of(reviewer))
        assert not Adjudication.objects.exists()

    def test_two_batches_the_stricter_setting_applies(self, case: Case, reviewer: Membership) -> None:
        Batch.objects.update(codes_hidden=False)
        give(case, reviewer)
        found = right_to_adjudicate(reviewer, case.image, "anatomy")
        assert found is not None
        assert not found.codes_hidden
        other = make_batch(case.project)
        make_assignment(make_member(case.project), batch=other, image=case.image)
        give(case, reviewer, batch=other)
        found = right_to_adjudicate(reviewer, case.image, "anatomy")
        assert found is not None
        assert found.codes_hidden

    def test_it_rests_while_the_role_is_another(self, case: Case, reviewer: Membership) -> None:
        give(case, reviewer)
        Membership.objects.filter(pk=reviewer.pk).update(role="annotator")
        reviewer.refresh_from_db()
        assert not may(case, reviewer)
        with pytest.raises(AdjudicationRefused):
            settle(case, actor=user_of(reviewer))
        Membership.objects.filter(pk=reviewer.pk).update(role="reviewer", is_active=False)
        with pytest.raises(AdjudicationRefused):
            settle(case, actor=user_of(reviewer))


class TestGivingIt:
    """By a lead, to a reviewer, each change with its Event."""

    def test_every_change_is_an_event(self, case: Case, reviewer: Membership) -> None:
        give(case, reviewer)
        give(case, reviewer)
        give(case)
        give(case)
        events = Event.objects.filter(verb="batch_settings_changed").order_by("pk")
        values = [event.data["settings"]["adjudicators"] for event in events]
        assert values == [["rev"], []]
        assert not may(case, reviewer)

    @pytest.mark.parametrize("role", ["annotator", "lead", "reviewer elsewhere"])
    def test_only_to_a_reviewer(self, case: Case, role: str) -> None:
        project = make_project() if role == "reviewer elsewhere" else case.project
        with refused(RightRefused, "no-reviewer"):
            give(case, make_member(project, Membership.Role(role.split()[0])))


class TestTheSettings:
    """Where the lead gives it: in the settings of the batch."""

    @pytest.fixture
    def address(self, case: Case, client: Client) -> str:
        client.force_login(case.user)
        return f"/batches/{case.batch.pk}/settings/"

    def test_a_lead_gives_it(self, case: Case, reviewer: Membership, client: Client, address: str) -> None:
        sent = {"score_shown": "never", "adjudicators": str(reviewer.pk)}
        client.post(address, sent | {"codes_hidden": "on"})
        assert may(case, reviewer)
        assert Batch.objects.get(pk=case.batch.pk).codes_hidden
        client.post(address, sent)
        assert not Batch.objects.get(pk=case.batch.pk).codes_hidden
        client.post(address, {"score_shown": "never"})
        assert not may(case, reviewer)
