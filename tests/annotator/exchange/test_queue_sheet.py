"""A queue as a sheet: taken away, filled in by real programs, imported back."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from django.test import Client

from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.exchange.formats.report import StudyImport, StudyRefused
from annotator.exchange.queue_sheet import NoSheet, queue_sheet
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project, User
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS
from tests.analysis.factories import make_submitted
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

LIMBS, HANDS = CELL_BY_KEY["missing.limbs"].heading, CELL_BY_KEY["extra.hands"].heading
SITE = "https://example.org/"


class Queue:
    """A batch of one annotator with some open images, and its sheet."""

    def __init__(self, folder: Path, count: int = 3, **settings: Any) -> None:
        self.project: Project = make_project("pilot", name="Pilot")
        self.batch: Batch = make_batch(self.project, name="round 1", **settings)
        self.person: Membership = make_member(self.project, code="annotator-a")
        lead = make_member(self.project, role="lead").user
        assert lead
        self.lead: User = lead
        self.assignments: list[Assignment] = [
            make_assignment(
                self.person,
                batch=self.batch,
                image=make_image(self.project, generator="secret-model", prompt="secret words", number=place),
            )
            for place in range(count)
        ]
        self.path = folder / "queue.xlsx"

    def take(self) -> Path:
        """Write the sheet."""
        self.path.write_bytes(
            queue_sheet(batch=self.batch, annotator=self.person, site=SITE, actor=self.lead)
        )
        return self.path

    def fill(self, rows: dict[int, dict[str, str]]) -> Path:
        """Fill in cells by row (from 2) and heading, as another program would."""
        book = openpyxl.load_workbook(self.path)
        sheet = book.worksheets[0]
        headings = {cell.value: cell.column for cell in sheet[1]}
        for row, cells in rows.items():
            for heading, text in cells.items():
                sheet.cell(row, headings[heading], text)
        book.save(self.path)
        return self.path

    def store(self, path: Path | None = None) -> StudyImport:
        """Import the file as it is."""
        checked = check_annotations(path or self.path, project=self.project)
        return store_checked(checked, project=self.project, actor=self.lead)

    def said(self) -> list[list[str] | None]:
        """The marks of each image, None where it is still open."""
        stored = {each.assignment_id: each for each in Annotation.objects.filter(status="submitted")}
        return [
            [
                f"{mark['type']}.{mark['part']} {mark['affected']}/{mark['total']}{mark['severity']}"
                for mark in each
            ]
            if (each := stored[one.pk].payload["marks"] if one.pk in stored else None) is not None
            else None
            for one in self.assignments
        ]


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path)


def rows_of(path: Path) -> list[list[Any]]:
    return [list(row) for row in openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)]


def test_the_sheet_holds_the_queue_in_its_order(queue: Queue) -> None:
    heading, *rows = rows_of(queue.take())
    assert heading == ["Assignment", "Place", "Image", "No errors", *(cell.heading for cell in CELLS)]
    assert [row[0] for row in rows] == [
        f"pilot/{each.pk}/{each.image.public_id}" for each in queue.assignments
    ]
    assert [row[1] for row in rows] == [str(each.position) for each in queue.assignments]
    book = openpyxl.load_workbook(queue.path)
    sheet = book.worksheets[0]
    assert (sheet.freeze_panes, sheet.column_dimensions["A"].hidden) == ("E2", True)
    assert sheet["C2"].hyperlink.target == f"{SITE}assignments/{queue.assignments[0].pk}/"
    assert sheet["E2"].number_format == "@" or sheet.column_dimensions["E"].number_format == "@"
    assert [str(each.sqref) for each in sheet.data_validations.dataValidation] == ["D2:D4", "E2:AC4"]
    assert book.sheetnames == ["Queue", "Notation"]
    event = Event.objects.get(verb="sheet_taken")
    assert (event.actor, event.data["rows"]) == (queue.lead, 3)


@pytest.mark.parametrize(
    ("shows", "shown"),
    [
        ({}, set()),
        ({"show_prompt": True}, {"secret words"}),
        ({"show_generator": True}, {"secret-model"}),
        ({"show_prompt": True, "show_generator": True}, {"secret words", "secret-model"}),
    ],
    ids=["neither", "prompt", "generator", "both"],
)
def test_it_says_no_more_of_an_image_than_the_batch(
    tmp_path: Path, shows: dict[str, bool], shown: set[str]
) -> None:
    path = Queue(tmp_path, **shows).take()
    with ZipFile(path) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert {name for name in ("secret words", "secret-model") if name in everything} == shown


def test_what_was_filled_in_is_submitted_and_the_rest_stays(queue: Queue) -> None:
    queue.take()
    queue.fill({2: {LIMBS: "1/4c, 1/4a", HANDS: "2/2B"}, 3: {"No errors": "yes"}})
    outcome = queue.store()
    assert (outcome.annotations_added, outcome.unmatched_rows) == (2, [])
    assert queue.said() == [["missing.limbs 1/4a", "missing.limbs 1/4c", "extra.hands 2/2b"], [], None]
    annotation = Annotation.objects.get(assignment=queue.assignments[0])
    assert (annotation.source, annotation.assignment.status) == (None, "done")
    event = Event.objects.get(verb="imported", assignment=queue.assignments[0])
    assert (event.actor, event.data) == (queue.lead, {"file": "queue.xlsx", "row": 2})
    again = queue.store()
    assert (again.annotations_added, again.annotations_existing, again.unmatched_rows) == (0, 2, [])
    assert Event.objects.filter(verb="submitted").count() == 2


def test_what_was_submitted_meanwhile_is_listed_and_stays(queue: Queue) -> None:
    queue.take()
    queue.fill({2: {LIMBS: "1/4c"}, 3: {LIMBS: "1/4c"}})
    make_submitted(queue.person, [("extra.face", "1/2a")], assignment=queue.assignments[0])
    outcome = queue.store()
    (note,) = outcome.unmatched_rows
    assert (note.row, note.reason) == (
        2,
        "a different annotation of this image was submitted in the meantime; it was not overwritten",
    )
    assert queue.said() == [["extra.face 1/2a"], ["missing.limbs 1/4c"], None]


def test_a_draft_is_not_written_over(queue: Queue) -> None:
    queue.take()
    queue.fill({2: {LIMBS: "1/4c"}, 3: {LIMBS: "1/4c"}})
    for assignment, marks in zip(queue.assignments, ([("extra.face", "1/2a")], []), strict=False):
        payload = {**make_payload(marks), "no_errors": False}
        make_submitted(queue.person, assignment=assignment, status="draft", submitted_at=None)
        Annotation.objects.filter(assignment=assignment).update(payload=payload)
    outcome = queue.store()
    assert [note.row for note in outcome.unmatched_rows] == [2]
    assert "this image has a draft" in outcome.unmatched_rows[0].reason
    assert queue.said() == [None, ["missing.limbs 1/4c"], None]


def test_another_projects_queue_is_refused_by_name(queue: Queue) -> None:
    queue.take()
    path = queue.fill({2: {LIMBS: "1/4c"}})
    other = make_project("other", name="Other")
    with pytest.raises(StudyRefused, match=r"a queue of the project “pilot”, but this is Other"):
        check_annotations(path, project=other)
    assert Annotation.objects.count() == 0


def test_each_row_that_cannot_be_taken_is_named(queue: Queue) -> None:
    first, second, third = queue.assignments
    queue.take()
    queue.fill(
        {
            2: {LIMBS: "1/4c", "No errors": "yes"},
            3: {LIMBS: "14c"},
            4: {LIMBS: "1/4c", "Assignment": f"pilot/{third.pk}/{second.image.public_id}"},
            5: {LIMBS: "1/4c", "Assignment": f"pilot/{first.pk}/{first.image.public_id}"},
            6: {LIMBS: "1/3c", "Assignment": f"pilot/{first.pk}/{first.image.public_id}"},
            7: {"No errors": "perhaps", "Assignment": "x"},
        }
    )
    outcome = queue.store()
    assert {note.row: note.reason for note in outcome.unmatched_rows} == {
        2: "“No errors” is set, but cells have errors",
        3: "“14c”: no total: expected affected/total and a severity, such as 1/4b; "
        "the image stays in the queue",
        4: f"unknown assignment “{f'pilot/{third.pk}/{second.image.public_id}'[:60]}”: restore column A",
        6: "row 5 differs for the same image",
        7: "“perhaps” is not “yes”",
    }
    assert queue.said() == [["missing.limbs 1/4c"], None, None]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "withdrawn", "position": None}, "this image was reassigned"),
        ({"status": "skipped"}, "this image was skipped; resume it first"),
    ],
    ids=["withdrawn", "skipped"],
)
def test_what_is_no_longer_in_the_queue_is_not_taken(
    queue: Queue, change: dict[str, Any], reason: str
) -> None:
    queue.take()
    queue.fill({2: {LIMBS: "1/4c"}})
    Assignment.objects.filter(pk=queue.assignments[0].pk).update(**change)
    assert [note.reason for note in queue.store().unmatched_rows] == [reason]


def test_a_closed_batch_takes_nothing(queue: Queue) -> None:
    queue.take()
    queue.fill({2: {LIMBS: "1/4c"}})
    Batch.objects.filter(pk=queue.batch.pk).update(status="closed")
    assert [note.reason for note in queue.store().unmatched_rows] == ["the batch “round 1” is closed"]
    assert queue.said() == [None, None, None]


def test_a_sheet_nobody_filled_in_is_refused(queue: Queue) -> None:
    with pytest.raises(StudyRefused, match=r"has no completed rows"):
        queue.store(queue.take())


def test_a_repaired_cell_keeps_what_was_written(queue: Queue) -> None:
    queue.take()
    path = queue.fill({2: {LIMBS: "14c"}})
    checked = check_annotations(path, project=queue.project, repairs={(2, LIMBS): "1/4c"})
    store_checked(checked, project=queue.project, actor=queue.lead)
    assert queue.said() == [["missing.limbs 1/4c"], None, None]
    assert Event.objects.get(verb="imported").data["repaired"] == {LIMBS: "14c"}


def office(path: Path, form: str, script: str = "") -> Path:
    """The file as LibreOffice saves it."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice is not at hand: install libreoffice-calc")
    out = path.parent / "saved"
    profile = f"-env:UserInstallation={(path.parent / 'profile').as_uri()}"
    command = [program, profile, "--headless", "--convert-to", form, "--outdir", str(out), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return out / f"{path.stem}.{form.split(':')[0]}"


@pytest.mark.thorough
def test_libreoffice_opens_it_and_its_files_come_back(queue: Queue) -> None:
    queue.take()
    opened = office(queue.path, "xlsx")
    book = openpyxl.load_workbook(opened)
    sheet = book.worksheets[0]
    assert sheet.column_dimensions["A"].hidden
    kinds = {each.type for each in sheet.data_validations.dataValidation}
    assert kinds == {"list", "custom"}
    assert sheet["C2"].hyperlink.target == f"{SITE}assignments/{queue.assignments[0].pk}/"
    assert rows_of(opened) == rows_of(queue.path)
    shutil.copy(opened, queue.path)
    queue.fill({2: {LIMBS: "1/4c,2/4b"}, 4: {"No errors": "yes"}})
    assert queue.store(office(queue.path, "xlsx")).annotations_added == 2
    assert queue.said() == [["missing.limbs 2/4b", "missing.limbs 1/4c"], None, []]


@pytest.mark.thorough
def test_a_csv_that_libreoffice_made_of_it_comes_back(queue: Queue) -> None:
    queue.take()
    queue.fill({3: {LIMBS: "1/4c", HANDS: "1/5a"}})
    path = office(queue.path, "csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(io.StringIO(file.read(), newline="")))
    assert rows[1][HANDS] == "1/5a"
    assert queue.store(path).annotations_added == 1
    assert queue.said() == [None, ["missing.limbs 1/4c", "extra.hands 1/5a"], None]


def test_a_training_batch_has_no_sheet(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    Assignment.objects.filter(batch=queue.batch).update(purpose="training")
    with pytest.raises(NoSheet, match="Training batches have no sheet"):
        queue.take()
    assert not Event.objects.filter(verb="sheet_taken").exists()
    assert queue.person.user
    client = Client()
    client.force_login(queue.person.user)
    page = client.get("/projects/pilot/queue/").content.decode()
    assert "Download sheet" not in page
    client.force_login(queue.lead)
    assert "Offline sheet" not in client.get(f"/batches/{queue.batch.pk}/").content.decode()
    Assignment.objects.filter(batch=queue.batch).update(purpose="work")
    assert "Offline sheet" in client.get(f"/batches/{queue.batch.pk}/").content.decode()
