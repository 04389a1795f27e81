"""References from a file, by command."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Annotation, Event, Membership, Project, Reference
from tests.annotator.exchange.conftest import sheet_row
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


def run(path: Path, *options: str) -> str:
    out = StringIO()
    call_command(
        "import_references", str(path), "--project", "study", *options, stdout=out, stderr=StringIO()
    )
    return out.getvalue()


@pytest.fixture
def project() -> Project:
    project = make_project("study")
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    return project


def file(tmp_path: Path, *rows: dict[str, str], name: str = "truth.csv") -> Path:
    path = tmp_path / name
    columns = list(dict.fromkeys(heading for row in rows for heading in row))
    with path.open("w", newline="") as target:
        writer = csv.DictWriter(target, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def truth(
    number: int, cells: dict[str, str] | None = None, annotator: str = "truth", **why: str
) -> dict[str, str]:
    """A row, with rationales by heading."""
    return sheet_row(f"sdxl_hug_0{number}", annotator, cells) | why


NO_TOTAL = "no total: expected affected/total and a severity, such as 1/4b"
MARKED = {"missing.hands": "1/4c,1/4a", "extra.face": "1/1b"}
WHY = {"Rationale missing.hands": "One hand ends early.", "RATIONALE: Proportion · Face": "It fits the body."}


def test_each_row_becomes_the_reference_of_its_image(project: Project, tmp_path: Path) -> None:
    path = file(tmp_path, truth(1, MARKED, **WHY), truth(2))
    assert "References: 2 added, 0 with new rationales, 0 existing." in run(path, "--origin", "planted")
    first, second = Reference.objects.order_by("image__number")
    assert [(mark["type"], mark["part"], mark["severity"]) for mark in first.payload["marks"]] == [
        ("missing", "hands", "a"),
        ("missing", "hands", "c"),
        ("extra", "face", "b"),
    ]
    assert first.ratings[0] == ["cumulative_score", "", "4/5"]
    assert first.rationales == {
        "missing.hands": "One hand ends early.",
        "proportion.face": "It fits the body.",
    }
    assert (second.payload["no_errors"], second.rationales) == (True, {})
    assert {(one.origin, one.made_by, one.version) for one in (first, second)} == {("planted", None, 1)}
    # Nothing counts as work, and nobody joins.
    assert not Annotation.objects.exists()
    assert not Membership.objects.exists()
    assert Event.objects.filter(verb="reference_added").count() == 2


def test_a_second_import_adds_nothing_and_a_changed_one_only_what_changed(
    project: Project, tmp_path: Path
) -> None:
    run(file(tmp_path, truth(1, MARKED, **WHY), truth(2)))
    assert "0 added, 0 with new rationales, 2 existing" in run(
        file(tmp_path, truth(1, MARKED, **WHY), truth(2))
    )
    other = {**WHY, "Rationale missing.hands": "Look at the wrist."}
    changed = file(tmp_path, truth(1, MARKED, **other), truth(2, {"missing.face": "1/1a"}))
    assert "1 added, 1 with new rationales, 0 existing" in run(changed)
    kept = Reference.objects.filter(status="active").order_by("image__number")
    assert [(one.version, one.origin) for one in kept] == [(1, "imported"), (2, "imported")]
    assert kept[0].rationales["missing.hands"] == "Look at the wrist."
    # A file without the column takes no rationale away.
    assert "2 existing" in run(file(tmp_path, truth(1, MARKED), truth(2, {"missing.face": "1/1a"})))
    assert Reference.objects.get(pk=kept[0].pk).rationales["missing.hands"] == "Look at the wrist."


def test_every_refused_row_is_named_and_the_others_are_stored(project: Project, tmp_path: Path) -> None:
    path = file(
        tmp_path,
        truth(1, {"missing.hands": "14c"}),
        truth(2, {"missing.hands": "1/4c"}),
        truth(2, {"missing.hands": "1/4b"}, "other"),
        truth(3, {"missing.hands": "1/4c"}, **{"Rationale missing.hands": "x" * 401}),
        truth(9),
    )
    with pytest.raises(CommandError, match="Nothing was imported"):
        run(path)
    found = json.loads(run(path, "--lint-only", "--json"))
    assert found["rows"]["usable"] == 0
    assert [(note["row"], note["reason"]) for note in found["rows"]["refused"]] == [
        (2, f"{NO_TOTAL}; every term of a reference must be readable"),
        (3, "the file has different values for this image (rows 3, 4): keep one of them"),
        (4, "the file has different values for this image (rows 3, 4): keep one of them"),
        (5, "Missing · Hands: the rationale has 401 characters; the limit is 400."),
        (6, "there is no image 9 of “sdxl”, “hug”"),
    ]
    assert not Reference.objects.exists()
