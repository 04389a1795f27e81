"""What PostgreSQL reads for a page of a gallery of thousands: little more than the page itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.annotations.summaries import summarise
from annotator.gallery.filters import GalleryFilter
from annotator.gallery.rows import Gallery
from annotator.models import Image, ImageSummary, Project
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

IMAGES, PAGE = 4_000, 20
"""Images of one generator and of one score, with two of each prompt; every hundredth is flagged."""
MOST_READ = 5 * PAGE


def copied(model: type[Image] | type[ImageSummary], replaced: dict[str, str]) -> str:
    """The statement that copies a row once for each k up to IMAGES, with other values in some columns."""
    names = [str(each.column) for each in model._meta.fields if each.column != "id"]
    values = ", ".join(replaced.get(name, name) for name in names)
    source = f"{model._meta.db_table}, generate_series(2, {IMAGES}) k"
    return f"INSERT INTO {model._meta.db_table} ({', '.join(names)}) SELECT {values} FROM {source}"


@pytest.fixture
def project() -> Project:
    if connection.vendor != "postgresql":
        pytest.skip("The plans of PostgreSQL")
    project = make_project()
    image = make_image(project, number=1)
    make_submitted(make_member(project), [], image=image, batch=make_batch(project))
    summarise(project.pk, [image.pk], "anatomy")
    ImageSummary.objects.exclude(code="").delete()
    changed = {
        "public_id": "gen_random_uuid()",
        "sha256": "md5(k::text)",
        "prompt": "'prompt ' || lpad((k / 2)::text, 4, '0')",
        "number": "k",
    }
    flags = {"image_id": f"{image.pk} + k - 1", "flagged": "k % 100 = 0"}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT setval(pg_get_serial_sequence('annotator_image', 'id'), {image.pk})")
        cursor.execute(copied(Image, changed))
        cursor.execute(copied(ImageSummary, flags))
        cursor.execute("ANALYZE annotator_image, annotator_imagesummary")
    return project


def read(queries: CaptureQueriesContext) -> list[int]:
    """The rows that the scans of each query have read, kept or not."""
    found = []
    for query in queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query['sql']}")
            [(plan,)] = cursor.fetchall()
        [explained] = json.loads(plan) if isinstance(plan, str) else plan
        found.append(_scanned(explained["Plan"]))
    return found


def _scanned(node: dict[str, Any]) -> int:
    own = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    scanned = own * node["Actual Loops"] if node["Node Type"].endswith("Scan") else 0
    return int(scanned) + sum(_scanned(below) for below in node.get("Plans", ()))


@pytest.mark.parametrize("sort", ["", "high", "low", "new"])
def test_a_page_in_the_middle_reads_a_page(project: Project, sort: str) -> None:
    images = list(project.images.order_by("pk"))
    middle, gallery = images[IMAGES // 2].pk, Gallery(project, "anatomy", GalleryFilter(), sort)
    with CaptureQueriesContext(connection) as queries:
        assert len(gallery.after(middle, PAGE)) == len(gallery.before(middle, PAGE)) == PAGE
    assert max(read(queries)) <= MOST_READ


@pytest.mark.parametrize("name", ["flagged", "adjudicated", "disagreement"])
def test_few_that_match_are_counted_from_an_index(project: Project, name: str) -> None:
    gallery = Gallery(project, "anatomy", GalleryFilter({name: ("1",)}))
    with CaptureQueriesContext(connection) as queries:
        assert gallery.count() == (IMAGES // 100 if name == "flagged" else 0)
    assert max(read(queries)) <= IMAGES // 100
