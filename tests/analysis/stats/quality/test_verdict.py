"""Fine, look, stop, or too few annotations to say."""

from __future__ import annotations

from analysis.stats.quality.records import AnchorRecord, Person, WorkRecord
from analysis.stats.quality.report import read_all
from scoring.anatomy.protocol import ANATOMY

STEADY = (0.05, -0.10, 0.02, 0.08, -0.04, 0.10, -0.05, -0.08)


def anchors(differences: tuple[float, ...]) -> list[AnchorRecord]:
    return [AnchorRecord(place, place, 1 + value, 1.0) for place, value in enumerate(differences)]


def work(count: int, active_ms: int = 30_000, same: bool = False) -> list[WorkRecord]:
    return [WorkRecord(place, place, active_ms, 0 if same else place) for place in range(count)]


def verdicts(*people: Person) -> list[tuple[str, tuple[str, ...]]]:
    return [(found.verdict, found.reasons) for found in read_all(people, ANATOMY.headline)]


def test_few_data_are_never_judged() -> None:
    assert verdicts(
        Person("a", anchors((0.5, 0.6, 0.5, 0.7, 0.6, 0.5, 0.6)), work=work(19, 900, same=True))
    ) == [("few", ())]


def test_a_steady_annotator_is_fine_and_one_who_changes_to_look_at() -> None:
    drifting = anchors((*STEADY, 0.5, 0.6, 0.5, 0.7, 0.6, 0.5, 0.6, 0.7))
    found = verdicts(Person("a", anchors(STEADY)), Person("b", drifting))
    assert found == [("fine", ()), ("look", ("away",))]


def test_haste_stops_and_equal_annotations_are_to_look_at() -> None:
    fast, equal = Person("a", work=work(20, 4_000)), Person("b", work=work(24, same=True))
    assert verdicts(fast, Person("c", work=work(40))) == [("stop", ("fast",)), ("fine", ())]
    assert verdicts(equal, Person("c", work=work(40))) == [("look", ("equal",)), ("fine", ())]


def test_a_quarter_in_haste_is_to_look_at() -> None:
    some = [*work(30), *work(10, 4_000)]
    assert verdicts(Person("a", work=some), Person("b", work=work(40)))[0] == ("look", ("hasty",))


def test_a_key_for_each_image_is_no_rush_where_that_is_the_work() -> None:
    rater = Person("A", work=work(40, 1_900))
    assert [found.verdict for found in read_all([rater], ANATOMY.headline)] == ["stop"]
    assert [found.verdict for found in read_all([rater], ANATOMY.headline, 600)] == ["fine"]
