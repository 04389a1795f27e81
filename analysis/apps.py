"""Django app of reports and exports."""

from __future__ import annotations

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """Register the models and listen for submitted annotations."""

    name = "analysis"
    verbose_name = "Analysis"

    def ready(self) -> None:
        """Connect the receivers and register job kinds, for web and workers."""
        from analysis import receivers  # noqa: F401
        from analysis.bundles import bundle_jobs  # noqa: F401
        from analysis.exports import requests  # noqa: F401
        from analysis.reports import metrics, norming  # noqa: F401
        from analysis.sections import register_origins

        metrics.register_kind()
        register_origins()
