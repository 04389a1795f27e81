"""Configuration of the site; the Celery app loads with Django so that tasks find it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
