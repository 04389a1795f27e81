"""Django app of people, images and annotations."""

from __future__ import annotations

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    """Register models, job kinds, protocol pages and sign-in receivers."""

    name = "annotator"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Register job kinds and protocol pages in web and worker."""
        from annotator.annotations.given import register_given, register_outdated
        from annotator.data_sets import filtering
        from annotator.exchange import import_jobs
        from annotator.inputs import storable
        from annotator.norming import revealing
        from annotator.protocols.rating_form import stored
        from annotator.protocols.registry import PAGES
        from annotator.signing_in import records
        from annotator.uploads import upload_jobs  # noqa: F401
        from scoring.service import load_forms_with

        import_jobs.register_kinds()
        filtering.register_kinds()
        records.connect()
        revealing.connect()
        load_forms_with(stored.load)
        for page in PAGES.values():
            if page.given:
                register_given(page.slug, page.given)
            if page.follows and page.follows.outdated:
                register_outdated(page.slug, page.follows.protocol, page.follows.outdated)
        storable.connect()
