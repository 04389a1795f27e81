"""Django app of the people, the images and the answers."""

from __future__ import annotations

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    """Registers the models."""

    name = "annotator"
    verbose_name = "Annotation"
