"""First stages: images of every generator and prompt, judged yes or no by two people each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import combinations, product

from annotator.models import Annotation, Assignment, Batch, Image, Membership
from tests.analysis.factories import EARLIER
from tests.factories import LEAD, make_batch, make_member, make_project, make_user

PEOPLE = "ABCDE"
Cells = Callable[[int, int], Sequence[str]]
"""Image and person, both from 0: which cells they mark."""


def make_first(
    slug: str = "pilot", cells: Cells = lambda *_: ("extra.limbs",), each: int = 10, status: str = "closed"
) -> Batch:
    """A batch of 3 generators × 6 prompts × `each` images under presence, two of five people to an image."""
    project = make_project(slug)
    people = [make_member(project, code=code) for code in PEOPLE]
    make_member(project, LEAD, user=make_user(f"lee-{slug}"), code="lee")
    images = Image.objects.bulk_create(
        Image(
            project=project,
            sha256=sha256(f"{generator} {prompt} {number}".encode()).hexdigest(),
            source_name=f"{generator}-{prompt}-{number}.png",
            generator=f"generator-{generator}",
            prompt=f"prompt-{prompt}",
            number=number + 1,
            width=8,
            height=8,
        )
        for generator, prompt, number in product(range(3), range(6), range(each))
    )
    batch = make_batch(project, name="Yes or no", protocol="presence", status=status)
    pairs = list(combinations(people, 2))
    for place, image in enumerate(images):
        for nth, person in enumerate(pairs[place % len(pairs)]):
            answered(batch, image, person, cells(place, nth))
    return batch


_PLACES: dict[tuple[int, int], int] = {}


def held(batch: Batch, image: Image, person: Membership, status: str = "open") -> Assignment:
    """An assignment at the end of somebody's queue."""
    place = _PLACES[batch.pk, person.pk] = _PLACES.get((batch.pk, person.pk), 0) + 1
    return Assignment.objects.create(
        batch=batch, image=image, annotator=person, position=place, status=status
    )


def answered(batch: Batch, image: Image, person: Membership, cells: Sequence[str]) -> Annotation:
    """A submitted answer of the presence protocol, written as it is stored."""
    return Annotation.objects.create(
        assignment=held(batch, image, person, "done"),
        payload={"cells": list(cells), "no_errors": not cells, "unsure": [], "flag": None, "note": ""},
        ratings=[["cells_marked", "", f"{len(cells)}/1"], *(["presence", cell, "1/1"] for cell in cells)],
        status=Annotation.Status.SUBMITTED,
        submitted_at=EARLIER,
        saved_at=EARLIER,
    )


def images_of(batch: Batch) -> list[Image]:
    """The images of a batch in the order in which they were made."""
    return list(Image.objects.filter(assignments__batch=batch).distinct().order_by("pk"))
