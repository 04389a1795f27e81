"""Django app of the rules, which has no tables; this module is the only one of them that imports Django."""

from __future__ import annotations

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Name the app in INSTALLED_APPS, beside the two that build on it."""

    name = "scoring"
    verbose_name = "Scoring"
