"""The presence protocol: payloads, ratings, and answers of the anatomy protocol shown as presence."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from scoring.anatomy.protocol import payload_from_cells
from scoring.grid.notation import parse_cell
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE, clean
from tests.scoring.drafts import refusals

EMPTY: dict[str, Any] = {"cells": [], "no_errors": False, "unsure": [], "flag": None, "note": ""}
EVERY = [cell.key for cell in CELLS]


refused = partial(refusals, complete=True, by=clean)


def test_cells_are_stored_in_published_order() -> None:
    given = {"cells": ["extra.hands", "missing.face", "extra.limbs"], "unsure": ["extra.hands"]}
    answer = clean(given)
    stored = {**EMPTY, "cells": ["missing.face", "extra.limbs", "extra.hands"], "unsure": ["extra.hands"]}
    assert answer.payload() == stored
    assert clean(stored) == answer
    assert (answer.warnings, answer.flagged) == ((), False)


def test_all_cells_may_be_marked_and_none() -> None:
    assert clean({"cells": EVERY[::-1]}).payload()["cells"] == EVERY
    assert clean({"no_errors": True}).payload() == {**EMPTY, "no_errors": True}


def test_a_draft_may_be_empty() -> None:
    assert PRESENCE.empty() == EMPTY
    assert clean({}, complete=False).payload() == EMPTY
    assert refused({}) == {"": ["Not submitted: the annotation is empty."]}


@pytest.mark.parametrize(
    ("payload", "fields"),
    [
        ({"cells": [*EVERY, "extra.face"]}, {"cells"}),
        ({"cells": ["extra.ears"]}, {"cells"}),
        ({"cells": ["extra.face", "extra.face"]}, {"cells"}),
        ({"cells": "extra.face"}, {"cells"}),
        ({"cells": [1, None, ["extra.face"]]}, {"cells"}),
        ({"cells": ["extra.face"], "unsure": ["extra.feet"]}, {"unsure"}),
        ({"cells": ["extra.face"], "no_errors": True}, {"no_errors"}),
        ({"cells": ["extra.face"], "no_errors": 1}, {"no_errors"}),
        ({"cells": ["extra.face"], "flag": {"reason": "bored"}}, {"flag"}),
        ({"cells": ["extra.face"], "note": "\0"}, {"note"}),
        ({"cells": ["extra.face"], "marks": []}, {""}),
        ([], {""}),
        (None, {""}),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_what_cannot_be_is_refused_by_field(payload: object, fields: set[str], complete: bool) -> None:
    assert refused(payload, complete=complete).keys() - {""} == fields - {""}
    assert ("" in refused(payload, complete=complete)) is ("" in fields)


def test_a_flag_is_kept() -> None:
    answer = clean({"no_errors": True, "flag": {"reason": "no_body", "note": "a horse"}})
    assert answer.flagged
    assert answer.payload()["flag"] == {"reason": "no_body", "note": "a horse"}


def test_ratings_are_the_number_of_cells_and_one_for_each() -> None:
    made = PRESENCE.ratings(clean({"cells": ["extra.hands", "missing.face"]}), {})
    assert made == (
        ("cells_marked", "", Fraction(2)),
        ("presence", "missing.face", Fraction(1)),
        ("presence", "extra.hands", Fraction(1)),
    )
    assert PRESENCE.ratings(clean({"no_errors": True}), {}) == (("cells_marked", "", Fraction(0)),)
    assert PRESENCE.headline_of([["presence", "extra.hands", "1"], ["cells_marked", "", "2"]]) == 2
    with pytest.raises(KeyError, match="cells_marked"):
        PRESENCE.headline_of([["presence", "extra.hands", "1"]])


def test_an_answer_with_counts_is_shown_as_presence() -> None:
    terms = {"extra.hands": parse_cell("1/2b,1/2c"), "missing.limbs": parse_cell("1/4a")}
    shown = PRESENCE.shown_as["anatomy"](payload_from_cells(terms))
    assert shown == {**EMPTY, "cells": ["missing.limbs", "extra.hands"]}
    assert clean(shown).payload() == shown
    none = PRESENCE.shown_as["anatomy"](payload_from_cells({}, no_errors=True))
    assert clean(none).payload() == {**EMPTY, "no_errors": True}
