"""The Celery app, configured by the CELERY_ settings, and what it starts at which time."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.schedules import crontab
from celery.signals import beat_init, celeryd_init, setup_logging

from config import transport  # noqa: F401  registers the embedded queue's address

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("anatomark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Rows that were not delivered, or whose worker died, are resent.
SWEEP_SECONDS = 5.0
app.conf.beat_schedule = {
    name: {"task": task, "schedule": SWEEP_SECONDS, "options": {"expires": SWEEP_SECONDS}}
    for name, task in (
        ("reports-sweep", "analysis.tasks.sweep_reports"),
        ("jobs-sweep", "annotator.tasks.sweep_jobs"),
        ("images-sweep", "annotator.tasks.sweep_images"),
        ("faces-sweep", "annotator.tasks.sweep_faces"),
    )
} | {
    name: {"task": task, "schedule": crontab(**times)}
    for name, task, times in (
        ("reports-nightly", "analysis.tasks.nightly_reports", {"hour": "2", "minute": "30"}),
        ("exports-sweep", "analysis.tasks.sweep_exports", {"minute": "10"}),
        ("uploads-sweep", "annotator.tasks.sweep_uploads", {"minute": "40"}),
        ("deletions-sweep", "annotator.tasks.remove_deleted", {"minute": "50"}),
        ("retention-nightly", "annotator.tasks.carry_out_retention", {"hour": "3", "minute": "20"}),
    )
}


@celeryd_init.connect
@beat_init.connect
def _starts(signal: Any, **_: Any) -> None:
    from config.operations.health import require_startable

    require_startable("Beat" if signal is beat_init else "The worker")


if os.environ.get("LOG_FORMAT") == "json":

    @setup_logging.connect
    def _django_has_set_it_up(**_: Any) -> None:
        """Keep Celery from replacing the logging handlers of the settings."""
