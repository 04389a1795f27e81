"""Django app of reports and exports."""

from __future__ import annotations

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """Register the models, and the kinds of jobs."""

    name = "analysis"
    verbose_name = "Analysis"

    def ready(self) -> None:
        """Register job kinds, for web and workers."""
        from analysis.bundles import bundle_jobs  # noqa: F401
        from analysis.exports import requests  # noqa: F401
        from analysis.reports import metrics, norming  # noqa: F401
        from analysis.sections import register_origins

        metrics.register_kind()
        register_origins()
