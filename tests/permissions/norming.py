"""A norming session in the world of the permissions' tests."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.models import Membership, NormingSession
from annotator.norming.starting import start_session
from tests.factories import make_stored_image, user_of


def make_norming(people: Sequence[Membership], lead: Membership, name: str) -> NormingSession:
    """Start a session of three new images, in which nobody has answered yet."""
    images = [make_stored_image(lead.project, generator="", prompt="") for _ in range(3)]
    return start_session(
        project=lead.project,
        name=f"{name} again",
        protocol="anatomy",
        people=people,
        picked="chosen",
        count=3,
        images=[image.pk for image in images],
        actor=user_of(lead),
    )
