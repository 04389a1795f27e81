"""Presence of errors: the form of 25 ticks, and the sheet, whose rows come in as they went out."""

from __future__ import annotations

import uuid
from io import StringIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotator.annotations.saving import checked_annotation
from annotator.models import Annotation, Assignment, Batch, Project
from annotator.protocols.presence.form import PresenceForm
from annotator.protocols.presence.sheet_format import read, written
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from scoring.presence.protocol import PRESENCE
from tests.annotator.acting import address, typed
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project, make_user
from tests.support.signing_in import signed_in

KEYS = [cell.key for cell in CELLS]


class Sent(dict[str, Any]):
    """Fields as a request has them: several values of one name."""

    def getlist(self, name: str) -> list[str]:
        """Return all values of a name."""
        return list(self.get(name, []))


@given(st.sets(st.sampled_from(KEYS)), st.data())
def test_what_is_ticked_becomes_the_payload(marked: set[str], data: st.DataObject) -> None:
    unsure = data.draw(st.sets(st.sampled_from(sorted(marked)))) if marked else set()
    stored = {**PRESENCE.empty(), "flag": {"reason": "other", "note": "kept"}}
    sent = Sent(version="0", request_key=str(uuid.uuid4()), cells=sorted(marked), unsure=sorted(unsure))
    if not marked:
        sent["no_errors"] = "on"
    form = PresenceForm(sent, stored=stored)
    form.full_clean()
    payload = PRESENCE.clean(form.payload()).payload()
    assert set(payload["cells"]) == marked
    assert set(payload["unsure"]) == unsure
    assert (payload["no_errors"], payload["flag"]) == (not marked, stored["flag"])
    again = PresenceForm(stored=payload)
    boxes = [box for *_, own in again.columns() for box in own]
    assert [box.cell.key for box in boxes] == KEYS
    assert {box.cell.key for box in boxes if box.marked} == marked
    assert {box.cell.key for box in boxes if box.unsure} == unsure


@pytest.fixture
def work(db: None) -> list[Assignment]:
    """Two images of ada's."""
    project = make_project("pilot")
    ada = make_member(project, user=make_user("ada"), code="ada")
    batch = Batch.objects.create(project=project, name="Presence", protocol="presence")
    return [make_assignment(ada, batch=batch, image=make_image(project)) for _ in range(2)]


@pytest.fixture
def as_ada(work: list[Assignment]) -> Client:
    return signed_in(work[0].annotator)


def test_doubt_without_a_mark_is_refused_at_its_cell(work: list[Assignment], as_ada: Client) -> None:
    sent = typed("submit", cells=["extra.face"], unsure=["missing.limbs"])
    page = as_ada.post(address(work[0]), sent)
    assert page.status_code == 422
    boxes = [box for *_, own in page.context["form"].columns() for box in own]
    assert [box.cell.key for box in boxes if box.errors] == ["missing.limbs"]
    assert [box.cell.key for box in boxes if box.marked] == ["extra.face"]
    assert not Annotation.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "__all__"),
        ({"cells": ["missing.limbs"], "no_errors": "on"}, "no_errors"),
        ({"cells": ["missing.wings"]}, "cells"),
        ({"cells": ["missing.limbs", "missing.limbs"]}, "cells"),
    ],
)
def test_refused_by_field(work: list[Assignment], as_ada: Client, fields: dict[str, Any], field: str) -> None:
    page = as_ada.post(address(work[0]), typed("submit", **fields))
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert not Annotation.objects.exists()


def test_a_submission_is_read_without_a_score(work: list[Assignment], as_ada: Client) -> None:
    as_ada.post(address(work[0]), typed("submit", cells=["extra.face"], unsure=["extra.face"], note="see"))
    page = as_ada.get(reverse("own_answer", args=[work[0].pk]))
    assert page.content.decode().count('class="present') == 1
    assert "see" in page.content.decode()
    after = as_ada.get(f"{address(work[1])}?after={work[0].pk}").content.decode()
    assert "1/1" not in after


LIMBS = "1. Missing Error-1.2 Limbs"
MARKS = st.sets(st.sampled_from([cell.key for cell in CELLS]))


def payload_of(marked: set[str]) -> dict[str, Any]:
    """A complete payload with these cells marked."""
    return PRESENCE.clean({"cells": sorted(marked), "no_errors": not marked}).payload()


@given(MARKS)
def test_what_is_written_is_read_as_the_same(marked: set[str]) -> None:
    payload = payload_of(marked)
    reading = read(written(payload))
    assert reading.problems == ()
    assert PRESENCE.clean(reading.payload).payload() == payload


@given(MARKS, st.data())
def test_every_way_of_saying_it_is_the_same(marked: set[str], data: st.DataObject) -> None:
    yes, no = st.sampled_from(["1", "yes", "x", " X ", "Yes"]), st.sampled_from(["0", "no", "", " ", "NO"])
    cells = {cell.heading: data.draw(yes if cell.key in marked else no) for cell in CELLS}
    assert PRESENCE.clean(read(cells).payload).payload() == payload_of(marked)


@pytest.mark.parametrize("text", ["2", "maybe", "1/4c", "1,1", "true", "-"])
def test_anything_else_is_named_by_its_column(text: str) -> None:
    reading = read({LIMBS: text})
    assert reading.payload is None
    assert [problem[:2] for problem in reading.problems] == [(LIMBS, text)]


def run(path: Path, *options: str) -> str:
    out = StringIO()
    call_command("import_answers", str(path), "--project", "study", *options, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def study(db: None) -> Project:
    """Three images."""
    project = make_project("study")
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    return project


def file(tmp_path: Path, rows: list[tuple[str, dict[str, str]]]) -> Path:
    """A sheet of anno1's, texts by cell key."""
    path = tmp_path / "answers.csv"
    path.write_text(sheet_text([sheet_row(image, "anno1", cells) for image, cells in rows]))
    return path


def stored() -> dict[int | None, Any]:
    """Payloads by the number of their image."""
    rows = Annotation.objects.filter(assignment__batch__protocol="presence")
    return dict(rows.values_list("assignment__image__number", "payload"))


def test_a_sheet_is_imported_once(study: Project, tmp_path: Path) -> None:
    path = file(tmp_path, [("sdxl_hug_01", {"missing.limbs": "1"}), ("sdxl_hug_02", {"extra.hands": "0"})])
    assert "2 added, 0 existing" in run(path, "--protocol", "presence")
    assert "0 added, 2 existing" in run(path)  # the project has one protocol now
    assert stored() == {1: payload_of({"missing.limbs"}), 2: payload_of(set())}
    ratings = Annotation.objects.order_by("pk").values_list("ratings", flat=True)[0]
    assert ratings == [["cells_marked", "", "1/1"], ["presence", "missing.limbs", "1/1"]]
    assert "1 existing" in run(file(tmp_path, [("sdxl_hug_01", {"missing.limbs": "x"})]))
    other = file(tmp_path, [("sdxl_hug_01", {"missing.limbs": "1", "missing.feet": "yes"})])
    with pytest.raises(CommandError, match="Nothing was imported"):
        run(other)
    assert stored()[1] == payload_of({"missing.limbs"})


def test_numbers_of_a_workbook_are_read_as_they_stand(study: Project, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(SHEET_COLUMNS)
    row = {**sheet_row("sdxl_hug_01", "anno1"), LIMBS: 1, "2. Extra Error-2.4 Hands": 0}
    book.active.append([row[heading] for heading in SHEET_COLUMNS])
    book.save(tmp_path / "a.xlsx")
    assert "1 added" in run(tmp_path / "a.xlsx", "--protocol", "presence")
    assert stored() == {1: payload_of({"missing.limbs"})}


def test_a_row_with_another_word_stays_out_whole(study: Project, tmp_path: Path) -> None:
    rows = [("sdxl_hug_01", {"missing.limbs": "maybe", "extra.face": "1/4c"}), ("sdxl_hug_02", {})]
    said = run(file(tmp_path, rows), "--protocol", "presence")
    assert f"row 2, {LIMBS} “maybe”: is not 1 or 0" in said
    assert "“1/4c”" in said
    assert stored() == {2: payload_of(set())}


def test_both_protocols_of_one_file_keep_apart(study: Project, tmp_path: Path) -> None:
    path = file(tmp_path, [("sdxl_hug_01", {})])
    run(path)
    run(path, "--protocol", "presence")
    assert sorted(Batch.objects.values_list("protocol", flat=True)) == ["anatomy", "presence"]
    with pytest.raises(CommandError, match="Use --protocol anatomy or presence"):
        run(path)


@pytest.mark.django_db
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_an_exported_sheet_comes_in_as_the_same_annotations(tmp_path: Path, form: str) -> None:
    project = make_project("out")
    people = [make_member(project, code=code) for code in ("ada", "bob")]
    images = [make_image(project, generator="alpha", prompt="jogging", number=place) for place in range(3)]
    batch = make_batch(project, protocol="presence")
    for place, image in enumerate(images):
        for person in people:
            cells = ["extra.hands", "missing.face"][: (place + person.pk) % 3]
            assignment = make_assignment(person, image=image, batch=batch, status="done")
            payload, ratings = checked_annotation({"cells": cells, "no_errors": not cells}, PRESENCE, {})
            Annotation.objects.create(
                assignment=assignment,
                payload=payload,
                ratings=ratings,
                status="submitted",
                submitted_at=timezone.now(),
                saved_at=timezone.now(),
            )
    file = tmp_path / f"sheet.{form}"
    call_command("export", project="out", layout="sheet", format=form, output=str(file), stdout=StringIO())
    back = make_project("back")
    for image in images:
        make_image(back, generator=image.generator, prompt=image.prompt, number=image.number)
    for person in people:
        make_member(back, code=person.code)
    call_command("import_answers", file, project="back", protocol="presence", stdout=StringIO())
    said = ("assignment__image__number", "assignment__annotator__code", "payload__cells")
    ours, theirs = (
        set(map(str, Annotation.objects.filter(assignment__batch__project=one).values_list(*said)))
        for one in (project, back)
    )
    assert ours == theirs
    assert len(ours) == 6
