"""Text in 25 inputs to a payload and back, and visible counts on the adjudication form."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from annotator.annotations.saving import checked_annotation
from annotator.models import Annotation, Batch
from annotator.protocols.anatomy.adjudication_form import VISIBLE, AnatomyAdjudicationForm
from annotator.protocols.anatomy.form import AnatomyForm
from annotator.protocols.base import Difference
from annotator.suggestions.runs import store_run
from scoring.anatomy.protocol import ANATOMY
from scoring.protocol import InvalidPayload
from scoring.service import get_protocol
from tests.analysis.factories import make_submitted
from tests.factories import (
    REFERENCE,
    make_batch,
    make_image,
    make_mark,
    make_member,
    make_payload,
    make_project,
)

pytestmark = pytest.mark.django_db
EMPTY = get_protocol("anatomy").empty()


def bound(typed: dict[str, str], stored: dict[str, Any] | None = None) -> AnatomyForm:
    """A form as it is sent: every cell, whether touched or not."""
    stored = stored or EMPTY
    untouched = {name: str(value) for name, value in AnatomyForm(stored=stored).initial.items() if value}
    sent = {**untouched, "version": "0", "request_key": str(uuid.uuid4()), **typed}
    form = AnatomyForm(sent, stored=stored)
    form.full_clean()
    return form


def test_what_is_typed_becomes_the_payload() -> None:
    form = bound(
        {
            "marks.missing.limbs": "1/4c",
            "marks.missing.hands": "1/3b",
            "marks.missing.face": " 2/2 A ",
            "marks.configuration.hands": "1/3c, 1/3b",
        }
    )
    assert form.errors == {}
    assert form.payload() == make_payload(REFERENCE)


def test_a_stored_payload_comes_back_unchanged() -> None:
    stored = make_payload(REFERENCE, note="left hand")
    assert bound({}, stored).payload() == stored


def test_people_counts_and_pins_of_a_stored_payload_stay() -> None:
    pinned = {**make_mark("missing.limbs", "1/4c", own_total=False), "pins": [{"x": 0.5, "y": 0.25}]}
    counts = {"expected": {"limbs": 4, "hands": 3}, "visible": {}}
    stored = {**make_payload(), "people": 2, "counts": counts, "marks": [pinned]}
    payload = bound(
        {"marks.missing.limbs": "1/4c,1/4b", "marks.missing.hands": "1/3a,1/2b"}, stored
    ).payload()
    assert payload["people"] == 2
    assert payload["counts"] == counts
    assert payload["marks"] == [
        make_mark("missing.limbs", "1/4b", own_total=False),
        pinned,
        make_mark("missing.hands", "1/3a", own_total=False),
        make_mark("missing.hands", "1/2b", own_total=True),
    ]


def test_a_mark_without_a_total_is_kept_while_untouched() -> None:
    open_mark = {**make_mark("missing.hands", "1/3b", own_total=False), "total": None}
    stored = {**make_payload(), "marks": [open_mark]}
    assert AnatomyForm(stored=stored).initial["marks.missing.hands"] == "1/?b"
    assert bound({}, stored).payload()["marks"] == [open_mark]


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("1/4", "Add a, b or c"),
        ("1b", "Add the total"),
        ("5/4b", "Above total"),
        ("1/4b,2/4b", "Repeated severity"),
        ("1/4b,", "Extra comma"),
        ("<b>1/4b</b>", "Write 1/4b"),
    ],
)
def test_a_cell_that_cannot_be_read_says_why(text: str, short: str) -> None:
    form = bound({"marks.extra.hands": text})
    assert [box["short"] for column in form.columns() for box in column["boxes"] if box["short"]] == [short]
    [message] = form.messages()["marks.extra.hands"]
    assert message.startswith("“")


def test_what_cannot_be_read_stays_as_it_was_stored() -> None:
    stored = make_payload(REFERENCE)
    form = bound({"marks.missing.limbs": "1/", "marks.missing.feet": "1/4a"}, stored)
    marks = form.payload()["marks"]
    assert make_mark("missing.limbs", "1/4c") in marks
    assert make_mark("missing.feet", "1/4a") in marks
    assert list(form.errors) == ["marks.missing.limbs"]


def test_refusals_of_the_protocol_land_at_their_fields() -> None:
    form = bound({"marks.missing.limbs": "1/4c", "no_errors": "on"})
    with pytest.raises(InvalidPayload) as refused:
        get_protocol("anatomy").clean(form.payload())
    form.refuse(refused.value.errors)
    assert form.messages() == {
        "no_errors": ["Refused: 1 error is entered. Remove it first, or submit without “No errors”."]
    }
    form.refuse({"flag": ["Refused: no input here."]})
    assert form.messages()[""] == ["Refused: no input here."]


def test_people_and_counts_are_numbers_of_their_own() -> None:
    form = bound(
        {
            "people": "2",
            "counts.expected.limbs": "4",
            "counts.visible.hands": "3",
            "marks.missing.limbs": "1/4c",
            "marks.configuration.hands": "1/5b",
        }
    )
    payload = get_protocol("anatomy").clean(form.payload()).payload()
    assert payload["people"] == 2
    assert payload["counts"] == {"expected": {"limbs": 4}, "visible": {"hands": 3}}
    assert payload["counts_set"] == {"expected": ["limbs"], "visible": ["hands"]}
    assert [mark["own_total"] for mark in payload["marks"]] == [False, True]


def test_a_number_that_is_none_is_refused_at_its_input() -> None:
    form = bound({"people": "0", "counts.expected.limbs": "100", "counts.visible.face": "many"})
    assert set(form.messages()) == {"people", "counts.expected.limbs", "counts.visible.face"}
    assert form.payload()["counts"] == {"expected": {}, "visible": {}}


def test_guesses_stay_guesses_until_they_are_typed_over() -> None:
    counts = {"expected": {"limbs": 4, "hands": 2}, "visible": {}}
    stored = make_payload((), people=1, counts=counts, no_errors=False)
    sent = {"people": "1", "counts.expected.limbs": "4", "counts.expected.hands": "3"}
    payload = bound(sent, stored=stored).payload()
    assert payload["counts"]["expected"] == {"limbs": 4, "hands": 3}
    assert payload["counts_set"]["expected"] == ["hands"]


def test_differences_name_the_cells() -> None:
    mine = make_payload(REFERENCE)
    theirs = make_payload([*REFERENCE[1:], ("extra.feet", "1/4a")], note="seen twice")
    assert AnatomyForm(stored=mine).differences(mine, theirs) == [
        Difference("Missing · Limbs", "1/4c", ""),
        Difference("Extra · Feet", "", "1/4a"),
        Difference("Note", "", "seen twice"),
    ]
    assert AnatomyForm(stored=mine).differences(mine, mine) == []


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
    assert (cell["title"], cell["nothing"], cell["example"]) == ("Visible hands", "no number", "4")
    assert [(option["text"], option["letters"]) for option in cell["options"]] == [
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
    assert [cell["key"] for cell in rows["Hands"] if cell][-1] == HANDS
    assert form.unfolded()


@pytest.mark.parametrize("text", ["100", "-1", "3.5", "six", "²"])
def test_what_is_no_count_is_refused(text: str) -> None:
    form = decided(made(4, 6), **{HANDS: "other", f"{HANDS}.other": text})
    form.payload()
    assert form.errors == {HANDS: [f"Refused: “{text}” is not a whole number from 0 to 99."]}
