"""The command: what it prints, what it says to bad input, and the published study as its authors share it."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.exchange.formats.report import RowNote
from annotator.models import Annotation, Assignment, Batch, Image, Membership
from annotator.uploads.from_server import import_study
from tests.annotator.exchange.conftest import StudyFolder, sheet_row, sheet_text
from tests.annotator.exchange.formats.test_tables import NO_SEVERITY
from tests.factories import make_project


def run_json(folder: Path, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("import_study", str(folder), "--project", "study", *options, stdout=out, stderr=StringIO())
    outcome: dict[str, Any] = json.loads(out.getvalue())
    return outcome


@pytest.mark.django_db
def test_json_has_the_shape_people_script(small_study: StudyFolder) -> None:
    small_study.image("sdXL/couple_hugging/sdXL_hug_03.png", b"no picture")
    bad = {"file": "images/sdXL/couple_hugging/sdXL_hug_03.png", "reason": "not a PNG, JPEG or WebP image"}
    term = {"row": 2, "column": "2. Extra Error-2.4 Hands", "text": "1/5", "reason": NO_SEVERITY}
    assert run_json(small_study.path) == {
        "images": {"added": 4, "existing": 0, "rejected": [bad]},
        "annotations": {"added": 3, "existing": 0, "rejected_terms": [term], "warnings": []},
        "unmatched": {
            "images": [
                "images/sdXL/couple_hugging/sdXL_hug_02.png",
                "images/stable_cascade/couple_hugging/SC_hug_01.png",
            ],
            "rows": [],
        },
    }


@pytest.mark.django_db
def test_options_name_the_tables(study: StudyFolder, tmp_path: Path) -> None:
    study.image("loose.png")
    (tmp_path / "m.csv").write_text(
        "file,generator,prompt,number,prompt_group\nloose.png,g,one person,4,alone\n"
    )
    (tmp_path / "a.csv").write_text(sheet_text([sheet_row("g_one person_04")]))
    options = ("--manifest", "m.csv", "--annotations", "a.csv")
    given = [str(tmp_path / option) if option.endswith(".csv") else option for option in options]
    assert run_json(study.path, *given)["annotations"]["added"] == 1
    image = Image.objects.get()
    values = (image.generator, image.prompt, image.prompt_group, image.number)
    assert values == ("g", "one person", "alone", 4)


@pytest.mark.django_db
def test_bad_rows_beside_good_ones(small_study: StudyFolder) -> None:
    row = sheet_row("sdxl_couple hugging_01", cells={"missing.limbs": "1/4c"})
    path = small_study.sheet(
        row,
        row,
        sheet_row("sdxl_couple hugging_02", "anno2", {"missing.limbs": "1/4c"}),
        sheet_row("sdxl_couple hugging_02", "anno2", {"missing.limbs": "2/4c"}),
        sheet_row("sdxl_couple hugging_09"),
    )
    path.write_text(path.read_text() + "short,row\n")
    outcome = run_json(small_study.path)
    assert outcome["annotations"]["added"] == 1
    differ = "“anno2” has contradictory rows for this image (4, 5): keep one of them"
    assert [(row["row"], row["reason"]) for row in outcome["unmatched"]["rows"]] == [
        (3, "a duplicate of row 2"),
        (4, differ),
        (5, differ),
        (6, "there is no image 9 of “sdxl”, “couple hugging”"),
        (7, "the row has 2 cells, the header 30"),
    ]


@pytest.mark.django_db
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
