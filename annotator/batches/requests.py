"""A lead's request for a batch, and its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from annotator.batches.checks import with_checks, work_for
from annotator.batches.designs import Selection, design_of, held_by
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.planning import make_plan
from annotator.batches.second_stage.drawing import Draw, Drawing, draw_images
from annotator.models import Batch, Membership, Project
from annotator.models.work import DEFAULT_PROTOCOL


@dataclass(frozen=True)
class BatchRequest:
    """The images, annotators, overlap, seed and settings of a batch.

    `people` are ids of memberships; `overlap` is a share (Fraction) or a number of images (int). A second
    stage has a `draw`, and no selection. `anchors` and `repeats` are percentages of an annotator's images.
    With `needs_standing`, all of `people` must be qualified or exempt.
    """

    name: str
    people: Sequence[int] = ()
    selection: Selection = field(default_factory=Selection)
    capacities: Mapping[str, int] = field(default_factory=dict)
    overlap: Fraction | int = Fraction(1, 4)
    per_image: int = 2
    seed: int = 1
    top_up: bool = False
    protocol: str = DEFAULT_PROTOCOL
    show_prompt: bool = False
    show_generator: bool = False
    guided: bool = False
    score_shown: str = Batch.ScoreShown.CHOICE.value
    own_settings: Mapping[str, Any] = field(default_factory=dict)
    draw: Draw | None = None
    anchors: int = 0
    repeats: int = 0
    needs_standing: bool = False


def requested_drawing(project: Project, request: BatchRequest) -> Drawing | None:
    """Draw the images of a second stage; None for any other batch. Raises InvalidDesign."""
    if request.draw is None:
        return None
    return draw_images(project, request.draw, request.protocol, request.seed)


def requested_plan(project: Project, request: BatchRequest, drawing: Drawing | None = None) -> MadePlan:
    """Compute the requested plan without deactivated annotators and without storing anything.

    `drawing` is the result of `requested_drawing`, if known. Raises InvalidDesign.
    """
    drawing = drawing or requested_drawing(project, request)
    people = Membership.objects.filter(project=project, is_active=True, pk__in=request.people)
    design = design_of(
        project=project,
        images=drawing.images if drawing else work_for(project, people, request.selection, request.protocol),
        people=list(people),
        capacities=request.capacities,
        overlap=request.overlap,
        per_image=request.per_image,
        seed=request.seed,
        top_up=request.top_up,
    )
    if drawing:
        design = replace(design, barred=held_by(list(people), request.protocol, drawing.images))
    checks = {"anchors": request.anchors, "repeats": request.repeats}
    return make_plan(with_checks(project, design, list(people), protocol=request.protocol, **checks))
