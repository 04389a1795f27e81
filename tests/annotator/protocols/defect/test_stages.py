"""The stages one after another: decisions, draws, given parts, and who may judge what."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from analysis.reports.disagreements import disputed
from annotator.annotations.adjudication import AdjudicationRefused, annotations_of
from annotator.annotations.versioned_changes import nothing_yet
from annotator.batches.assignments import InvalidBatch
from annotator.batches.planning import InvalidDesign
from annotator.models import Annotation, Assignment, ImageSummary
from annotator.protocols.defect.material import checked_in
from annotator.suggestions.runs import store_run
from annotator.web.views.labelling.annotation_state import state_of
from scoring.protocol import InvalidPayload
from tests.annotator.protocols.defect.stages import (
    LEFT,
    MARKERS,
    REVIEWERS,
    judge,
    keep_but_spare,
    lead_of,
    make_people,
    marked,
    marks,
    released,
    settle,
    submit,
    verdict,
    votes,
    voting,
)
from tests.factories import user_of
from tests.support.codes import codes, refused

pytestmark = pytest.mark.django_db


def scores(protocol: str) -> list[float | None]:
    rows = ImageSummary.objects.filter(protocol=protocol, code="").order_by("image__number")
    return list(rows.values_list("score", flat=True))


def test_a_verdict_is_unanimous_or_the_experts_and_leads_to_marks() -> None:
    project = make_people(4)
    batch = released(project, "defect-verdict", REVIEWERS)
    judge(batch, voting("RRR", "AAA", "ARR", "RRU"))
    assert scores("defect-verdict") == [1.0, 0.0, None, None]
    assert set(disputed().values_list("image__number", flat=True)) == {2, 3}
    settle(project.images.get(number=2), "defect-verdict", verdict("reject"))
    assert scores("defect-verdict") == [1.0, 0.0, 1.0, None]
    assert list(disputed().values_list("image__number", flat=True)) == [3]
    following = released(project, "defect-marks", MARKERS, batch, control=0)
    drawn = following.assignments.values_list("image__number", flat=True).distinct()
    assert set(drawn) == {0, 2}


def test_an_expert_sees_the_text_from_a_file(client: Client) -> None:
    project = make_people(1)
    check = released(project, "defect-check", REVIEWERS, marked(project))
    judge(check, keep_but_spare)
    client.force_login(lead_of(project))
    image = project.images.get()
    address = f"/projects/defects/images/{image.public_id}/adjudicate/?protocol=defect-check"
    form = client.get(address).context["form"]
    assert form.long_help.startswith("Leave it empty to join what is kept: Upper left, structural: The fing")
    made_from = annotations_of(image, "defect-check")[0].payload["made_from"]
    told: dict[str, Any] = {"project": project, "actor": None, "source": "writer", "kind": "reference"}
    suggested = {image.pk: {"made_from": made_from, "description": "Two canary fingers."}}
    run, _ = store_run(suggested=suggested, **told)
    page = client.get(address)
    assert page.context["form"].long_help.endswith("take what writer suggests: Two canary fingers.")
    # For other marks it does not count.
    run.suggestions.update(payload={"made_from": "0" * 16, "description": "Two canary fingers."})
    assert "canary" not in client.get(address).content.decode()


def test_boxes_without_a_description_are_checked_by_part_and_severity() -> None:
    project = make_people(1)
    batch = released(project, "defect-marks", MARKERS)
    batch.settings = {"shape": "box", "details": True}
    batch.save()
    payload = marks(LEFT)
    payload["defects"][0] |= {"text": "", "part": "hands", "severity": "c"}
    judge(batch, lambda *_: payload)
    assignment = released(project, "defect-check", REVIEWERS, batch).assignments.order_by("pk")[0]
    assert {item["text"] for item in nothing_yet(assignment).payload["items"]} == {"Hands, severe"}


def test_a_check_follows_closed_marks_of_others() -> None:
    project = make_people()
    with pytest.raises(InvalidBatch, match="follows a closed batch of marks") as alone:
        released(project, "defect-check", REVIEWERS)
    assert alone.value.code == "follows-nothing"
    batch = released(project, "defect-marks", MARKERS)
    judge(batch, lambda *_: marks(LEFT), close=False)
    with pytest.raises(InvalidDesign, match="follows a closed batch of marks"):
        released(project, "defect-check", REVIEWERS, batch)
    judge(batch, lambda *_: marks(LEFT))
    with pytest.raises(InvalidDesign):
        released(project, "defect-check", ("ann1", "rev1", "rev2"), batch)
    assert released(project, "defect-check", REVIEWERS, batch).follows == batch


def test_reviewers_judge_what_is_given_and_nothing_else() -> None:
    project = make_people(1)
    batch = released(project, "defect-check", REVIEWERS, marked(project))
    first = batch.assignments.order_by("pk")[0]
    payload = state_of(first, user_of(first.annotator))["payload"]
    assert [item["key"][0] for item in payload["items"]] in (["A", "B", "B"], ["A", "A", "B"])
    assert payload["effects"] == [1, 2]
    assert "ann1" not in str(payload)
    forged = {"items": [], "made_from": "forged", "effects": []} | votes(payload, lambda _: True)
    with pytest.raises(InvalidPayload, match=r"A1, (A2|B1) and B[12] are not judged"):
        submit(first, forged)
    assert not Annotation.objects.filter(assignment=first).exists()
    submit(first, forged | {"made_from": payload["made_from"]})
    stored = Assignment.objects.get(pk=first.pk).annotation.payload
    assert all(stored[name] == payload[name] for name in ("items", "made_from", "effects"))


def test_a_lead_decides_on_no_judgement_of_their_own(client: Client) -> None:
    batch = released(project := make_people(1), "defect-verdict", ("ann1", "ann2", "lead"))
    judge(batch, lambda row, _: verdict("reject" if row.annotator.code == "lead" else "accept"))
    image, lead = project.images.get(), lead_of(project)
    with refused(AdjudicationRefused, "no-lead"):
        settle(image, "defect-verdict", verdict("reject"))
    client.force_login(lead)
    address = f"/projects/defects/images/{image.public_id}/adjudicate/?protocol=defect-verdict"
    assert "own-vote" in codes(client.get(address, follow=True))


def test_three_reviewers_make_one_region_and_one_reference() -> None:
    project = make_people(1)
    image = project.images.get()
    batch = released(project, "defect-check", REVIEWERS, marked(project))
    judge(batch, keep_but_spare)
    found = checked_in(batch, image)
    assert found is not None
    assert (len(found.masks), found.region.area, found.disputed) == (2, 23 * 20, True)
    assert found.reference.endswith("The effect on the image is noticeable.")
    assert scores("defect-check") == [2.0]
    # An expert keeps all, and writes the reference.
    given = annotations_of(image, "defect-check")[0].payload
    settle(image, "defect-check", {**given, **votes(given, lambda _: True), "reference": "Three fingers."})
    ruled = checked_in(batch, image)
    assert ruled is not None
    assert (len(ruled.masks), ruled.reference, ruled.source) == (3, "Three fingers.", "expert")
    assert scores("defect-check") == [3.0]


def test_the_pages_work_without_a_script(client: Client) -> None:
    project = make_people(1)
    batch = released(project, "defect-check", REVIEWERS, marked(project))
    assignment = batch.assignments.order_by("pk")[0]
    client.force_login(user_of(assignment.annotator))
    page = client.get(f"/assignments/{assignment.pk}/")
    assert page.content.decode().count('class="thing"') == 3
    form = {"version": 0, "request_key": str(uuid4())}
    page_of = f"/assignments/{assignment.pk}/"
    partly = client.post(page_of, form | {"action": "submit", "answers.A1_mask": "keep"})
    assert partly.status_code == 422
    given = page.context["state"]["payload"]
    said = {f"answers.{name}": vote for name, vote in votes(given, lambda _: True)["answers"].items()}
    form = {"version": partly.context["version"], "request_key": str(uuid4())}
    done = client.post(page_of, form | said | {"action": "submit", "flagged": "on"})
    assert done.status_code == 302
    # Nothing in it can be focused any more, so it is, to be scrolled by keys.
    assert (
        '<div class="given-things rating-form closed" tabindex="0">' in client.get(page_of).content.decode()
    )
    stored = Assignment.objects.get(pk=assignment.pk).annotation
    assert stored.ratings is not None
    assert stored.payload["flag"] == {"reason": "ambiguous", "note": ""}
    assert [value for name, _, value in stored.ratings or () if name == "masks_kept"] == ["3/1"]
