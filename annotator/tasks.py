"""Celery tasks of the annotator package."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from celery import shared_task
from celery.signals import task_prerun
from django.utils import timezone

from annotator.faces import blurring
from annotator.images import display
from annotator.images.storage import remove_abandoned
from annotator.models import FaceDecision, Image
from annotator.records import personal_data, purge
from annotator.uploads import receiving, sweeping
from annotator.work import jobs
from annotator.work.liveness import sign_of_life
from annotator.work.sending import MAKE_DISPLAY, send_all, send_displays

# The usual time of a worker after a message.
_PATIENCE: Final = timedelta(seconds=5)
# A sweep runs every few seconds; limit it so that the queue does not fill up.
_MOST_PER_SWEEP: Final = 100


@task_prerun.connect
def is_alive(**_told: object) -> None:
    """Record that a worker is alive: it has taken a message."""
    sign_of_life()


@shared_task(name=MAKE_DISPLAY, ignore_result=True)
def make_display_task(*image_ids: int) -> None:
    """Create the display copies of images."""
    display.make_displays(image_ids)


@shared_task(name="annotator.tasks.sweep_images", ignore_result=True)
def sweep_images() -> int:
    """Resend images without a display copy, whose message may be lost; return how many were sent."""
    remove_abandoned()
    waiting = Image.objects.filter(
        display_state=Image.DisplayState.PENDING, created_at__lt=timezone.now() - _PATIENCE
    ).order_by("pk")
    return send_displays(waiting.values_list("pk", flat=True)[:_MOST_PER_SWEEP])


@shared_task(name=blurring.MAKE_BLURRED, ignore_result=True)
def make_blurred_task(decision_id: int) -> None:
    """Create the copy of one image in which the faces are blurred."""
    blurring.make_blurred(decision_id)


@shared_task(name="annotator.tasks.sweep_faces", ignore_result=True)
def sweep_faces() -> int:
    """Resend decisions on faces whose blurred copy is missing; return how many were sent."""
    waiting = FaceDecision.objects.filter(
        state=FaceDecision.State.PENDING, replaced_at=None, decided_at__lt=timezone.now() - _PATIENCE
    ).order_by("pk")
    return send_all(blurring.MAKE_BLURRED, waiting.values_list("pk", flat=True)[:_MOST_PER_SWEEP])


@shared_task(name=jobs.RUN_JOB)
def run_job(job_id: int) -> None:
    """Run one job unless it is claimed or done."""
    jobs.run_job(job_id)


@shared_task(name=jobs.READ_FILE)
def read_file(job_id: int) -> None:
    """Run one job that reads an uploaded file: its name has a queue, which a worker of its own takes."""
    jobs.run_job(job_id)


@shared_task(name="annotator.tasks.sweep_jobs")
def sweep_jobs() -> None:
    """Resend lost jobs and those of dead workers."""
    jobs.sweep_jobs()


@shared_task(name=receiving.SWEEP_UPLOADS)
def sweep_uploads() -> None:
    """Remove uploaded data that is no longer needed: inactive uploads, files of stored ones."""
    sweeping.sweep_uploads()
    sweeping.sweep_annotation_files()


@shared_task(name="annotator.tasks.remove_deleted", ignore_result=True)
def remove_deleted_task() -> None:
    """Purge images and projects whose deletion was not undone in time."""
    purge.remove_deleted()


@shared_task(name="annotator.tasks.carry_out_retention", ignore_result=True)
def carry_out_retention_task() -> None:
    """Delete personal data after the retention periods of projects and site."""
    personal_data.carry_out()
