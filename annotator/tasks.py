"""Celery tasks of the annotator package."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from annotator.images import display
from annotator.images.storage import remove_abandoned
from annotator.models import Image
from annotator.records import purge, retention
from annotator.records.sealing import seal_events
from annotator.uploads import receiving, sweeping
from annotator.work import jobs
from annotator.work.liveness import sign_of_life
from annotator.work.sending import MAKE_DISPLAY, DisplaySender
from annotator.work.slots import slot

# As long as a worker that has just been told usually takes.
_PATIENCE: Final = timedelta(seconds=5)
# A sweep comes every few seconds; the rest waits for the next one instead of filling the queue.
_MOST_PER_SWEEP: Final = 100


@shared_task(name=MAKE_DISPLAY, ignore_result=True)
def make_display_task(image_id: int) -> None:
    """Draw one image's copy for display."""
    display.make_display(image_id)


@shared_task(name="annotator.tasks.sweep_images", ignore_result=True)
def sweep_images() -> int:
    """Send again the images whose copy nobody has drawn; returns how many were sent.

    The row is the truth: the message may have been lost with a broker or a worker.
    """
    remove_abandoned()
    waiting = Image.objects.filter(
        display_state=Image.DisplayState.PENDING, created_at__lt=timezone.now() - _PATIENCE
    ).order_by("pk")
    sender = DisplaySender()
    for image_id in waiting.values_list("pk", flat=True)[:_MOST_PER_SWEEP]:
        sender.send(image_id)
    return sender.sent


@shared_task(name=jobs.RUN_JOB)
def run_job(job_id: int) -> None:
    """Do one job, unless somebody else is at it or has done it."""
    jobs.run_job(job_id)


@shared_task(name=jobs.READ_FILE)
def read_file(job_id: int) -> None:
    """Do one job that reads what somebody has brought, while no more than so many do so.

    Where enough are at it the row stays queued: whoever ends first, or the next sweep, sends it again. So a
    worker that serves every queue keeps a place for reports and exports, however many files were brought.
    """
    with slot("files", settings.FILES_AT_ONCE) as free:
        done = free and jobs.run_job(job_id)
    if done:
        jobs.wake_next_reader()


@shared_task(name="annotator.tasks.seal_events", ignore_result=True)
def seal_events_task() -> int:
    """Seal the events nobody can add to any more; returns how many."""
    return seal_events()


@shared_task(name="annotator.tasks.sweep_jobs")
def sweep_jobs() -> None:
    """Say that a worker is alive; send again the jobs nobody delivered and those whose worker died."""
    sign_of_life()
    jobs.sweep_jobs()


@shared_task(name=receiving.SWEEP_UPLOADS)
def sweep_uploads() -> None:
    """Remove what was uploaded and is needed no more: uploads nobody touches, files that were stored."""
    sweeping.sweep_uploads()
    sweeping.sweep_answers()


@shared_task(name="annotator.tasks.remove_deleted", ignore_result=True)
def remove_deleted_task() -> None:
    """Remove for good the images and projects that were deleted and not taken back in time."""
    purge.remove_deleted()


@shared_task(name="annotator.tasks.carry_out_retention", ignore_result=True)
def carry_out_retention_task() -> None:
    """Remove the personal data that projects, or the site, keep no longer."""
    retention.carry_out()
