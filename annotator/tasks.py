"""Celery tasks of the annotator package."""
