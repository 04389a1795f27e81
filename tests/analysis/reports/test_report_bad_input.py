"""Projects that have too little or too much of something: every number is right or refused, on every page."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import pytest
from django.test import Client

from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.summaries import summarise
from annotator.models import Project, RatingForm
from annotator.work import leases
from annotator.work.liveness import sign_of_life
from scoring.defect.masks import rectangle
from scoring.rating_form.definition import CANNOT_JUDGE
from scoring.service import PROTOCOLS, get_protocol
from tests.analysis.mixed import answered
from tests.analysis.reading import whole_page
from tests.factories import LEAD, make_batch, make_image, make_member, make_payload, make_project, user_of
from tests.scoring.rating_form.test_rules import ANSWERS, PEOPLE

pytestmark = pytest.mark.django_db

DEFECT: Final = {
    "id": "d1",
    "mask": rectangle(7, 9, (1, 2, 4, 4)).as_json(),
    "kind": "structural",
    "text": "Two hands are fused.",
}
CHECKED: Final = {
    "made_from": "0123456789abcdef",
    "items": [{"key": "A1", "kind": "structural", "text": DEFECT["text"], "mask": DEFECT["mask"]}],
    "effects": [1],
}
RATED: Final = {
    "made_from": "0123456789abcdef",
    "reference": "Two hands are fused.",
    "candidates": [{"key": "c1", "text": "No defect"}],
}
NO_NUMBER = re.compile(r"\b(nan|NaN|None|inf|Infinity|null)\b")
PAYLOADS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "anatomy": tuple(
        make_payload(marks)
        for marks in ([], [("missing.limbs", "1/4c")], [("extra.hands", "1/2b"), ("proportion.face", "1/1a")])
    ),
    "presence": (
        {"cells": [], "no_errors": True},
        {"cells": ["missing.limbs"]},
        {"cells": ["extra.hands", "proportion.face"]},
    ),
    "realism": tuple({"rating": rating, "invalid": None} for rating in (1, 6, 10)),
    PEOPLE.slug: tuple(
        {"answers": ANSWERS | {"quality": quality, "natural": natural, **more}}
        for quality, natural, more in (
            (1, "0", {"hands": False, "why": None}),
            (3, "50", {"anatomy": 2}),
            (5, "100", {}),
        )
    ),
    "defect-marks": ({"no_defect": True}, *({"defects": [DEFECT], "effect": effect} for effect in (1, 2))),
    "defect-verdict": tuple(
        {"answers": {"verdict": verdict}, "note": "Out of focus."}
        for verdict in ("accept", "reject", CANNOT_JUDGE)
    ),
    "defect-check": tuple(
        CHECKED | {"answers": {"A1_mask": mask, "A1_text": text}}
        for mask, text in (("drop", "drop"), ("keep", "drop"), ("keep", "keep"))
    ),
    "defect-quality": tuple(
        RATED | {"answers": {"c1_completeness": score, "c1_precision": score}} for score in (0, 1, 2)
    ),
}
"""Of each protocol, answers of which the first says least."""


def fill(
    project: Project,
    protocol: str,
    *,
    people: int = 2,
    images: int = 12,
    generators: int = 2,
    per_image: int = 2,
    prompts: int = 3,
    long: int = 0,
    always: int | None = None,
) -> None:
    """Every image judged by `per_image` people; `always` the same answer, prompts `long` letters longer."""
    members = [make_member(project, code=f"ann{number}") for number in range(people)]
    batch = make_batch(project, protocol=protocol)
    payloads = PAYLOADS[protocol]
    for number in range(images):
        generator, prompt = f"g{number % generators}", f"p{number // generators % prompts}" + "x" * long
        image = make_image(project, generator=generator, prompt=prompt, number=number)
        for turn in range(per_image):
            place = (number + turn * number) % len(payloads) if always is None else always
            answered(get_protocol(protocol), members[(number + turn) % people], image, batch, payloads[place])
    if get_protocol(protocol).decide:
        summarise(project.pk, project.images.values_list("pk", flat=True), protocol)


def nameless(project: Project, protocol: str) -> None:
    fill(project, protocol)
    project.images.update(generator="", prompt="")


CASES: dict[str, Callable[[Project, str], object]] = {
    "plain": fill,
    "no doubles": partial(fill, per_image=1),
    "one annotator": partial(fill, people=1, per_image=1),
    "one generator": partial(fill, generators=1),
    "one prompt": partial(fill, prompts=1),
    "all scores equal": partial(fill, always=1),
    "no errors at all": partial(fill, always=0),
    "one image": partial(fill, images=1),
    "two images": partial(fill, images=2),
    "one answer": partial(fill, images=1, per_image=1),
    "300 annotators": partial(fill, people=300, images=300),
    "50 generators": partial(fill, generators=50, images=200),
    "prompts of 3,000 characters": partial(fill, long=2_998),
    "empty names": nameless,
    "nothing submitted": lambda project, protocol: make_batch(project, protocol=protocol),
}
LARGE: Final = ("300 annotators", "50 generators")
COUNTED: Final = ("anatomy", "realism", PEOPLE.slug)
"""A protocol of each way of counting: cells, one rating, several questions. Large cases take minutes."""
GRIDS: Final = ("anatomy", "presence")
"""Protocols with a body map."""


@pytest.fixture
def lead(client: Client, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose lead is signed in."""
    # However slow the machine: a beat could not write beside the transaction of this test.
    monkeypatch.setattr(leases, "RENEW_EVERY_SECONDS", 3600.0)
    project = make_project("thin", name="Thin")
    client.force_login(user_of(make_member(project, LEAD)))
    RatingForm.objects.create(project=project, slug=PEOPLE.slug, definition=PEOPLE.as_json())
    sign_of_life()
    return project


def page(client: Client, path: str) -> str:
    html = whole_page(client, path)
    words = re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style).*?</\1>", " ", html))
    assert not NO_NUMBER.search(words), NO_NUMBER.findall(words)
    return words


def estimates(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every estimate in a result."""
    if isinstance(value, dict) and "refused" in value and "low" in value:
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from estimates(each)


def test_every_protocol_is_there() -> None:
    assert PROTOCOLS.keys() < PAYLOADS.keys()


@pytest.mark.slow  # every page of a report
@pytest.mark.parametrize(
    ("case", "protocol"),
    [
        pytest.param(case, slug, marks=[pytest.mark.thorough] * (case in LARGE))
        for case in CASES
        for slug in PAYLOADS
        if case not in LARGE or slug in COUNTED
    ],
)
@pytest.mark.few(5)
def test_every_number_is_right_or_refused(case: str, protocol: str, lead: Project, client: Client) -> None:
    CASES[case](lead, protocol)
    reports = [request_report(project=lead, kind=kind, protocol=protocol) for kind in KEPT_UP_TO_DATE]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for report in reports:
            run_report(report.pk)
        pages = [
            page(client, f"/projects/thin/reports/{kind}/?protocol={protocol}") for kind in KEPT_UP_TO_DATE
        ]
        for further in ("comparison/prompts", *(["comparison/body-map"] if protocol in GRIDS else [])):
            page(client, f"/projects/thin/reports/{further}/?protocol={protocol}")
    for report, words in zip(reports, pages, strict=True):
        report.refresh_from_db()
        if case == "nothing submitted":
            assert (report.status, bool(report.error), report.error in words) == ("failed", True, True)
        else:
            assert (report.status, report.error) == ("done", "")
            json.dumps(report.result, allow_nan=False)
            for each in estimates(report.result):
                whole = None not in (each["value"], each["low"], each["high"])
                assert whole == (each["refused"] is None), each
                assert (each["low"] is None) == (each["high"] is None)
                assert not whole or each["low"] <= each["high"]
