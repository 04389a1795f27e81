"""A plan is followed through every change of people."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.plan_verification import problems_of
from annotator.models import Assignment, Batch, Plan
from tests.annotator.planned import make_study, people_of, released

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> Batch:
    """A batch of A to D in which B has given way to E, and then C to B."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD")
    for leaving, joining in (("B", "E"), ("C", "B")):
        people: dict[str, Any] = {
            "leaving": people_of(project, leaving),
            "joining": people_of(project, joining),
        }
        outcome = outcome_of(propose_people_change(batch=batch, **people))
        apply_people_change(batch=batch, **people, outcome=outcome, reason="one for another", actor=None)
    return batch


def test_two_changes_explain_what_is_stored(batch: Batch) -> None:
    assert problems_of(batch) == []
    out = StringIO()
    call_command("verify_plan", "first", stdout=out)
    assert "matches its plan: seed 7, anatomark-plan/1 and 2 changes of annotators." in out.getvalue()


def _forget(batch: Batch) -> None:
    last = batch.plans.last()
    assert last is not None
    last.delete()


def _forget_the_first(batch: Batch) -> None:
    batch.plans.filter(kind="change")[0].delete()


def _another_certificate(batch: Batch) -> None:
    Plan.objects.filter(kind="change").update(certificate="0" * 64)


def _take_back(batch: Batch) -> None:
    row = Assignment.objects.filter(batch=batch, status="withdrawn").first()
    assert row is not None
    Assignment.objects.filter(pk=row.pk).update(status="open", position=99)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (_forget, "is assigned, but not planned."),
        (_forget_the_first, "Before the change of "),
        (_another_certificate, "The certificate does not match the document"),
        (_take_back, "is assigned, but not planned."),
    ],
)
def test_what_they_do_not_explain_is_named(batch: Batch, tamper: Callable[[Batch], None], said: str) -> None:
    tamper(batch)
    assert any(said in problem for problem in problems_of(batch))
