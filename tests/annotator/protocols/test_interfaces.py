"""Faces of protocols: nothing is released under one that lacks any, and one with all needs nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from annotator.batches.assignments import IncompleteProtocol
from annotator.batches.closing import close_batch
from annotator.models import Batch, Event, Membership, Project
from annotator.protocols import page as interfaces
from annotator.protocols.page import INTERFACES, missing_interfaces, register_interface
from scoring import service
from scoring.anatomy.protocol import ANATOMY
from scoring.service import PROTOCOLS, registry
from tests.annotator.adjudicating import Case, make_case, settle, withdraw
from tests.annotator.planned import make_study, plan_for, release_plan
from tests.factories import LEAD, make_image, make_member, make_payload, make_project, make_user, user_of
from tests.protocols.stars.living import let_live
from tests.protocols.stars.rules import STARS
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
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


@pytest.mark.usefixtures("stars")
@pytest.mark.parametrize("slug", PROTOCOLS)
def test_every_protocol_of_the_program_has_all_faces(slug: str) -> None:
    assert missing_interfaces(slug) == ()


@pytest.mark.usefixtures("stars")
@pytest.mark.parametrize(
    ("having", "missing"),
    [
        ((), ("page", "report", "export")),
        (("report", "export"), ("page",)),
        (("page", "export"), ("report",)),
        (("page", "report"), ("export",)),
    ],
)
def test_a_protocol_without_a_face_is_not_released(having: tuple[str, ...], missing: tuple[str, ...]) -> None:
    give(*having)
    with pytest.raises(IncompleteProtocol) as refused:
        release_planned()
    assert refused.value.missing == missing
    assert all((INTERFACES[face] in str(refused.value)) is (face in missing) for face in INTERFACES)
    assert (Batch.objects.count(), Event.objects.count()) == (0, 0)


@pytest.mark.usefixtures("stars")
def test_a_protocol_with_all_faces_is_released() -> None:
    give(*INTERFACES)
    assert release_planned().protocol == "stars"


@pytest.mark.usefixtures("stars")
def test_a_face_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError):
        register_interface("smile", {"stars"})


CANARY = "canary of the lead"


@pytest.fixture
def case() -> Case:
    found = make_case(make_project())
    settle(found, make_payload([("missing.limbs", "1/3b"), ("extra.hands", "1/3b")]) | {"note": CANARY})
    return found


def told(
    case: Case, *, closed: bool = True, allowed: bool = True
) -> tuple[list[tuple[str, str, str]] | None, str]:
    """What became of the first annotation, as rows, and the whole page."""
    Batch.objects.filter(pk=case.batch.pk).update(settings={"outcome_shown": allowed})
    if closed:
        close_batch(batch=case.batch, reason="All is done.", actor=None)
    own = case.a.assignment
    client = signed_in(own.annotator)
    page = client.get(f"/assignments/{own.pk}/")
    became = page.context["became"]
    rows = None if became is None else [(row.title, row.mine, row.theirs) for row in became.rows]
    return rows, page.content.decode()


def test_the_adjudicated_value_is_seen_after_closing_where_the_lead_allows(case: Case) -> None:
    rows, page = told(case)
    assert rows == [("Missing · Limbs", "1/4c", "1/3b")]
    assert not {each for each in (CANARY, "anno2", ">lead<") if each in page}


@pytest.mark.parametrize(("closed", "allowed"), [(True, False), (False, True)])
def test_before_closing_or_without_leave_nothing_is_seen(case: Case, closed: bool, allowed: bool) -> None:
    rows, page = told(case, closed=closed, allowed=allowed)
    assert rows is None
    assert "1/3b</td>" not in page


def test_a_withdrawn_value_is_not_told(case: Case) -> None:
    withdraw(case)
    assert told(case)[0] is None


@pytest.fixture
def lively(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    let_live(monkeypatch, settings)


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


@pytest.fixture
def ada(project: Project) -> Membership:
    return make_member(project, user=make_user("ada"), code="ada")


@pytest.fixture
def lead(project: Project) -> Client:
    client = Client()
    member = make_member(project, LEAD, user=make_user("lee"), code="lee")
    client.force_login(user_of(member))
    return client


def order(project: Project, ada: Membership, **more: Any) -> dict[str, Any]:
    """What the form of a new batch sends."""
    fixed = {"name": "B", "which": "new", "annotators": [ada.pk], "overlap": "0", "overlap_unit": "percent"}
    return {**fixed, "per_image": "1", "seed": "7", "score_shown": "choice", "action": "preview", **more}


@pytest.mark.usefixtures("lively")
def test_a_batch_is_released_with_its_settings(project: Project, ada: Membership, lead: Client) -> None:
    make_image(project)
    form = lead.get(reverse("batch_new", args=["pilot"]))
    assert form.context["form"].offered == [
        *("anatomy", "presence", "realism", "defect-verdict", "defect-marks", "stars")
    ]
    preview = lead.post(
        reverse("batch_new", args=["pilot"]), order(project, ada, protocol="stars", lamp="on")
    )
    sent: dict[str, list[str]] = {}
    for name, value in preview.context["sent"]:
        sent.setdefault(name, []).append(value)
    facts = preview.context["facts"]
    confirmed = {
        **sent,
        "digest": facts["digest"],
        "basis": facts["basis"],
        "request_key": str(preview.context["request_key"]),
        "action": "confirm",
    }
    assert lead.post(reverse("batch_new", args=["pilot"]), confirmed).status_code == 302
    batch = Batch.objects.get()
    assert (batch.protocol, batch.settings, batch.score_shown) == ("stars", {"lamp": True}, "never")
    assert Event.objects.get(verb="batch_released").data["settings"] == {"lamp": True}
    page = lead.get(reverse("batch", args=[batch.pk]))
    assert {"lamp"} == {setting.name for _, setting in page.context["form"].settings_offered()}
    lead.post(reverse("batch_settings", args=[batch.pk]), {})
    batch.refresh_from_db()
    assert (batch.settings, batch.score_shown, batch.guided) == ({"lamp": False}, "never", False)
