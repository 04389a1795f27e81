"""Ratings of the whole body in the world of the permissions' tests."""

from __future__ import annotations

from dataclasses import replace

from annotator.models import Annotation, Assignment
from tests.annotator.acting import submit
from tests.factories import make_assignment, make_batch
from tests.permissions.world import Side, make_canary_image, make_thread


def make_rated(side: Side) -> tuple[Side, Side]:
    """Add a batch of realism; return the side with an image that A and B have rated, and with one that B has.

    A has asked about the first, and can rate the second.
    """
    batch = make_batch(side.project, protocol="realism", name=f"{side.canaries['batch']} rating")
    sides = []
    for place in (5, 6):
        image = make_canary_image(side.project, side.canaries, place)
        of_a, of_b = (make_assignment(person, batch=batch, image=image) for person in (side.a, side.b))
        make_rating(of_b, 3, side.canaries["answer b"])
        sides.append(replace(side, batch=batch, image=image, image_of_b=image, of_a=of_a, of_b=of_b))
    rated, other = sides
    answer = make_rating(rated.of_a, 8, side.canaries["answer a"])
    question = make_thread(rated.of_a, side.lead, side.canaries)
    return replace(rated, answer_of_a=answer, question=question), other


def make_rating(assignment: Assignment, rating: int, note: str) -> Annotation:
    """Submit a rating."""
    return submit(assignment, {"rating": rating, "invalid": None, "note": note, "flag": None})
