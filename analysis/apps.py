"""Django app of the reports and exports."""

from __future__ import annotations

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """Registers the models and listens for submitted annotations."""

    name = "analysis"
    verbose_name = "Analysis"

    def ready(self) -> None:
        """Connect the receivers."""
        from analysis import receivers  # noqa: F401
