"""Rows as submitted annotations."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotator.exchange import storing
from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.exchange.formats.report import RowNote, StudyImport, StudyRefused
from annotator.exchange.which_image import image_ids
from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project, User
from annotator.uploads.from_server import import_study
from scoring.service import get_protocol
from tests.annotator.exchange.conftest import StudyFolder, sheet_row
from tests.annotator.exchange.formats.test_tables import HANDS, LIMBS, NO_SEVERITY
from tests.annotator.racing import race
from tests.factories import make_project, make_user

pytestmark = pytest.mark.django_db


def counts(report: StudyImport) -> tuple[int, int]:
    return report.annotations_added, report.annotations_existing


def stored(project: Project) -> list[Any]:
    return list(
        Annotation.objects.filter(assignment__batch__project=project)
        .order_by("pk")
        .values_list("pk", "payload", "version", "ratings", "source", "submitted_at")
    )


def test_rows_become_submitted_annotations(small_study: StudyFolder, project: Project) -> None:
    actor = make_user()
    report = import_study(small_study.path, project=project, actor=actor)
    assert counts(report) == (3, 0)
    assert report.rejected_terms == [RowNote(2, HANDS, "1/5", NO_SEVERITY)]
    assert report.unmatched_rows == []
    assert report.unmatched_images == [
        "images/sdXL/couple_hugging/sdXL_hug_02.png",
        "images/stable_cascade/couple_hugging/SC_hug_01.png",
    ]
    assert dict(project.images.values_list("pk", "unique_id")) == image_ids(project)
    batch = Batch.objects.get()
    values = (batch.name, batch.protocol, batch.overlap, batch.per_image)
    assert values == ("Imported: annotations.csv", "anatomy", Decimal("0.5"), 2)
    owed = Assignment.objects.order_by("pk").values_list(
        "annotator__code", "position", "status", "image__generator"
    )
    assert list(owed) == [
        ("anno1", 1, "done", "sdxl"),
        ("anno2", 1, "done", "sdxl"),
        ("anno1", 2, "done", "stablecascade"),
    ]
    first, second, third = Annotation.objects.order_by("pk")
    assert {annotation.status for annotation in (first, second, third)} == {"submitted"}
    assert first.submitted_at == first.saved_at == third.submitted_at
    assert first.ratings == [["cumulative_score", "", "1/4"], ["error_fraction", "missing.limbs.c", "1/4"]]
    assert first.source == {
        "file": "annotations.csv",
        "row": 2,
        "image_id": "sdxl_couple hugging_01",
        "model": "sdxl",
        "prompt": "couple hugging",
        "cells": {LIMBS: "1/4c", HANDS: "1/5"},
        "problems": [{"row": 2, "column": HANDS, "text": "1/5", "reason": NO_SEVERITY}],
    }
    assert second.ratings is not None
    assert second.ratings[0] == ["cumulative_score", "", "5/8"]
    of_third = (third.payload["marks"], third.payload["no_errors"], first.payload["no_errors"])
    assert of_third == ([], True, False)
    assert third.ratings == [["cumulative_score", "", "0/1"]]
    for annotation in (first, second, third):
        assert get_protocol("anatomy").clean(annotation.payload).payload() == annotation.payload
    events = Event.objects.filter(verb="imported").values_list("actor", "assignment__annotation", "data")
    assert list(events) == [
        (actor.pk, annotation.pk, {"file": "annotations.csv", "row": row})
        for annotation, row in ((first, 2), (second, 3), (third, 4))
    ]
    data = {"file": "annotations.csv", "annotations": 3}
    assert Event.objects.get(verb="answers_imported").data == data
    assert Event.objects.get(verb="upload_stored").data["files"]["stored"] == 4


def test_warnings_are_kept_with_the_annotation(study: StudyFolder, project: Project) -> None:
    study.image("g/p/1.png")
    study.sheet(sheet_row("g_p_1", cells={"missing.limbs": "1/17a,1/18c"}))
    report = import_study(study.path, project=project)
    message = "Different totals in this cell (17 and 18). Kept as typed."
    assert report.warnings == [RowNote(2, LIMBS, "1/17a,1/18c", message)]
    assert Annotation.objects.get().warnings == [
        {"field": "marks.missing.limbs", "code": "different_totals", "message": message}
    ]


def test_annotators_get_accounts_nobody_can_use(small_study: StudyFolder, project: Project) -> None:
    import_study(small_study.path, project=project)
    members = Membership.objects.order_by("code").values_list("code", "role", "is_active")
    assert list(members) == [("anno1", "annotator", True), ("anno2", "annotator", True)]
    for user in User.objects.filter(memberships__project=project):
        assert not user.is_active
        assert not user.has_usable_password()


def test_a_member_with_the_code_is_who_is_meant(small_study: StudyFolder, project: Project) -> None:
    user = make_user()
    Membership.objects.create(project=project, user=user, role="lead", code="anno1")
    import_study(small_study.path, project=project)
    assert list(Membership.objects.order_by("code").values_list("code", "role")) == [
        ("anno1", "lead"),
        ("anno2", "annotator"),
    ]


def test_a_second_run_adds_nothing(small_study: StudyFolder, project: Project) -> None:
    first = import_study(small_study.path, project=project)
    before = stored(project)
    again = import_study(small_study.path, project=project)
    assert counts(again) == (0, 3)
    assert (again.rejected_terms, again.warnings) == (first.rejected_terms, first.warnings)
    assert (again.unmatched_images, again.unmatched_rows) == (first.unmatched_images, [])
    assert stored(project) == before
    assert (Batch.objects.count(), Event.objects.filter(verb="imported").count()) == (1, 3)


def test_the_same_rows_in_another_layout_add_nothing(small_study: StudyFolder, project: Project) -> None:
    import_study(small_study.path, project=project)
    text = (small_study.path / "data" / "annotations.csv").read_text()
    other = small_study.file("again.csv", text.replace('"1/4b,2/4c"', '" 2/4C, 1/4b"').replace("\n", "\r\n"))
    assert counts(import_study(small_study.path, project=project, annotations=other)) == (0, 3)
    assert Annotation.objects.count() == 3


def test_what_the_annotator_has_since_changed_is_known(small_study: StudyFolder, project: Project) -> None:
    import_study(small_study.path, project=project)
    annotation = Annotation.objects.get(source__row=3)
    annotation.payload["marks"][0]["affected"] = 3
    Annotation.objects.filter(pk=annotation.pk).update(payload=annotation.payload)
    assert counts(import_study(small_study.path, project=project)) == (0, 3)
    path = small_study.path / "data" / "annotations.csv"
    path.write_text(path.read_text().replace("1/4b,2/4c", "3/4b,2/4c"))
    assert counts(import_study(small_study.path, project=project)) == (0, 3)


def test_a_changed_row_never_overwrites(small_study: StudyFolder, project: Project) -> None:
    import_study(small_study.path, project=project)
    before = stored(project)
    path = small_study.path / "data" / "annotations.csv"
    path.write_text(path.read_text().replace("1/4b,2/4c", "2/4c"))
    report = import_study(small_study.path, project=project)
    assert counts(report) == (0, 2)
    reason = (
        "“anno2” has already annotated this image differently "
        "(here “2/4c”, stored “1/4b,2/4c”); nothing was changed: correct the file, or adjudicate the image"
    )
    assert report.unmatched_rows == [RowNote(3, LIMBS, "sdxl_couple hugging_01", reason)]
    assert stored(project) == before


def test_rows_without_an_image_are_listed(small_study: StudyFolder, project: Project) -> None:
    small_study.sheet(
        sheet_row("sdxl_couple hugging_09"),
        sheet_row("sd3_couple hugging_01"),
        sheet_row("sdxl_wrestling_01"),
        sheet_row("sdxl_couple hugging_02"),
        sheet_row("sdxl_couple hugging_02", "anno2") | {"Pic Num.": "1"},
        sheet_row("sdxl_couple hugging_02", "") | {"Image Id": "x"},
    )
    report = import_study(small_study.path, project=project)
    assert counts(report) == (1, 0)
    assert report.unmatched_rows == [
        RowNote(2, "Pic Num.", "9", "there is no image 9 of “sdxl”, “couple hugging”"),
        RowNote(3, "Model", "sd3", "there is no image of generator “sd3”"),
        RowNote(4, "Prompt", "wrestling", "there is no image of prompt “wrestling”"),
        RowNote(
            6,
            "Image Id",
            "sdxl_couple hugging_02",
            "Image Id and generator, prompt and number name different images",
        ),
        RowNote(7, "Annotator", "x", "Annotator is empty"),
    ]
    assert Membership.objects.count() == 1


def test_a_row_of_which_nothing_can_be_read_is_kept(small_study: StudyFolder, project: Project) -> None:
    small_study.sheet(sheet_row("sdxl_couple hugging_01", cells={"missing.limbs": "2/1a"}))
    report = import_study(small_study.path, project=project)
    assert counts(report) == (1, 0)
    assert report.rejected_terms == [RowNote(2, LIMBS, "2/1a", "2 of 1 is not possible")]
    reason = "no term of the row can be read: kept as it is, without a score until you correct it"
    assert RowNote(2, LIMBS, "sdxl_couple hugging_01", reason) in report.warnings
    annotation = Annotation.objects.get()
    assert annotation.payload["marks"] == []
    assert annotation.payload["no_errors"] is False
    assert annotation.ratings == [["cumulative_score", "", "0/1"]]
    assert annotation.source is not None
    assert annotation.source["cells"] == {LIMBS: "2/1a"}
    assert counts(import_study(small_study.path, project=project)) == (0, 1)


def test_a_batch_of_another_protocol_gets_no_row(small_study: StudyFolder, project: Project) -> None:
    Batch.objects.create(project=project, name="Imported: annotations.csv", protocol="presence")
    with pytest.raises(StudyRefused, match=r"has the protocol “Presence .*Rename the file"):
        import_study(small_study.path, project=project)
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_killed_half_way_and_run_again(
    small_study: StudyFolder, project: Project, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    monkeypatch.setattr(storing, "CHUNK", 1)
    create = Event.objects.bulk_create
    calls: list[int] = []

    def dies(events: Any) -> Any:
        calls.append(1)
        if len(calls) == fails_at:
            raise KeyboardInterrupt
        return create(events)

    # Events are the last rows of a chunk: assignments and annotations are written by then.
    monkeypatch.setattr(Event.objects, "bulk_create", dies)
    with pytest.raises(KeyboardInterrupt):
        import_study(small_study.path, project=project)
    assert Annotation.objects.count() == Assignment.objects.count() == fails_at - 1
    assert Event.objects.filter(verb="imported").count() == fails_at - 1
    assert Membership.objects.count() == User.objects.count() == min(fails_at - 1, 2)
    report = import_study(small_study.path, project=project)
    assert counts(report) == (4 - fails_at, fails_at - 1)
    assert list(Assignment.objects.order_by("pk").values_list("annotator__code", "position")) == [
        ("anno1", 1),
        ("anno2", 1),
        ("anno1", 2),
    ]


def test_queries_do_not_grow_with_rows(
    small_study: StudyFolder, project: Project, django_assert_max_num_queries: Any
) -> None:
    rows = [sheet_row(f"sdxl_couple hugging_0{n}", f"a{coder}") for n in (1, 2) for coder in range(20)]
    import_study(small_study.path, project=project)
    path = small_study.sheet(*rows)
    store_checked(check_annotations(path, project=project), project=project)
    with django_assert_max_num_queries(26):
        checked = check_annotations(path, project=project)
        assert counts(store_checked(checked, project=project)) == (0, 40)


def test_a_project_that_is_deleted_meanwhile_takes_no_more_rows(
    small_study: StudyFolder, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "CHUNK", 2)
    store = storing._store

    def deleted_after_the_first(*arguments: Any) -> Any:
        done = store(*arguments)
        Project.objects.filter(pk=project.pk).update(goes_at=timezone.now())
        return done

    monkeypatch.setattr(storing, "_store", deleted_after_the_first)
    with pytest.raises(StudyRefused, match=r"The project is being deleted\. Undo the deletion"):
        import_study(small_study.path, project=project)
    assert Annotation.objects.count() == 2


def test_a_deleted_image_takes_no_row(
    small_study: StudyFolder, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = storing._batch

    def deleted_after_matching(*arguments: Any) -> Batch:
        Image.objects.filter(project=project, generator="stablecascade").delete()
        return batch(*arguments)

    monkeypatch.setattr(storing, "_batch", deleted_after_matching)
    report = import_study(small_study.path, project=project)
    assert counts(report) == (2, 0)
    reason = "the image was deleted in the meantime"
    assert report.unmatched_rows == [RowNote(4, "", "stablecascade_couple hugging_02", reason)]
    assert not Assignment.objects.filter(image__generator="stablecascade").exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(4))
@pytest.mark.few(2)
def test_two_imports_of_one_study_store_it_once(study: StudyFolder, turn: int) -> None:
    for number in range(1, 13):
        study.image(f"g/p/{number}.png")
    rows = [sheet_row(f"g_p_{number}", f"anno{number % 3}") for number in range(1, 13)]
    study.sheet(*rows)
    other = study.file("other.csv", (study.path / "data" / "annotations.csv").read_text())
    project = make_project()
    # The same rows under two names: two batches, which no constraint keeps apart.
    outcomes = race(
        [
            lambda: import_study(study.path, project=project).as_json(),
            lambda: import_study(study.path, project=project, annotations=other).as_json(),
        ]
    )
    assert all(isinstance(outcome, dict) for outcome in outcomes), outcomes
    added = [
        (outcome["images"]["added"], outcome["annotations"]["added"])
        for outcome in outcomes
        if isinstance(outcome, dict)
    ]
    assert (sum(images for images, _ in added), sum(rows for _, rows in added)) == (12, 12)
    assert (Image.objects.count(), Annotation.objects.count(), Assignment.objects.count()) == (12, 12, 12)
    assert Membership.objects.count() == 3
