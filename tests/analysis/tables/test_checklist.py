"""The checklist after GRRAS: what the records say, and what only the authors know."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.tables.methods import cited
from analysis.tables.project_methods import checklist

NOTHING: dict[str, Any] = {
    "planned": 0,
    "open": 0,
    "skipped": 0,
    "withdrawn": 0,
    "imported": 0,
    "training": {"annotators": 0, "annotations": 0},
    "norming": {"annotators": 0, "annotations": 0},
    "people": 0,
    "left": 0,
    "standings": {},
    "sessions": 0,
    "guidelines": [],
    "changes": 0,
    "interim": 0,
}
TITLES = ("Qualification", "Training", "Exclusions", "Missing data", "Deviations from the plan")


def lines(not_counted: list[dict[str, Any]] | None = None, **conduct: Any) -> dict[str, str]:
    answers = {"counted": 300, "not_counted": not_counted or []}
    text = checklist({"answers": answers, "conduct": {**NOTHING, **conduct}})
    first, *items = text.split("\n")
    assert first == "Reported after GRRAS (Kottner et al. 2011):"
    assert [source[:10] for source in cited(text)] == ["J. Kottner"]
    found = dict(item.split(": ", 1) for item in items)
    assert tuple(found) == TITLES
    assert all(item.endswith(": …") for item in items)
    return found


def test_what_nobody_recorded_is_asked() -> None:
    assert lines(imported=300) == {
        "Qualification": "Profession and experience of the annotators: …",
        "Training": "Training elsewhere: …",
        "Exclusions": (
            "All 300 submitted annotations of work counted. Images and annotators excluded beforehand, and "
            "why: …"
        ),
        "Missing data": (
            "What was assigned is not known of 300 imported annotations. Why annotations are missing: …"
        ),
        "Deviations from the plan": "Registration, and further deviations from it: …",
    }


def test_work_as_planned() -> None:
    found = lines(people=4, planned=300)
    assert found["Qualification"].startswith("No qualification was required of 4 annotators. ")
    assert found["Training"].startswith("The guideline was that of the protocol, unchanged. ")
    assert found["Missing data"].startswith("All 300 assigned annotations were submitted. ")
    assert found["Deviations from the plan"].startswith("The plan was carried out as released. ")


def test_everything_there_is_to_say() -> None:
    found = lines(
        [{"reason": "training", "count": 9}, {"reason": "reopened", "count": 2}],
        people=4,
        left=1,
        standings={"qualified": 2, "waived": 1, "lapsed": 1},
        training={"annotators": 3, "annotations": 9},
        norming={"annotators": 2, "annotations": 10},
        sessions=1,
        guidelines=["1.0", "1.1"],
        planned=310,
        open=7,
        skipped=3,
        withdrawn=1,
        changes=2,
        interim=1,
    )
    assert {title: text.rpartition(". ")[0] for title, text in found.items()} == {
        "Qualification": "2 of 4 annotators had passed a qualification, 1 had been exempted by a lead",
        "Training": (
            "Three annotators trained on 9 annotations with feedback. One norming session was held, with 2 "
            "annotators. The guideline had versions 1.0 and 1.1"
        ),
        "Exclusions": (
            "2 of 302 submitted annotations of work did not count: 2 reopened and not resubmitted"
        ),
        "Missing data": (
            "Of 310 assigned annotations: 7 not submitted and 3 skipped. One assignment was withdrawn"
        ),
        "Deviations from the plan": (
            "The annotators of a batch were changed after its release 2 times. One annotator left before the "
            "end. Results were looked at before all annotations were submitted, once"
        ),
    }


@pytest.mark.parametrize("result", [{}, {"answers": {"counted": 1, "not_counted": []}}])
def test_without_records_there_is_no_list(result: dict[str, Any]) -> None:
    assert checklist(result) == ""
