"""Projects to plan for: images in strata, annotators A, B, C …"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from annotator.batches.designs import Selection, design_of, images_of
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.models import Assignment, Batch, Image, Membership, Project
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
                    project,
                    generator=f"generator-{generator}",
                    prompt=f"prompt-{prompt}",
                    number=number,
                )
    return project


def people_of(project: Project, codes: str = "ABCD") -> list[Membership]:
    """The people of these one-letter codes."""
    return [project.memberships.get(code=code) for code in codes]


def plan_for(project: Project, codes: str = "ABCD", *, unassigned: bool = False, **how: Any) -> MadePlan:
    """A plan over all images of a project, a quarter of them shared."""
    design = design_of(
        project=project,
        images=images_of(project, Selection(unassigned=unassigned), "anatomy"),
        people=people_of(project, codes),
        **{"overlap": Fraction(1, 4), "seed": 7, **how},
    )
    return make_plan(design)


def released(project: Project, codes: str = "ABCD", name: str = "first", **how: Any) -> Batch:
    """A batch of such a plan."""
    return release_plan(project=project, name=name, plan=plan_for(project, codes, **how))


def given(name: str, images: Sequence[Image], *people: Membership) -> Batch:
    """A batch in which each of these people has each of these images."""
    chosen = Image.objects.filter(pk__in=[image.pk for image in images])
    project, shared = images[0].project, len(people) > 1
    design = design_of(
        project=project, images=chosen, people=people, overlap=Fraction(shared), coders=max(2, len(people))
    )
    return release_plan(project=project, name=name, plan=make_plan(design))


def queue_in(batch: Batch, code: str) -> list[tuple[int | None, str, str]]:
    """Position, content and status of everything that somebody has or had in a batch."""
    held = Assignment.objects.filter(batch=batch, annotator__code=code).order_by("position", "pk")
    return list(held.values_list("position", "image__sha256", "status"))


def confirmation(page: Any) -> dict[str, Any]:
    """What the preview's form sends on confirmation."""
    fields: dict[str, Any] = {}
    for name, value in page.context["sent"]:
        fields.setdefault(name, []).append(value)
    facts = page.context["facts"]
    extra = {"certificate": facts["certificate"], "basis": facts["basis"]}
    return {**fields, **extra, "request_key": str(page.context["request_key"]), "action": "confirm"}
