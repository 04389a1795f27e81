"""Release a batch as previewed, in the request or, if it is large, by a worker."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.urls import reverse

from annotator.batches.assignments import InvalidBatch
from annotator.batches.planning import InvalidDesign, make_plan
from annotator.batches.releases import NotAsPreviewed, discard_unfinished, release_plan
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.batches.stored_plans import read_release
from annotator.models import Batch, Job, Plan, Project, User
from annotator.work.jobs import JobCancelled, JobRefused, Steps
from annotator.work.kinds import runs

RELEASE_BATCH: Final = "release_batch"


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
    plans = Plan.objects.filter(request_key=request_key, batch__project=project, kind=Plan.Kind.RELEASE)
    begun = plans.select_related("batch").first() if request_key else None
    if begun is None:
        plan = requested_plan(project, request)
        if plan.digest() != digest:
            raise NotAsPreviewed(
                "Images or annotators have changed since the preview. Check the balance again."
            )
    elif begun.batch.status == Batch.Status.PREPARING:
        # Partly stored: resume from its own input, whatever has changed since.
        plan = make_plan(read_release(begun)[0])
    else:
        # A repeated request: its images are assigned now, so the plan would differ.
        return begun.batch
    return release_plan(
        project=project,
        request=request,
        plan=plan,
        actor=actor,
        request_key=request_key,
        basis=basis,
        steps=steps,
    )


@runs(RELEASE_BATCH, title="Batch release")
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
        # Another worker may have taken over; only a cancelled job removes its rows.
        if Job.objects.filter(pk=job.pk, status=Job.Status.CANCELLED).exists():
            for plan in Plan.objects.filter(request_key=job.request_key, batch__project=job.project_id):
                discard_unfinished(plan.batch, actor=job.requested_by)
        raise
    return {"url": reverse("batch", args=[batch.pk]), "words": f"“{batch.name}” is open."}
