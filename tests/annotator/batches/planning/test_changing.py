"""Change of annotators: finished work stays, coverage is whole again, newcomers get even shares."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.batches.planning import (
    ChangeDesign,
    Counts,
    Design,
    InvalidDesign,
    PlanAnnotator,
    PlanChange,
    make_plan,
    propose_change,
)
from annotator.batches.planning.change.design import with_newcomers
from tests.annotator.batches.planning.designs import after, annotators, change_of, images, published
from tests.support.examples import examples

NEW = PlanAnnotator("N")


def totals(change: PlanChange) -> dict[str, int]:
    counts = Counter(annotator for _, annotator in after(change))
    return {one.code: counts[one.code] for one in change.design.annotators}


def check(change: PlanChange) -> None:
    """What every change owes."""
    design, now = change.design, after(change)
    stay = {one.code for one in design.annotators}
    state = {(one.image, one.annotator): one.state for one in design.held}
    done = {key for key, one in state.items() if one == "done"}
    assert done <= now
    assert Counter(image for image, _ in now) == Counter(design.per_image)
    assert all(annotator in stay for image, annotator in now - done)
    assert not design.barred & {(one.image, one.annotator) for one in change.add}
    kept = Counter(one.annotator for one in design.held)
    kept.subtract(one.annotator for one in change.withdraw)
    assert not any(one.state == "draft" and one.annotator in stay for one in change.withdraw)
    for person in stay:
        places = [one.position for one in change.add if one.annotator == person]
        assert places == list(range(kept[person] + 1, kept[person] + 1 + len(places)))


def least(change: PlanChange) -> int:
    """The fewest withdrawals: what leavers have not finished, and what stands above an even total."""
    design = change.design
    stay = {one.code for one in design.annotators}
    open_of_leavers = sum(one.annotator not in stay and one.state != "done" for one in design.held)
    have = Counter(one.annotator for one in design.held)
    return open_of_leavers + sum(max(0, have[one] - now) for one, now in totals(change).items())


@pytest.mark.parametrize("done", [0, 30, 70])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.few(3)
def test_one_leaves(done: int, seed: int) -> None:
    change = propose_change(change_of(make_plan(published(seed)), leave=["B"], done=done, seed=seed))
    check(change)
    assert max(totals(change).values()) - min(totals(change).values()) <= 1
    assert 0 <= len(change.withdraw) - least(change) <= 10
    found = {margin.name: margin for margin in change.balance.margins}
    assert found["annotator × generator"].within
    assert found["annotator × prompt"].within
    # Of those who stay; what the leaver has finished makes no pair.
    images_of = {code: {image for image, one in after(change) if one == code} for code in "ACD"}
    met = [len(images_of[one] & images_of[other]) for one, other in combinations("ACD", 2)]
    assert (found["pair"].smallest, found["pair"].largest) == (min(met), max(met))


def test_who_joins_leaves_nobody_without_a_prompt() -> None:
    """Sets of 24 images; nothing is begun."""
    for number in range(100):
        plan = make_plan(Design(images(3, 4, 2, f"{number}: "), annotators(4), Fraction(1, 4), 2, 7))
        change = propose_change(change_of(plan, join=[NEW], done=0, draft=0, seed=number))
        assert set(totals(change).values()) == {6}
        missed = [one.name for one in change.balance.margins if not one.within]
        assert not any(name.startswith("annotator") for name in missed), number


def test_the_same_input_gives_the_same_change_whatever_its_order() -> None:
    design = change_of(make_plan(published()), leave=["D"])
    turned = replace(design, held=design.held[::-1], images=design.images[::-1])
    change, same = propose_change(design), propose_change(turned)
    assert (change.withdraw, change.add) == (same.withdraw, same.add)
    other = propose_change(replace(design, seed=99))
    assert (change.withdraw, change.add) != (other.withdraw, other.add)


@settings(deadline=None, max_examples=examples(25))
@given(st.data())
def test_any_change_owes_the_same(data: st.DataObject) -> None:
    people = data.draw(st.integers(4, 6))
    per_image = data.draw(st.integers(2, 3))
    shape = images(data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4)))
    seed = data.draw(st.integers(0, 99))
    plan = make_plan(Design(shape, annotators(people), Fraction(1, 3), per_image, seed))
    leave = data.draw(st.lists(st.sampled_from("ABCD"), max_size=1))
    join = data.draw(st.sampled_from([(), (NEW,), (NEW, PlanAnnotator("M"))]))
    done = data.draw(st.integers(0, 100))
    change = propose_change(change_of(plan, leave=leave, join=join, done=done, draft=(100 - done) // 2))
    check(change)
    assert least(change) <= len(change.withdraw)


def refused(design: ChangeDesign) -> dict[str, list[str]]:
    with pytest.raises(InvalidDesign) as caught:
        propose_change(design)
    return caught.value.errors


def test_nobody_left_to_cover_a_second_time() -> None:
    plan = make_plan(Design(images(1, 2, 3), annotators(2), Fraction(1)))
    (message,) = refused(change_of(plan, leave=["A"], done=0))["annotators"]
    assert message == "1 annotator cannot take over all annotations: 6 would be left. Add annotators."


def test_limits_that_leave_annotations_over() -> None:
    plan = make_plan(Design(images(1, 2, 3), annotators(3, None, 3, 2), Fraction(0)))
    (message,) = refused(change_of(plan, leave=["A"], done=0))["annotators"]
    assert message == (
        "2 annotators cannot take over all annotations: 1 would be left, with these image limits: B 3, C 2. "
        "Add annotators."
    )
    assert totals(propose_change(change_of(plan, leave=["A"], join=[NEW], done=0))) == {
        "B": 2,
        "C": 2,
        "N": 2,
    }


@pytest.mark.parametrize(
    ("known", "done", "new", "others"), [(100, 20, 60, [60] * 4), (190, 0, 46, [63, 63, 64, 64])]
)
def test_a_newcomer_never_gets_what_they_know(known: int, done: int, new: int, others: list[int]) -> None:
    """The even total is 60; of the 50 images unknown in the second case, some are begun."""
    design = change_of(make_plan(published()), join=[NEW], done=done, seed=2)
    keys = sorted(image.key for image in design.images)
    barred = frozenset((key, "N") for key in keys[:known])
    change = propose_change(replace(design, barred=barred))
    check(change)
    assert totals(change)["N"] == new
    assert sorted(count for code, count in totals(change).items() if code != "N") == others


@settings(deadline=None, max_examples=examples(25))
@given(st.data())
def test_any_change_with_known_images_covers_all_or_says_why(data: st.DataObject) -> None:
    shape = images(data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4)))
    plan = make_plan(Design(shape, annotators(4), Fraction(1, 3), 2, data.draw(st.integers(0, 99))))
    leave = data.draw(st.lists(st.sampled_from("ABCD"), max_size=1))
    done = data.draw(st.integers(0, 100))
    design = change_of(plan, leave=leave, join=(NEW,), done=done, draft=(100 - done) // 2)
    held = {(one.image, one.annotator) for one in design.held}
    free = [
        (one.key, who.code) for one in shape for who in design.annotators if (one.key, who.code) not in held
    ]
    barred = data.draw(st.sets(st.sampled_from(sorted(free)), max_size=len(free)))
    design = replace(design, barred=frozenset(barred))
    stay = {one.code for one in design.annotators}
    able = Counter(image for image, code in {*held, *free} - barred if code in stay)
    able.update(one.image for one in design.held if one.state == "done" and one.annotator not in stay)
    if all(able[key] >= per_image for key, per_image in design.per_image.items()):
        check(propose_change(design))
    else:
        with pytest.raises(InvalidDesign, match="would be left"):
            propose_change(design)


EARLIER = Counts(
    by_generator={("a", "g"): 2, ("b", "g"): 5, ("c", "g"): 4, ("c", "h"): 3},
    by_prompt={("a", "p"): 2, ("b", "p"): 5, ("c", "p"): 7},
    pairs={("a", "b"): 1, ("a", "c"): 2, ("b", "c"): 4},
    pair_generator={("a", "b", "g"): 1, ("a", "c", "g"): 2, ("b", "c", "g"): 3, ("b", "c", "h"): 1},
)


def test_newcomers_stand_in_the_middle() -> None:
    known = tuple(PlanAnnotator(code) for code in "abc")
    now = with_newcomers(Design(images(1, 1, 1), known, Fraction(0), earlier=EARLIER), list("abxy"))
    assert now is not None
    middle = {("x", "g"): 4, ("y", "g"): 4, ("x", "h"): 0, ("y", "h"): 0}
    assert now.by_generator == {**EARLIER.by_generator, **middle}
    assert now.by_prompt == {**EARLIER.by_prompt, ("x", "p"): 5, ("y", "p"): 5}
    new = [*((one, other) for one in "abc" for other in "xy"), ("x", "y")]
    assert now.pairs == {**EARLIER.pairs, **dict.fromkeys(new, 2)}
    assert (now.pair_generator["c", "x", "g"], now.pair_generator["x", "y", "h"]) == (2, 0)
