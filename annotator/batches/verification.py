"""Checking a large batch's plan as a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from annotator.batches.plan_checks import problems_of
from annotator.models import Batch, Job
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import register

VERIFY: Final = "verify_plan"
CHECKED: Final = "Checked: the seed makes this plan of these images and people, and it is what is stored."


def run_verify(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Do a job whose data are `batch`: make its plan again and compare."""
    batch = Batch.objects.filter(pk=job.data["batch"], project=job.project_id).first()
    if batch is None:
        raise JobRefused("The batch is not there any more.")
    problems = problems_of(batch)
    steps(1, 1)
    if problems:
        raise JobRefused(" ".join(problems))
    return {"words": CHECKED}


def register_kind() -> None:
    """Let workers check plans."""
    register(VERIFY, run_verify, title="Check of a plan")
