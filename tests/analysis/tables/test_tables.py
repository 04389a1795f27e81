"""Tables: their cells, links and blinding."""

from __future__ import annotations

import pytest

from analysis.tables.blinding import answered, seen_sentences
from analysis.tables.links import filter_of
from analysis.tables.table import (
    Heading,
    TableCell,
    column,
    count,
    name,
    number,
    probability,
    table_of,
)
from analysis.tables.wording import rounded
from annotator.models import Batch
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.4375, 2, "0.44"),
        (-0.054, 2, "−0.05"),
        (-0.001, 2, "0.00"),
        (0.0, 2, "0.00"),
        (1234.5, 1, "1,234.5"),
        (-1234.56, 1, "−1,234.6"),
        (-10.0, 0, "−10"),
    ],
)
def test_rounding(value: float, places: int, text: str) -> None:
    assert rounded(value, places) == text


def test_cells() -> None:
    assert number(None, 2, undefined="too few") == TableCell("–", numeric=True, note="too few")
    assert number(0.5, 2) == TableCell("0.50", numeric=True)
    assert count(1500) == TableCell("1,500", numeric=True)
    assert name("") == TableCell("(none)")


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "< 0.001"), (0.00099, "< 0.001"), (0.001, "0.001"), (0.2949, "0.295")]
)
def test_probabilities(value: float, text: str) -> None:
    assert probability(value) == TableCell(text, numeric=True)


def test_a_column_is_a_heading_and_what_makes_the_cells_below_it() -> None:
    columns = (
        column(name, "Who", "person.code"),
        column(count, "Images", lambda entry: entry["images"] * 2, "judged", severity="a", meaning="mild"),
    )
    entries = [{"person": {"code": "ada"}, "images": 600}, {"person": {"code": ""}, "images": 1}]
    table = table_of("t", "T", "Words.", columns, entries)
    assert table.headings == (Heading("Who"), Heading("Images", True, "judged", "a", "mild"))
    assert table.rows == (
        (TableCell("ada"), TableCell("1,200", numeric=True)),
        (TableCell("(none)"), TableCell("2", numeric=True)),
    )


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Generator", "sdxl", (("generator", "sdxl"),)),
        ("Prompt group", "pair", (("prompt_group", "pair"),)),
        ("Generators", "a – b", (("generator", "a"), ("generator", "b"))),
        ("Annotators", "ann1 – ann2", (("annotator", "ann1"), ("annotator", "ann2"))),
        ("Agreement on", "Cells", (("disagreement", "1"),)),
        ("Error type", "Missing", (("type", "missing"),)),
        ("Body part", "Face", (("part", "face"),)),
        ("Cell", "Missing · Torso", (("cell", "missing.torso"),)),
        ("Part of the grid", "hands", (("part", "hands"),)),
        ("Severity", "moderate", (("severity", "b"),)),
        ("Severity", "high", ()),
        ("Prompt", "(none)", ()),
        ("Coefficient", "sdxl", ()),
    ],
)
def test_names(title: str, text: str, found: tuple[tuple[str, str], ...]) -> None:
    assert filter_of(title, text) == found


SEEN = Batch.Seen


def batch(name: str, prompt: str, generator: str, **fields: object) -> Batch:
    return Batch(name=name, prompt_seen=prompt, generator_seen=generator, **fields)


def test_blurred_faces_are_said() -> None:
    blurred = batch("one", SEEN.AS_SET, SEEN.AS_SET, picture=Batch.Picture.FACES_BLURRED)
    assert seen_sentences([blurred]) == (
        "The annotators who worked in Anatomark saw neither the prompt nor the generator; faces were blurred."
    )
    both = seen_sentences([blurred, batch("two", SEEN.AS_SET, SEEN.AS_SET)])
    assert both.count("; faces were blurred") == 1


def test_only_batches_with_submitted_answers_count() -> None:
    project = make_project()
    member = make_member(project)
    done, begun = make_batch(project, name="done"), make_batch(project, name="begun")
    make_batch(project, name="none")
    make_submitted(member, batch=done, image=make_image(project))
    make_submitted(member, batch=begun, image=make_image(project), status="draft", submitted_at=None)
    assert list(answered(project)) == [done]
