"""Suggested counts on the annotation page: by keys, by mouse, and what is recorded."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Batch, Project
from annotator.suggestions.runs import store_run, withdraw_run
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import click, open_label, press, stored, target, wait_saved
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations


@pytest.fixture
def suggested(pilot: Project, queue_of_ada: list[Assignment]) -> list[Assignment]:
    """Two images with a suggestion, the second in the arm without, and one that has none."""
    shown, hidden, _ = queue_of_ada
    counts = {"people": 2, "visible": {"hands": 5, "face": 1}}
    run, _ = store_run(
        project=pilot,
        suggested={shown.image_id: counts, hidden.image_id: counts},
        actor=None,
        source="counter",
        source_version="1.0",
    )
    Batch.objects.update(suggestions=run)
    Assignment.objects.filter(pk=shown.pk).update(arm="with")
    Assignment.objects.filter(pk=hidden.pk).update(arm="without")
    return queue_of_ada


@two_looks
def test_a_suggestion_is_taken_by_an_act_only(
    open_page: OpenPage, suggested: list[Assignment], size: str, scheme: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("ada", viewport={"width": width, "height": height}, color_scheme=scheme)
    open_label(page, suggested[0])
    expect(page.locator("#hint")).to_contain_text("counter 1.0")
    expect(page.locator(".suggested")).to_have_count(2)
    assert violations(page) == []
    press(page, "1 m h a")
    wait_saved(page)
    assert stored(suggested[0]).payload["counts"]["visible"]["hands"] == 2
    page.focus(target("suggestion:hands"))
    press(page, "Enter")
    expect(page.locator(".suggested")).to_have_count(1)
    wait_saved(page)
    annotation = stored(suggested[0])
    assert annotation.payload["counts"]["visible"]["hands"] == 5
    assert annotation.payload["counts"]["expected"]["hands"] == 2
    assert annotation.capture["suggestion"] == Batch.objects.get().suggestions_id
    page.focus(target("suggestion:face"))
    press(page, "Shift+Enter")
    expect(page.locator(".suggested")).to_have_count(0)
    wait_saved(page)
    assert stored(suggested[0]).payload["people"] == 2


def test_the_arm_without_and_an_image_without_look_alike(
    open_page: OpenPage, suggested: list[Assignment]
) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    for assignment in suggested[1:]:
        open_label(page, assignment)
        expect(page.locator("#hint")).to_have_text("No suggestion for this image.")
        expect(page.locator(".suggested")).to_have_count(0)
        press(page, "1 0")
        wait_saved(page)
        assert "suggestion" not in stored(assignment).capture


def test_a_run_withdrawn_while_it_is_shown_stays_on_record(
    open_page: OpenPage, pilot: Project, suggested: list[Assignment]
) -> None:
    page = open_page("ada", viewport={"width": 1280, "height": 720})
    open_label(page, suggested[0])
    run = pilot.suggestion_runs.get()
    withdraw_run(run, actor=None)
    click(page, "suggestion:hands")
    wait_saved(page)
    assert stored(suggested[0]).capture["suggestion"] == run.pk
    shown_ms = stored(suggested[0]).capture["shown_ms"]
    assert shown_ms > 0
    open_label(page, suggested[0])
    expect(page.locator(".suggested")).to_have_count(0)
    press(page, "1 m h a")
    wait_saved(page)
    kept = stored(suggested[0]).capture
    assert (kept["suggestion"], kept["shown_ms"]) == (run.pk, shown_ms)
    assert kept["visible_ms"] > shown_ms
