"""Examples of a guideline: images with their marks, as adjudicated.

Under a protocol whose images are not adjudicated, an example shows the reference of its image; where
annotators see faces blurred, so do examples.

An example would reveal its value to an annotator who still has to judge the image, so it is hidden from
that annotator until then. It names neither generator nor prompt nor file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from annotator.faces.gate import unlooked
from annotator.guidelines.content import Example
from annotator.images.signed_urls import image_url
from annotator.models import (
    Adjudication,
    Assignment,
    Batch,
    GuidelineVersion,
    Image,
    Membership,
    Project,
    Reference,
    User,
)
from annotator.people.access import Visitor
from annotator.protocols.page import Guide
from annotator.protocols.registry import PAGES, page_of
from scoring.service import get_protocol

KnownValue = Adjudication | Reference

OFFERED = 12
"""The latest images that a lead can choose from at once."""
_NUMBER = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)


def known_values(project: Project, protocol: str) -> QuerySet[Any]:
    """Return what examples can show, the latest first: adjudications, or references without these.

    Where annotators see faces blurred, only of images with a decision on faces, not of those with proposals.
    """
    if get_protocol(protocol).adjudicated:
        made = Adjudication.objects.filter(status=Adjudication.Status.ADJUDICATED)
        rows: QuerySet[Any] = made.order_by("-decided_at", "-pk")
    else:
        rows = Reference.objects.filter(status=Reference.Status.ACTIVE).order_by("-pk")
    rows = rows.filter(protocol=protocol, image__project=project).select_related("image")
    if not page_of(protocol).faces_blurred:
        return rows
    return rows.exclude(image__faces=None).exclude(image__in=unlooked().values("image"))


def values_of(project: Project, protocol: str, examples: Iterable[Example]) -> dict[str, KnownValue]:
    """Return the values of examples by image; one query, none without examples."""
    # Examples of a form are not checked yet.
    named = [example.image for example in examples if is_uuid(example.image)]
    if not named:
        return {}
    rows = known_values(project, protocol).filter(image__public_id__in=named)
    return {str(row.image.public_id): row for row in rows}


def is_uuid(text: str) -> bool:
    """Tell whether a text is the public id of an image, whether there is one or not."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def frozen(example: Example, row: KnownValue, guide: Guide) -> Example:
    """Return an example with its marks as they are now."""
    marks = [
        {
            "component": mark.component,
            "title": guide.titles[mark.component],
            "text": mark.text,
            "pins": [[pin["x"], pin["y"]] for pin in mark.pins],
        }
        for mark in page_of(row.protocol).marks(row.payload)
        if mark.component in example.components
    ]
    return replace(example, adjudication=row.version, marks=tuple(marks))


def open_for(images: Iterable[int], annotator: Membership) -> set[int]:
    """Return which of these images an annotator has still to judge or can resume."""
    waiting = annotator.assignments.filter(
        image__in=list(images), status__in=[Assignment.Status.OPEN, Assignment.Status.SKIPPED]
    ).exclude(batch__status=Batch.Status.CLOSED, status=Assignment.Status.SKIPPED)
    return set(waiting.order_by().values_list("image", flat=True).distinct())


def shown_to(
    member: Membership, protocol: str, examples: Sequence[Example], user: User
) -> list[dict[str, Any]]:
    """Return the examples of a published version that a member may see, in order; three queries.

    Left out are images that are deleted or whose value is no longer the published one, those the member has
    still to judge, and whole images of which they rate the copy with blurred faces.
    """
    rows = values_of(member.project, protocol, examples)
    hidden = open_for((row.image_id for row in rows.values()), member) if rows else set()
    if rows and not page_of(protocol).faces_blurred:
        hidden |= set(_blurred([member]).order_by().values_list("image", flat=True))
    return [
        shown(example, row, user)
        for example in examples
        if (row := rows.get(example.image)) and row.version == example.adjudication
        if row.image_id not in hidden
    ]


def _blurred(members: Iterable[Membership]) -> QuerySet[Assignment]:
    """Return the assignments whose annotators, among these members, see the image with faces blurred."""
    return Assignment.objects.filter(annotator__in=members, batch__picture=Batch.Picture.FACES_BLURRED)


def shown(example: Example, row: KnownValue, user: User) -> dict[str, Any]:
    """Return an example for display: `src` is a signed URL, `pins` are places on the image from 0 to 1.

    `dots` are the pins in pixels of the image, each with a radius that shows at any size.
    """
    image = row.image
    marks = [(mark["title"], mark["text"]) for mark in example.marks]
    pins = [pin for mark in example.marks for pin in mark["pins"]]
    radius = round(max(image.width, image.height) / 40)
    return {
        "public_id": example.image,
        "components": example.components,
        "src": image_url(image, user, blurred=page_of(row.protocol).faces_blurred),
        "width": image.width,
        "height": image.height,
        "alt": "; ".join(f"{title} {text}".strip() for title, text in marks) or "No marks",
        "caption": example.caption,
        "marks": marks,
        "pins": pins,
        "dots": [(round(x * image.width), round(y * image.height), radius) for x, y in pins],
    }


def example_image_for(user: Visitor, public_id: UUID, *, blurred: bool = False) -> Image | None:
    """Return an image that a guideline in force of one of the user's projects shows as example.

    `blurred`: guidelines of protocols whose annotators see faces blurred; else only the others.
    """
    if not isinstance(user, User):
        return None
    members = Membership.objects.filter(user=user, user__is_active=True, is_active=True)
    if not blurred and _blurred(members).filter(image__public_id=public_id).exists():
        return None
    image = (
        Image.objects.filter(public_id=public_id, project__goes_at=None, project__memberships__in=members)
        .select_related("project")
        .first()
    )
    if image is None:
        return None
    versions: dict[str, Any] = image.project.guideline_versions
    for protocol, number in versions.items():
        page = PAGES.get(protocol)
        if page is None or page.faces_blurred != blurred:
            continue
        version = version_numbered(image.project, protocol, number)
        named = version.content["examples"] if version else ()
        if any(example["image"] == str(public_id) for example in named):
            return image
    return None


def version_numbered(project: Project, protocol: str, number: str) -> GuidelineVersion | None:
    """Return a published version by its number, `1.2`; None if there is none. One query."""
    if _NUMBER.fullmatch(number) is None:
        return None
    major, minor = map(int, number.split("."))
    named = GuidelineVersion.objects.filter(guideline__project=project, guideline__protocol=protocol)
    return named.filter(major=major, minor=minor).select_related("published_by").first()
