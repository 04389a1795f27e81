"""Drawn forms and payloads: cleaning twice is cleaning once, and ratings fit the variables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scoring.protocol import InvalidPayload
from scoring.rating_form.definition import CANNOT_JUDGE, Condition, FormDefinition, Item, definition_of
from scoring.rating_form.protocol import protocol_of

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
