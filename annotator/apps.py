"""Django app of the people, the images and the answers."""

from __future__ import annotations

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    """Registers the models, what workers do for batches, pages to answer on, and who listens to sign-ins."""

    name = "annotator"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Make the kinds of jobs, and which protocols have a page, known to web and worker alike."""
        from annotator import batch_previews, batch_requests, people_jobs, storable, verification
        from annotator.faces import register_face
        from annotator.imports import jobs as answer_jobs
        from annotator.imports import own_sheets
        from annotator.protocols.registry import PAGES
        from annotator.signing_in import records
        from annotator.uploads import jobs as upload_jobs

        for module in (batch_previews, batch_requests, verification):
            module.register_kind()
        people_jobs.register_kinds()
        answer_jobs.register_kinds()
        own_sheets.register_kinds()
        upload_jobs.register_kinds()
        records.connect()
        register_face("page", PAGES)
        storable.connect()
