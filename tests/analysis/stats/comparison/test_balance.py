"""How annotators and prompts are spread over generators."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.comparison import balance as module
from analysis.stats.comparison.balance import balance
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated


def spread(counts: dict[tuple[str, str], int], prompts: str = "p") -> RatingsFrame:
    """A frame with so many images of each annotator and generator."""
    rows = [names for names, count in counts.items() for _ in range(count)]
    return framed(
        *(
            rated(k, who, {}, generator=generator, prompt=prompts[k % len(prompts)])
            for k, (who, generator) in enumerate(rows)
        )
    )


def test_an_annotator_who_judged_mostly_one_generator_is_named_by_numbers_alone() -> None:
    """R: chisq.test(matrix(c(28, 12, 8, 32), 2), correct = FALSE)$p.value is 6.967931e-06."""
    found = balance(spread({("ada", "x"): 28, ("bo", "x"): 12, ("ada", "y"): 8, ("bo", "y"): 32}))
    assert (found["annotators"], found["generators"]) == (["ada", "bo"], ["x", "y"])
    assert found["counts"] == [[28, 8], [12, 32]]
    assert found["balanced"] is False
    assert found["spread"]["annotators"] == {
        "state": "skewed",
        "difference": pytest.approx(0.5),
        "shift": pytest.approx(0.5 / (2 / 40) ** 0.5),
        "p": pytest.approx(6.967931e-06, rel=1e-4),
        "between": ["x", "y"],
        "most": {"annotator": "ada", "shares": [0.7, 0.2]},
    }
    assert found["words"] == (
        "One annotator made 70% of the annotations of x, but 20% of those of y. Chance alone would not do "
        "that (chi-square test, p < 0.01). Differences between raw means are partly differences between "
        "annotators: use those of the mixed model."
    )


def test_even_and_by_chance() -> None:
    even = balance(spread({("ada", "x"): 20, ("bo", "x"): 20, ("ada", "y"): 21, ("bo", "y"): 19}))
    assert (even["spread"]["annotators"]["state"], even["balanced"]) == ("even", True)
    assert even["words"] == "Annotators and prompts are spread evenly over the generators."
    chance = balance(spread({("ada", "x"): 20, ("bo", "x"): 20, ("ada", "y"): 25, ("bo", "y"): 15}))
    assert (chance["spread"]["annotators"]["state"], chance["balanced"]) == ("chance", True)
    assert chance["words"].endswith("no more unevenly than by chance.")


@pytest.mark.thorough
def test_random_assignments_are_seldom_called_skewed() -> None:
    """The chi-square test at 0.01, over 60 random assignments of 60 images to 4 annotators."""
    rng = np.random.default_rng(2)
    skewed = 0
    for _ in range(60):
        who = rng.integers(0, 4, 60)
        made = {(f"a{a}", "xyz"[g]): int((who[g::3] == a).sum()) for a in range(4) for g in range(3)}
        skewed += not balance(spread({pair: n for pair, n in made.items() if n}))["balanced"]
    assert skewed <= 3


def test_a_prompt_of_one_generator_is_named() -> None:
    rows = [
        rated(k, "ada", {}, generator="x" if k < 40 else "y", prompt="p" if k % 4 or k >= 40 else "q")
        for k in range(80)
    ]
    found = balance(framed(*rows))
    assert found["spread"]["prompts"]["most"] == {"prompt": "p", "shares": [0.75, 1.0]}
    assert found["words"].startswith(
        "The prompt “p” makes up 75% of the annotations of x, but 100% of those of y."
    )


def test_long_lists_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 2)
    rows = [rated(k, "abc"[min(k // 2, 2)], {}, generator="xy"[k % 2], prompt="pqr"[k % 3]) for k in range(9)]
    found = balance(framed(*rows))
    assert (found["annotators"], found["annotators_left_out"]) == (["a", "c"], 1)
    assert np.shape(found["counts"]) == (2, 2)
    assert np.shape(found["prompt_counts"]) == (2, 2)


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    """An independent recomputation: prompts over annotators have chi2(27) = 29.9, p = 0.32."""
    found = balance(study_frame)
    assert found["counts"] == [[25, 25, 25]] * 4
    assert found["balanced"] is True
    assert {key: one["state"] for key, one in found["spread"].items()} == {
        "annotators": "even",
        "prompts": "even",
        "annotators_by_prompt": "chance",
    }
    assert found["spread"]["annotators_by_prompt"]["p"] == pytest.approx(0.32, abs=0.005)
