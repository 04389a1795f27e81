"""A batch for people who have not joined yet: never ticked beforehand, released as for anybody."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from annotator.people.recruiting import recruit
from annotator.people.secrets import new_secret
from tests.annotator.invited import invite
from tests.annotator.planned import confirmation
from tests.annotator.web.views.conftest import Study
from tests.factories import make_image, make_member, make_user
from tests.support.codes import codes

NEW = "/projects/pilot/batches/new/"


def ticked(page: Any) -> list[str]:
    return [row.member.code for row in page.context["form"].people() if row.ticked]


def test_people_with_an_open_invitation_are_ticked_beforehand_other_places_not(
    study: Study, as_lead: Client
) -> None:
    for _ in range(4):
        make_image(study.project)
    invite(project=study.project, role="annotator", code="p1", secret=new_secret(), actor=None)
    imported = make_member(study.project, user=make_user("waiting", is_active=False), code="p2")
    page = as_lead.get(NEW)
    assert ticked(page) == ["ada", "bob", "p1"]
    assert sorted(codes(page)) == ["invited", "no-account", "no-references", "some-wait"]
    place = study.project.memberships.get(code="p1")
    sent = {
        "name": "Batch 1",
        "which": "new",
        "annotators": [place.pk, imported.pk],
        "overlap": "25",
        "overlap_unit": "percent",
        "coders": "2",
        "seed": "7",
        "score_shown": "never",
        "action": "preview",
    }
    preview = as_lead.post(NEW, sent)
    assert as_lead.post(NEW, confirmation(preview)).status_code == 302
    assert place.assignments.count() + imported.assignments.count() == 5
    assert place.assignments.exists()


def test_a_batch_for_the_places_of_a_recruitment_link(study: Study, as_lead: Client) -> None:
    link = recruit(
        project=study.project,
        places=2,
        stem="p",
        completion_code="",
        closes_at=timezone.now() + timedelta(days=1),
        secret=new_secret(),
        actor=None,
    )
    assert ticked(as_lead.get(NEW, {"recruitment": link.pk})) == ["p01", "p02"]
    assert ticked(as_lead.get(NEW)) == ticked(as_lead.get(NEW, {"recruitment": "0"})) == ["ada", "bob"]
