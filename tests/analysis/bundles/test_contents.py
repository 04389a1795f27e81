"""What is in a bundle: named, described, hashed, valid, and the same each time; suggestions, guidelines."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import frictionless
import pytest

from analysis.bundles import source
from analysis.bundles.bundle_jobs import write_bundle
from analysis.bundles.contents import Bundle
from analysis.bundles.source import BundleRequest, read_licence
from analysis.exports.registry import layouts_of
from annotator.exchange.suggestion_rows import check_suggestions
from annotator.guidelines.content import ours
from annotator.guidelines.publishing import guide_of
from annotator.models import Assignment, Project
from annotator.suggestions.runs import store_run
from annotator.work.jobs import JobRefused
from tests.analysis.bundles.making import kept, make_picture, make_rich, unpacked
from tests.analysis.factories import make_submitted
from tests.analysis.reports.test_suggestions import decide, make_seen
from tests.annotator.adjudicating import Case, judged, make_case, settle
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.factories import make_batch, make_member, make_payload, make_project

LAYOUTS = layouts_of("anatomy")

# Every case makes a whole project's bundle.
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def project() -> Project:
    """A project with a bit of everything."""
    return make_rich()


@pytest.fixture
def made(tmp_path: Path) -> Iterator[ZipFile]:
    """The bundle of such a project."""
    with ZipFile(kept(make_rich, tmp_path / "b.zip")) as archive:
        yield archive


@pytest.mark.thorough
def test_the_package_is_valid_and_describes_every_table(made: ZipFile, tmp_path: Path) -> None:
    made.extractall(tmp_path / "unpacked")
    # Frictionless lifts Python's own limit of a CSV field for the whole process; our readers rely on it.
    limit = csv.field_size_limit()
    report = frictionless.validate(str(tmp_path / "unpacked" / "datapackage.json"))
    csv.field_size_limit(limit)
    assert report.valid, report.flatten(["name", "fieldName", "title", "note"])
    package = json.loads(made.read("datapackage.json"))
    assert package["profile"] == "tabular-data-package"
    assert "licenses" not in package
    names = [each["name"] for each in package["resources"]]
    assert names == sorted([*LAYOUTS, "pictures", "plan", "dictionary"])
    for each in package["resources"]:
        contents = made.read(each["path"])
        assert (each["bytes"], each["hash"]) == (
            len(contents),
            f"sha256:{hashlib.sha256(contents).hexdigest()}",
        )


def test_every_column_of_every_table_has_an_entry(made: ZipFile) -> None:
    lines = list(csv.DictReader(io.StringIO(made.read("data/dictionary.csv").decode(), newline="")))
    described = [(line["table"], line["column"]) for line in lines]
    tables = [name for name in made.namelist() if name.startswith("data/") and name.endswith(".csv")]
    found = []
    for name in tables:
        heading = next(csv.reader(io.StringIO(made.read(name).decode(), newline="")))
        found += [(name[5:-4], column) for column in heading]
    assert sorted(described) == sorted(found)
    assert all(line["meaning"] and line["values"] and line["type"] for line in lines)


def test_every_file_is_hashed_and_entries_are_sorted(made: ZipFile) -> None:
    names = made.namelist()
    assert names == sorted(names)
    listed = [line.split("  ") for line in made.read("sha256sums.txt").decode().splitlines()]
    assert [name for _, name in listed] == names[:-1]
    digests = {name: hashlib.sha256(made.read(name)).hexdigest() for name in names[:-1]}
    assert {name: digest for digest, name in listed} == digests
    pictures = [name for name in names if name.startswith("images/")]
    assert pictures == [f"images/{digests[name]}.png" for name in pictures]
    assert len(pictures) == 6
    assert {info.date_time for info in made.infolist()} == {(2000, 1, 1, 0, 0, 0)}
    assert made.testzip() is None


@pytest.mark.thorough
def test_hashes_only(project: Project, tmp_path: Path) -> None:
    files = unpacked(project, tmp_path, pictures=False, licence="CC-BY-4.0")
    assert not [name for name in files if name.startswith("images/")]
    assert b"This bundle contains no images" in files["README.txt"]
    assert b"Licence: CC-BY-4.0" in files["README.txt"]
    assert json.loads(files["datapackage.json"])["licenses"] == [{"name": "CC-BY-4.0"}]


def _keep(pieces: Any) -> int:
    return sum(len(piece) for piece in pieces)


@pytest.mark.thorough
def test_what_changes_meanwhile_is_made_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    changed: list[int] = []
    real = Bundle.__iter__

    def slowly(self: Bundle) -> Iterator[bytes]:
        yield from real(self)
        if len(changed) < 1:
            changed.append(make_submitted(make_member(project, code=f"new{len(changed)}")).pk)

    monkeypatch.setattr(Bundle, "__iter__", slowly)
    size, *_ = write_bundle(project, BundleRequest(pictures=False, reports=False), lambda *_: None, _keep)
    assert (size > 0, len(changed)) == (True, 1)


@pytest.mark.thorough
def test_a_project_that_never_rests_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(100))
    monkeypatch.setattr(source.BundleSource, "fingerprint", lambda _: (next(moments),))
    monkeypatch.setattr("analysis.bundles.bundle_jobs.ATTEMPTS", 1)
    with pytest.raises(JobRefused, match="Annotations arrived while the bundle was being created"):
        write_bundle(project, BundleRequest(pictures=False, reports=False), lambda *_: None, _keep)


@pytest.mark.thorough
def test_a_picture_that_is_not_the_imported_one_is_refused(project: Project) -> None:
    image = project.images.order_by("sha256")[0]
    Path(image.file.path).write_bytes(b"another")
    with pytest.raises(JobRefused, match=r"differs from the imported image\."):
        write_bundle(project, BundleRequest(reports=False), lambda *_: None, _keep)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        *((text, True) for text in ("CC-BY-4.0", " ODbL-1.0 ", "https://example.org/licence", "")),
        *((text, False) for text in ("all rights reserved", "ftp://x", "x" * 201, "<b>")),
    ],
)
def test_licences(text: str, known: bool) -> None:
    with nullcontext() if known else pytest.raises(ValueError, match=r"short name, such as CC-BY-4\.0"):
        assert read_licence(text) == text.strip()


def test_runs_of_suggestions_come_in_the_form_in_which_they_are_imported(
    project: Project, tmp_path: Path
) -> None:
    one, *others = project.images.order_by("pk")
    counts = {image.pk: {"people": 2, "visible": {"hands": 3}} for image in (one, *others)}
    run, _ = store_run(project=project, suggested=counts, actor=None, source="counter", source_version="1")
    row = (
        Assignment.objects.filter(batch__project=project).select_related("image", "annotator").earliest("pk")
    )
    Assignment.objects.filter(pk=row.pk).update(arm="without")
    project.batches.filter(pk=row.batch_id).update(suggestions=run)
    files = unpacked(project, tmp_path)
    (tmp_path / "1.jsonl").write_bytes(files["suggestions/1.jsonl"])
    listed = json.loads(files["suggestions.json"])
    assert b"suggestions/ " in files["README.txt"]
    assert [(each["file"], each["source"], each["source_version"]) for each in listed["runs"]] == [
        ("suggestions/1.jsonl", "counter", "1")
    ]
    assert [(arm["sha256"], arm["annotator"], arm["arm"]) for arm in listed["arms"]] == [
        (row.image.sha256, row.annotator.code, "without")
    ]
    assert check_suggestions(tmp_path / "1.jsonl", project).found["suggested"] == counts


def test_the_report_is_in_the_bundle_without_codes(tmp_path: Path) -> None:
    batch = make_seen()
    decide(batch)
    parts = unpacked(batch.project, tmp_path, reports=True, hidden=True)
    use = parts["reports/suggestions/tables/use.csv"].decode().splitlines()
    assert use[1].split(",")[1] == "All annotators"
    assert "Newcombe" in parts["methods.txt"].decode()
    assert {line.split(",")[1] for line in use[2:]}.isdisjoint({"A", "B", "C", "D"})


@pytest.fixture
def case() -> Case:
    """Two versions, an annotation under each, and one before both."""
    project = make_project(name="Pilot")
    case = make_case(project, make_picture(project))
    settle(case)
    for number, text in enumerate(("First.", "Second.")):
        drafted(
            case.lead, missing=text, decisions=(RULED,) * number, examples=(example_of(case, caption="So."),)
        )
        publication(case.lead, text, major=True)
        held = make_batch(Project.objects.get(pk=project.pk))
        judged(make_member(project, code=f"late{number}"), held, make_picture(project), make_payload())
    return case


def test_every_version_is_a_file(case: Case, tmp_path: Path) -> None:
    files = unpacked(case.project, tmp_path)
    assert [name for name in files if name.startswith("guidelines/")] == [
        "guidelines/anatomy-1.0.md",
        "guidelines/anatomy-2.0.md",
    ]
    assert files["guidelines/anatomy-2.0.md"].decode().startswith("# Pilot: guideline, version 2.0")
    assert b"guidelines/" in files["README.txt"]


def test_the_drawn_guideline_is_in_the_file_of_its_protocol(tmp_path: Path) -> None:
    project = make_project()
    for protocol in ("presence", "realism"):
        make_batch(project, protocol=protocol)
    files = unpacked(project, tmp_path)
    told = {
        name: json.loads(files[f"protocols/{name}.json"])["guideline"] for name in ("presence", "realism")
    }
    for name, blocks in told.items():
        assert {block["key"]: block["text"] for block in blocks} == ours(guide_of(name)).texts
    assert b"the guideline that annotators read\n" in files["README.txt"]
