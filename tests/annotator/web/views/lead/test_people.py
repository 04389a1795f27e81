"""A member's page: role and access."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotator.models import Membership
from tests.factories import make_member, make_project
from tests.support.signing_in import signed_in


@pytest.mark.django_db
def test_a_lead_changes_a_member_but_not_their_own_rights() -> None:
    project = make_project()
    lead, member = make_member(project, Membership.Role.LEAD), make_member(project)
    client, address = signed_in(lead), reverse("person", args=[project.slug, member.pk])
    for sent, now in (
        ({"action": "deactivate"}, ("annotator", False)),
        ({"action": "reactivate"}, ("annotator", True)),
        ({"role": "reviewer"}, ("reviewer", True)),
    ):
        assert client.post(address, sent).status_code == 302
        member.refresh_from_db()
        assert (member.role, member.is_active) == now
    assert client.post(address, {"role": "king"}).status_code == 422
    own = client.post(reverse("person", args=[project.slug, lead.pk]), {"action": "deactivate"})
    assert own.status_code == 422
    lead.refresh_from_db()
    assert lead.is_active
