"""Detections: what is read of a file, wrong rows, and the page of filters."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotator.batches.designs import Selection, images_of, left_out_of
from annotator.data_sets.detections import check_detections
from annotator.data_sets.filtering import counts_of, filtered_images, store_detections, take_back
from annotator.data_sets.settings import settings_of
from annotator.models import Event, Image, Job, Project, Screening
from annotator.work.jobs import run_job
from scoring.data_sets.filters import Detected
from tests.factories import LEAD, make_image, make_member
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
HEADER = "file,persons,classes,person_confidence,moderation"


@pytest.fixture
def images(project: Project) -> list[Image]:
    return [make_image(project, source_name=f"a/{n}.png", number=n, prompt=f"a woman {n}") for n in range(4)]


def written(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "detections.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return path


def test_images_by_name_and_by_content(project: Project, images: list[Image], tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a/0.png,1,person;dog;person,0.99,violence=0.1; nudity=0.93",
        "1.png,0,0,,",
        "a/2.png,4,4,0.5,0.2",
    )
    assert check_detections(path, project).found == {
        images[0].pk: Detected(1, 2, 0.99, 0.93),
        images[1].pk: Detected(0, 0, 0.0, None),
        images[2].pk: Detected(4, 4, 0.5, 0.2),
    }
    by_content = written(tmp_path, f"{images[3].sha256.upper()},2", header="sha256,persons")
    assert check_detections(by_content, project).found == {images[3].pk: Detected(2)}


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("a/1.png,1,1,NaN,0", "person_confidence", "“NaN” is not a number from 0 to 1"),
        ("a/1.png,1,1,0.9,inf", "moderation", "“inf” is not a number from 0 to 1"),
        ("a/1.png,-1,1,0.9,0", "persons", "“-1” is not a whole number from 0 to 10,000"),
        ("a/1.png,99999999999999999999,1,0.9,0", "persons", "is not a whole number"),
        ("a/1.png,1,2.5,0.9,0", "classes", "“2.5” is not a whole number from 0 to 10,000"),
        ("a/1.png,1,1,,0", "person_confidence", "empty, but there are persons"),
        ("b/9.png,1,1,0.9,0", "file", "there is no image “b/9.png”"),
        (",1,1,0.9,0", "file", "names no image"),
        ("0.png,1,1,0.9,0", "file", "the image already has row 2; keep one of them"),
        ("a/1.png,1,1,0.9,0,9", "", "the row has 6 cells, the header 5"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_stored(
    project: Project, images: list[Image], tmp_path: Path, row: str, column: str, reason: str
) -> None:
    path = written(tmp_path, "a/0.png,9,1,0.99,0", row)
    checked = check_detections(path, project)
    assert [(note.row, note.column) for note in checked.refused] == [(3, column)]
    assert reason in checked.refused[0].reason
    with pytest.raises(CommandError, match="row 3"):
        call_command("import_detections", path, project="pilot")
    assert not Screening.objects.exists()


@pytest.mark.databases
def test_excluded_images_keep_reasons_and_can_be_taken_back(project: Project, images: list[Image]) -> None:
    found = {images[0].pk: Detected(9, 1, 0.9, 0.0), images[1].pk: Detected(1, 1, 0.99, 0.95)}
    counts = store_detections(project, found, actor=None, name="d.csv")
    assert counts == {"detected": 2, "excluded": 2, "persons": 1, "confidence": 1, "moderation": 1}
    assert list(filtered_images(project, "moderation")) == [images[1]]
    assert list(images_of(project, Selection(), "anatomy").order_by("pk")) == images[2:]
    assert left_out_of(project, Selection(), "anatomy") == {"excluded": 2, "real": 0}

    assert take_back(project, [images[0].public_id, images[2].public_id], kept=True, actor=None) == 1
    assert counts_of(project) == {"detected": 2, "excluded": 1, "kept": 1, "moderation": 1}
    # The same file again changes nothing, and takes nothing away from a lead's decision.
    events = Event.objects.count()
    store_detections(project, found, actor=None)
    assert Event.objects.count() == events
    assert list(filtered_images(project, kept=True)) == [images[0]]
    assert images[0] in images_of(project, Selection(), "anatomy")
    assert take_back(project, [images[0].public_id], kept=False, actor=None) == 1
    assert counts_of(project)["excluded"] == 2


def test_real_pictures_are_rated_only_as_checks(project: Project, images: list[Image]) -> None:
    photos = [make_image(project, attributes={"source": "real"}, generator="camera") for _ in range(3)]
    assert list(images_of(project, Selection(), "realism").order_by("pk")) == images
    assert left_out_of(project, Selection(), "realism") == {"excluded": 0, "real": 3}
    some = images_of(project, Selection(real=2), "realism").filter(generator="camera")
    assert sorted(row.sha256 for row in some) == sorted(row.sha256 for row in photos)[:2]
    assert left_out_of(project, Selection(real=2), "realism") == {"excluded": 0, "real": 1}
    assert images_of(project, Selection(), "anatomy").count() == 7


PAGE = "/projects/pilot/data-set/"
FILTERS = {"most_persons": "2", "most_classes": "3", "least_confidence": "0.98", "moderation_from": "0.9"}
SPLITS = {
    "seed": "7",
    "validation": "0.2",
    "test": "0.1",
    "validation_prompts": "",
    "test_prompts": "a woman",
}
SCORES = {"seed": "7", "words": "woman, man", "real_score": "9.5", "most_pairs": "100", "invalid_from": "3"}
SETTINGS = {"action": "settings", **FILTERS, **SPLITS, **SCORES}


def test_settings_are_saved_and_applied_by_a_worker(project: Project) -> None:
    lead = signed_in(make_member(project, LEAD))
    make_image(project, prompt="a woman")
    make_image(project, prompt="a horse")
    assert "no-detections" in codes(lead.get(PAGE))
    answer = lead.post(PAGE, {**SETTINGS, "request_key": str(uuid4())})
    job = Job.objects.get(kind="apply_filters")
    assert answer["Location"] == reverse("job", args=[job.pk])
    assert run_job(job.pk)
    assert counts_of(project) == {"detected": 1, "excluded": 1, "words": 1}
    found = settings_of(project)
    values = (found.filters.most_persons, found.splitting.named, str(found.real_score))
    assert values == (2, {"a woman": "test"}, "19/2")
    page = lead.get(PAGE)
    assert "reason-words" in codes(page)
    # Nothing is computed again for settings that no filter uses.
    again = lead.post(PAGE, {**SETTINGS, "seed": "8", "request_key": str(uuid4())})
    assert again["Location"] == PAGE
    assert Job.objects.count() == 1
