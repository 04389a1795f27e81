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
        from analysis.bundles import bundle_jobs as bundles
        from analysis.exports import requests as exports
        from analysis.reports import metrics, norming
        from analysis.sections import register_origins

        exports.register_kind()
        metrics.register_kind()
        bundles.register_kinds()
        norming.register_kind()
        register_origins()
