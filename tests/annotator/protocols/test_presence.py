"""Presence of errors: the form of 25 ticks, and the sheet, whose rows come in as they went out."""

from __future__ import annotations

import json
import uuid
from io import StringIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotator.models import Annotation, Assignment, Batch, Project
from annotator.protocols.presence.form import PresenceForm
from annotator.protocols.presence.sheet_format import read, written
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from scoring.presence.protocol import PRESENCE
from tests.annotator.acting import address, typed
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.factories import make_image, make_project
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
    boxes = [box for column in again.columns() for box in column["boxes"]]
    assert [box["cell"].key for box in boxes] == KEYS
    assert {box["cell"].key for box in boxes if box["marked"]} == marked
    assert {box["cell"].key for box in boxes if box["unsure"]} == unsure


@pytest.mark.django_db
def test_doubt_without_a_mark_is_refused_at_its_cell(assignment: Assignment) -> None:
    Batch.objects.update(protocol="presence")
    sent = typed("submit", cells=["extra.face"], unsure=["missing.limbs"])
    page = signed_in(assignment.annotator).post(address(assignment), sent)
    assert page.status_code == 422
    boxes = [box for column in page.context["form"].columns() for box in column["boxes"]]
    assert [box["cell"].key for box in boxes if box["errors"]] == ["missing.limbs"]
    assert [box["cell"].key for box in boxes if box["marked"]] == ["extra.face"]
    assert not Annotation.objects.exists()


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


def run(path: Path, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("import_answers", str(path), "--project", "study", *options, stdout=out, stderr=StringIO())
    printed: dict[str, Any] = json.loads(out.getvalue())
    return printed


def counts(path: Path, *options: str) -> tuple[int, int]:
    """How many annotations were added and were there."""
    found = run(path, *options)["annotations"]
    return found["added"], found["existing"]


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
    assert counts(path, "--protocol", "presence") == (2, 0)
    assert counts(path) == (0, 2)  # the project has one protocol now
    assert stored() == {1: payload_of({"missing.limbs"}), 2: payload_of(set())}
    ratings = Annotation.objects.order_by("pk").values_list("ratings", flat=True)[0]
    assert ratings == [["cells_marked", "", "1/1"], ["presence", "missing.limbs", "1/1"]]
    assert counts(file(tmp_path, [("sdxl_hug_01", {"missing.limbs": "x"})])) == (0, 1)
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
    assert counts(tmp_path / "a.xlsx", "--protocol", "presence") == (1, 0)
    assert stored() == {1: payload_of({"missing.limbs"})}


def test_a_row_with_another_word_stays_out_whole(study: Project, tmp_path: Path) -> None:
    rows = [("sdxl_hug_01", {"missing.limbs": "maybe", "extra.face": "1/4c"}), ("sdxl_hug_02", {})]
    said = run(file(tmp_path, rows), "--protocol", "presence")
    found = {(each["row"], each["column"], each["text"]) for each in said["unmatched"]["rows"]}
    assert (2, LIMBS, "maybe") in found
    assert "1/4c" in {text for *_, text in found}
    assert stored() == {2: payload_of(set())}


def test_both_protocols_of_one_file_keep_apart(study: Project, tmp_path: Path) -> None:
    path = file(tmp_path, [("sdxl_hug_01", {})])
    run(path)
    run(path, "--protocol", "presence")
    assert sorted(Batch.objects.values_list("protocol", flat=True)) == ["anatomy", "presence"]
    with pytest.raises(CommandError, match="Use --protocol anatomy or presence"):
        run(path)
