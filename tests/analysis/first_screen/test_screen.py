"""The first screen of every protocol: lights on balance, agreement and data; orders by a metric."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from analysis.first_screen.orders import ordered_prompts, orders_of
from analysis.first_screen.screen import FirstScreen, first_screen
from analysis.first_screen.trust import trust_of
from analysis.models import ImageMetric, Report
from analysis.protocols.realism.comparison import realism_comparison
from analysis.stats.building import RatedAnnotation
from analysis.stats.comparison.generic import comparison
from analysis.stats.generic.values import build_values
from annotator.annotations.summaries import summarise
from annotator.models import Batch, Image, Project
from scoring.anatomy.protocol import ANATOMY
from scoring.grid.taxonomy import CELLS
from scoring.presence.protocol import PRESENCE, clean
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import adjudicated
from tests.analysis.protocols.realism.making import rated
from tests.factories import LEAD, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db

GENERATORS = {"gA": 8, "gB": 4, "gC": 4}
PROMPTS = [f"prompt {place}" for place in range(9)]


def screen_of(protocol: str, result: dict[str, Any]) -> FirstScreen | None:
    stored = {"protocol": {"slug": protocol}, "answers": {"not_counted": []}, **result}
    report = Report(kind="comparison", protocol=protocol, result=json.loads(json.dumps(stored)))
    return first_screen(report, make_project())


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


def presence() -> dict[str, Any]:
    rows = []
    for place, (name, count) in enumerate(
        (name, count) for name, count in GENERATORS.items() for _ in range(9)
    ):
        for number, annotator in enumerate("abc"):
            cells = [cell.key for cell in CELLS[: count + (place + number) % 2]]
            said = PRESENCE.ratings(clean({"cells": cells, "no_errors": not cells}), {})
            found = [list(map(str, rating)) for rating in said]
            rows.append(
                RatedAnnotation(place, annotator, name, PROMPTS[place % 9], "", "b", found, place, place)
            )
    return comparison(build_values(rows, PRESENCE))


def test_realism_reads_from_1_and_the_highest_is_best() -> None:
    found = screen_of("realism", realism())
    assert found is not None
    assert (found.headline.text, found.higher_is_better) == ("gA is best", True)
    assert [tick.text for tick in found.ranking.ticks] == [str(point) for point in range(1, 11)]
    assert [row.ranked.rank for row in found.rows] == ["rank 1", "rank 2–3", "rank 2–3"]
    clear, undecided, *_ = found.conclusions
    assert clear.kind == "clear"
    assert clear.text.startswith("gA scores higher than gB (")
    assert (undecided.kind, undecided.text.split(":")[0]) == ("open", "gB or gC")
    assert found.images == 27


def test_presence_reads_from_0_and_the_lowest_is_best() -> None:
    found = screen_of("presence", presence())
    assert found is not None
    assert (found.headline.text, found.higher_is_better) == ("gC and gB are best", False)
    assert found.ranking.ticks[0].text == "0"
    assert {row.ranked.generator for row in found.rows[:2]} == {"gB", "gC"}
    assert found.conclusions[0].text.startswith("gB scores lower than gA (")


def test_without_a_generator_there_is_no_screen() -> None:
    assert screen_of("presence", comparison(build_values([], PRESENCE))) is None


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


def test_the_limit_is_that_of_the_protocol() -> None:
    assert trust_of(result(), None, (), typical_ms=700, fast_ms=600).data.verdict == "fine"
    assert trust_of(result(), None, (), typical_ms=500, fast_ms=600).data.verdict == "stop"


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
    assert [(placed.image, placed.value) for placed in found.people] == [
        (images[0], "0.13"),
        (images[1], "0.25"),
    ]


def test_only_prompts_with_two_values_are_offered() -> None:
    project = make_project()
    scored(project, [1, 2], [0.0, 1.0], "two")
    scored(project, [1, 2], [0.0, None], "one")
    assert ordered_prompts(project, "clip") == ["two"]
    assert ordered_prompts(project, "other") == []
    assert orders_of(project, "presence", "clip", "two").people == []
