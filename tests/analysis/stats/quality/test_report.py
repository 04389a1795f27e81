"""The quality report: each table says its result in a line."""

from __future__ import annotations

from analysis.stats.quality.records import AnchorRecord, Person, RepeatRecord, WorkRecord
from analysis.stats.quality.report import quality
from scoring.service import get_protocol

HEADLINE = get_protocol("anatomy").headline


def lines(*people: Person) -> list[str]:
    return [table["line"] for table in quality(people, HEADLINE, ("a", "b", "c"), sample=200)["tables"]]


def test_without_anything_to_tell() -> None:
    assert lines(Person("ada")) == ["No anchors yet", "No repeats yet", "No times are known"]


def test_what_there_is() -> None:
    close = [AnchorRecord(image, image, 1.0 + image % 2, 1.5) for image in range(10)]
    far = [AnchorRecord(image, image, 2.5, 0.5) for image in range(10)]
    steady = [RepeatRecord(image, image, image, image, 2, 40) for image in range(6)]
    few = [RepeatRecord(image, image, 0, 1, 2, 40) for image in range(3)]
    work = [WorkRecord(image, image, 2_900, 0) for image in range(3)]
    ada, bob = Person("ada", close, steady, work), Person("bob", far, few, [WorkRecord(1, 1, 12_400, 0)])
    assert lines(ada, bob) == [
        "Lately away from the references: bob",
        "Alpha of annotators with themselves 1.00",
        "Median time per image from 2.9 s (ada) to 12 s (bob)",
    ]
    assert lines(Person("ada", close, few))[:2] == ["Nobody is lately away", "Too few repeats for alpha"]
