"""The Celery app: Redis where REDIS_URL is set, otherwise a folder of messages."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from celery import Celery
from django.conf import settings

from config import transport

# Longer than any task may run: a shorter one makes Redis hand the same message out twice.
TIME_LIMIT = 30 * 60
VISIBILITY_TIMEOUT = TIME_LIMIT + 5 * 60
SWEEP_SECONDS = 10.0

app = Celery("anatomark")
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    task_time_limit=TIME_LIMIT,
    task_soft_time_limit=TIME_LIMIT - 60,
    worker_hijack_root_logger=False,
    worker_max_tasks_per_child=200,
    broker_connection_retry_on_startup=True,
    timezone="UTC",
    # Rows nobody delivered, or whose worker died, are sent again.
    beat_schedule={
        "reports-sweep": {"task": "analysis.tasks.sweep_reports", "schedule": SWEEP_SECONDS},
        "images-sweep": {"task": "annotator.tasks.sweep_images", "schedule": SWEEP_SECONDS},
    },
    beat_schedule_filename=str(settings.VAR_DIR / "beat-schedule"),
)
if settings.REDIS_URL:
    app.conf.broker_url = settings.REDIS_URL
    app.conf.broker_transport_options = {
        "visibility_timeout": VISIBILITY_TIMEOUT,
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        "global_keyprefix": os.environ.get("QUEUE_PREFIX", "anatomark:"),
    }
else:
    app.conf.broker_url = f"{transport.ALIAS}://"
    app.conf.broker_transport_options = transport.folder_options(settings.QUEUE_DIR)
# A page never waits for the queue: the row is stored, and the sweep sends it later.
app.conf.task_publish_retry = False
app.autodiscover_tasks(["annotator", "analysis"])
