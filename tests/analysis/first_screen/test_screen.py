"""The first screen of every protocol: heading, rows and brackets, lights, and orders by a metric."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from analysis.first_screen.orders import ordered_prompts, orders_of
from analysis.first_screen.prompts import prompts_page
from analysis.first_screen.ranking import Bracket, Order
from analysis.first_screen.screen import first_screen, headline_of
from analysis.first_screen.trust import trust_of
from analysis.models import ImageMetric, Report
from analysis.protocols.realism.comparison import realism_comparison
from analysis.tables.listed import line_of
from annotator.annotations.summaries import summarise
from annotator.models import Batch, Image, Project
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import adjudicated
from tests.analysis.protocols.realism.making import rated
from tests.factories import LEAD, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

GENERATORS = {"gA": 8, "gB": 4, "gC": 4}
PROMPTS = [f"prompt {place}" for place in range(9)]


def realism() -> dict[str, Any]:
    """Three raters of nine prompts, each prompt with an image of each generator."""
    random = np.random.default_rng(7)
    places = [(name, place) for name in GENERATORS for place in range(9)]
    table = {
        rater: " ".join(str(GENERATORS[name] + random.integers(-1, 2)) for name, _ in places)
        for rater in "abc"
    }
    names, prompts = [name for name, _ in places], [PROMPTS[place] for _, place in places]
    return realism_comparison(rated(table, generators=names, prompts=prompts))


def test_realism_reads_from_1_and_the_highest_is_best() -> None:
    stored = {"protocol": {"slug": "realism"}, "answers": {"not_counted": []}, **realism()}
    report = Report(kind="comparison", protocol="realism", result=json.loads(json.dumps(stored)))
    found = first_screen(report, make_project())
    assert found is not None
    assert (found["headline"]["text"], found["higher_is_better"]) == ("gA is best", True)
    assert [tick["text"] for tick in found["ranking"]["ticks"]] == [str(point) for point in range(1, 11)]
    assert [row["ranked"]["rank"] for row in found["rows"]] == ["rank 1", "rank 2–3", "rank 2–3"]
    clear, undecided, *_ = found["conclusions"]
    assert clear.kind == "clear"
    assert clear.text.startswith("gA scores higher than gB (")
    assert (undecided.kind, undecided.text.split(":")[0]) == ("open", "gB or gC")
    assert found["images"] == 27


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


def alpha(value: float, low: float | None, images: int = 60) -> dict[str, Any]:
    high = None if low is None else 2 * value - low
    return {"value": value, "low": low, "high": high, "n_units": images, "refused": "too few images"}


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (None, "look", "Not known: there is no agreement report."),
        (alpha(0.9, 0.82), "fine", "Annotators agree well: alpha 0.90 [0.82, 0.98]; 1 is perfect"),
        (alpha(0.85, 0.7), "fine", "Annotators agree well enough for tentative conclusions: alpha"),
        (alpha(0.55, 0.37), "look", "Annotators agree in part: alpha"),
        (alpha(0.7, 0.5), "look", "Annotators seem to agree, but it is not certain: alpha"),
        (alpha(-0.01, -0.1), "stop", "Agreement is not clearly better than chance: alpha −0.01"),
        (alpha(0.3, -0.1, images=12), "look", "Too few images to tell whether annotators agree: alpha"),
        (alpha(0.3, None), "look", "alpha 0.30, no interval: too few images."),
    ],
)
def test_agreement(found: Any, verdict: str, words: str) -> None:
    trust = trust_of(result(), found, ())
    assert (trust["agreement"].verdict, trust["agreement"].words[: len(words)]) == (verdict, words)
    assert bool(trust["chance"]) == (verdict == "stop")


def test_that_nothing_is_adjudicated_is_neither_good_nor_bad() -> None:
    assert trust_of(result(), None, ())["adjudication"].verdict == "note"


@pytest.mark.parametrize(("alphas", "text"), [([0.5], "0.50"), ([0.5, 0.25], "0.25 to 0.50")])
def test_one_pair_has_one_alpha(alphas: list[float], text: str) -> None:
    columns = [{"name": name} for name in ("variable", "agreement")]
    rows = [["Score", {"value": value}] for value in alphas]
    found = line_of("pairs", {"tables": [{"name": "pairs", "columns": columns, "rows": rows}]})
    assert (found and found.text) == f"Score: {text}"


def test_the_limit_is_that_of_the_protocol() -> None:
    assert trust_of(result(), None, (), typical_ms=700, fast_ms=600)["data"].verdict == "fine"
    assert trust_of(result(), None, (), typical_ms=500, fast_ms=600)["data"].verdict == "stop"


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [(["hidden"], "fine"), (["hidden", "shown"], "look"), (["unknown"], "look"), ([], "look")],
)
def test_annotators_who_saw_the_generator_were_not_blind(seen: list[str], verdict: str) -> None:
    batches = [Batch(name=each, prompt_seen="hidden", generator_seen=each) for each in seen]
    found = trust_of(result(), None, batches)["blinding"]
    assert (found.verdict, bool(found.words)) == (verdict, True)


def test_terms_and_annotations_that_cannot_be_read_are_worth_a_look() -> None:
    light = trust_of(result(answers={"partly_unread": 1, "not_counted": []}), None, ())["data"]
    cell = "1 annotation has a cell that cannot be read; another reading could change the result."
    assert (light.verdict, light.problem) == ("look", cell)
    lost = {"submitted": 101, "counted": 100, "not_counted": [{"reason": "nothing_read", "count": 1}]}
    light = trust_of(result(answers={**lost, "partly_unread": 2}), None, ())["data"]
    assert light.verdict == "look"
    assert light.problem.endswith("1 cannot be read at all and is not counted.")
    light = trust_of(result(), None, ())["data"]
    assert (light.verdict, light.problem) == ("fine", "")


def scored(
    project: Project, eighths: list[int], values: list[float | None], prompt: str = "p"
) -> list[Image]:
    """Images of a prompt with so many eighths of a severe error, and with values of a metric."""
    member, batch = make_member(project, code=f"ann {prompt}"), make_batch(project, name=f"by {prompt}")
    images = []
    for number, (count, value) in enumerate(zip(eighths, values, strict=True)):
        image = make_image(project, prompt=prompt, number=number)
        marks = [("missing.limbs", f"{count}/8c")] if count else []
        make_submitted(member, marks, image=image, batch=batch)
        if value is not None:
            ImageMetric.objects.create(project=project, image=image, metric="clip", value=value)
        images.append(image)
    summarise(project.pk, [image.pk for image in images], "anatomy")
    return images


def test_adjudicated_values_change_no_order() -> None:
    project = make_project()
    images = scored(project, [1, 2], [0.0, 1.0])
    adjudicated(ANATOMY, images[0], make_member(project, LEAD), make_payload([("extra.face", "1/1c")]))
    summarise(project.pk, [images[0].pk], "anatomy")
    found = orders_of(project, "anatomy", "clip", "p")
    assert [placed["image"] for placed in found["people"]] == images
    assert [placed["value"] for placed in found["people"]] == ["0.13", "0.25"]


def test_only_prompts_with_two_values_are_offered() -> None:
    project = make_project()
    scored(project, [1, 2], [0.0, 1.0], "two")
    scored(project, [1, 2], [0.0, None], "one")
    assert ordered_prompts(project, "clip") == ["two"]
    assert ordered_prompts(project, "other") == []
    assert orders_of(project, "presence", "clip", "two")["people"] == []


NO_INTERVAL: dict[str, Any] = {"low": None, "high": None, "refused": "one image"}


def mean(value: float | None, half: float = 0.2, n: int = 40) -> dict[str, Any]:
    """An estimate with an interval of value ± half."""
    limits = NO_INTERVAL if value is None or half == 0 else {"low": value - half, "high": value + half}
    return {"value": value, "n_units": n, "n_coders": 2, "refused": None, **limits}


def pair(a: str, b: str, gap: float, p: float) -> dict[str, Any]:
    """A test of a − b = gap, as a row of the differences."""
    near = 0.04 <= p <= 0.06
    verdict = "at the limit" if near else "clear" if p < 0.05 else ""
    return {"a": a, "b": b, "difference": mean(gap), "df": 10, "p": p, "p_holm": p, "verdict": verdict}


def order(
    means: dict[str, float],
    unclear: set[frozenset[str]],
    *,
    near: Collection[frozenset[str]] = (),
    higher_is_better: bool = False,
) -> Order:
    """Generators of which all pairs differ clearly, except these; some of them at the limit."""
    rows = [{"generator": name, "images": 40, "mean": mean(value)} for name, value in means.items()]
    tests = []
    for a, b in combinations(means, 2):
        both = frozenset((a, b))
        p = 0.4 if both in unclear else 0.045 if both in near else 0.001
        tests.append(pair(a, b, means[a] - means[b], p))
    return Order(rows, tests, higher_is_better=higher_is_better)


THREE = {"a": 0.8, "b": 1.8, "c": 2.1}


@pytest.mark.parametrize(
    ("unclear", "text", "clear"),
    [
        (set(), "a is best", True),
        ({"bc"}, "a is best", True),
        ({"ab"}, "a and b are best", True),
        ({"ab", "bc"}, "a is better than c", True),
        ({"ab", "ac"}, "b is better than c", True),
        ({"ab", "ac", "bc"}, "No generator is clearly best", False),
    ],
)
def test_who_is_best(unclear: set[str], text: str, clear: bool) -> None:
    found = headline_of(order(THREE, {frozenset(each) for each in unclear}))
    assert (found["text"], found["clear"]) == (text, clear)
    assert found["means"] == [("a", "0.80"), ("b", "1.80"), ("c", "2.10")]


def test_a_model_that_contradicts_the_means_decides() -> None:
    """Whoever judged mostly a is strict, so raw means say the opposite."""
    found = order({"a": 1.0, "b": 0.8}, set())
    assert headline_of(found)["text"] == "b is best"
    turned = [{**test, "difference": mean(-0.5)} for test in found.tests]
    assert headline_of(Order(found.rows, turned))["text"] == "a is better than b"


def test_of_many_clear_pairs_the_nearest_are_joined() -> None:
    means = {name: float(place) for place, name in enumerate("abcde")}
    assert order(means, set()).brackets() == [Bracket(place, place + 1, near=False) for place in range(3)]
    neighbours = {frozenset(pair) for pair in ("ab", "bc", "cd", "de")}
    brackets = order(means, neighbours).brackets()
    assert [(pair.first, pair.last) for pair in brackets] == [(0, 2), (1, 3), (2, 4)]


def test_a_mean_of_few_images_has_no_interval() -> None:
    """Two images gave 0.00 to 4.85: such limits say nothing, and 4.85 sets the axis of all rows."""

    def listing(name: str, columns: list[str], *rows: list[Any]) -> dict[str, Any]:
        return {"name": name, "columns": [{"name": column} for column in columns], "rows": list(rows)}

    of_x, of_y = mean(1.0, 0.1, 8), mean(2.0, 2.85, 2)
    columns = ["prompt", "images", "mean", "generator x", "generator y"]
    prompts = listing("prompts", columns, ["beach", 7, mean(1.0, n=7), of_x, of_y])
    generators = listing("generators", ["generator", "images", "mean"], *(["x", 24, of_x], ["y", 24, of_y]))
    found = prompts_page({"tables": [prompts, generators], "settings": {"scale": [0.0, None]}})
    assert found is not None
    (beach,) = found["rows"]
    assert (beach["interval"], beach["low"], beach["high"]) == ("too few: 7 of 8", "", "")
    assert [cell["interval"] for cell in beach["cells"]] == ["0.90 to 1.10", "2 images"]
