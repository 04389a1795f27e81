"""What a batch with blurred faces needs: decided images, and people who have not drawn those faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from annotator.models import FaceDecision, Image, Project


def undecided_among(project: Project, images: Collection[int]) -> set[int]:
    """Return which of these images, by id, have no decision on their faces."""
    rows = Image.objects.filter(project=project, faces=None).order_by().values_list("pk", flat=True)
    return {pk for pk in rows.iterator(chunk_size=5000) if pk in images}


def drawn_by(members: Collection[int], images: Collection[int]) -> Counter[str]:
    """Count by code on how many of these images each of these members has drawn faces, ever."""
    drawn = FaceDecision.objects.filter(source=FaceDecision.Source.DRAWN, decided_by__in=members)
    rows = drawn.order_by().values_list("image", "decided_by__code").distinct()
    return Counter(code for image, code in rows if image in images)
