"""What a batch with blurred faces needs: decided images, and people who have not seen those faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from django.db.models import QuerySet

from annotator.faces.decisions import waiting_proposals
from annotator.models import FaceDecision, Image, Project
from annotator.models.images import IS_STUDIED


def undecided_among(project: Project, images: Collection[int]) -> set[int]:
    """Return which of these images, by id, have no decision on their faces."""
    rows = Image.objects.filter(project=project, faces=None).order_by().values_list("pk", flat=True)
    return {pk for pk in rows.iterator(chunk_size=5000) if pk in images}


def unlooked() -> QuerySet[FaceDecision]:
    """Return the proposals of detectors that nobody has looked at yet."""
    return FaceDecision.objects.filter(replaced_at=None, looked_at=None)


def unlooked_among(images: Collection[int]) -> set[int]:
    """Return which of these images, by id, have proposals that nobody has looked at yet."""
    rows = unlooked().order_by().values_list("image", flat=True)
    return {pk for pk in rows.iterator(chunk_size=5000) if pk in images}


def decided_on(project: Project) -> bool:
    """Return whether each image of a project, lessons aside, has a decision that a person made or saw."""
    images = Image.objects.filter(IS_STUDIED, project=project).order_by()
    return not (images.filter(faces=None).exists() or waiting_proposals(images).exists())


def drawn_by(members: Collection[int], images: Collection[int]) -> Counter[str]:
    """Count by code on how many of these images each of these members has drawn or looked at faces, ever."""
    seeing = (FaceDecision.Source.DRAWN, FaceDecision.Source.SEEN)
    drawn = FaceDecision.objects.filter(source__in=seeing, decided_by__in=members)
    rows = drawn.order_by().values_list("image", "decided_by__code").distinct()
    return Counter(code for image, code in rows if image in images)
