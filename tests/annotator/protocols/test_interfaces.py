"""Faces of protocols: nothing is released under one that lacks any."""

from __future__ import annotations

import pytest

from annotator.batches.assignments import IncompleteProtocol
from annotator.batches.releases import release_plan
from annotator.models import Batch, Event
from annotator.protocols import page as interfaces
from annotator.protocols.page import INTERFACES, missing_interfaces, register_interface
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.service import PROTOCOLS, registry
from tests.annotator.planned import make_study, plan_for
from tests.protocols.stars.rules import STARS


@pytest.fixture(autouse=True)
def stars(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second protocol whose rules are known, and nothing else of it."""
    monkeypatch.setattr(service, "PROTOCOLS", registry(ANATOMY, STARS))
    monkeypatch.setattr(interfaces, "_HAVING", dict(interfaces._HAVING))


def give(*having: str) -> None:
    """Let the second protocol have these faces."""
    for face in having:
        register_interface(face, {"anatomy", "stars"})


def release_planned() -> Batch:
    project = make_study("planned", generators=1, prompts=1)
    return release_plan(project=project, name="first", plan=plan_for(project), protocol="stars")


@pytest.mark.parametrize("slug", PROTOCOLS)
def test_every_protocol_of_the_program_has_all_faces(slug: str) -> None:
    assert missing_interfaces(slug) == ()


@pytest.mark.parametrize(
    ("having", "missing"),
    [
        ((), ("page", "report", "export")),
        (("report", "export"), ("page",)),
        (("page", "export"), ("report",)),
        (("page", "report"), ("export",)),
    ],
)
@pytest.mark.django_db
def test_a_protocol_without_a_face_is_refused_when_a_batch_is_released(
    having: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    give(*having)
    with pytest.raises(IncompleteProtocol) as refused:
        release_planned()
    assert refused.value.missing == missing
    assert all((INTERFACES[face] in str(refused.value)) is (face in missing) for face in INTERFACES)
    assert (Batch.objects.count(), Event.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_a_protocol_with_all_faces_is_released() -> None:
    give(*INTERFACES)
    assert release_planned().protocol == "stars"


def test_a_face_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError):
        register_interface("smile", {"stars"})
