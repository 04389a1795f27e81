"""The published study, as its authors put it on the web."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from annotator.exchange.formats.report import RowNote
from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.uploads.from_server import import_study
from tests.factories import make_project

pytestmark = [pytest.mark.django_db]

NO_SEVERITY = "no severity: a, b or c is missing after the total"


@pytest.mark.thorough
def test_the_published_study_goes_in_once(study_data: Path) -> None:
    project = make_project("published")
    report = import_study(study_data, project=project)
    outcome = report.as_json()
    assert outcome["images"] == {"added": 240, "existing": 0, "rejected": []}
    assert outcome["unmatched"] == {"images": [], "rows": []}
    assert (report.annotations_added, report.annotations_existing) == (300, 0)
    assert report.rejected_terms == [
        RowNote(59, "2. Extra Error-2.4 Hands", "1/5", NO_SEVERITY),
        RowNote(66, "1. Missing Error-1.4 Hands", "1/3", NO_SEVERITY),
        RowNote(
            181,
            "4. Orientation Error-4.3 Feet",
            "1c/5c",
            "not of the form affected/total and a severity, such as 1/4b",
        ),
        RowNote(231, "3. Configuration Error-3.3 Feet", "2/4", NO_SEVERITY),
        RowNote(272, "3. Configuration Error-3.4 Hands", "1/3", NO_SEVERITY),
    ]
    kinds = Counter(note.reason.split(" ")[0] for note in report.warnings)
    assert kinds == {"Different": 17, "1": 3, "2": 2, "term": 1}
    comma = "term 3 of 3 is empty: a comma too many"
    assert RowNote(179, "5. Proportion Error-5.2 Limbs", "1/28b,3/28c,", comma) in report.warnings
    misnumbered = project.images.get(source_name__contains="sdXL_physician_018")
    assert (misnumbered.number, misnumbered.assignments.count()) == (8, 1)

    images = project.images
    assert Counter(images.values_list("generator", flat=True)) == {
        "dall-e3": 80,
        "sdxl": 80,
        "stablecascade": 80,
    }
    assert Counter(images.values_list("prompt_group", flat=True)) == {
        "individual": 48,
        "pair": 120,
        "group": 72,
    }
    assert Counter(images.values_list("number", flat=True)) == dict.fromkeys(range(1, 9), 30)
    assert sorted(Membership.objects.values_list("code", flat=True)) == ["anno1", "anno2", "anno3", "anno4"]
    batch = Batch.objects.get()
    assert (float(batch.overlap), batch.per_image) == (0.25, 2)
    assert Assignment.objects.filter(status="done").count() == 300
    unread = Annotation.objects.filter(has_unread_terms=True)
    # Row 179 has a comma too many and says all the same what it says.
    assert set(unread) == set(Annotation.objects.exclude(source__problems=[]).exclude(source__row=179))
    assert unread.count() == 5
    assert Annotation.objects.filter(payload__no_errors=True).count() == 2

    again = import_study(study_data, project=project)
    assert (again.images_added, again.images_existing) == (0, 240)
    assert (again.annotations_added, again.annotations_existing) == (0, 300)
    assert (again.rejected_terms, again.warnings) == (report.rejected_terms, report.warnings)
    assert (images.count(), Annotation.objects.count(), Membership.objects.count()) == (240, 300, 4)
