"""What divides the images of a project in its comparisons: attributes, people counted, and tags."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from annotator.models import ImageSummary, Project
from annotator.models.data_sets import is_generated
from annotator.projects.tags import tags_of
from scoring.payloads import bits_of
from scoring.people import band_of
from scoring.service import counting_people

PEOPLE: Final = "People counted"
"""The attribute that annotators counted, beside those of the table that the images were imported with."""
_CHUNK: Final = 2000


def load_slices(project: Project, protocol: str) -> dict[str, Any]:
    """Return the keywords `attributes` and `tags` of a comparison, as in `analysis.stats.generic.slices`.

    `protocol` is that of the annotations. Whoever counted people did so under any protocol of the project.
    """
    attributes = load_attributes(project)
    if people := _people(project):
        attributes[PEOPLE] = people
    summaries = ImageSummary.objects.filter(project=project, protocol=protocol, code="").order_by("image")
    names = tags_of(project)
    ticked = list(summaries.exclude(tags=0).values_list("image", "tags")) if names else []
    tags = {
        name: {image for image, bits in ticked if bits & bits_of([number])} for number, name in names.items()
    }
    return {"attributes": attributes, "tags": tags}


def _people(project: Project) -> dict[int, str]:
    """Return the band of the people counted by image, under whichever protocol counts them."""
    counted = ImageSummary.objects.filter(project=project, protocol__in=counting_people(), code="")
    rows = counted.exclude(people=None).order_by("image").values_list("image", "people")
    return {image: band_of(number) for image, number in rows.iterator(chunk_size=_CHUNK) if number}


def slices_digest(project: Project, protocol: str) -> str:
    """Return a digest of the attributes and the names of the tags; empty if there are none.

    Ticks enter a report's digest with the annotations, and so do people if they are counted under its
    protocol.
    """
    attributes = load_attributes(project)
    if protocol not in counting_people() and (people := _people(project)):
        attributes[PEOPLE] = people
    told = sorted((name, sorted(values.items())) for name, values in attributes.items())
    tags = tags_of(project)
    return hashlib.sha256(repr((told, tags)).encode()).hexdigest() if told or tags else ""


def load_attributes(project: Project) -> dict[str, dict[int, str]]:
    """Return the values by image of every attribute: the free columns of the table of the import."""
    by_name: dict[str, dict[int, str]] = {}
    described = project.images.filter(is_generated()).exclude(attributes={}).order_by("pk")
    for image, attributes in described.values_list("pk", "attributes").iterator(chunk_size=_CHUNK):
        for name, value in attributes.items():
            if isinstance(value, str) and value:
                by_name.setdefault(name, {})[image] = value
    return by_name
