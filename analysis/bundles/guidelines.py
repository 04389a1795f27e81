"""The published versions of a project's guidelines: Markdown to read."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from analysis.bundles.source import BundleSource
from annotator.guidelines.drafts import guide_of
from annotator.guidelines.reading import as_markdown
from annotator.models import GuidelineVersion


def versions_in(source: BundleSource) -> QuerySet[GuidelineVersion]:
    """Return the published versions by protocol, in order of publication."""
    held = GuidelineVersion.objects.filter(guideline__project=source.project)
    return held.select_related("guideline").order_by("guideline__protocol", "pk")


def guideline_texts(source: BundleSource) -> Iterator[tuple[str, bytes]]:
    """Yield each version as a Markdown file: its name and contents."""
    for version in versions_in(source):
        protocol = version.guideline.protocol
        text = as_markdown(version, source.project.name, guide_of(protocol))
        yield f"guidelines/{protocol}-{version}.md", text.encode()
