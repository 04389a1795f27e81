"""The sheet of a form: every answer there and back, refusals by column, texts hidden by pseudonyms."""

from __future__ import annotations

import csv
import io
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from analysis.exports.files import Export
from analysis.exports.registry import layout_of, layouts_of
from annotator.models import Annotation, Project
from annotator.protocols.rating_form.checking import RESERVED
from annotator.protocols.rating_form.sheet import sheet_of
from annotator.protocols.rating_form.stored import save_form
from annotator.protocols.sheet_format import SheetReader
from annotator.web.forms.importing import AnnotationFileForm
from scoring.protocol import InvalidPayload
from scoring.rating_form.definition import FormDefinition, Item
from scoring.rating_form.protocol import Rules
from tests.factories import LEAD, make_image, make_member, make_project
from tests.scoring.rating_form.test_rules import PEOPLE, answers_to, items

WORDS = Item("words", "text", "Anything else?")
STYLE = Item("style", "choice", "Which?", options=(("photo", "Photo"), ("drawing", "Drawing")))
FORM = FormDefinition("people", "People", "quality", (*PEOPLE.items, STYLE, WORDS))
RULED_OUT = "is an answer to a question that the other answers rule out. Empty the cell"
USUAL = {"quality": "3", "anatomy": "3", "hands": "no", "natural": "50"}
HEADER = "generator,prompt,number,annotator,quality,anatomy,hands,why,natural,style,words,note"


def reader_of(form: FormDefinition) -> SheetReader:
    reader = sheet_of(form).reader
    assert reader is not None
    return reader


@given(st.data(), items())
def test_what_is_written_is_read_as_the_same(data: st.DataObject, asked: tuple[Item, ...]) -> None:
    form = FormDefinition("drawn", "Drawn", "first", asked)
    try:
        said = Rules(form).clean({"answers": data.draw(answers_to(asked)), "note": "n"}).payload()
    except InvalidPayload:
        return
    reader = reader_of(form)
    assert reader.read(reader.write(said)).payload == said


@pytest.mark.parametrize(
    ("cells", "answers"),
    [
        ({"quality": "4.0"}, {"quality": 4}),
        ({"hands": "TRUE", "why": "Fused; missing"}, {"hands": True, "why": ["missing", "fused"]}),
        ({"anatomy": "cannot judge"}, {"anatomy": "cannot_judge"}),
        ({"style": "Drawing"}, {"style": "drawing"}),
        ({"natural": "62,0"}, {"natural": "62"}),
    ],
)
def test_what_is_meant_is_repaired(cells: dict[str, str], answers: dict[str, Any]) -> None:
    payload = reader_of(FORM).read(USUAL | cells).payload
    assert payload is not None
    assert {name: payload["answers"][name] for name in answers} == answers


@pytest.mark.parametrize(
    ("cells", "column", "words"),
    [
        ({"quality": "7"}, "quality", "is not one of 1, 2, 3, 4, 5. Leave it empty for no answer"),
        ({"hands": "maybe"}, "hands", "is not one of yes, no. Leave it empty for no answer"),
        ({"anatomy": "x"}, "anatomy", "is not one of 1, 2, 3, cannot judge. Leave it empty for no answer"),
        ({"natural": "101"}, "natural", "Enter a whole number from 0 to 100."),
        ({"quality": ""}, "quality", "Not submitted: answer “How good is the image?” first."),
        ({"why": "fused"}, "why", RULED_OUT),
    ],
)
def test_refusals_name_column_and_what_is_expected(cells: dict[str, str], column: str, words: str) -> None:
    found = reader_of(FORM).read(USUAL | cells)
    assert (found.payload, found.problems) == (None, ((column, (USUAL | cells)[column], words),))


@pytest.mark.django_db
def test_a_project_imports_what_another_exported(tmp_path: Path) -> None:
    pilot, other = make_project("pilot"), make_project("other")
    for project in (pilot, other):
        make_member(project, LEAD)
        save_form(project, FORM, None)
        for number in (1, 2):
            make_image(project, generator="flux", prompt="jogging", number=number)
    rows = ["4,cannot judge,yes,fused;missing,62,Photo,-1 = odd,seen", "5,3,no,,7,,,"]
    lines = [f"flux,jogging,{number},ada,{row}" for number, row in enumerate(rows, start=1)]
    assert imported(pilot, tmp_path, "\n".join([HEADER, *lines])) == (2, 0)
    export = sheet(pilot)
    assert [row["why"] for row in read(export)] == ["missing; fused", ""]
    assert imported(other, tmp_path, export) == (2, 0)
    assert imported(other, tmp_path, export) == (0, 2)
    payloads = Annotation.objects.order_by("assignment__batch__project", "assignment__image__number")
    stored = list(payloads.values_list("payload", flat=True))
    assert stored[:2] == stored[2:]
    assert stored[0]["answers"]["words"] == "-1 = odd"
    hidden = read(sheet(pilot, hidden=True))
    assert [(row["words"], row["note"], row["quality"]) for row in hidden] == [("", "", "4"), ("", "", "5")]
    # Only what the project measures is offered.
    pilot.protocols = ["realism"]
    choices = AnnotationFileForm(pilot).fields["protocol"].choices  # type: ignore[attr-defined]
    assert list(dict(choices)) == ["realism", FORM.slug]


@pytest.mark.django_db
def test_no_item_has_the_name_of_another_column() -> None:
    project, own = make_project("pilot"), {item.name for item in FORM.items}
    save_form(project, FORM, None)
    wide = [layout for slug, layout in layouts_of(FORM.slug).items() if slug != "mos"]
    found = {name for layout in wide for name in layout.headings}
    parts = {name.partition(".")[0] for name in found} - own - {"cannot_judge"}
    names = {name for name in parts if name.islower()} - {"variable", "component"}
    assert names <= RESERVED


def imported(project: Project, folder: Path, text: str) -> tuple[int, int]:
    path, out = folder / "answers.csv", StringIO()
    path.write_text(text, encoding="utf-8", newline="")
    call_command("import_answers", path, project=project.slug, protocol=FORM.slug, stdout=out)
    found = json.loads(out.getvalue())["annotations"]
    return found["added"], found["existing"]


def sheet(project: Project, **options: Any) -> str:
    export = Export(project, layout_of(FORM.slug, "sheet"), protocol=FORM.slug, **options)
    return b"".join(export).decode()


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))
