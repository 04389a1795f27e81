"""Verify the plan of a large batch as a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from annotator.batches.plan_verification import problems_of
from annotator.models import Batch, Job
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import register

VERIFY: Final = "verify_plan"
CHECKED: Final = "Plan verified: the seed reproduces it, and the stored assignments match."


def run_verify(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `batch`: recompute its plan and compare."""
    batch = Batch.objects.filter(pk=job.data["batch"], project=job.project_id).first()
    if batch is None:
        raise JobRefused("The batch no longer exists.")
    problems = problems_of(batch)
    steps(1, 1)
    if problems:
        raise JobRefused(" ".join(problems))
    return {"words": CHECKED}


def register_kind() -> None:
    """Register the job that verifies plans."""
    register(VERIFY, run_verify, title="Plan verification")
