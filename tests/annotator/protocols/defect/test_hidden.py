"""Who may see what of the stages: every address, for everybody, searched for words and masks of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from annotator.models import Annotation, Assignment, Batch, Membership, Project, SuggestionRun
from annotator.people.adjudicators import give_right
from annotator.protocols.defect.drawing import path_of
from annotator.suggestions.runs import store_run
from scoring.defect.masks import rectangle
from scoring.protocol import Payload
from tests.annotator.protocols.defect.stages import (
    HEIGHT,
    MARKERS,
    REVIEWERS,
    WIDTH,
    judge,
    make_people,
    marks,
    released,
    verdict,
    votes,
)
from tests.annotator.web.views.test_hidden import addresses
from tests.factories import make_member, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
BOXES = {"ann1": (3, 7, 11, 13), "ann2": (31, 17, 19, 23)}
SUGGESTED = rectangle(HEIGHT, WIDTH, (41, 5, 23, 11)).as_json()
MASKS = {"canary-of-masks", str(SUGGESTED["counts"])}
"""What only the marker in the arm *with* may see."""
REFERENCE = {"canary-of-references", "canary-reference-text", "canary-of-descriptions", "canary-model"}
"""What none of them may see."""


def canaries(code: str) -> set[str]:
    """What only this person has said: words, and a mask as text and as a drawing."""
    if code in BOXES:
        mask = rectangle(HEIGHT, WIDTH, BOXES[code])
        return {f"canary-{code}-text", str(mask.as_json()["counts"]), path_of(mask)}
    return {f"canary-{code}-{stage}" for stage in ("verdict", "check")}


@pytest.fixture
def project() -> Project:
    """One image in all stages; the check is open, and rev3 has not judged."""
    found = make_people(1, slug="pilot")
    make_member(found, code="out", user=make_user("pilot-out"))
    first = released(found, "defect-verdict", REVIEWERS)
    judge(first, lambda each, _: verdict("reject") | {"note": f"canary-{each.annotator.code}-verdict"})
    second = released(found, "defect-marks", MARKERS, first, control=100)

    def marked(each: Assignment, _: Payload) -> Payload:
        code = each.annotator.code
        payload = marks(BOXES[code])
        payload["defects"][0]["text"] = f"canary-{code}-text"
        return payload

    judge(second, marked)
    third = released(found, "defect-check", REVIEWERS, second)
    third.assignments.filter(annotator__code="rev3").update(status="skipped")
    judge(
        third,
        lambda each, given: votes(given, lambda _: True) | {"note": f"canary-{each.annotator.code}-check"},
        close=False,
    )
    third.assignments.filter(annotator__code="rev3").update(status="open")
    check = Annotation.objects.filter(assignment__batch=third, status="submitted").first()
    assert check is not None
    said = {"made_from": check.payload["made_from"], "description": "canary-reference-text"}
    suggest(found, "reference", "canary-of-references", said)
    written = {"model": "canary-model", "defective": True, "description": "A thumb too many."}
    suggest(found, "description", "canary-of-descriptions", written)
    shown = {"masks": [{"mask": SUGGESTED, "kind": "logical"}]}
    Batch.objects.filter(pk=second.pk).update(suggestions=suggest(found, "masks", "canary-of-masks", shown))
    for code, arm in zip(MARKERS, ("with", "without"), strict=True):
        second.assignments.filter(annotator__code=code).update(arm=arm)
    return found


def suggest(project: Project, kind: str, source: str, payload: Payload) -> SuggestionRun:
    """Store a run of one suggestion for the image."""
    image = project.images.get()
    suggested = {image.pk: payload}
    return store_run(project=project, suggested=suggested, actor=None, source=source, kind=kind)[0]


def make_expert(project: Project, code: str, *protocols: str) -> None:
    """A reviewer of the project, who may adjudicate under these protocols without seeing codes."""
    member = make_member(project, Membership.Role.REVIEWER, code=code, user=make_user(f"pilot-{code}"))
    lead = project.memberships.get(code="lead").user
    assert lead is not None
    for batch in project.batches.filter(protocol__in=protocols):
        give_right(batch=batch, member=member, codes_hidden=True, actor=lead)


def seen_by(project: Project, code: str) -> Iterator[tuple[str, str]]:
    """Every address that answers this person, with what it says."""
    member = project.memberships.get(code=code)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    # Their own, and one of somebody else of each batch; leads have pages for every annotation.
    there = list(Assignment.objects.select_related("annotator__user", "batch", "image").order_by("pk"))
    others = {each.batch_id: each for each in there if each.annotator != member}
    own = [each for each in there if each.annotator == member]
    every = {
        address
        for each in (there if code == "lead" else [*own, *others.values()])
        for address in (*addresses(each), *adjudicating(each))
    }
    for address in sorted(every):
        if "sign-out" in address or "logout" in address:
            continue
        reply = client.get(address)
        if reply.status_code == 200:
            body = b"".join(reply.streaming_content) if reply.streaming else reply.content  # type: ignore[attr-defined]
            yield address, body.decode("utf-8", "replace")


def adjudicating(assignment: Assignment) -> Iterator[str]:
    """Pages on which an expert decides, of every protocol."""
    image = assignment.image
    for protocol in project_protocols(assignment):
        for page in ("", "adjudicate/"):
            yield f"/projects/{image.project.slug}/images/{image.public_id}/{page}?protocol={protocol}"
        yield f"/projects/{image.project.slug}/disagreements/?protocol={protocol}"


def project_protocols(assignment: Assignment) -> list[str]:
    return sorted(set(assignment.batch.project.batches.values_list("protocol", flat=True)))


@pytest.mark.parametrize(
    ("code", "may_see"),
    [
        # Markers see their own marks, reviewers their own votes and all marks, and nobody else's.
        ("ann1", {"ann1"}),
        ("rev1", {"rev1", *MARKERS}),
        ("rev3", {"rev3", *MARKERS}),
        ("out", set()),
    ],
)
def test_nobody_sees_what_others_said(project: Project, code: str, may_see: set[str]) -> None:
    everybody = {*MARKERS, *REVIEWERS}
    hidden = {each for other in everybody - may_see for each in canaries(other)}
    hidden |= REFERENCE if code == "ann1" else {*REFERENCE, *MASKS}
    found = {each for other in may_see for each in canaries(other)}
    found |= MASKS if code == "ann1" else set()
    opened = 0
    for address, said in seen_by(project, code):
        opened += 1
        assert not {each for each in hidden if each in said}, address
        # Reviewers know marks by letter, and nobody learns why an image was drawn.
        others = {f'"{each}"' for each in everybody - {code}} | {f">{each}<" for each in everybody - {code}}
        assert not {each for each in others if each in said}, address
        found -= {each for each in found if each in said}
    assert opened > 5
    assert found <= {"canary-rev3-verdict", "canary-rev3-check"}


def test_an_expert_sees_what_they_decide_by_letter(project: Project) -> None:
    make_expert(project, "exp", "defect-verdict", "defect-check")
    make_expert(project, "look")
    judged = {each for code in REVIEWERS[:2] for each in canaries(code)}
    shown = {f"canary-{code}-text" for code in MARKERS} | {path_of(rectangle(HEIGHT, WIDTH, BOXES["ann1"]))}
    missing = judged | shown
    for address, said in seen_by(project, "exp"):
        missing -= {each for each in missing if each in said}
        assert not {code for code in (*MARKERS, *REVIEWERS) if f">{code}<" in said or f'"{code}"' in said}, (
            address
        )
    assert missing == set()
    # Without the right, a reviewer of the project sees none of it.
    for address, said in seen_by(project, "look"):
        assert not {each for each in judged | shown if each in said}, address


def test_leads_see_everything(project: Project) -> None:
    missing = {each for other in (*MARKERS, "rev1", "rev2") for each in canaries(other)}
    missing = {each for each in missing if each.startswith("canary")}
    for _, said in seen_by(project, "lead"):
        missing -= {each for each in missing if each in said}
    assert missing == set()


def test_control_is_in_no_payload_of_an_annotator(project: Project) -> None:
    batch = Batch.objects.get(protocol="defect-marks")
    assignment = batch.assignments.first()
    assert assignment is not None
    user = assignment.annotator.user
    assert user is not None
    client = Client()
    client.force_login(user)
    assert "control" not in client.get(f"/assignments/{assignment.pk}/state").json()["payload"]
    assert "drawn" not in client.get(f"/assignments/{assignment.pk}/state").json()


@pytest.mark.parametrize("shown", [False, True])
def test_after_closing_annotators_see_what_became_of_their_own_where_the_lead_allows(
    project: Project, shown: bool
) -> None:
    check = project.batches.get(protocol="defect-check")
    judge(check, lambda _, given: votes(given, lambda _: True) | {"note": "canary-rev3-check"})
    project.batches.update(settings={"outcome_shown": shown})
    hidden = {each for code in (*REVIEWERS, "ann2") for each in canaries(code)} | REFERENCE
    # The suggested reference stands for all that is kept.
    joined = {"canary-reference-text"} if shown else set()
    found = set()
    for address, said in seen_by(project, "ann1"):
        assert not {each for each in hidden - joined if each in said}, address
        assert not {each for each in (*REVIEWERS, "ann2") if f">{each}<" in said or f'"{each}"' in said}
        found |= {(address, words) for words in (*joined, "mask kept, description kept") if words in said}
    own = project.batches.get(protocol="defect-marks").assignments.get(annotator__code="ann1")
    assert {address for address, _ in found} == ({f"/assignments/{own.pk}/"} if shown else set())
    assert len(found) == 2 * shown
