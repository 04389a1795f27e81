"""Projects that have too little of something: every number is right or refused, on every page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Project
from annotator.work import leases
from annotator.work.liveness import sign_of_life
from tests.analysis.factories import make_submitted
from tests.analysis.reading import whole_page
from tests.factories import LEAD, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db

KINDS = KEPT_UP_TO_DATE
NO_NUMBER = re.compile(r"\b(nan|NaN|None|inf|Infinity|null)\b")
MARKS: tuple[list[tuple[str, str]], ...] = (
    [],
    [("missing.limbs", "1/4c")],
    [("extra.hands", "1/2b"), ("proportion.face", "1/1a")],
)


def fill(
    project: Project, *, people: int = 2, images: int = 12, generators: int = 2, coders: int = 2, **same: Any
) -> None:
    """Every image judged by `coders` people in turn; `marks` makes all answers the same."""
    members = [make_member(project, code=f"ann{number}") for number in range(people)]
    batch = make_batch(project)
    for number in range(images):
        generator, prompt = f"g{number % generators}", f"p{number // generators % 3}"
        image = make_image(project, generator=generator, prompt=prompt, number=number)
        for turn in range(coders):
            marks = same.get("marks", MARKS[(number + turn * number) % len(MARKS)])
            make_submitted(members[(number + turn) % people], marks, image=image, batch=batch)


def nothing(_: Project) -> None:
    """Leave the project empty."""


CASES: dict[str, Callable[[Project], object]] = {
    "plain": fill,
    "no doubles": lambda project: fill(project, coders=1),
    "one annotator": lambda project: fill(project, people=1, coders=1),
    "one generator": lambda project: fill(project, generators=1),
    "all scores equal": lambda project: fill(project, marks=MARKS[1]),
    "no errors at all": lambda project: fill(project, marks=[]),
    "one image": lambda project: fill(project, images=1),
    "one answer": lambda project: fill(project, images=1, coders=1),
    "nothing submitted": nothing,
}


@pytest.fixture
def lead(client: Client, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose lead is signed in."""
    # However slow the machine: a beat could not write beside the transaction of this test.
    monkeypatch.setattr(leases, "RENEW_EVERY_SECONDS", 3600.0)
    project = make_project("thin", name="Thin")
    member = make_member(project, LEAD)
    assert member.user is not None
    client.force_login(member.user)
    sign_of_life()
    return project


def page(client: Client, path: str) -> str:
    html = whole_page(client, path)
    words = re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style).*?</\1>", " ", html))
    assert not NO_NUMBER.search(words), NO_NUMBER.findall(words)
    return words


@pytest.mark.slow  # every page and export of a report
@pytest.mark.parametrize("case", CASES)
@pytest.mark.few(1)
def test_every_number_is_right_or_refused(case: str, lead: Project, client: Client) -> None:
    CASES[case](lead)
    reports = [request_report(project=lead, kind=kind) for kind in KINDS]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_report(reports[0].pk)
        for report in reports:
            run_report(report.pk)
        pages = [page(client, f"/projects/thin/reports/{kind}/") for kind in KINDS]
    for report, words in zip(reports, pages, strict=True):
        report.refresh_from_db()
        if case == "nothing submitted":
            assert (report.status, bool(report.error), report.error in words) == ("failed", True, True)
        else:
            assert (report.status, report.error) == ("done", "")
