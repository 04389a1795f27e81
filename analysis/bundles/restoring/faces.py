"""Decisions on faces from a bundle: each row is checked as if it had been made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.rules import NOT_STORED_YET, Rule, maybe, one_of, truth, whole
from annotator.faces.rectangles import InvalidRectangle, checked
from annotator.models import FaceDecision, Project


def rectangles(value: Any) -> list[list[float]]:
    """Return lists of four numbers; raise Unfit for any other value."""
    found = rules.a_list(value)
    for each in found:
        fits = isinstance(each, list) and len(each) == 4
        if not fits or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in each):
            raise rules.Unfit("rectangles of four numbers: x, y, width and height in pixels")
    return found


FACE_RULES: Final[Mapping[str, Rule]] = {
    "rectangles": rectangles,
    "source": one_of(FaceDecision.Source.values),
    "replaced": truth,
    "decided_by": maybe(whole(1)),
}


def decision(
    values: Mapping[str, Any], size: tuple[int, int], people: Sequence[int], where: str
) -> FaceDecision:
    """Return the row to store. Raises BundleRefused.

    `size` is the width and height of the image, `people` are ids in the order of project.json.
    """
    by = values["decided_by"]
    if by is not None and by > len(people):
        raise BundleRefused(f"{where}: “decided_by” is {by}; project.json lists {len(people)} people.")
    try:
        found = checked(values["rectangles"], *size)
    except InvalidRectangle as error:
        raise BundleRefused(f"{where}: {error}") from error
    waits = bool(found) and not values["replaced"]
    return FaceDecision(
        image_id=values["image_id"],
        decided_by_id=None if by is None else people[by - 1],
        rectangles=found,
        source=values["source"],
        replaced_at=timezone.now() if values["replaced"] else None,
        # No worker makes the copy before the image file is there.
        state=FaceDecision.State.FAILED if waits else FaceDecision.State.READY,
        error=NOT_STORED_YET if waits else "",
    )


def put_in_force(made: Project) -> None:
    """Let the images of a staging show their current decisions; the sweep then has the copies made."""
    current = FaceDecision.objects.filter(image__project=made, replaced_at=None)
    key = Subquery(current.filter(image=OuterRef("pk")).order_by().values("key")[:1])
    made.images.update(faces=key)
    current.filter(error=NOT_STORED_YET).update(state=FaceDecision.State.PENDING, error="")
