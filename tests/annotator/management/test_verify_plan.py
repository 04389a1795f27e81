"""`manage.py verify_plan`: silent about nothing."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Assignment, Batch, Plan, Project
from tests.annotator.planned import make_study, released
from tests.factories import make_batch, make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_study("pilot")


def verified(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_plan", *arguments, stdout=out)
    return out.getvalue()


def test_a_batch_as_planned(project: Project) -> None:
    batch = released(project)
    plan = batch.plans.get()
    said = (
        f"“first” matches its plan: seed 7, {plan.algorithm}.\n"
        f"Certificate {plan.certificate}, 30 assignments.\n"
    )
    assert [verified("first"), verified(str(batch.pk)), verified("first", "--project", "pilot")] == [said] * 3


def test_work_done_changes_nothing(project: Project) -> None:
    batch = released(project)
    Assignment.objects.filter(batch=batch, position=1).update(status="done")
    assert "matches its plan" in verified("first")


def _swap(batch: Batch) -> None:
    one, two = Assignment.objects.filter(batch=batch, annotator__code="A", position__lte=2).order_by(
        "position"
    )
    Assignment.objects.filter(pk=one.pk).update(position=99)
    Assignment.objects.filter(pk=two.pk).update(position=1)
    Assignment.objects.filter(pk=one.pk).update(position=2)


def _another_image(batch: Batch) -> None:
    first = Assignment.objects.get(batch=batch, annotator__code="A", position=1)
    Assignment.objects.filter(pk=first.pk).update(image=make_image(batch.project))


def _withdraw(batch: Batch) -> None:
    last = Assignment.objects.filter(batch=batch, annotator__code="B").order_by("position").last()
    assert last is not None
    Assignment.objects.filter(pk=last.pk).update(status="withdrawn", position=None)


def _certificate(batch: Batch) -> None:
    Plan.objects.update(certificate="0" * 64)


def _seed(batch: Batch) -> None:
    Batch.objects.update(seed=8)


def _damage(batch: Batch) -> None:
    Plan.objects.update(document=b"not compressed")


def _rewrite(batch: Batch) -> None:
    Plan.objects.update(document=zlib.compress(b"{}"))


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (_swap, "Annotator A: the images match the plan, but their order differs."),
        (_another_image, "is assigned, but not planned."),
        (_another_image, "is planned, but not assigned."),
        (_withdraw, "Annotator B: image .* is planned, but not assigned."),
        (_certificate, "The certificate does not match the document"),
        (_seed, "The stored seed of the batch is 8, but the plan uses 7."),
        (_damage, "The stored document of the plan is damaged."),
        (_rewrite, "The document cannot be read"),
    ],
)
@pytest.mark.few(3)
def test_every_difference_is_named(project: Project, tamper: Callable[[Batch], None], said: str) -> None:
    tamper(released(project))
    with pytest.raises(CommandError, match=f"(?s)^“first” does not match its plan.*{said}") as caught:
        verified("first")
    assert caught.value.returncode == 1


def test_batches_that_cannot_be_verified(project: Project) -> None:
    make_batch(project, name="by hand")
    with pytest.raises(CommandError, match="The batch has no plan"):
        verified("by hand")
    with pytest.raises(CommandError, match=r"There is no batch 'nothing'\. Known: 'by hand' \(pilot\)\."):
        verified("nothing")
    make_batch(make_project("other"), name="by hand")
    with pytest.raises(CommandError, match=r"Several projects have a batch 'by hand'.*pilot, other\."):
        verified("by hand")
