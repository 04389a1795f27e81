"""Imports that run at the same moment."""

from __future__ import annotations

import pytest

from annotator.models import Annotation, Assignment, Image, Membership
from annotator.uploads.from_server import import_study
from tests.annotator.exchange.conftest import StudyFolder, sheet_row
from tests.annotator.racing import race
from tests.factories import make_project

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.few(2)
def test_two_imports_of_one_study_store_it_once(study: StudyFolder, turn: int) -> None:
    for number in range(1, 13):
        study.image(f"g/p/{number}.png")
    rows = [sheet_row(f"g_p_{number}", f"anno{number % 3}") for number in range(1, 13)]
    study.sheet(*rows)
    other = study.file("other.csv", (study.path / "data" / "annotations.csv").read_text())
    project = make_project()
    # The same rows under two names: two batches, which no constraint keeps apart.
    outcomes = race(
        [
            lambda: import_study(study.path, project=project).as_json(),
            lambda: import_study(study.path, project=project, annotations=other).as_json(),
        ]
    )
    assert all(isinstance(outcome, dict) for outcome in outcomes), outcomes
    added = [
        (outcome["images"]["added"], outcome["annotations"]["added"])
        for outcome in outcomes
        if isinstance(outcome, dict)
    ]
    assert (sum(images for images, _ in added), sum(rows for _, rows in added)) == (12, 12)
    assert (Image.objects.count(), Annotation.objects.count(), Assignment.objects.count()) == (12, 12, 12)
    assert Membership.objects.count() == 3
