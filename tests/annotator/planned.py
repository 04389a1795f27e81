"""Projects to plan for: images in strata, annotators A, B, C …"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from annotator.batches import releases
from annotator.batches.designs import Selection, design_of, images_of
from annotator.batches.people_changes import (
    apply_people_change,
    outcome_of,
    people_of_batch,
    propose_people_change,
)
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.planning import make_plan
from annotator.batches.requests import BatchRequest
from annotator.batches.stored_plans import read_release
from annotator.models import Assignment, Batch, Event, Image, Membership, Plan, Project
from annotator.models.counting import PLANNED
from annotator.records.image_deletion import IMAGE_DELETED
from tests.factories import make_image, make_member, make_project


def make_study(slug: str, codes: str = "ABCD", generators: int = 3, prompts: int = 4) -> Project:
    """A project with two images of every generator and prompt, and an annotator per letter."""
    project = make_project(slug)
    for code in codes:
        make_member(project, code=code)
    for generator in range(generators):
        for prompt in range(prompts):
            for number in (1, 2):
                make_image(
                    project, generator=f"generator-{generator}", prompt=f"prompt-{prompt}", number=number
                )
    return project


def people_of(project: Project, codes: Iterable[str] = "ABCD") -> list[Membership]:
    """The people of these codes, of one letter each in a text."""
    return [project.memberships.get(code=code) for code in codes]


def plan_for(
    project: Project, codes: Iterable[str] = "ABCD", *, unassigned: bool = False, **how: Any
) -> MadePlan:
    """A plan over all images of a project, a quarter of them shared."""
    design = design_of(
        project=project,
        images=images_of(project, Selection(unassigned=unassigned), "anatomy"),
        people=people_of(project, codes),
        **{"overlap": Fraction(1, 4), "seed": 7, **how},
    )
    return make_plan(design)


def release_plan(*, project: Project, name: str, plan: MadePlan, **how: Any) -> Batch:
    """Release a plan under this name; `how` are arguments of the release, and other fields of its request."""
    given = {key: how.pop(key) for key in ("actor", "request_key", "basis") if key in how}
    return releases.release_plan(project=project, request=BatchRequest(name, **how), plan=plan, **given)


def released(project: Project, codes: str = "ABCD", name: str = "first", **how: Any) -> Batch:
    """A batch of such a plan."""
    return release_plan(project=project, name=name, plan=plan_for(project, codes, **how))


def changed(batch: Batch, leaving: str = "", joining: str = "", **how: Any) -> Plan:
    """Change the annotators of a batch as it is proposed."""
    people: dict[str, Any] = {
        "leaving": people_of(batch.project, leaving),
        "joining": people_of(batch.project, joining),
    }
    outcome = outcome_of(propose_people_change(batch=batch, **people))
    asked = {**people, "outcome": outcome, "reason": "B left the team", "actor": None, **how}
    return apply_people_change(batch=batch, **asked)


def given(name: str, images: Sequence[Image], *people: Membership) -> Batch:
    """A batch in which each of these people has each of these images."""
    chosen = Image.objects.filter(pk__in=[image.pk for image in images])
    project, shared = images[0].project, len(people) > 1
    design = design_of(
        project=project, images=chosen, people=people, overlap=Fraction(shared), per_image=max(2, len(people))
    )
    return release_plan(project=project, name=name, plan=make_plan(design))


def queue_in(batch: Batch, code: str) -> list[tuple[int | None, str, str]]:
    """Position, content and status of everything that somebody has or had in a batch."""
    held = Assignment.objects.filter(batch=batch, annotator__code=code).order_by("position", "pk")
    return list(held.values_list("position", "image__sha256", "status"))


def digest_of(batch: Batch) -> str:
    """The digest of the plan that the rows of a released batch follow."""
    plan = make_plan(read_release(batch.plans.get(kind=Plan.Kind.RELEASE))[0])
    rows = batch.assignments.values_list("image__sha256", "annotator__code", "position", "purpose")
    assert set(rows) == {(one.image, one.annotator, one.position, one.purpose) for one in plan.placements}
    return plan.digest()


def faults_in(batch: Batch, *, even: bool = True) -> list[str]:
    """Where the rows of a released batch are not what its plan guarantees; [] if they are.

    Every image has as many annotators as planned, none of them twice, and every queue counts from 1 without
    gaps. `even`: those who are to annotate now have their share of each generator and prompt, to within one
    image. Images that were ever deleted are left out.
    """
    _, owed = read_release(batch.plans.get(kind=Plan.Kind.RELEASE))
    deleted = Event.objects.filter(project=batch.project_id, verb=IMAGE_DELETED)
    gone = set(deleted.values_list("data__sha256", flat=True))
    placed = batch.assignments.filter(position__isnull=False, purpose__in=PLANNED)
    rows = list(placed.select_related("image", "annotator").order_by("annotator", "position"))
    work = [row for row in rows if row.purpose == "work" and row.image.sha256 not in gone]
    per_image = Counter(row.image.sha256 for row in work)
    planned = Counter({key: count for key, count in owed.items() if key not in gone})
    faults = [
        f"{key[:12]}: {per_image[key]} of {planned[key]}"
        for key in per_image | planned
        if per_image[key] != planned[key]
    ]
    given = Counter((row.annotator.code, row.image.sha256, row.purpose) for row in rows)
    faults += [
        f"{code} has {key[:12]} as {purpose} twice" for (code, key, purpose), n in given.items() if n > 1
    ]
    people = [person.code for person in people_of_batch(batch)]
    for code in {row.annotator.code for row in rows}:
        places = [row.position for row in rows if row.annotator.code == code]
        faults += [] if places == list(range(1, len(places) + 1)) else [f"{code} has places {places}"]
    for stratum in ("generator", "prompt") if even else ():
        shares = Counter((getattr(row.image, stratum), row.annotator.code) for row in work)
        for value in {getattr(row.image, stratum) for row in work}:
            counts = [shares[value, code] for code in people]
            share = Fraction(sum(counts), len(people))
            faults += [f"{value}: {counts}"] if any(abs(count - share) > 1 for count in counts) else []
    return faults


def confirmation(page: Any) -> dict[str, Any]:
    """What the preview's form sends on confirmation."""
    fields: dict[str, Any] = {}
    for name, value in page.context["sent"]:
        fields.setdefault(name, []).append(value)
    extra = {name: page.context["facts"][name] for name in ("digest", "basis")}
    return {**fields, **extra, "request_key": str(page.context["request_key"]), "action": "confirm"}
