"""A project that holds norming sessions has the scores, agreement and files of the same without them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django.fixtures import Settings

from annotator.models import Membership, NormingSession, Project
from annotator.norming.closing import close_session
from annotator.norming.discussing import agree, comment
from annotator.norming.revealing import reveal
from annotator.norming.starting import start_session
from tests.analysis.mixed import make_mixed
from tests.annotator.norming.making import BOB, answer_all
from tests.factories import ANNOTATOR, LEAD, make_payload
from tests.protocols.stars.living import let_live
from tests.purpose.making import artefacts

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> Project:
    """Images judged under three protocols."""
    let_live(monkeypatch, settings)
    return make_mixed()


def normed(project: Project, lead: Membership) -> NormingSession:
    """Hold a session on images that count, whose answers contradict the counted ones, and close it."""
    assert lead.user is not None
    people = list(project.memberships.filter(role=ANNOTATOR).order_by("pk"))
    images = list(project.images.order_by("pk").values_list("pk", flat=True)[:4])
    session = start_session(
        project=project,
        name="norming",
        protocol="anatomy",
        people=people[:2],
        picked="chosen",
        count=len(images),
        images=images,
        actor=lead.user,
    )
    answer_all(session, {one.code: BOB for one in people[:2]})
    reveal(session=session, actor=lead.user)
    for row in session.images.select_related("session__batch"):
        comment(normed=row, author=people[0], text="So be it.", request_key=uuid4())
        agree(normed=row, actor=lead.user, payload=make_payload(BOB), gaps={}, replaces=0)
    # No references: a bundle has a table of them.
    close_session(session=session, references=[], actor=lead.user)
    return session


def numbers(project: Project, lead: Membership, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield reports, exports and the bundle's tables; pages list the session's batch and may differ."""
    for name, made in artefacts(project, lead, folder):
        if not name[0].isdigit() and not name.startswith(("api ", "queues of ", "people of ")):
            yield name, made


@pytest.mark.thorough  # test_identity has norming among the purposes
@pytest.mark.slow  # every file and report twice, under three protocols
def test_not_a_byte_of_a_number_changes(project: Project, tmp_path: Path) -> None:
    lead = project.memberships.get(role=LEAD)
    before = dict(numbers(project, lead, tmp_path))
    assert normed(project, lead).images.filter(agreed__isnull=False).count() == 4
    after = dict(numbers(project, lead, tmp_path))
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
    assert len([name for name in before if name.startswith("anatomy ")]) > 5
