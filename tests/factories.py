"""Rows for tests: every factory fills in what the test leaves open."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from io import BytesIO
from typing import Any

from django.core.files.base import ContentFile
from PIL import Image as Picture

from annotator.faces.decisions import decide_from_file
from annotator.models import Assignment, Batch, Image, Membership, Project, User

_NUMBERS = itertools.count(1)

LEAD = Membership.Role.LEAD
ANNOTATOR = Membership.Role.ANNOTATOR
REVIEWER = Membership.Role.REVIEWER

# The worked example of training: 3 hits, 1 missed, 1 alone; scores of 67/60 and 53/60.
REFERENCE = [
    ("missing.limbs", "1/4c"),
    ("missing.hands", "1/3b"),
    ("missing.face", "2/2a"),
    ("configuration.hands", "1/3b"),
    ("configuration.hands", "1/3c"),
]
ANSWER = [
    ("missing.limbs", "1/4c"),
    ("missing.hands", "1/4c"),
    ("configuration.hands", "1/3c"),
    ("proportion.limbs", "1/4a"),
]


def make_project(slug: str | None = None, **fields: Any) -> Project:
    """Create a project; its name follows its slug."""
    slug = slug or f"project-{next(_NUMBERS)}"
    return Project.objects.create(slug=slug, **{"name": slug.replace("-", " ").title(), **fields})


def make_user(username: str | None = None, **fields: Any) -> User:
    """Create an account without a password; use `client.force_login`."""
    return User.objects.create_user(username or f"person-{next(_NUMBERS)}", **fields)


def make_member(
    project: Project,
    role: str = ANNOTATOR,
    *,
    user: User | None = None,
    code: str | None = None,
    **fields: Any,
) -> Membership:
    """Create a member of a project, with a new account unless `user` is given."""
    user = user or make_user()
    return Membership.objects.create(
        project=project, user=user, role=role, code=code or user.username, **fields
    )


def user_of(member: Membership) -> User:
    """Return the account of a member."""
    assert member.user is not None
    return member.user


def make_image(project: Project, **fields: Any) -> Image:
    """Create an image row without a file, unique by content and number."""
    number = next(_NUMBERS)
    name = hashlib.sha256(str(number).encode()).hexdigest()
    row = {
        "file": f"originals/{name}.png",
        "sha256": name,
        "source_name": f"{number}.png",
        "format": "PNG",
        "width": 8,
        "height": 8,
        "generator": "painter",
        "prompt": "one person",
        "number": number,
    }
    return Image.objects.create(project=project, **{**row, **fields})


def png_bytes(size: tuple[int, int] = (8, 8), color: str = "grey") -> bytes:
    """Return a small, valid PNG."""
    buffer = BytesIO()
    Picture.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def make_stored_image(project: Project, **fields: Any) -> Image:
    """Create an image row with original and display copy in the storage."""
    image = make_image(project, **fields)
    image.file.save(f"{image.sha256}.png", ContentFile(png_bytes()), save=False)
    image.display.save(f"display-{image.sha256}.png", ContentFile(png_bytes()), save=False)
    image.display_state = Image.DisplayState.READY
    image.save()
    return image


def make_batch(project: Project, **fields: Any) -> Batch:
    """Create a batch of the anatomy protocol."""
    return Batch.objects.create(project=project, **{"name": f"batch {next(_NUMBERS)}", **fields})


def make_assignment(
    annotator: Membership,
    *,
    image: Image | None = None,
    batch: Batch | None = None,
    position: int | None = None,
    **fields: Any,
) -> Assignment:
    """Create one open assignment, in a new batch unless `batch` is given, last in the annotator's queue."""
    batch = batch or make_batch(annotator.project)
    if position is None:
        position = Assignment.objects.filter(batch=batch, annotator=annotator).count() + 1
    return Assignment.objects.create(
        batch=batch,
        image=image or make_image(annotator.project),
        annotator=annotator,
        position=position,
        **fields,
    )


def decide_faces(images: Iterable[Image], rectangles: Iterable[list[float]] = ()) -> None:
    """Decide the same faces on all of these images, by default none."""
    by_project: dict[Project, dict[int, list[list[float]]]] = {}
    for image in images:
        by_project.setdefault(image.project, {})[image.pk] = list(rectangles)
    for project, faces in by_project.items():
        decide_from_file(project=project, faces=faces, actor=None, facts={"file": "faces.csv"})


def make_mark(cell: str, term: str, *, own_total: bool = True) -> dict[str, Any]:
    """Return a payload's mark, as in `make_mark("missing.limbs", "1/4c")`."""
    error_type, body_part = cell.split(".")
    affected, total = term[:-1].split("/")
    return {
        "type": error_type,
        "part": body_part,
        "severity": term[-1],
        "affected": int(affected),
        "total": int(total),
        "own_total": own_total,
        "pins": [],
    }


def make_payload(
    marks: Iterable[tuple[str, str]] = (("missing.limbs", "1/4c"),), **fields: Any
) -> dict[str, Any]:
    """Return a complete payload; without marks it has no errors. Default: one severe missing limb in four."""
    listed = [make_mark(cell, term) for cell, term in marks]
    payload: dict[str, Any] = {
        "people": None,
        "counts": {"expected": {}, "visible": {}},
        "counts_set": {"expected": [], "visible": []},
        "marks": listed,
        "no_errors": not listed,
        "flag": None,
        "note": "",
    }
    return {**payload, **fields}
