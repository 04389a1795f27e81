"""The worked example of a rating form: its slug, its ratings, its refusals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.protocol import InvalidPayload
from scoring.rating_form.definition import CANNOT_JUDGE, Condition, FormDefinition, Item, definition_of
from scoring.rating_form.protocol import Rules, protocol_of

FIVE = tuple((point, "") for point in range(1, 6))
ALIGNMENT = FormDefinition(
    name="alignment",
    title="Alignment with the prompt",
    headline="alignment",
    prompt="shown",
    items=(
        Item(
            "alignment",
            "scale",
            "How well does the image match the prompt?",
            required=True,
            better="high",
            points=((1, "Not at all"), (2, ""), (3, ""), (4, ""), (5, "Exactly")),
        ),
    ),
)
WHY = Item(
    "why",
    "several",
    "What is wrong?",
    required=True,
    options=(("missing", "Finger missing"), ("fused", "Fused")),
    when=Condition("hands", (True,)),
)
PEOPLE = FormDefinition(
    name="people",
    title="Rate the people in the image",
    headline="quality",
    items=(
        Item("quality", "scale", "How good is the image?", required=True, better="high", points=FIVE),
        Item("anatomy", "scale", "Anatomy?", required=True, cannot_judge=True, points=FIVE[:3]),
        Item("hands", "yes_no", "Anything wrong with the hands?", required=True),
        WHY,
        Item("natural", "number", "How natural?", required=True, least="0", most="100", slider=True),
    ),
)
ANSWERS: dict[str, Any] = {
    "quality": 4,
    "anatomy": "cannot_judge",
    "hands": True,
    "why": ["fused"],
    "natural": "62",
}
RULES = protocol_of(PEOPLE)


def refused(answers: object) -> dict[str, list[str]]:
    with pytest.raises(InvalidPayload) as caught:
        RULES.clean({"answers": answers})
    return caught.value.errors


def test_several_choices_are_told_by_their_labels() -> None:
    labels = [label for _, label in WHY.choices.values()][:2]
    assert WHY.text_of([*WHY.choices][:2]) == "; ".join(labels)


def test_a_slug_digests_the_canonical_definition() -> None:
    assert (len(ALIGNMENT.canonical), ALIGNMENT.slug) == (305, "form-alignment-4cf62b098f6e")
    for form in (ALIGNMENT, PEOPLE):
        assert definition_of(form.as_json()) == form
    # One that is only asked after some answers is not counted.
    assert (ALIGNMENT.keys, PEOPLE.keys) == (1, 5)


def test_ratings_are_exact() -> None:
    assert RULES.ratings(RULES.clean({"answers": ANSWERS}), {}) == (
        ("quality", "", Fraction(4)),
        ("cannot_judge", "anatomy", Fraction(1)),
        ("hands", "", Fraction(1)),
        ("why", "fused", Fraction(1)),
        ("natural", "", Fraction(62)),
    )


def test_the_mean_of_the_scales_is_exact() -> None:
    items = tuple(Item(f"scale{at}", "scale", "?", required=True, points=FIVE) for at in range(5))
    rules = protocol_of(FormDefinition("five", "Five", "mean", items))
    given = {item.name: point for item, point in zip(items, (4, 5, 3, 2, 4), strict=True)}
    ratings = rules.ratings(rules.clean({"answers": given}), {})
    assert ratings[-1] == ("overall", "", Fraction(18, 5))
    assert (rules.headline.name, rules.headline.range, rules.headline.optional) == ("overall", (1, 5), False)
    # Without one of the scales there is none.
    del given["scale0"]
    ratings = rules.ratings(rules.clean({"answers": given}, complete=False), {})
    assert [name for name, _, _ in ratings] == list(given)


def test_variables_follow_the_items() -> None:
    found = [
        (one.name, one.level_of_measurement, one.components, one.values, one.limits, one.optional)
        for one in RULES.variables
    ]
    assert found == [
        ("quality", "ordinal", (), (1, 2, 3, 4, 5), None, False),
        ("anatomy", "ordinal", (), (1, 2, 3), None, True),
        ("hands", "nominal", (), (0, 1), None, False),
        ("why", "nominal", ("missing", "fused"), (0, 1), None, False),
        ("natural", "interval", (), (), (0.0, 100.0), False),
        ("cannot_judge", "nominal", ("anatomy",), (0, 1), None, False),
    ]


def test_what_is_not_asked_is_dropped_and_cleaning_is_idempotent() -> None:
    cleaned = RULES.clean({"answers": {**ANSWERS, "hands": False}})
    assert "why" not in cleaned.payload()["answers"]
    assert RULES.clean(cleaned.payload()) == cleaned
    assert RULES.clean({}, complete=False).payload() == {"answers": {}, "flag": None, "note": ""}
    words = Rules(replace(PEOPLE, items=(Item("words", "text", "Why?", required=True),)))
    assert words.clean({"answers": {"words": " a \r"}}).answers == {"words": "a"}
    with pytest.raises(InvalidPayload, match="first"):
        words.clean({"answers": {"words": "\r "}})


@pytest.mark.parametrize("name", ["quality", "anatomy", "hands", "why", "natural"])
def test_each_required_item_is_asked_for(name: str) -> None:
    title = next(item.title for item in PEOPLE.items if item.name == name)
    errors = refused({key: answer for key, answer in ANSWERS.items() if key != name})
    assert errors == {f"answers.{name}": [f"Not submitted: answer “{title}” first."]}


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("quality", 7, "Refused: “7” is not an answer to “How good is the image?”."),
        ("quality", True, "Refused: “true” is not an answer to “How good is the image?”."),
        ("quality", "cannot_judge", "Refused: “cannot_judge” is not an answer to “How good is the image?”."),
        ("hands", 1, "Refused: “1” is not an answer to “Anything wrong with the hands?”."),
        ("why", ["fused", "bent"], "Refused: “bent” is not an answer to “What is wrong?”."),
        ("natural", "62.5", "Enter a whole number from 0 to 100."),
        ("natural", 62, "Enter a whole number from 0 to 100."),
        ("natural", "1e1", "Enter a whole number from 0 to 100."),
    ],
)
def test_other_values_and_types_are_refused_by_name(name: str, answer: object, words: str) -> None:
    assert refused({**ANSWERS, name: answer})[f"answers.{name}"] == [words]


@pytest.mark.parametrize(("typed", "stored"), [("3,4", "3.4"), ("−1.5", "-1.5"), ("0.0", "0"), ("5", "5")])
def test_numbers_are_read_with_comma_and_true_minus(typed: str, stored: str) -> None:
    item = Item("quality", "number", "?", required=True, least="-2", most="5", step="0.1")
    rules = protocol_of(FormDefinition("q", "Q", "quality", (item,)))
    assert rules.clean({"answers": {"quality": typed}}).payload()["answers"] == {"quality": stored}
    with pytest.raises(InvalidPayload) as caught:
        rules.clean({"answers": {"quality": "3.45"}})
    assert caught.value.errors == {"answers.quality": ["Enter a number from -2 to 5 in steps of 0.1."]}
    odd = protocol_of(FormDefinition("q", "Q", "quality", (replace(item, least="1", step="2"),)))
    assert odd.clean({"answers": {"quality": "3"}}).payload()["answers"] == {"quality": "3"}


def compared(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, str]:
    assert RULES.compare is not None
    given = [RULES.clean({"answers": answers}, complete=False) for answers in (theirs, ours)]
    return {one.component: one.verdict for one in RULES.compare(*given).components}


def test_a_reference_is_compared_item_by_item() -> None:
    other = {"quality": 5, "anatomy": 2, "hands": True, "why": ["missing", "fused"], "natural": "72"}
    assert compared(ANSWERS, other) == {
        "quality": "hit",  # one point beside on five
        "anatomy": "missed",  # cannot judge
        "hands": "hit",
        "why.missing": "alone",
        "why.fused": "hit",
        "natural": "hit",  # a tenth of the range beside
    }
    far = {"quality": 2, "anatomy": "cannot_judge", "hands": False, "natural": "73"}
    assert compared(ANSWERS, far) == {
        "quality": "missed",
        "anatomy": "hit",
        "hands": "missed",
        "why.fused": "missed",
        "natural": "missed",
    }
    assert compared({"hands": True}, {"quality": 2}) == {"quality": "alone", "hands": "missed"}
    assert compared({"anatomy": 1}, {"anatomy": 2}) == {"anatomy": "missed"}


KINDS = ("scale", "yes_no", "choice", "several", "number", "text")
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 9), st.text(max_size=4), st.floats(),
    st.sampled_from(["k0", "k1", "2.5", "−1", "2,5", CANNOT_JUDGE, "yes"]),
    st.lists(st.sampled_from(["k0", "k1", "k9", 1]), max_size=3),
    st.dictionaries(st.text(max_size=2), st.none()),
)  # fmt: skip


@st.composite
def items(draw: st.DrawFn) -> tuple[Item, ...]:
    found = [
        Item("first", "yes_no", "First?", required=draw(st.booleans()), cannot_judge=draw(st.booleans()))
    ]
    for place in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(KINDS))
        least = draw(st.integers(-5, 5))
        size = draw(st.integers(2, 6))
        options = tuple((f"k{at}", f"K {at}") for at in range(size))
        kinds: dict[str, dict[str, Any]] = {
            "scale": {"points": tuple((least + at, "") for at in range(size))},
            "choice": {"options": options},
            "several": {"options": options},
            "number": {"least": str(least), "most": str(least + size), "step": "0.5"},
        }
        when = Condition("first", (draw(st.booleans()),)) if draw(st.booleans()) else None
        judged = kind not in {"several", "text"} and draw(st.booleans())
        more = {"required": draw(st.booleans()), "cannot_judge": judged, "when": when, **kinds.get(kind, {})}
        found.append(Item(f"i{place}", kind, "Q?", **more))
    return tuple(found)


@st.composite
def answers_to(draw: st.DrawFn, asked: tuple[Item, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in asked:
        known: list[Any] = [answer for answer, _ in item.choices.values()]
        if item.kind == "several":
            known = [draw(st.lists(st.sampled_from(known), unique=True))]
        elif item.kind == "number":
            known = [item.least, item.most, f"{item.least}.50"]
        elif item.kind == "text":
            known = ["words"]
        found[item.name] = draw(st.one_of(st.sampled_from([*known, CANNOT_JUDGE, None]), JUNK))
    return found


@given(st.data(), items())
def test_cleaning_is_idempotent_and_ratings_fit(data: st.DataObject, asked: tuple[Item, ...]) -> None:
    form = FormDefinition("drawn", "Drawn", "first", asked)
    assert definition_of(form.as_json()) == form
    protocol = protocol_of(form)
    answers = data.draw(answers_to(asked))
    domains = {variable.name: variable for variable in protocol.variables}
    for complete in (False, True):
        try:
            cleaned = protocol.clean({"answers": answers}, complete=complete)
        except InvalidPayload:
            continue
        assert protocol.clean(cleaned.payload(), complete=complete) == cleaned
        rated = protocol.ratings(cleaned, {})
        assert len({(name, component) for name, component, _ in rated}) == len(rated)
        for name, component, value in rated:
            variable = domains[name]
            assert component in (variable.components or ("",))
            assert variable.range[0] <= value <= variable.range[1]
            assert not variable.values or value in map(Fraction, variable.values)
        if complete:
            given_to = {name for name, _, _ in rated}
            needed = {v.name for v in protocol.variables if not v.components and not v.optional}
            assert needed <= given_to
            assert protocol.compare is not None
            assert all(one.verdict == "hit" for one in protocol.compare(cleaned, cleaned).components)
