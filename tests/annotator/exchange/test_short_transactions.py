"""Imports of thousands of rows hold the database for less than a second at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from analysis.data import metrics
from annotator.exchange import storing
from annotator.exchange.formats.report import StudyImport
from annotator.exchange.formats.sheet import SheetRow
from annotator.exchange.rows import MatchedRow
from annotator.faces import decisions
from annotator.models import Annotation, FaceDecision, Image, Membership, Project
from tests.factories import make_image, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.databases, pytest.mark.slow]
ROWS = 1_000
ONE_SECOND = 1.0


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor time of each transaction of the imports, which other work does not lengthen."""
    found: list[float] = []
    for module in (storing, metrics, decisions):
        original: Callable[[], object] = module.write_transaction

        @contextmanager
        def timed(original: Callable[[], object] = original) -> Iterator[None]:
            begun = time.process_time()
            with original():  # type: ignore[attr-defined]
                yield
            found.append(time.process_time() - begun)

        monkeypatch.setattr(module, "write_transaction", timed)
    return found


@pytest.fixture
def project() -> Project:
    project = make_project()
    first = make_image(project)
    columns = {field.attname: getattr(first, field.attname) for field in Image._meta.concrete_fields}
    del columns["id"], columns["public_id"]
    Image.objects.bulk_create(
        Image(**{**columns, "sha256": f"{number:064}", "number": 100_000 + number})
        for number in range(1, ROWS)
    )
    return project


def ids(project: Project) -> list[int]:
    return list(project.images.order_by("pk").values_list("pk", flat=True))


def test_annotations_of_as_many_people(project: Project, held: list[float]) -> None:
    def row(number: int) -> SheetRow:
        return SheetRow(number, "", "painter", "one person", number, f"ann{number}", {}, {}, ())

    rows = [MatchedRow(row(number), pk) for number, pk in enumerate(ids(project), 2)]
    report = StudyImport()
    storing.store_annotations(rows, project=project, file="a.csv", actor=None, report=report)
    assert (report.annotations_added, Annotation.objects.count()) == (ROWS, ROWS)
    assert Membership.objects.filter(project=project).count() == ROWS
    assert len(held) > 3  # several slices, and the batch
    assert max(held) < ONE_SECOND


def test_metrics(project: Project, held: list[float]) -> None:
    found = {name: dict.fromkeys(ids(project), 0.5) for name in ("clip", "fid")}
    assert metrics.store_metrics(project, found) == 2 * ROWS
    assert max(held) < ONE_SECOND


def test_faces(project: Project, held: list[float]) -> None:
    faces: dict[int, list[list[float]]] = {pk: [] for pk in ids(project)}
    assert decisions.decide_from_file(project=project, faces=faces, actor=None, facts={}) == ROWS
    assert FaceDecision.objects.count() == ROWS
    assert max(held) < ONE_SECOND
