"""A recruitment link in the world of the permissions' tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from annotator.models import Membership, RatingForm, Recruited, Recruitment
from annotator.people.recruiting import recruit
from annotator.people.secrets import new_secret


def make_recruitment(
    lead: Membership, joined: Membership, form: RatingForm, canaries: Mapping[str, str]
) -> Recruitment:
    """Create a recruitment link by which an annotator has joined from a panel."""
    link = recruit(
        project=lead.project,
        places=2,
        stem="p",
        completion_code=canaries["completion code"],
        closes_at=timezone.now() + timedelta(days=1),
        secret=new_secret(),
        actor=lead.user,
        questions=form.definition,
    )
    joined.recruitment = link
    joined.save()
    Recruited.objects.create(membership=joined, participant=canaries["panel id"], answers={"quality": 2})
    return link
