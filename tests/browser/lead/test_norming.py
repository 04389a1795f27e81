"""Norming in real browsers: the last submission reveals it, two people discuss it live, a lead closes it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Membership, NormingSession, Project, Reference
from annotator.norming.starting import start_session
from tests.annotator.norming.making import ADA, BOB, answer_all, rows_of, submit
from tests.browser.conftest import OpenPage, picture
from tests.browser.looks import VIEWPORTS, every_look
from tests.browser.test_accessibility import violations
from tests.factories import ANNOTATOR, make_member, make_user

LIVE_MS = 15_000
"""A page asks every three seconds."""


@pytest.fixture
def session(pilot: Project, ada: Membership) -> NormingSession:
    """Three images; bob has answered all of them, ada all but one."""
    bob = make_member(pilot, ANNOTATOR, user=make_user("bob"), code="bob")
    images = [picture(pilot, number) for number in range(1, 4)]
    lead = pilot.memberships.get(code="lee").user
    assert lead is not None
    made = start_session(
        project=pilot,
        name="Batch 1",
        protocol="anatomy",
        people=[ada, bob],
        picked="chosen",
        count=3,
        images=[image.pk for image in images],
        actor=lead,
    )
    answer_all(made, {"bob": BOB})
    for row in rows_of(made, ada)[:2]:
        submit(row, ADA)
    return made


def place(session: NormingSession) -> str:
    return f"/projects/pilot/norming/{session.pk}/"


def finish(session: NormingSession, ada: Membership) -> None:
    """Submit the last image, which reveals the session."""
    submit(rows_of(session, ada)[2], ADA)


@every_look
def test_no_state_has_a_violation(
    open_page: OpenPage, session: NormingSession, ada: Membership, scheme: str, size: str
) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    found = {}
    for name in ("/projects/pilot/norming/", "/projects/pilot/norming/new/", place(session)):
        page.goto(name)
        found[name] = violations(page)
    finish(session, ada)
    page.goto(place(session))
    found["revealed"] = violations(page)
    page.get_by_label("Comment", exact=True).fill("Look at the thumb.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("log")).to_contain_text("Look at the thumb.")
    found["commented"] = violations(page)
    page.get_by_text("Close session…").click()
    page.get_by_role("button", name="Close session").click()
    expect(page.locator("[data-code=closed-since]")).to_be_visible()
    found["closed"] = violations(page)
    assert {name: each for name, each in found.items() if each} == {}


def test_two_people_discuss_and_a_lead_closes(
    open_page: OpenPage, session: NormingSession, ada: Membership
) -> None:
    lead, annotator = open_page("lee"), open_page("ada")
    lead.goto(place(session))
    expect(lead.get_by_role("progressbar", name="ada")).to_have_attribute("value", "2")
    annotator.goto("/projects/pilot/queue/")
    expect(annotator.get_by_text("orming")).to_have_count(0)
    finish(session, ada)
    # The lead's page becomes the discussion by itself.
    expect(lead.locator("[data-code=differing]")).to_be_visible(timeout=LIVE_MS)
    annotator.reload()
    annotator.get_by_role("link", name="Batch 1").click()
    typed = lead.locator("#settle .other input[type=text]").first
    typed.fill("2/4c")
    say(annotator, "Its thumb is hidden.")
    # It appears on the other screen, where nothing that was typed is lost.
    expect(lead.get_by_role("log")).to_contain_text("Its thumb is hidden.", timeout=LIVE_MS)
    expect(typed).to_have_value("2/4c")
    lead.get_by_role("button", name="Save agreed value").click()
    expect(annotator.locator(".agreed").first).to_be_visible(timeout=LIVE_MS)
    lead.get_by_text("Close session…").click()
    lead.get_by_role("button", name="Close session").click()
    expect(annotator.locator("[data-code=closed-since]")).to_be_visible(timeout=LIVE_MS)
    assert Reference.objects.get().origin == "normed"


def say(page: Page, text: str) -> None:
    """Comment, and find the field empty for the next."""
    field = page.get_by_label("Comment", exact=True)
    field.fill(text)
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("log")).to_contain_text(text)
    expect(field).to_have_value("")
