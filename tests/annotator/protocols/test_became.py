"""What an annotator of anatomy sees of the adjudicated value: once closed, if allowed, of nobody else."""

from __future__ import annotations

import pytest
from django.test import Client

from annotator.batches.closing import close_batch
from annotator.models import Batch
from tests.annotator.adjudicating import Case, make_case, settle, withdraw
from tests.factories import make_payload, make_project

pytestmark = pytest.mark.django_db
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
    assert own.annotator.user is not None
    client = Client()
    client.force_login(own.annotator.user)
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
