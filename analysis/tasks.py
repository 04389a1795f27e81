"""Celery tasks of the analysis package."""
