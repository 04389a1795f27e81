"""Every protocol has a page, which tells what became of an annotation, and a new one needs nothing else."""

from __future__ import annotations

import pytest
from django.urls import reverse
from pytest_django.fixtures import Settings

from annotator.batches.closing import close_batch
from annotator.models import Batch, Event, Project
from annotator.protocols.registry import page_of
from scoring.service import PROTOCOLS
from tests.annotator.adjudicating import Case, make_case, settle, withdraw
from tests.annotator.planned import confirmation
from tests.factories import LEAD, make_image, make_member, make_payload, make_project
from tests.protocols.stars.living import let_live
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("slug", PROTOCOLS)
def test_every_protocol_of_the_program_has_a_page(slug: str) -> None:
    assert page_of(slug).slug == slug


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
    rows = None if became is None else [(row.title, row.mine, row.theirs) for row in became]
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


def test_a_batch_is_released_with_its_settings(
    project: Project, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    let_live(monkeypatch, settings)
    make_image(project)
    ada, lead = make_member(project), signed_in(make_member(project, LEAD))
    form = lead.get(reverse("batch_new", args=["pilot"]))
    assert form.context["form"].offered == [
        *("anatomy", "presence", "realism", "defect-verdict", "defect-marks", "stars")
    ]
    sent = {"name": "B", "which": "new", "annotators": [ada.pk], "overlap": "0"}
    sent |= {"per_image": "1", "seed": "7", "score_shown": "choice", "action": "preview"}
    asked = {**sent, "protocol": "stars", "lamp": "on"}
    preview = lead.post(reverse("batch_new", args=["pilot"]), asked)
    confirmed = lead.post(reverse("batch_new", args=["pilot"]), confirmation(preview))
    assert confirmed.status_code == 302
    batch = Batch.objects.get()
    assert (batch.protocol, batch.settings, batch.score_shown) == ("stars", {"lamp": True}, "never")
    assert Event.objects.get(verb="batch_released").data["settings"] == {"lamp": True}
    page = lead.get(reverse("batch", args=[batch.pk]))
    assert {"lamp"} == {setting.name for _, setting in page.context["form"].settings_offered()}
    lead.post(reverse("batch_settings", args=[batch.pk]), {})
    batch.refresh_from_db()
    assert (batch.settings, batch.score_shown, batch.guided) == ({"lamp": False}, "never", False)
