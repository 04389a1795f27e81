"""A lead's request for a batch, kept as JSON for workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse

from annotator.batches.assignments import InvalidBatch
from annotator.batches.checks import with_checks, work_for
from annotator.batches.designs import Selection, design_of, held_by
from annotator.batches.planning import Design, InvalidDesign, make_plan
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.releases import NeededStanding, NotAsPreviewed, discard_unfinished, release_plan
from annotator.batches.second_stage.drawing import Draw, Drawing, draw_images
from annotator.batches.stored_plans import read_release
from annotator.models import Batch, Image, Job, Membership, Plan, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work.jobs import JobCancelled, JobRefused, Steps
from annotator.work.kinds import register

RELEASE_BATCH: Final = "release_batch"
GAP_DAYS: Final = 7
"""Days between judging an image under two protocols, unless a batch sets another number."""

_SETTINGS: Final = ("protocol", "show_prompt", "show_generator", "guided", "score_shown", "own_settings")


@dataclass(frozen=True)
class BatchRequest:
    """The images, annotators, overlap, seed and settings of a batch.

    `people` are ids of memberships; `overlap` is a share (Fraction) or a number of images (int). A second
    stage has a `draw`, and no selection. `anchors` and `repeats` are percentages of an annotator's images.
    `gap_days` should lie between an annotator's judgements of one image under two protocols, 0 for none;
    `leave_recent` leaves out the images that one of the annotators judged more recently. With
    `needs_standing`, all of `people` must be qualified; those `waived`, by id, are exempt for the reason
    `waiver`.
    """

    name: str
    people: tuple[int, ...]
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
    gap_days: int = GAP_DAYS
    leave_recent: bool = False
    needs_standing: bool = False
    waived: tuple[int, ...] = ()
    waiver: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the batch, as arguments of `release_plan`."""
        return {name: getattr(self, name) for name in _SETTINGS}

    @property
    def standing(self) -> NeededStanding | None:
        """What the batch asks of its annotators; None for nothing."""
        return NeededStanding(self.waived, self.waiver) if self.needs_standing else None

    def as_json(self) -> dict[str, Any]:
        """Return the request as JSON values for `from_json`."""
        # A share is written as text, even if it is 0 or 1, to differ from a number of images.
        overlap = self.overlap if isinstance(self.overlap, int) else str(self.overlap)
        return {**asdict(self), "overlap": overlap}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BatchRequest:
        """Return the request that `as_json` wrote."""
        overlap, draw = data["overlap"], data.get("draw")
        read: dict[str, Any] = {
            **data,
            "people": tuple(data["people"]),
            "selection": Selection.from_json(data["selection"]),
            "overlap": overlap if isinstance(overlap, int) else Fraction(overlap),
            "draw": Draw(**draw) if draw else None,
            "waived": tuple(data["waived"]),
        }
        return cls(**read)


def requested_drawing(project: Project, request: BatchRequest) -> Drawing | None:
    """Draw the images of a second stage; None for any other batch. Raises InvalidDesign."""
    if request.draw is None:
        return None
    return draw_images(project, request.draw, request.protocol, request.seed)


def requested_design(project: Project, request: BatchRequest, drawing: Drawing | None = None) -> Design:
    """Return the input of the requested plan, without deactivated annotators.

    `drawing` is the result of `requested_drawing`, if known. Raises InvalidDesign.
    """
    drawing = drawing or requested_drawing(project, request)
    people = Membership.objects.filter(project=project, is_active=True, pk__in=request.people)
    design = design_of(
        project=project,
        images=drawing.images if drawing else _work_of(project, people, request),
        people=list(people),
        capacities=request.capacities,
        overlap=request.overlap,
        per_image=request.per_image,
        seed=request.seed,
        top_up=request.top_up,
    )
    if drawing:
        design = replace(design, barred=held_by(list(people), request.protocol, drawing.images))
    return with_checks(
        project,
        design,
        list(people),
        protocol=request.protocol,
        anchors=request.anchors,
        repeats=request.repeats,
    )


def _work_of(project: Project, people: QuerySet[Membership], request: BatchRequest) -> QuerySet[Image]:
    gap = request.gap_days if request.leave_recent else 0
    return work_for(project, people, request.selection, request.protocol, gap_days=gap)


def requested_plan(project: Project, request: BatchRequest, drawing: Drawing | None = None) -> MadePlan:
    """Compute the requested plan without storing anything; raises InvalidDesign."""
    return make_plan(requested_design(project, request, drawing))


def release_requested(
    *,
    project: Project,
    request: BatchRequest,
    digest: str,
    basis: str | None,
    request_key: UUID | None,
    actor: User | None = None,
    steps: Steps | None = None,
) -> Batch:
    """Recompute the plan and release it if it has this `digest`, that of the preview.

    Raises NotAsPreviewed if it differs, InvalidBatch, InvalidDesign.
    """
    begun = _begun(project, request_key)
    if begun is not None and begun.batch.status != Batch.Status.PREPARING:
        # A repeated request: its images are assigned now, so the plan would differ.
        return begun.batch
    return release_plan(
        project=project,
        name=request.name,
        plan=_same_plan(project, request, digest, begun),
        actor=actor,
        request_key=request_key,
        basis=basis,
        steps=steps,
        draw=request.draw,
        flagged=request.selection.flagged,
        standing=request.standing,
        **request.settings,
    )


def register_kind() -> None:
    """Register the job that releases batches."""
    register(RELEASE_BATCH, run_release, title="Batch release")


def run_release(job: Job, steps: Steps) -> dict[str, Any]:
    """Run a job with the data `request`, `digest` and `basis`; cancelling it leaves nothing behind."""
    try:
        batch = release_requested(
            project=job.project,
            request=BatchRequest.from_json(job.data["request"]),
            digest=job.data["digest"],
            basis=job.data["basis"],
            request_key=job.request_key,
            actor=job.requested_by,
            steps=steps,
        )
    except (InvalidBatch, InvalidDesign) as refused:
        raise JobRefused(str(refused)) from refused
    except JobCancelled:
        _clear_up(job)
        raise
    return {"url": reverse("batch", args=[batch.pk]), "words": f"“{batch.name}” is open."}


def _begun(project: Project, request_key: UUID | None) -> Plan | None:
    """Return the plan that an earlier run of the same request stored."""
    if request_key is None:
        return None
    plans = Plan.objects.filter(request_key=request_key, batch__project=project, kind=Plan.Kind.RELEASE)
    return plans.select_related("batch").first()


def _same_plan(project: Project, request: BatchRequest, digest: str, begun: Plan | None) -> MadePlan:
    if begun is not None:
        # Partly stored: resume from its own input, whatever has changed since.
        design, _ = read_release(begun)
        return make_plan(design)
    plan = requested_plan(project, request)
    if plan.digest() != digest:
        raise NotAsPreviewed("Images or annotators have changed since the preview. Check the balance again.")
    return plan


def _clear_up(job: Job) -> None:
    # Another worker may have taken over; only a cancelled job removes its rows.
    if Job.objects.filter(pk=job.pk, status=Job.Status.CANCELLED).exists():
        for plan in Plan.objects.filter(request_key=job.request_key, batch__project=job.project_id):
            discard_unfinished(plan.batch, actor=job.requested_by)
