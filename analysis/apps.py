"""Django app of the reports and exports."""

from __future__ import annotations

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """Registers the models and listens for submitted annotations."""

    name = "analysis"
    verbose_name = "Analysis"

    def ready(self) -> None:
        """Connect the receivers; make kinds of jobs and known protocols known to web and worker alike."""
        from analysis import receivers  # noqa: F401
        from analysis.bundles import jobs as bundle_jobs
        from analysis.exports import jobs
        from analysis.protocols import EXPORTED, REPORTED
        from annotator.faces import register_face

        jobs.register_kind()
        bundle_jobs.register_kinds()
        register_face("report", REPORTED)
        register_face("export", EXPORTED)
