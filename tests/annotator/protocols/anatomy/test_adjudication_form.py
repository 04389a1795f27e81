"""Visible counts on the adjudication form: there where a batch suggested counts, nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.annotations.saving import checked_annotation
from annotator.models import Annotation, Batch
from annotator.protocols.anatomy.adjudication_form import VISIBLE, AnatomyAdjudicationForm
from annotator.suggestions.runs import store_run
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db
HANDS = "counts.visible.hands"


def made(*hands: int, suggests: bool = True) -> list[Annotation]:
    """Annotations of one image, by different people, with so many visible hands."""
    project = make_project("counted")
    image, batch = make_image(project), make_batch(project)
    if suggests:
        run, _ = store_run(
            project=project, suggested={image.pk: {"visible": {"hands": 6}}}, actor=None, source="c"
        )
        Batch.objects.filter(pk=batch.pk).update(suggestions=run)
        batch.refresh_from_db()
    plain = make_payload([])
    for number in hands:
        counts = {**plain["counts"], "visible": {"hands": number}}
        payload = {**plain, "counts": counts, "counts_set": {"expected": [], "visible": ["hands"]}}
        make_submitted(make_member(project), image=image, batch=batch, payload=payload)
    rows = Annotation.objects.order_by("pk").select_related("assignment__batch", "assignment__annotator")
    return list(rows)


def decided(answers: list[Annotation], **data: Any) -> AnatomyAdjudicationForm:
    names = {f"{name}.other": "" for name in VISIBLE if name != HANDS}
    return AnatomyAdjudicationForm(answers, data={**names, **data})


def test_where_nothing_was_suggested_the_form_is_the_cells() -> None:
    form = AnatomyAdjudicationForm(made(4, 6, suggests=False))
    assert len(form.titles) == 25
    assert form.n_agreeing() == 25
    assert form.payload()["counts"]["visible"] == {}


def test_counts_that_differ_are_chosen_or_entered() -> None:
    answers = made(4, 6)
    (cell,) = AnatomyAdjudicationForm(answers).differing()
    assert (cell.title, cell.nothing, cell.example) == ("Visible hands", "no number", "4")
    assert [(option.text, option.letters) for option in cell.options] == [
        ("4", ["A"]),
        ("6", ["B"]),
        ("", []),
    ]
    for said, count in (
        ({HANDS: "=6"}, {"hands": 6}),
        ({HANDS: "other", f"{HANDS}.other": "5"}, {"hands": 5}),
    ):
        form = decided(answers, **said)
        payload = form.payload()
        assert (payload["counts"]["visible"], form.errors) == (count, {})
        assert checked_annotation(payload, ANATOMY, answers[0].assignment.batch.project.exact_weights)
    assert decided(answers, **{HANDS: "="}).payload()["counts"]["visible"] == {}


def test_a_count_on_which_all_agree_can_be_corrected() -> None:
    form = decided(made(6, 6), **{f"{HANDS}.other": "4"})
    assert form.payload()["counts"]["visible"] == {"hands": 4}
    rows = dict(form.agreeing())
    assert [cell.key for cell in rows["Hands"] if cell][-1] == HANDS
    assert form.unfolded()


@pytest.mark.parametrize("text", ["100", "-1", "3.5", "six", "²"])
def test_what_is_no_count_is_refused(text: str) -> None:
    form = decided(made(4, 6), **{HANDS: "other", f"{HANDS}.other": text})
    form.payload()
    assert form.errors == {HANDS: [f"Refused: “{text}” is not a whole number from 0 to 99."]}
