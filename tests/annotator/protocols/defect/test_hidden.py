"""Who may see what of the stages: every address, for everybody, searched for words and masks of others."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.test import Client

from analysis.exports.registry import layouts_of
from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.adjudication import AdjudicationRefused
from annotator.annotations.reopening import reopen_for_annotator
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project, SuggestionRun
from annotator.people.adjudicators import choose_adjudicators
from annotator.protocols.defect.drawing import path_of
from annotator.suggestions.runs import store_run
from scoring.defect.masks import rectangle
from scoring.protocol import Payload
from tests.analysis.api.callers import calling
from tests.annotator.protocols.defect.stages import (
    HEIGHT,
    MARKERS,
    REVIEWERS,
    WIDTH,
    judge,
    lead_of,
    make_people,
    marks,
    released,
    settle,
    submit,
    verdict,
    votes,
)
from tests.annotator.web.views.speaking import address_of, answer_body, reopen_body
from tests.factories import make_member, make_user, user_of
from tests.permissions.walking import addresses_of
from tests.support.signing_in import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
BOXES = {"ann1": (3, 7, 11, 13), "ann2": (31, 17, 19, 23)}
SUGGESTED = rectangle(HEIGHT, WIDTH, (41, 5, 23, 11)).as_json()
MASKS = {"canary-of-masks", str(SUGGESTED["counts"])}
"""What only the marker in the arm *with* may see."""
REFERENCE = {"canary-of-references", "canary-reference-text", "canary-of-descriptions", "canary-model"}
"""What none of them may see."""
BEFORE = {"canary-rev1-check", "canary-rev2-verdict"}
"""What two reviewers said, and nobody else may see, before they said `NOW`."""
NOW = "canary-of-now"


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
    check = Annotation.objects.filter(assignment__batch=third, status="submitted")[0]
    said = {"made_from": check.payload["made_from"], "description": "canary-reference-text"}
    suggest(found, "reference", "canary-of-references", said)
    written = {"model": "canary-model", "defective": True, "description": "A thumb too many."}
    suggest(found, "description", "canary-of-descriptions", written)
    shown = {"masks": [{"mask": SUGGESTED, "kind": "logical"}]}
    Batch.objects.filter(pk=second.pk).update(suggestions=suggest(found, "masks", "canary-of-masks", shown))
    for code, arm in zip(MARKERS, ("with", "without"), strict=True):
        second.assignments.filter(annotator__code=code).update(arm=arm)
    return found


@pytest.fixture
def revised(project: Project) -> Project:
    """Two reviewers have said something else since; only the history holds what they said before."""
    for protocol, code in (("defect-check", "rev1"), ("defect-verdict", "rev2")):
        own = project.batches.get(protocol=protocol).assignments.get(annotator__code=code)
        reopen_for_annotator(
            annotation=own.annotation, actor=lead_of(project), reason="Look again.", request_key=uuid4()
        )
        own.annotation.refresh_from_db()
        submit(own, {**own.annotation.payload, "note": NOW}, own.annotation.version)
    assert {each for each in BEFORE for event in Event.objects.all() if each in str(event.data)} == BEFORE
    return project


def suggest(project: Project, kind: str, source: str, payload: Payload) -> SuggestionRun:
    """Store a run of one suggestion for the image."""
    image = project.images.get()
    suggested = {image.pk: payload}
    return store_run(project=project, suggested=suggested, actor=None, source=source, kind=kind)[0]


def make_expert(project: Project, code: str, *protocols: str) -> None:
    """A reviewer of the project, who may adjudicate under these protocols without seeing codes."""
    member = make_member(project, Membership.Role.REVIEWER, code=code, user=make_user(f"pilot-{code}"))
    lead = user_of(project.memberships.get(code="lead"))
    for batch in project.batches.filter(protocol__in=protocols):
        choose_adjudicators(batch=batch, chosen=[member], actor=lead)


def seen_by(project: Project, code: str) -> Iterator[tuple[str, str]]:
    """Every address that answers this person, and every act that is answered, with what is said."""
    member = project.memberships.get(code=code)
    client = signed_in(member)
    # Their own, and one of somebody else of each batch; leads have pages for every annotation.
    there = list(Assignment.objects.select_related("annotator__user", "batch", "image").order_by("pk"))
    others = {each.batch_id: each for each in there if each.annotator != member}
    own = [each for each in there if each.annotator == member]
    every = {
        address
        for each in (there if code == "lead" else [*own, *others.values()])
        for address in (*addresses_of(each), *adjudicating(each))
    }
    for address in sorted(every):
        if "sign-out" in address or "logout" in address:
            continue
        reply = client.get(address)
        if reply.status_code == 200:
            body = b"".join(reply.streaming_content) if reply.streaming else reply.content  # type: ignore[attr-defined]
            yield address, body.decode("utf-8", "replace")
    yield from told_by_the_api(project, member)
    yield from told_to_acts(client, own)


def told_by_the_api(project: Project, member: Membership) -> Iterator[tuple[str, str]]:
    """What a program with this person's token reads: lists, annotations, reports and every export."""
    caller = calling(member)
    paths = ["/projects", *(f"/projects/{project.slug}{rest}" for rest in ("", "/images", "/forms"))]
    paths += [f"/annotations/{pk}" for pk in Annotation.objects.values_list("pk", flat=True)]
    for protocol in project.batches.values_list("protocol", flat=True):
        asked = f"?protocol={protocol}"
        paths += [f"/projects/{project.slug}/annotations{asked}"]
        paths += [f"/projects/{project.slug}/reports/agreement{asked}"]
        paths += [f"/projects/{project.slug}/exports/{name}.csv{asked}" for name in layouts_of(protocol)]
    for path in paths:
        reply = caller.get(path)
        if reply.status_code == 200:
            body = b"".join(reply.streaming_content) if reply.streaming else reply.content
            yield path, body.decode("utf-8", "replace")


def told_to_acts(client: Client, own: list[Assignment]) -> Iterator[tuple[str, str]]:
    """What the page of annotations fetches ahead, and what it hears of saves, conflicts and submissions."""
    for assignment in own:
        state = client.get(address_of("answer_state", assignment)).json()
        sent, version = state["payload"], state["version"]
        acts = [
            ("answer_save", answer_body(sent, version + 7)),
            ("answer_submit", answer_body(sent, version)),
            ("answer_reopen", reopen_body(version)),
            ("answer_save", answer_body(sent, version)),
        ]
        for name, body in acts:
            reply = client.post(address_of(name, assignment), body, "application/json")
            yield f"{name} {assignment.batch.protocol} {reply.status_code}", reply.content.decode()


def adjudicating(assignment: Assignment) -> Iterator[str]:
    """Pages on which an expert decides, of every protocol."""
    image = assignment.image
    for protocol in set(assignment.batch.project.batches.values_list("protocol", flat=True)):
        for page in ("", "adjudicate/"):
            yield f"/projects/{image.project.slug}/images/{image.public_id}/{page}?protocol={protocol}"
        yield f"/projects/{image.project.slug}/disagreements/?protocol={protocol}"


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
def test_nobody_sees_what_others_said(revised: Project, code: str, may_see: set[str]) -> None:
    everybody = {*MARKERS, *REVIEWERS}
    hidden = {each for other in everybody - may_see for each in canaries(other)}
    hidden |= REFERENCE if code == "ann1" else {*REFERENCE, *MASKS}
    hidden |= set() if code == "rev1" else {NOW}
    found = {each for other in may_see for each in canaries(other)}
    found |= MASKS if code == "ann1" else set()
    # The script draws one's own masks from their counts.
    found -= {path_of(rectangle(HEIGHT, WIDTH, BOXES[code]))} if code in BOXES else set()
    opened = 0
    for address, said in seen_by(revised, code):
        opened += 1
        assert not {each for each in hidden if each in said}, address
        # Reviewers know marks by letter, and nobody learns why an image was drawn.
        others = {f'"{each}"' for each in everybody - {code}} | {f">{each}<" for each in everybody - {code}}
        assert not {each for each in others if each in said}, address
        found -= {each for each in found if each in said}
    assert opened > 5
    assert found <= {"canary-rev3-verdict", "canary-rev3-check", *(BEFORE & canaries(code))}


def test_an_expert_sees_what_they_decide_by_letter_once_the_batch_is_closed(project: Project) -> None:
    make_expert(project, "exp", "defect-verdict", "defect-check")
    make_expert(project, "look")
    judged = {f"canary-{code}-verdict" for code in REVIEWERS}
    checked = {f"canary-{code}-check" for code in REVIEWERS[:2]}
    checked |= {f"canary-{code}-text" for code in MARKERS}
    checked |= {path_of(rectangle(HEIGHT, WIDTH, BOXES["ann1"]))}
    assert read_by(project, "exp", judged | checked) == judged
    # Nor can they decide what they may not see.
    check = project.batches.get(protocol="defect-check")
    expert = user_of(project.memberships.get(code="exp"))
    image = project.images.get()
    with pytest.raises(AdjudicationRefused):
        settle(image, "defect-check", {}, expert)
    judge(check, lambda _, given: votes(given, lambda _: True) | {"note": "canary-rev3-check"})
    assert read_by(project, "exp", judged | checked) == judged | checked
    # A batch that is opened again hides its votes again.
    project.batches.filter(protocol="defect-verdict").update(status="open")
    assert read_by(project, "exp", judged | checked) == checked
    # Without the right, a reviewer of the project sees none of it.
    assert read_by(project, "look", judged | checked) == set()


def read_by(project: Project, code: str, words: set[str]) -> set[str]:
    """Which of these words somebody reads anywhere; no code of an annotator stands beside them."""
    found = set()
    for address, said in seen_by(project, code):
        found |= {each for each in words if each in said}
        named = {each for each in (*MARKERS, *REVIEWERS) if f">{each}<" in said or f'"{each}"' in said}
        assert not named, address
    return found


@pytest.mark.parametrize("stage", ["verdict", "marks", "check"])
def test_no_report_names_an_image_with_what_anybody_said_of_it(project: Project, stage: str) -> None:
    make_expert(project, "look")
    asked = f"?protocol=defect-{stage}"
    report = request_report(project=project, kind="agreement", protocol=f"defect-{stage}", send=False)
    assert run_report(report.pk)
    image = project.images.get()
    known = {str(image.public_id), f'"image":{image.pk}', f'"image": {image.pk}'}
    for code in ("lead", "look"):
        member = project.memberships.get(code=code)
        client = signed_in(member)
        own = f"/projects/{project.slug}/reports/agreement"
        replies = [
            calling(member).get(f"{own}{asked}"),
            client.get(f"{own}/{asked}"),
            client.get(f"{own}.json{asked}"),
        ]
        for reply in replies:
            assert reply.status_code == 200
            assert not {each for each in known if each in reply.content.decode()}
        assert client.get(f"{own}/{report.pk}/disagreements.csv").status_code == 404
        others = f"/projects/{project.slug}/disagreements/{asked}"
        reply = client.get(f"{own}/{report.pk}/disagreements/")
        assert (reply.status_code, reply["Location"]) == (302, others)
        page = client.get(others)
        assert (page.status_code, "canary" in page.content.decode()) == (200, False)


def test_leads_see_everything_but_what_was_said_before(revised: Project) -> None:
    missing = {each for other in (*MARKERS, "rev1", "rev2") for each in canaries(other)} - BEFORE
    missing = {each for each in missing if each.startswith("canary")} | {NOW}
    for address, said in seen_by(revised, "lead"):
        assert not {each for each in BEFORE if each in said}, address
        missing -= {each for each in missing if each in said}
    assert missing == set()


def test_control_is_in_no_payload_of_an_annotator(project: Project) -> None:
    batch = Batch.objects.get(protocol="defect-marks")
    assignment = batch.assignments.earliest("pk")
    client = signed_in(assignment.annotator)
    assert "control" not in client.get(f"/assignments/{assignment.pk}/state").json()["payload"]
    assert "drawn" not in client.get(f"/assignments/{assignment.pk}/state").json()


@pytest.mark.parametrize("shown", [False, True])
def test_after_closing_annotators_see_what_became_of_their_own(project: Project, shown: bool) -> None:
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
        # What became of it comes without the script, so the page draws one's own mask.
        drawn = path_of(rectangle(HEIGHT, WIDTH, BOXES["ann1"]))
        found |= {
            (address, words) for words in (*joined, "mask kept, description kept", drawn) if words in said
        }
    own = project.batches.get(protocol="defect-marks").assignments.get(annotator__code="ann1")
    assert {address for address, _ in found} == ({f"/assignments/{own.pk}/"} if shown else set())
    assert len(found) == 3 * shown
