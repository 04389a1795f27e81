"""One registry of layouts: what is added there is on the page, in the command, the API and bundles."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analysis.exports import registry
from analysis.exports.anatomy.layouts import ANATOMY
from analysis.exports.columns import Column, Kind, Line
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of
from analysis.exports.shared_columns import BATCH
from analysis.exports.source import ExportSource
from annotator.models import Project
from tests.analysis.api.callers import calling
from tests.analysis.bundles.making import bundle_of
from tests.factories import LEAD, make_member

pytestmark = pytest.mark.django_db


def lines(reading: ExportSource) -> Iterator[Line]:
    """Yield a line per annotation: its length as JSON."""
    for row in reading.rows():
        yield [reading.dialect.text(row.batch), len(json.dumps(row.said))]


LENGTHS = Layout(
    "lengths",
    "Lengths",
    "How much was said.",
    "one row per annotation: how long it is",
    (
        BATCH,
        Column("length", Kind.INTEGER, "how long the answer is", "count from 2", unit="characters", least=2),
    ),
    lines,
    in_parquet=True,
)


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anatomy has one more layout."""
    monkeypatch.setitem(registry.OWN, "anatomy", lambda _: (*ANATOMY, LENGTHS))


def test_the_page_and_the_command_offer_it(project: Project, client: Client, tmp_path: Path) -> None:
    lead = make_member(project, LEAD)
    assert lead.user is not None
    client.force_login(lead.user)
    page = reverse("exports", args=[project.slug])
    assert "How much was said." in client.get(page).content.decode()
    sent = client.post(page, {"layout": "lengths", "format": "csv"})
    assert b"".join(sent.streaming_content).startswith(b"batch,length\r\npilot,")  # type: ignore[attr-defined]
    out = tmp_path / "out.csv"
    call_command("export", "--project", project.slug, "--layout", "lengths", "--output", str(out))
    assert len(out.read_text().splitlines()) == 8


def test_the_api_offers_it(project: Project) -> None:
    lead = calling(make_member(project, LEAD))
    sent = lead.get(f"/projects/{project.slug}/exports/lengths.csv")
    assert len(b"".join(sent.streaming_content).splitlines()) == 8
    refused = lead.get(f"/projects/{project.slug}/exports/widths.csv")
    assert " lengths." in refused.json()["error"]["message"]


def test_a_bundle_holds_and_describes_it(project: Project, tmp_path: Path) -> None:
    bundle_of(project, tmp_path / "b.zip", reports=False, pictures=False)
    with ZipFile(tmp_path / "b.zip") as archive:
        assert {"data/lengths.csv", "data/lengths.parquet"} <= set(archive.namelist())
        dictionary = archive.read("data/dictionary.csv").decode()
        package = json.loads(archive.read("datapackage.json"))
        told = archive.read("README.txt").decode()
    found = [row for row in csv.DictReader(io.StringIO(dictionary, newline="")) if row["table"] == "lengths"]
    assert [(row["column"], row["unit"]) for row in found] == [("batch", ""), ("length", "characters")]
    (resource,) = [one for one in package["resources"] if one["name"] == "lengths"]
    assert resource["schema"]["fields"][1]["constraints"] == {"minimum": 2}
    assert "  lengths             one row per annotation: how long it is\n" in told


def test_a_layout_says_what_each_of_its_columns_holds() -> None:
    assert "lengths" in layouts_of("anatomy")
    facts = (LENGTHS.slug, LENGTHS.title, LENGTHS.words, LENGTHS.rows)
    with pytest.raises(ValueError, match="the column width of lengths has no meaning"):
        Layout(*facts, (Column("width"),), lines)
    with pytest.raises(ValueError, match="duplicate column names"):
        Layout(*facts, (BATCH, BATCH), lines)
