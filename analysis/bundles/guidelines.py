"""The published versions of a project's guidelines: rows to restore them, and Markdown to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from analysis.bundles.rows import lines_of, moment
from analysis.bundles.source import BundleSource
from annotator.guidelines.drafts import guide_of
from annotator.guidelines.reading import as_markdown
from annotator.models import GuidelineVersion

GUIDELINES: Final = "restore/guidelines.jsonl"


def versions_in(source: BundleSource) -> QuerySet[GuidelineVersion]:
    """Return the published versions by protocol, in order of publication."""
    held = GuidelineVersion.objects.filter(guideline__project=source.project)
    return held.select_related("guideline").order_by("guideline__protocol", "pk")


def guideline_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the versions; images of examples by line, 0 for a deleted one. Who published is not included."""
    line_of = lines_of(source.images)
    for version in versions_in(source):
        content = version.content
        named = [UUID(one["image"]) for one in content["examples"]]
        there = source.images.filter(public_id__in=named).values_list("public_id", "pk")
        lines = {str(public_id): line_of(pk) for public_id, pk in there} if named else {}
        examples = [{**one, "image": lines.get(one["image"], 0)} for one in content["examples"]]
        yield {
            "protocol": version.guideline.protocol,
            "major": version.major,
            "minor": version.minor,
            "summary": version.summary,
            "published_at": moment(version.published_at),
            "content": {**content, "examples": examples},
        }


def guideline_texts(source: BundleSource) -> Iterator[tuple[str, bytes]]:
    """Yield each version as a Markdown file: its name and contents."""
    for version in versions_in(source):
        protocol = version.guideline.protocol
        text = as_markdown(version, source.project.name, guide_of(protocol))
        yield f"guidelines/{protocol}-{version}.md", text.encode()
