"""The Celery app; what it is configured with stands in the settings, names beginning with CELERY_."""

from __future__ import annotations

import os

from celery import Celery

from config import transport  # noqa: F401  registers the embedded queue's address

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("anatomark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
