"""What leaves no project: faces where they are blurred, unless a lead says why, and ids of panels.

tests/analysis/api walks the API.
"""

from __future__ import annotations

import csv
import io
import json
from base64 import b64decode
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image as Picture

from analysis.bundles.bundle_jobs import MAKE
from analysis.bundles.source import BundleRequest
from analysis.web.views.metrics import _embedded
from annotator.images.display import store_image
from annotator.models import Batch, Image, Job, Project, Recruited
from tests.analysis.bundles.making import exports_of, make_rich, unpacked
from tests.factories import LEAD, decide_faces, make_batch, make_member, make_project, make_user

pytestmark = pytest.mark.django_db

SIDE = 200
FACE = (60, 60, 80, 80)
REASON = "The faces are drawn"


def stored(project: Project, number: int) -> Image:
    """An image of noise, so that a blurred part of it has less contrast."""
    buffer = io.BytesIO()
    Picture.effect_noise((SIDE, SIDE), 50).save(buffer, "PNG")
    known = {"generator": "g", "prompt": "p", "number": number, "source_name": f"{number}.png"}
    return store_image(project=project, contents=buffer.getvalue(), **known)  # type: ignore[arg-type]


@pytest.fixture
def project() -> Project:
    """Three images of a batch that blurs faces: one with a face, one without, one undecided."""
    project = make_project("faces")
    images = [stored(project, number) for number in (1, 2, 3)]
    decide_faces(images[:1], [list(map(float, FACE))])
    decide_faces(images[1:2])
    make_batch(project, protocol="realism", picture=Batch.Picture.FACES_BLURRED)
    return project


def contrast(contents: bytes) -> float:
    """Grey levels between the darkest and the lightest pixel of the face."""
    x, y, w, h = FACE
    with Picture.open(io.BytesIO(contents)) as picture:
        low, high = picture.convert("L").crop((x, y, x + w, y + h)).getextrema()
    return float(high) - float(low)  # type: ignore[arg-type]


def test_a_bundle_holds_blurred_copies_only(project: Project, tmp_path: Path) -> None:
    with_face, without, undecided = project.images.order_by("number")
    files = unpacked(project, tmp_path)
    pictures = {name: contents for name, contents in files.items() if name.startswith("images/")}
    assert pictures.keys() == {f"images/{image.sha256}.webp" for image in (with_face, without)}
    assert contrast(pictures[f"images/{with_face.sha256}.webp"]) < 60
    assert contrast(pictures[f"images/{without.sha256}.webp"]) > 150
    assert {undecided.sha256, with_face.sha256}.isdisjoint(
        name.split("  ")[0] for name in files["sha256sums.txt"].decode().splitlines()
    )
    assert json.loads(files["project.json"])["counts"]["pictures_missing"] == 1
    rows = list(csv.DictReader(io.StringIO(files["manifest.csv"].decode())))
    assert [row["file"] for row in rows] == [
        f"images/{with_face.sha256}.webp",
        f"images/{without.sha256}.webp",
    ]
    assert "faces blurred" in files["README.txt"].decode()


def test_a_figure_of_metrics_embeds_blurred_copies(project: Project) -> None:
    shown = [_embedded(image, project).partition("base64,")[2] for image in project.images.order_by("number")]
    assert contrast(b64decode(shown[0])) < 60
    assert contrast(b64decode(shown[1])) > 150
    assert shown[2] == ""


def test_with_faces_for_a_reason(project: Project, tmp_path: Path) -> None:
    files = unpacked(project, tmp_path, with_faces=REASON)
    pictures = [contents for name, contents in files.items() if name.startswith("images/")]
    assert len(pictures) == 3
    assert min(map(contrast, pictures)) > 150
    assert json.loads(files["project.json"])["with_faces"] == REASON


def test_a_project_that_blurs_nothing_bundles_the_originals(project: Project, tmp_path: Path) -> None:
    project.batches.update(picture=Batch.Picture.DISPLAY)
    files = unpacked(project, tmp_path)
    assert len([name for name in files if name.startswith("images/") and name.endswith(".png")]) == 3
    # Before its first batch, a project has the files of what it measures.
    project.batches.all().delete()
    project.protocols = ["realism"]
    project.save()
    files = unpacked(project, tmp_path)
    assert b"Realism of the body" in files["protocol.json"]


def test_the_page_asks_why(project: Project, client: Client) -> None:
    lead = make_user("lead")
    make_member(project, LEAD, user=lead, code="lead")
    client.force_login(lead)
    assert b'name="with_faces"' in client.get(reverse("exports", args=[project.slug])).content
    asked = {"pictures": "files", "faces": "on"}
    page = client.post(reverse("bundle", args=[project.slug]), asked, follow=True)
    assert "The bundle was not requested. Say why it shows faces" in page.content.decode()
    assert not Job.objects.filter(kind=MAKE).exists()
    client.post(reverse("bundle", args=[project.slug]), {**asked, "with_faces": REASON})
    requested = project.jobs.get(kind=MAKE).data["request"]
    assert BundleRequest.from_json(requested).with_faces == REASON
    project.batches.update(picture=Batch.Picture.DISPLAY)
    assert b'name="with_faces"' not in client.get(reverse("exports", args=[project.slug])).content


IDS = {name: f"Canary{name.title()}" for name in ("participant", "study", "session")}


@pytest.mark.thorough
def test_no_export_and_no_bundle_has_the_ids_or_answers(tmp_path: Path) -> None:
    project = make_rich()
    member = project.memberships.filter(assignments__annotation__isnull=False).first()
    assert member is not None
    Recruited.objects.create(membership=member, answers={"about": "CanaryAnswer"}, **IDS)
    files = exports_of(project)
    files |= {name: _inner(tmp_path, name, content) for name, content in files.items()}
    files |= unpacked(project, tmp_path, reports=True)
    assert any(member.code.encode() in content for content in files.values())
    assert [name for name, content in files.items() if b"Canary" in content] == []


def _inner(place: Path, name: str, content: bytes) -> bytes:
    """The unpacked parts of a workbook; other files as they are."""
    if not content.startswith(b"PK"):
        return content
    (place / name).write_bytes(content)
    with ZipFile(place / name) as archive:
        return b"".join(archive.read(part) for part in archive.namelist())
