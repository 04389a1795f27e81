"""Scripts beside two layouts: a mixed model for R, and the specification and data of FACETS."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from analysis.exports.files import Export
from analysis.exports.filters import Filters
from analysis.exports.formats.formats import FORMATS, SCRIPT
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest, annotations_read
from annotator.models import Project
from scoring.grid.taxonomy import CELLS
from tests.analysis.api.callers import calling
from tests.analysis.bundles.making import bundle_of
from tests.analysis.factories import make_submitted, make_unread
from tests.factories import LEAD, make_image, make_member, make_project

pytestmark = pytest.mark.django_db
LAYOUTS = layouts_of("anatomy")


@pytest.fixture
def odd() -> Project:
    """Names with the characters that FACETS reads as separators, an unreadable annotation, a draft."""
    project = make_project("odd", name="A; B = C, D")
    image = make_image(project, generator="sd,xl", prompt="two; people = one", number=1)
    ada, bob = (make_member(project, code=code) for code in ("ada", "bob"))
    make_submitted(ada, [("missing.limbs", "1/4c"), ("missing.limbs", "2/4a")], image=image)
    make_submitted(bob, [("proportion.face", "1/2b")], image=image)
    make_submitted(ada, [("extra.torso", "1/1c")], image=make_image(project), status="draft")
    make_unread(bob, make_image(project))
    return project


def script(project: Project, layout: str, **filters: bool) -> str:
    export = Export(project, LAYOUTS[layout], FORMATS[SCRIPT], filters=Filters(**filters))  # type: ignore[arg-type]
    return b"".join(export).decode()


def test_the_worst_severity_of_each_cell(odd: Project) -> None:
    text = b"".join(Export(odd, LAYOUTS["severities"])).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    cells = [[row[cell.heading] for cell in CELLS] for row in rows]
    assert [row["Annotator"] for row in rows] == ["ada", "bob", "bob"]
    assert (cells[0][1], cells[0].count("0")) == ("3", 24)
    assert (cells[1][24], cells[1].count("0")) == ("2", 24)
    assert cells[2] == [""] * 25


@pytest.mark.parametrize("drafts", [False, True])
def test_facets_reads_elements_then_data(odd: Project, drafts: bool) -> None:
    lines = script(odd, "severities", drafts=drafts).split("\r\n")
    assert lines[1:13] == [
        "Title = Severity of anatomical errors by cell",
        "Facets = 4 ; annotators, generators, prompts, cells",
        "Positive = 1,2,3,4 ; a higher measure means more severe errors",
        "Noncenter = 2 ; generators are measured relative to the other facets",
        "Inter-rater = 1",
        "Models = ?,?,?,?,Severity",
        "Rating scale = Severity,R3,General,Keep",
        "0 = none",
        "1 = a mild",
        "2 = b moderate",
        "3 = c severe",
        "*",
    ]
    labels = lines[13 : lines.index("Data =")]
    assert labels[:12] == [
        "Labels =",
        "1, annotators",
        "1 = ada",
        "2 = bob",
        "*",
        "2, generators",
        "1 = sd xl",
        "*",
        "3, prompts",
        "1 = two people one",
        "*",
        "4, cells",
    ]
    assert labels[12:] == [*(f"{n} = {cell.key}" for n, cell in enumerate(CELLS, 1)), "*"]
    assert lines[lines.index("Data =") + 1 :] == [
        "1,1,1,1-25,0,3" + ",0" * 23,
        "2,1,1,1-25" + ",0" * 24 + ",2",
        "",
    ]


def test_facets_says_what_it_leaves_out(odd: Project) -> None:
    export = Export(odd, LAYOUTS["severities"], FORMATS[SCRIPT])
    assert len(b"".join(export)) > 0
    assert export.lines == 2
    assert export.told() == ["Left out: 1 imported but unreadable."]


def test_r_reads_columns_that_scores_has(odd: Project) -> None:
    for protocol, headline in (("anatomy", "cumulative_score"), ("presence", "cells_marked")):
        layout = layouts_of(protocol)["scores"]
        text = b"".join(Export(odd, layout, FORMATS[SCRIPT], protocol=protocol)).decode()
        read = re.findall(r'read\[\["([^"]+)"\]\]', text)
        assert read == [headline, "Model", "Annotator", "Prompt", "Image Id", "status"]
        assert set(read) <= set(layout.headings)
    assert "(1 | %s)" in text
    for component in ("generator:prompt", "annotator:generator", "annotator:prompt"):
        assert f'"{component}" = crossed' in text


def test_names_and_costs(odd: Project) -> None:
    from datetime import date

    wanted = ExportRequest("scores", SCRIPT)
    assert wanted.file_name(odd, date(2026, 3, 1)) == "odd-scores-2026-03-01.R"
    assert annotations_read(odd, wanted) == 0
    wanted = ExportRequest("severities", SCRIPT)
    assert wanted.file_name(odd, date(2026, 3, 1)) == "odd-severities-2026-03-01.txt"
    assert annotations_read(odd, wanted) == 3


def test_a_layout_without_a_script_says_which_have_one(odd: Project, client: Client, tmp_path: Path) -> None:
    said = "Scripts are available only for the layouts scores, severities."
    lead = make_member(odd, LEAD)
    assert lead.user is not None
    client.force_login(lead.user)
    page = client.post(reverse("exports", args=["odd"]), {"layout": "marks", "format": "script"})
    assert (page.status_code, said in page.content.decode()) == (422, True)
    sent = client.post(reverse("exports", args=["odd"]), {"layout": "scores", "format": "script"})
    assert sent.headers["Content-Disposition"].endswith('.R"')
    with pytest.raises(CommandError, match=said):
        call_command("export", project="odd", layout="marks", format="script", output=str(tmp_path / "x"))
    caller = calling(lead)
    assert caller.get("/projects/odd/exports/marks.script").status_code == 422
    text = b"".join(caller.get("/projects/odd/exports/severities.script").streaming_content)
    assert text.decode() == script(odd, "severities")


def test_a_bundle_has_them_beside_their_tables(odd: Project, tmp_path: Path) -> None:
    bundle_of(odd, tmp_path / "b.zip", reports=False, pictures=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        names = [name for name in archive.namelist() if re.match(r"data/(scores|severities)\.", name)]
        facets = archive.read("data/severities.txt").decode()
        sums = archive.read("sha256sums.txt").decode()
    assert sorted(names) == [
        "data/scores.R",
        "data/scores.csv",
        "data/scores.parquet",
        "data/severities.csv",
        "data/severities.txt",
    ]
    assert facets == script(odd, "severities")
    assert "  data/scores.R\n" in sums
