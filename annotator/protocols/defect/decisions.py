"""What was decided on each image; what has changed behind a decision or a draw: it stays, and is listed."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Min

from annotator.annotations.adjudication import outdated_adjudications
from annotator.models import Adjudication, Annotation, Assignment, ImageSummary, Project
from annotator.models.counting import is_work
from annotator.protocols.defect.material import outdated_checks, submitted
from scoring.defect.consolidation import CHECK
from scoring.defect.marks import MARKS
from scoring.defect.verdict import VERDICT

ADJUDICATION, CHECKED, DRAWN = "adjudication", "marks", "draw"
WORDS: Final = {
    ADJUDICATION: "annotations have changed since the expert decided",
    CHECKED: "checks of marks that have changed since do not count",
    DRAWN: "the verdict has changed since the image was drawn for marks, in which it stays",
}
Reasons = dict[int, list[str]]
"""What is outdated about images, as keys of `WORDS`, by image."""


class Decided(NamedTuple):
    """What was decided on an image, by unanimity, majority or expert; empty while it is open."""

    value: float | None
    by: str


OPEN: Final = Decided(None, "")


def decided_in(project: Project, protocol: str) -> dict[int, Decided]:
    """Return what was decided on each image, as its summary has it."""
    found = {}
    is_check = protocol == CHECK.slug
    for row in ImageSummary.objects.filter(project=project, protocol=protocol, code=""):
        # A check that somebody has flagged is disputed; an expert may decide on any.
        in_doubt = row.apart or row.mean is None or (is_check and (row.flagged or row.adjudicated))
        by = "unanimity" if not in_doubt else "expert" if row.adjudicated else "majority"
        found[row.image_id] = Decided(row.score, by if row.score is not None else "")
    return found


def reasons(project: Project, protocol: str) -> Reasons:
    """Return what is outdated about images under a protocol of defects."""
    found: Reasons = defaultdict(list)
    for image in outdated_adjudications(project, protocol):
        found[image].append(ADJUDICATION)
    if protocol == CHECK.slug:
        checks = submitted(batch__project=project, batch__protocol=protocol)
        outdated = outdated_checks(checks)
        for pk, image in checks.order_by().values_list("pk", "assignment__image"):
            if pk in outdated and CHECKED not in found[image]:
                found[image].append(CHECKED)
    if protocol == VERDICT.slug:
        drawn = drawn_for_marks(project)
        said = Annotation.objects.filter(
            is_work("assignment__"), assignment__batch__project=project, assignment__batch__protocol=protocol
        )
        decided = Adjudication.objects.filter(image__project=project, protocol=protocol)
        for image, moment in (
            *said.order_by().values_list("assignment__image", "saved_at"),
            *decided.values_list("image", "decided_at"),
        ):
            if image in drawn and moment > drawn[image] and DRAWN not in found[image]:
                found[image].append(DRAWN)
    return {image: why for image, why in found.items() if why}


def drawn_for_marks(project: Project) -> dict[int, datetime]:
    """Return when images of verdicts were drawn for a batch of marks, by image."""
    drawn = Assignment.objects.filter(
        is_work(),
        batch__project=project,
        batch__protocol=MARKS.slug,
        batch__follows__protocol=VERDICT.slug,
        position__isnull=False,
    )
    return dict(
        drawn.order_by().values("image").annotate(at=Min("batch__created_at")).values_list("image", "at")
    )
