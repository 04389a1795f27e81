"""The four stages on a few images, for tests: who does what, and how a batch is drawn from the one before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any
from uuid import uuid4

from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.annotations.saving import submit_annotation
from annotator.annotations.versioned_changes import nothing_yet
from annotator.batches.closing import close_batch
from annotator.batches.releases import release_plan
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.batches.second_stage.drawing import Draw
from annotator.models import Assignment, Batch, Image, Project, SuggestionRun, User
from annotator.suggestions.runs import store_run
from scoring.defect.masks import rectangle
from scoring.protocol import Payload
from tests.factories import LEAD, make_image, make_member, make_project, make_user, user_of

MARKERS, REVIEWERS = ("ann1", "ann2"), ("rev1", "rev2", "rev3")
HEIGHT, WIDTH = 60, 80
LEFT, RIGHT, SPARE, MOVED = (5, 5, 20, 20), (8, 5, 20, 20), (60, 40, 10, 10), (30, 5, 20, 20)
"""Boxes: two that nearly cover each other, and two elsewhere."""
Answer = Callable[[Assignment, Payload], Payload]
"""Takes an assignment and the payload that the server gives, and returns what somebody submits."""


def make_people(images: int = 2, slug: str = "defects") -> Project:
    """A project with two annotators, three reviewers, a lead, and images by two generators."""
    project = make_project(slug)
    before = "" if slug == "defects" else f"{slug}-"
    for code in (*MARKERS, *REVIEWERS):
        make_member(project, code=code, user=make_user(before + code))
    make_member(project, LEAD, code="lead", user=make_user(f"{before}lead"))
    for number in range(images):
        generator = f"model-{number % 2}"
        make_image(project, generator=generator, prompt="a hand", number=number, width=WIDTH, height=HEIGHT)
    return project


def released(
    project: Project, protocol: str, people: Sequence[str], follows: Batch | None = None, **draw: Any
) -> Batch:
    """A batch in which all of these people judge every image, drawn from the one that it follows."""
    members = project.memberships.filter(code__in=people).order_by("code")
    request = BatchRequest(
        name=protocol,
        protocol=protocol,
        people=tuple(members.values_list("pk", flat=True)),
        overlap=Fraction(1),
        per_image=len(people),
        seed=7,
        draw=Draw(follows.pk, **draw) if follows else None,
    )
    return release_plan(project=project, request=request, plan=requested_plan(project, request))


def described(project: Project, **texts: str) -> None:
    """Store what each model writes about every image; an empty text is of one that sees no defect."""
    for model, text in texts.items():
        said = {"model": model, "defective": bool(text), "description": text}
        suggested = dict.fromkeys(project.images.values_list("pk", flat=True), said)
        kind = SuggestionRun.Kind.DESCRIPTION
        store_run(project=project, suggested=suggested, actor=None, source=model, kind=kind)


def judge(batch: Batch, answer: Answer, *, close: bool = True) -> None:
    """Submit what everybody answers for every image of a batch, and close it."""
    for assignment in batch.assignments.filter(status="open").order_by("pk"):
        submit(assignment, answer(assignment, nothing_yet(assignment).payload))
    if close:
        close_batch(batch=batch, reason="All is done.", actor=None)
        batch.refresh_from_db()


def submit(assignment: Assignment, payload: Payload, replaces: int = 0) -> None:
    """Submit a payload for an assignment."""
    assert assignment.annotator.user is not None
    submit_annotation(
        assignment=assignment,
        actor=assignment.annotator.user,
        payload=payload,
        replaces=replaces,
        request_key=uuid4(),
    )


def lead_of(project: Project) -> User:
    """The account of the lead."""
    return user_of(project.memberships.get(code="lead"))


def settle(
    image: Image, protocol: str, payload: Payload, actor: User | None = None, looked_at: Any = None
) -> None:
    """Decide an image as an expert, by default the lead, who looked at the annotations of now."""
    adjudicate(
        image=image,
        protocol=protocol,
        actor=actor or lead_of(image.project),
        payload=payload,
        replaces=0,
        adjudicated_from=looked_at or seen(annotations_of(image, protocol)),
        request_key=uuid4(),
    )


def one_against_two(assignment: Assignment) -> Payload:
    """A verdict on which the first reviewer disagrees with the others."""
    return verdict("reject" if assignment.annotator.code == "rev1" else "accept")


def voting(*votes: str) -> Answer:
    """Verdicts by image, each reviewer's as a letter: accepted, rejected, or unsure."""
    words = {"A": "accept", "R": "reject", "U": "cannot_judge"}
    return lambda each, _: verdict(words[votes[each.image.number or 0][REVIEWERS.index(each.annotator.code)]])


def score_texts(_: Assignment, given: Payload) -> Payload:
    """Rate texts that begin with Two by 2, and all others by 1."""
    scores = {each["key"]: 2 if each["text"].startswith("Two") else 1 for each in given["candidates"]}
    names = ("completeness", "precision")
    return {"answers": {f"{key}_{name}": score for key, score in scores.items() for name in names}}


def verdict(said: str) -> Payload:
    """A verdict."""
    return {"answers": {"verdict": said}, **({"note": "Too dark."} if said == "cannot_judge" else {})}


def marks(*boxes: tuple[int, int, int, int], effect: int = 1) -> Payload:
    """Marks of boxes, each with a description that names its place."""
    defects = [
        {
            "id": f"d{number}",
            "mask": rectangle(HEIGHT, WIDTH, box).as_json(),
            "kind": "structural",
            "text": f"The finger at {box[0]} is bent",
        }
        for number, box in enumerate(boxes, 1)
    ]
    return {"defects": defects, "effect": effect} if boxes else {"no_defect": True}


def keep_all(_: Assignment, given: Payload) -> Payload:
    """A check that keeps everything."""
    return votes(given, lambda _: True)


def keep_but_spare(each: Assignment, given: Payload) -> Payload:
    """A check that keeps all but the spare finger at 60, which only the first reviewer keeps."""
    return votes(given, lambda item: "60" not in item["text"] or each.annotator.code == "rev1")


def marked(project: Project, follows: Batch | None = None) -> Batch:
    """Closed marks by both: ann1 one box, ann2 nearly the same and a spare one."""
    batch = released(project, "defect-marks", MARKERS, follows)
    by = {"ann1": marks(LEFT, effect=2), "ann2": marks(RIGHT, SPARE)}
    judge(batch, lambda each, _: by[each.annotator.code])
    return batch


def own(batch: Batch, code: str, image: Image) -> Assignment:
    """Somebody's assignment of an image, loaded anew."""
    return batch.assignments.select_related("annotation").get(annotator__code=code, image=image)


def votes(given: Payload, keeps: Callable[[Payload], bool]) -> Payload:
    """A check that keeps the mask and the description of those items."""
    answers = {
        f"{item['key']}_{part}": "keep" if keeps(item) else "drop"
        for item in given["items"]
        for part in ("mask", "text")
    }
    return {"answers": answers}
