"""Celery tasks of the annotator package."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from celery import shared_task
from django.utils import timezone

from annotator import images, jobs
from annotator.models import Image
from annotator.sending import DisplaySender
from annotator.storage import remove_abandoned
from annotator.workers import sign_of_life

# As long as a worker that has just been told usually takes.
_PATIENCE: Final = timedelta(seconds=5)
# A sweep comes every few seconds; the rest waits for the next one instead of filling the queue.
_MOST_PER_SWEEP: Final = 100


@shared_task(name="annotator.tasks.make_display", ignore_result=True)
def make_display_task(image_id: int) -> None:
    """Draw one image's copy for display."""
    images.make_display(image_id)


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


@shared_task(name="annotator.tasks.run_job")
def run_job(job_id: int) -> None:
    """Do one job, unless somebody else is at it or has done it."""
    jobs.run_job(job_id)


@shared_task(name="annotator.tasks.sweep_jobs")
def sweep_jobs() -> None:
    """Say that a worker is alive; send again the jobs nobody delivered and those whose worker died."""
    sign_of_life()
    jobs.sweep_jobs()
