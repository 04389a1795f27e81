"""What the reports and files of verdicts, checks and rated descriptions say of a small world."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from analysis.data.ratings_table import input_digest, load_counted
from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from analysis.protocols.defect.agreement import marks_agreement
from analysis.protocols.defect.frames import DefectFrame
from analysis.protocols.defect.rated import quality_agreement, quality_comparison
from analysis.protocols.defect.stages import check_agreement, verdict_agreement
from analysis.reports.stages import first_stage_of
from analysis.stats.generic.outside import OutsideMetric
from analysis.stats.generic.tables import rows_of
from annotator.annotations.summaries import summarise
from annotator.models import Assignment, Batch, Project
from annotator.suggestions.runs import withdraw_run
from scoring.defect.masks import read_mask
from scoring.protocol import Payload
from tests.analysis.bundles.making import unpacked
from tests.analysis.factories import make_submitted
from tests.annotator.protocols.defect.stages import (
    LEFT,
    MARKERS,
    REVIEWERS,
    described,
    judge,
    keep_but_spare,
    make_people,
    marked,
    marks,
    released,
    score_texts,
    verdict,
    voting,
)


def rows(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text.decode("utf-8-sig"))))


def exported(project: Project, protocol: str, layout: str, form: str = "csv") -> bytes:
    made = Export(project, layouts_of(protocol)[layout], FORMATS[form], protocol=protocol)
    return b"".join(made)


def frame_of(project: Project, protocol: str) -> DefectFrame:
    frame, _ = load_counted(project, protocol)
    assert isinstance(frame, DefectFrame)
    return frame


def checked(project: Project) -> Batch:
    """Marks by two, of which all reviewers keep the masks, and two drop the spare one."""
    check = released(project, "defect-check", REVIEWERS, marked(project))
    judge(check, keep_but_spare)
    return check


@pytest.mark.django_db
def test_verdicts_are_counted_by_how_they_were_decided() -> None:
    project = make_people(3)
    judge(released(project, "defect-verdict", REVIEWERS), voting("RRR", "AAA", "ARR"))
    result = verdict_agreement(frame_of(project, "defect-verdict"))
    found = {row["decided"]: (row["images"], row["share"]["value"]) for row in rows_of(result, "decisions")}
    assert found == {
        "Unanimity": (2, 2 / 3),
        "Expert": (0, 0.0),
        "Open": (1, 1 / 3),
        "Rejected, of those decided": (1, 0.5),
    }
    people = {row["annotator"]: row for row in rows_of(result, "verdicts")}
    assert [people[code]["rejects"]["value"] for code in REVIEWERS] == [1 / 3, 2 / 3, 2 / 3]
    assert [people[code]["adjudicated"] for code in REVIEWERS] == [2, 2, 2]
    lines = rows(exported(project, "defect-verdict", "decisions"))
    decided = sorted((line["decision"], line["decided_by"]) for line in lines)
    assert decided == [("", ""), ("0", "unanimity"), ("1", "unanimity")]


@pytest.mark.django_db
def test_marks_say_what_the_verdicts_missed() -> None:
    project = make_people(3)
    first = released(project, "defect-verdict", REVIEWERS)
    judge(first, voting("RRR", "AAA", "AAA"))
    missed = project.images.get(number=1)
    batch = released(project, "defect-marks", MARKERS, first, control=100)
    judge(batch, lambda each, _: marks(LEFT) if each.image == missed else marks())
    (row,) = rows_of(verdict_agreement(frame_of(project, "defect-verdict")), "control")
    assert [row[name] for name in ("accepted", "marked", "found")] == [2, 2, 1]
    assert (row["rate"]["value"], row["missed"]["value"]) == (0.5, 1)
    # The page does not say to markers that the image was rejected.
    found = rows_of(marks_agreement(frame_of(project, "defect-marks")), "without_defect")
    assert [(each["annotator"], each["rejected"], each["none"]) for each in found] == [
        ("ann1", 1, 1),
        ("ann2", 1, 1),
    ]
    # The report of two stages would take an image for marked that one annotator rejected.
    assert first_stage_of(project, "defect-marks") is None


@pytest.mark.django_db
def test_checks_say_what_is_kept_of_whom_and_what_uniting_adds() -> None:
    project = make_people(1)
    checked(project)
    result = check_agreement(frame_of(project, "defect-check"))
    kept = {row["annotator"]: (row["marks"], row["masks"]["value"]) for row in rows_of(result, "kept")}
    assert kept == {"ann1": (1, 1.0), "ann2": (2, 0.5)}
    on = {row["on"]: (row["items"], row["kept"]["value"]) for row in rows_of(result, "votes")}
    assert on == {"Masks": (3, 7 / 9), "Descriptions": (3, 7 / 9)}
    (united,) = rows_of(result, "united")
    assert (united["images"], united["added"]["refused"]) == (1, "too few: 1 of 8 images")
    (decided,) = rows(exported(project, "defect-check", "decisions"))
    assert (decided["decision"], decided["decided_by"]) == ("2", "majority")
    (line,) = rows(exported(project, "defect-check", "references"))
    assert (line["source"], line["pixels"], len(line["masks_kept"].split("; "))) == ("assembled", "460", 2)
    coco = json.loads(exported(project, "defect-check", "references", "coco"))
    (region,) = coco["annotations"]
    assert (region["category_id"], region["area"], region["bbox"]) == (3, 460, [5, 5, 23, 20])
    assert region["segmentation"]["counts"] == line["counts"]
    marked = json.loads(exported(project, "defect-marks", "defects", "coco"))["annotations"]
    assert {(each["annotator"], each["bbox"][0]): each["kept"] for each in marked} == {
        ("ann1", 5): True,
        ("ann2", 8): True,
        ("ann2", 60): False,
    }


@pytest.mark.django_db
def test_descriptions_are_reported_by_model() -> None:
    project = make_people(1)
    check = checked(project)
    judge(released(project, "defect-verdict", REVIEWERS), lambda *_: verdict("reject"))
    described(project, alpha="Two bent fingers.", beta="A thumb.")
    judge(released(project, "defect-quality", REVIEWERS, check), score_texts)
    result = quality_agreement(frame_of(project, "defect-quality"))
    names = ("model", "criterion", "share_2", "images")
    expected = [("alpha", 1.0), ("beta", 0.0)]
    assert [tuple(row[name] for name in names) for row in rows_of(result, "models")] == [
        (model, criterion, share, 1)
        for model, share in expected
        for criterion in ("Completeness", "Precision")
    ]
    frame, metric = frame_of(project, "defect-quality"), {project.images.get().pk: 2.0}
    compared = quality_comparison(
        frame, metrics=[OutsideMetric("judge/beta/precision", metric), OutsideMetric("beauty", metric)]
    )
    assert [row["exact"]["value"] for row in rows_of(compared, "judges")] == [0.0]
    hits = {row["model"]: row["hits"] for row in rows_of(compared, "detected")}
    assert hits == {"alpha": 1, "beta": 1}
    assert [row["metric"] for row in rows_of(compared, "outside")] == ["beauty"]
    lines = rows(exported(project, "defect-quality", "descriptions"))
    rated = sorted((line["model"], line["precision"]) for line in lines)
    assert rated == [("alpha", "2")] * 3 + [("beta", "1")] * 3
    before = input_digest(project, "defect-quality")
    withdraw_run(project.suggestion_runs.get(source="beta"), actor=None)
    assert input_digest(project, "defect-quality") != before


@pytest.mark.django_db
def test_a_bundle_has_the_region_of_each_checked_image(tmp_path: Path) -> None:
    project = make_people(1)
    checked(project)
    files = unpacked(project, tmp_path, pictures=False)
    (line,) = rows(files["data/defect-check-references.csv"])
    mask = read_mask({"size": [60, 80], "counts": line["counts"]})
    assert (mask.area, mask.box) == (460, (5, 5, 23, 20))


@pytest.mark.django_db
def test_body_parts_stand_beside_the_25_cells() -> None:
    project = make_people(2)
    first, second = project.images.order_by("number")
    ann1 = project.memberships.get(code="ann1")
    for image, cell in ((first, "extra.hands"), (second, "missing.face")):
        make_submitted(ann1, [(cell, "1/2c")], image=image)
        summarise(project.pk, [image.pk], "anatomy")
    batch = released(project, "defect-marks", MARKERS)
    Batch.objects.filter(pk=batch.pk).update(settings={"details": True})

    def answer(each: Assignment, _: Payload) -> Payload:
        payload = marks((5, 5, 20, 20))
        payload["defects"][0] |= {"part": "hands", "severity": "c" if each.image == first else "a"}
        return payload

    judge(batch, answer)
    frame, _ = load_counted(project, "defect-marks")
    assert isinstance(frame, DefectFrame)
    found = {row["part"]: row for row in rows_of(marks_agreement(frame), "parts")}
    hands = found["Hands"]
    assert [hands[name] for name in ("a", "b", "c", "images", "cells", "both")] == [2, 0, 2, 2, 1, 1]
    assert (found["Face"]["cells"], found["Face"]["both"], found["No body part"]["cells"]) == (1, 0, None)
    lines = rows(exported(project, "defect-marks", "defects"))
    assert {(line["part"], line["severity"]) for line in lines} == {("hands", "a"), ("hands", "c")}
