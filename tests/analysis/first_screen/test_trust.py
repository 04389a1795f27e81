"""Balance, agreement and data as lights; agreement at chance level replaces the headline."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.trust import trust_of
from analysis.stats.comparison import UNEVENLY
from annotator.models import Batch

COUNTED: dict[str, Any] = {"not_counted": []}


def result(
    line: str = "Evenly", adjudicated: tuple[int, int] = (0, 0), targeted: int = 0, answers: Any = COUNTED
) -> dict[str, Any]:
    """A stored comparison of two generators."""
    columns = [{"name": name} for name in ("generator", "adjudicated", "targeted")]
    rows = [["x", adjudicated[0], targeted], ["y", adjudicated[1], 0]]
    return {
        "tables": [{"name": "balance", "line": line, "columns": columns, "rows": rows}],
        "settings": {"annotations": 100, "images": 80, "annotators": 3},
        "answers": answers,
    }


NOISE = "The intervals of the generators include this."
SCALE = "1 is perfect, 0 is chance, 0.667 is the usual minimum."


def alpha(value: float, low: float | None, images: int = 60) -> dict[str, Any]:
    high = None if low is None else 2 * value - low
    return {"value": value, "low": low, "high": high, "n_units": images, "refused": "too few images"}


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (None, "look", "Not known: there is no agreement report."),
        (alpha(0.9, 0.82), "fine", f"Annotators agree well: alpha 0.90 [0.82, 0.98]; {SCALE}"),
        (
            alpha(0.85, 0.7),
            "fine",
            f"Annotators agree well enough for tentative conclusions: alpha 0.85 [0.70, 1.00]; {SCALE}",
        ),
        (alpha(0.55, 0.37), "look", f"Annotators agree in part: alpha 0.55 [0.37, 0.73]; {SCALE} {NOISE}"),
        (
            alpha(0.7, 0.5),
            "look",
            f"Annotators seem to agree, but it is not certain: alpha 0.70 [0.50, 0.90]; {SCALE} {NOISE}",
        ),
        (
            alpha(-0.01, -0.1),
            "stop",
            f"Agreement is not clearly better than chance: alpha −0.01 [−0.10, 0.08]; {SCALE}",
        ),
        (
            alpha(0.3, -0.1, images=12),
            "look",
            f"Too few images to tell whether annotators agree: alpha 0.30 [−0.10, 0.70]; {SCALE}",
        ),
        (alpha(0.3, None), "look", "alpha 0.30, no interval: too few images."),
    ],
)
def test_agreement(found: Any, verdict: str, words: str) -> None:
    trust = trust_of(result(), found, ())
    assert (trust.agreement.verdict, trust.agreement.words) == (verdict, words)
    assert bool(trust.chance) == (verdict == "stop")


def test_chance_says_the_hurry_too() -> None:
    trust = trust_of(result(), alpha(-0.01, -0.1), (), typical_ms=3_100)
    assert trust.chance == (
        "Alpha of the score is −0.01 [−0.10, 0.08] over 60 doubly annotated images; median time 3 s per "
        "image. Find the cause before you use the ranking."
    )
    assert (trust.data.verdict, trust.data.words) == (
        "stop",
        "100 annotations of 80 images, 3 annotators. Too fast: median time 3 s per image, below 5 s.",
    )
    assert "median" not in trust_of(result(), alpha(-0.01, -0.1), (), typical_ms=45_000).chance


def test_the_limit_is_that_of_the_protocol() -> None:
    assert trust_of(result(), None, (), typical_ms=700, fast_ms=600).data.verdict == "fine"
    assert trust_of(result(), None, (), typical_ms=500, fast_ms=600).data.verdict == "stop"


def test_balance() -> None:
    even = trust_of(result(), None, ()).balance
    assert (even.verdict, even.words) == ("fine", "Evenly.")
    skewed = trust_of(result(f"Annotators are {UNEVENLY}", targeted=2), None, ()).balance
    assert skewed.verdict == "look"
    assert skewed.words.endswith("Annotated again because of earlier annotations: 2 images (x 2, y 0).")


def test_adjudicated_images_are_counted_by_generator() -> None:
    assert trust_of(result(), None, ()).adjudication.words == "No image is adjudicated."
    found = trust_of(result(adjudicated=(10, 2)), None, ()).adjudication
    assert found.words == "12 images (x 10, y 2). Adjudicated scores enter no verdict."


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [(["hidden"], "fine"), (["hidden", "shown"], "look"), (["unknown"], "look"), ([], "look")],
)
def test_annotators_who_saw_the_generator_were_not_blind(seen: list[str], verdict: str) -> None:
    batches = [Batch(name=each, prompt_seen="hidden", generator_seen=each) for each in seen]
    found = trust_of(result(), None, batches).blinding
    assert (found.verdict, bool(found.words)) == (verdict, True)


def test_what_is_not_counted_stands_with_the_data() -> None:
    answers = {"submitted": 115, "counted": 100, "not_counted": [{"reason": "real_picture", "count": 15}]}
    words = trust_of(result(answers=answers), None, ()).data.words
    assert words.startswith("100 annotations of 80 images, 3 annotators. 15 of 115 submitted annotations are")


def test_annotations_without_a_score_are_named() -> None:
    """Invalid votes of realism are counted, but there is nothing of them to compare."""
    said = [
        trust_of(result(answers={"counted": 100 + without, "not_counted": []}), None, ()).data.words
        for without in (0, 1, 27)
    ]
    start = "100 annotations of 80 images, 3 annotators."
    assert said == [
        start,
        f"{start} 1 more annotation has no score, or is of an image without one.",
        f"{start} 27 more annotations have no score, or are of an image without one.",
    ]


def test_terms_and_annotations_that_cannot_be_read_are_worth_a_look() -> None:
    light = trust_of(result(answers={"partly_unread": 1, "not_counted": []}), None, ()).data
    assert light.verdict == "look"
    assert light.problem == (
        "1 annotation has a cell that cannot be read; another reading could change the result."
    )
    lost = {"submitted": 101, "counted": 100, "not_counted": [{"reason": "nothing_read", "count": 1}]}
    light = trust_of(result(answers={**lost, "partly_unread": 2}), None, ()).data
    assert light.verdict == "look"
    assert light.problem.endswith("1 cannot be read at all and is not counted.")
    light = trust_of(result(), None, ()).data
    assert (light.verdict, light.problem) == ("fine", "")
