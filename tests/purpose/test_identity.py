"""What is not work changes no number; how images were given out is recorded."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from analysis.exports.files import Export
from analysis.exports.filters import Filters
from analysis.exports.filters import left_out as left_out_of_files
from analysis.exports.registry import layouts_of
from annotator.batches import releases
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.images import signed_urls
from annotator.models import Assignment, Batch, Membership, Project
from annotator.models.counting import mark_random
from annotator.uploads.study import import_study
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.api.callers import calling
from tests.analysis.factories import EARLIER
from tests.analysis.mixed import SLUGS, make_mixed
from tests.annotator.exchange.conftest import StudyFolder, sheet_row
from tests.annotator.planned import make_study, people_of, released
from tests.factories import LEAD, make_image, make_member, make_project
from tests.protocols.stars.living import let_live
from tests.purpose.making import PURPOSES, artefacts, with_others
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.django_db


NOW = EARLIER + timedelta(days=1)
IMAGES, PEOPLE = 6, 3
SUBMITTED = IMAGES * PEOPLE - 3
"""Of each purpose in each batch; the first four are a draft, reopened, skipped, withdrawn."""


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> Project:
    """Images judged under three protocols; an image and a person that nobody has given anything."""
    let_live(monkeypatch, settings)
    # Addresses of pictures change with the half hour.
    monkeypatch.setattr(signed_urls, "_end", lambda _: 2**31)
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    made = make_mixed()
    make_member(made, code="newcomer")
    make_image(made, generator="gamma", prompt="jogging", number=9)
    return made


@pytest.fixture
def lead(project: Project) -> Membership:
    return project.memberships.get(role=LEAD)


@pytest.mark.slow  # every file, report and page twice, under three protocols
@pytest.mark.databases
def test_not_a_byte_changes(project: Project, lead: Membership, tmp_path: Path) -> None:
    before = dict(artefacts(project, lead, tmp_path))
    with_others(project)
    after = dict(artefacts(project, lead, tmp_path))
    assert [name for name in before if after[name] != before[name]] == []
    assert after.keys() == before.keys()


@pytest.mark.few(2)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_another_purpose_is_in_a_file_where_it_is_asked_for(project: Project, purpose: str) -> None:
    with_others(project)
    filters = Filters(purpose=purpose)
    made = Export(project, layouts_of("anatomy")["scores"], filters=filters)
    # The reopened one is left out, and told of as it is of work.
    assert b"".join(made).count(b"\r\n") == SUBMITTED - 1 + 1
    assert left_out_of_files(project, filters, "anatomy") == {
        "other_protocol": 2 * (SUBMITTED - 1),
        "reopened": 1,
    }


def test_the_api_tells_annotators_of_no_purpose(project: Project) -> None:
    with_others(project)
    newcomer = project.memberships.get(code="newcomer")
    root, program = f"/projects/{project.slug}", calling(newcomer)
    refused = program.get(f"{root}/annotations?purpose=training")
    assert refused.status_code == 422
    assert refused.json()["error"]["fields"] == {
        "purpose": ["Only a lead can filter by purpose. Omit it to list all of yours."]
    }
    own = program.get(f"{root}/annotations?page_size=100").json()["results"]
    assert len(own) == (IMAGES - 1) * len(PURPOSES) * len(SLUGS)
    assert {program.get(f"/annotations/{row['id']}").json()["purpose"] for row in own} == {""}


def coders_of_random(batch: Batch) -> dict[str, set[int]]:
    """For each way of drawing how many people hold an image that was drawn so."""
    held: dict[int, list[str]] = {}
    for image, drawn in batch.assignments.filter(position__isnull=False).values_list("image", "drawn"):
        held.setdefault(image, []).append(drawn)
    found: dict[str, set[int]] = {}
    for drawings in held.values():
        for drawn in drawings:
            found.setdefault(drawn, set()).add(len(drawings))
    return found


@pytest.mark.parametrize("chunk", [8, 5000])
def test_a_release(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece, and in several."""
    monkeypatch.setattr(releases, "CHUNK", chunk)
    batch = released(make_study("pilot"), coders=3)
    assert coders_of_random(batch) == {"single": {1}, "random": {3}}


def test_a_change_of_people() -> None:
    """Whoever takes an overlap image over has it for the same reason."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD", coders=2)
    leaving, joining = people_of(project, "B"), people_of(project, "E")
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving, joining=joining))
    apply_people_change(
        batch=batch, leaving=leaving, joining=joining, outcome=outcome, reason="E for B", actor=None
    )
    assert coders_of_random(batch) == {"single": {1}, "random": {2}}
    of_the_newcomer = batch.assignments.filter(annotator__code="E", drawn="random")
    assert of_the_newcomer.exists()


def test_a_release_marks_what_the_rows_say() -> None:
    """A plan knows its images' annotators; the statement that looks at the rows finds nothing to add."""
    batch = released(make_study("pilot"), coders=3)
    marked = set(batch.assignments.filter(drawn="random").values_list("pk", flat=True))
    assert marked
    assert mark_random(batch) == 0
    batch.assignments.update(drawn="single")
    assert mark_random(batch) == len(marked)
    assert set(batch.assignments.filter(drawn="random").values_list("pk", flat=True)) == marked


def test_an_import(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second file of the same name adds a second judge; once stated, both answers are marked."""
    settings.MEDIA_ROOT = tmp_path / "media"
    ids_sent_to(monkeypatch, MAKE_DISPLAY)
    study, project = StudyFolder(tmp_path / "study"), make_project()
    for number in (1, 2):
        study.image(f"sdXL/couple_hugging/sdXL_hug_0{number}.png")
    first, second = (sheet_row(f"sdxl_couple hugging_0{number}", "anno1") for number in (1, 2))
    study.sheet(first, second)
    import_study(study.path, project=project)
    assert list(Assignment.objects.values_list("drawn", flat=True)) == ["unknown", "unknown"]
    study.sheet(first, second, sheet_row("sdxl_couple hugging_02", "anno2"))
    import_study(study.path, project=project)
    assert coders_of_random(Batch.objects.get()) == {"unknown": {1, 2}}
    import_study(study.path, project=project, doubles="random")
    assert coders_of_random(Batch.objects.get()) == {"single": {1}, "random": {2}}
