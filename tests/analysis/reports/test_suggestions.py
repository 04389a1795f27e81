"""The report on suggestions: from a released batch to the result, its page, the command, and agreement."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.stats.generic.tables import rows_of
from analysis.stats.suggestions import LACKING, WRONG
from annotator.models import Annotation, Assignment, Batch, Event
from annotator.suggestions.runs import store_run
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import adjudicated
from tests.analysis.reading import whole_page
from tests.analysis.wider_study import result_of
from tests.annotator.planned import make_study, plan_for, release_plan
from tests.factories import LEAD, make_member, make_payload
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


def counted(hands: int) -> dict[str, Any]:
    """An annotation without marks that counts two people and so many hands."""
    payload = make_payload([])
    visible = {**payload["counts"]["visible"], "hands": hands}
    made = {"people": 2, "counts": {**payload["counts"], "visible": visible}}
    return {**payload, **made, "counts_set": {"expected": [], "visible": ["hands"]}}


def make_seen(share: int = 50) -> Batch:
    """48 images, annotated by two people each, and a run that suggests 6 of 4 hands on each.

    Of the annotators who see it, three in four take it over; those who do not count 4.
    """
    project = make_study("pilot", prompts=8)
    suggested = {"people": 2, "visible": {"hands": 6}}
    images = dict.fromkeys(project.images.values_list("pk", flat=True), suggested)
    run, _ = store_run(project=project, suggested=images, actor=None, source="counter", source_version="1")
    plan = plan_for(project, overlap=Fraction(1), per_image=2)
    batch = release_plan(project=project, name="first", plan=plan, own_settings={"suggestions": share})
    with_it = 0
    for row in batch.assignments.order_by("pk").select_related("annotator", "image"):
        is_shown = row.arm == Assignment.Arm.WITH
        with_it += is_shown
        capture = {"suggestion": run.pk, "shown_ms": 5000} if is_shown else {}
        payload = counted(6 if is_shown and with_it % 4 else 4)
        active_ms = 20_000 if is_shown else 30_000
        make_submitted(row.annotator, assignment=row, payload=payload, capture=capture, active_ms=active_ms)
    return batch


def decide(batch: Batch, hands: int = 4) -> None:
    """Adjudicate every image at so many hands."""
    lead = make_member(batch.project, LEAD)
    for image in batch.project.images.all():
        adjudicated(ANATOMY, image, lead, counted(hands))


def test_wrong_suggestions_are_found_in_adjudicated_images() -> None:
    batch = make_seen()
    before = result_of(batch.project, "suggestions")
    assert (
        rows_of(before, "effect")[-2]["difference"]["refused"] == "too few: 0 of 20 wrong suggestions without"
    )
    decide(batch)
    found = result_of(batch.project, "suggestions")
    assert found["suggestions"] == ["counter 1"]
    effect = {row["measure"]: row for row in rows_of(found, "effect")}
    wrong = effect[WRONG]
    assert (wrong["n_with"], wrong["n_without"]) == (48, 48)
    assert (wrong["with"], wrong["without"], wrong["p"]) == (0.75, 0.0, None)
    assert wrong["difference"]["low"] > 0.5
    assert effect[LACKING]["difference"]["value"] == -0.75
    assert effect["Median active time (s)"]["difference"]["value"] == -10.0
    quality = {row["over"]: row for row in rows_of(found, "quality")}
    assert (quality["Hands"]["equal"], quality["Hands"]["error"]) == (0.0, 2.0)
    assert quality["Hands"]["adjudicated"] == 48
    total, *people = rows_of(found, "use")
    assert (total["shown"], total["taken"], total["changed"]) == (48, 36 + 48, 12)
    assert total["seconds"] == 5.0
    assert [row["annotator"] for row in people] == ["A", "B", "C", "D"]


def test_a_project_without_suggestions_has_no_such_report() -> None:
    project = make_study("pilot")
    with pytest.raises(CommandError, match="suggestion that a batch shows"):
        call_command("report", "suggestions", "--project", "pilot")
    lead = signed_in(make_member(project, LEAD))
    assert "/reports/suggestions/" not in whole_page(lead, "/projects/pilot/reports/agreement/")


def test_agreement_leaves_out_images_of_both_arms_and_says_so() -> None:
    batch = make_seen()
    both = {
        image
        for image in batch.project.images.values_list("pk", flat=True)
        if len(set(batch.assignments.filter(image=image).values_list("arm", flat=True))) == 2
    }
    assert 0 < len(both) < 48
    found = result_of(batch.project, "agreement")
    assert found["settings"]["images"] == 48 - len(both)
    assert found["mixed_arms"] == {"answers": 2 * len(both), "images": len(both)}
    Assignment.objects.update(arm="")
    Event.objects.create(project=batch.project, verb="submitted", assignment=batch.assignments.first())
    Annotation.objects.update(version=2)
    again = result_of(batch.project, "agreement")
    assert (again["settings"]["images"], "mixed_arms" in again) == (48, False)


def test_the_comparison_warns_where_generators_differ_in_suggestions() -> None:
    batch = make_seen()
    even = result_of(batch.project, "comparison")
    assert [row["suggested"] for row in rows_of(even, "balance")] == [16, 16, 16]
    assert "suggestion" not in line_of(even)
    first = batch.project.images.order_by("generator").values_list("generator", flat=True).first()
    batch.assignments.filter(image__generator=first).update(arm="with")
    batch.assignments.exclude(image__generator=first).update(arm="without")
    Annotation.objects.update(version=2)
    uneven = result_of(batch.project, "comparison")
    assert "annotations with a suggestion are spread unevenly" in line_of(uneven)


def line_of(result: dict[str, Any]) -> str:
    return next(str(table["line"]) for table in result["tables"] if table["name"] == "balance")
