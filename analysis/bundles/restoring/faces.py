"""Decisions on faces from a bundle: each row is checked as if it had been made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from analysis.bundles.restoring import rules
from analysis.bundles.restoring.archive import BundleRefused
from analysis.bundles.restoring.rules import Rule, maybe, one_of, truth, whole
from annotator.faces.rectangles import InvalidRectangle, checked
from annotator.models import FaceDecision, Image, Project

NOT_YET: Final = "the image is being restored"


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


def decision(values: Mapping[str, Any], people: Sequence[int], where: str) -> FaceDecision:
    """Return the row to store; `people` are ids in the order of project.json. Raises BundleRefused."""
    by = values["decided_by"]
    if by is not None and by > len(people):
        raise BundleRefused(f"{where}: “decided_by” is {by}; project.json lists {len(people)} people.")
    image = Image.everything.only("width", "height").get(pk=values["image_id"])
    try:
        found = checked(values["rectangles"], image.width, image.height)
    except InvalidRectangle as error:
        raise BundleRefused(f"{where}: {error}") from error
    waits = bool(found) and not values["replaced"]
    return FaceDecision(
        image_id=image.pk,
        decided_by_id=None if by is None else people[by - 1],
        rectangles=found,
        source=values["source"],
        replaced_at=timezone.now() if values["replaced"] else None,
        # No worker makes the copy before the image file is there.
        state=FaceDecision.State.FAILED if waits else FaceDecision.State.READY,
        error=NOT_YET if waits else "",
    )


def put_in_force(made: Project) -> None:
    """Let the images of a staging show their current decisions; the sweep then has the copies made."""
    current = FaceDecision.objects.filter(image__project=made, replaced_at=None)
    key = Subquery(current.filter(image=OuterRef("pk")).order_by().values("key")[:1])
    made.images.update(faces=key)
    current.filter(error=NOT_YET).update(state=FaceDecision.State.PENDING, error="")
