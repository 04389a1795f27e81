"""A lead and a new annotator in browsers: train, fail, train again, pass, work, drift, norm, second round."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Page, expect

from annotator.models import (
    Assignment,
    Image,
    Membership,
    NormingSession,
    Project,
    Reference,
    Standing,
)
from annotator.training.references import add_reference
from tests.annotator.norming.making import BOB, Marks, rows_of, submit
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import press, stored
from tests.browser.lead.test_lead_path import work
from tests.factories import make_member, make_payload, make_user

SIZE = {"width": 1280, "height": 720}
MARKED = [("missing.hands", "1/4c"), ("extra.face", "1/1b")]
"""What every reference marks."""
TAUGHT, EXAMINED, ANCHORS, WORK = 2, 4, 14, 14
NO_ERRORS = "0 Ctrl+Enter"
COLUMNS = {"missing": "m", "extra": "x"}
ROWS = {"hands": "h", "face": "e", "feet": "f"}
STEADY: list[Marks] = [[("missing.hands", "1/4c"), ("extra.face", f"1/1{severity}")] for severity in "ac"]
"""Around the references by turns."""
STRICTER: Marks = [("missing.hands", "2/4c"), ("extra.face", "1/1c"), ("missing.feet", "1/2c")]
STEADY_ANCHORS = 8
KEYED = 6
"""Steady images of her work that she judges by keys; the rest of a long queue is submitted by function."""
NORMED = 5


@pytest.fixture
def images(pilot: Project, own_media: None) -> list[Image]:
    """Images for training, qualification and anchors have references, the others are work."""
    found = [picture(pilot, number) for number in range(1, TAUGHT + EXAMINED + ANCHORS + WORK + 1)]
    taught = [image.pk for image in found[: TAUGHT + EXAMINED]]
    Image.objects.filter(pk__in=taught).update(generator="teacher")
    lead = pilot.memberships.get(code="lee").user
    for image in found[: TAUGHT + EXAMINED + ANCHORS]:
        add_reference(
            image=image,
            protocol="anatomy",
            payload=make_payload(MARKED),
            origin=Reference.Origin.PLANTED,
            actor=lead,
            rationales={"missing.hands": "One hand ends at the wrist."},
        )
    return found


def look(page: Page, name: str) -> None:
    """Nothing is wider than the window; the page is kept to be looked at where SHOTS names a folder."""
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZE["width"], name
    if shots := os.environ.get("SHOTS"):
        # Hiding the caret would be a style that the policy forbids.
        page.screenshot(path=f"{shots}/taught-{name}.png", caret="initial")


@pytest.mark.thorough
def test_from_training_to_a_second_round(
    open_page: OpenPage, pilot: Project, ada: Membership, images: list[Image]
) -> None:
    bob = make_member(pilot, user=make_user("bob"), code="bob")
    lead, annotator = open_page("lee", viewport=SIZE), open_page("ada", viewport=SIZE)
    a_training_is_released(lead)
    she_trains(annotator)
    a_qualification_is_released(lead)
    she_fails(annotator, ada)
    she_trains_again(annotator, ada)
    she_passes(annotator, ada)
    work_is_released(lead)
    she_works(annotator, ada)
    she_drifts(annotator, ada)
    the_lead_sees_it(lead)
    first = a_norming_session_is_started(lead, "Batch 7")
    both_judge(annotator, first, ada, bob)
    they_discuss(lead, annotator, first)
    the_lead_closes_it(lead, first)
    second = a_second_round_is_started(lead, "Batch 8")
    both_judge(annotator, second, ada, bob)
    the_rounds_are_compared(lead, second)


def judge(page: Page, row: Assignment, marks: Marks) -> None:
    """Open an image unless it is open, press the keys of these marks, and submit."""
    if not page.url.endswith(f"/assignments/{row.pk}/"):
        page.goto(f"/assignments/{row.pk}/")
    page.wait_for_selector("main[data-ready]")
    keys = ["1"]
    for cell, term in marks:
        column, part = cell.split(".")
        affected, _, total = term[:-1].partition("/")
        keys += [COLUMNS[column], ROWS[part], affected, "/", total, term[-1]]
    press(page, " ".join([*keys, "Ctrl+Enter"]))
    page.wait_for_function("id => !location.pathname.endsWith(`/assignments/${id}/`)", arg=row.pk)
    found = {
        (f"{mark['type']}.{mark['part']}", f"{mark['affected']}/{mark['total']}{mark['severity']}")
        for mark in stored(row).payload["marks"]
    }
    assert found == set(marks)


def tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Training").click()
    page.get_by_role("navigation", name="Training").get_by_role("link", name=name).click()


def tick_references(page: Page, begin: int, end: int) -> None:
    """Tick those of the references alone."""
    boxes = page.locator("[name=reference]")
    for place in range(boxes.count()):
        boxes.nth(place).set_checked(begin <= place < end)


def tick_person(page: Page, *codes: str) -> None:
    for person in page.locator("label.person").all():
        person.get_by_role("checkbox").set_checked(person.inner_text().strip() in codes)


def a_training_is_released(page: Page) -> None:
    page.goto("/projects/pilot/")
    tab(page, "References and training")
    look(page, "01-references")
    page.get_by_role("link", name="New training batch").first.click()
    page.get_by_label("Name", exact=True).fill("First steps")
    tick_person(page, "ada")
    tick_references(page, 0, TAUGHT)
    look(page, "02-new-training")
    page.get_by_role("button", name="Release training batch").click()
    expect(page.locator("[data-code=training-released]")).to_be_visible()
    look(page, "03-training-released")


def she_trains(page: Page) -> None:
    page.goto("/")
    look(page, "04-first-day")
    page.goto("/projects/pilot/queue/")
    look(page, "05-queue")
    page.get_by_role("link", name="Start training").click()
    for place in range(TAUGHT):
        page.wait_for_selector("main[data-ready]")
        look(page, f"06-training-{place}")
        press(page, NO_ERRORS)
        expect(page.locator("#result")).to_have_attribute("data-code", "differs")
        look(page, f"07-feedback-{place}")
        expect(page.locator("#next")).not_to_have_attribute("aria-disabled", "true")
        if place + 1 < TAUGHT:
            press(page, "Enter")
            page.wait_for_url("**/assignments/*/")
    expect(page.locator("[data-code=finished]")).to_be_visible()


def a_qualification_is_released(page: Page) -> None:
    tab(page, "Qualification")
    look(page, "08-standings")
    page.get_by_role("link", name="New qualification").first.click()
    page.get_by_label("Name", exact=True).fill("Check")
    page.fill("#images", "2")
    page.fill("#attempts", "2")
    page.fill("#waiting", "0")
    tick_person(page, "ada")
    tick_references(page, TAUGHT, TAUGHT + EXAMINED)
    look(page, "09-new-qualification")
    page.get_by_role("button", name="Release qualification").click()
    expect(page.locator("[data-code=released]")).to_be_visible()


def she_fails(page: Page, ada: Membership) -> None:
    page.goto("/projects/pilot/queue/")
    expect(page.locator("[data-code=running]")).to_be_visible()
    look(page, "10-queue-with-qualification")
    page.get_by_role("link", name="See what is needed").click()
    look(page, "11-what-is-needed")
    for row in opened(ada, "qualification"):
        page.goto(f"/assignments/{row.pk}/")
        page.wait_for_selector("main[data-ready]")
        press(page, NO_ERRORS)
        page.wait_for_function("id => !location.pathname.includes(`/assignments/${id}/`)", arg=row.pk)
    look(page, "12-after-the-last-image")
    expect(page.locator("[data-code=failed]")).to_be_visible()


def opened(ada: Membership, purpose: str) -> list[Assignment]:
    """Her open assignments of one purpose, in the order of the queue."""
    held = ada.assignments.filter(purpose=purpose, status=Assignment.Status.OPEN).order_by("position")
    return list(held.select_related("annotator__user", "batch__project", "image"))


def she_trains_again(page: Page, ada: Membership) -> None:
    page.goto("/projects/pilot/queue/")
    look(page, "13-queue-after-failing")
    page.get_by_role("link", name="See the result").click()
    page.get_by_role("button", name="Train again").click()
    page.wait_for_url("**/queue/")
    look(page, "13-queue-training-again")
    for place, row in enumerate(opened(ada, "training")):
        judge(page, row, MARKED)
        expect(page.locator("#result")).to_have_attribute("data-code", "all-match")
        look(page, f"14-trained-again-{place}")
        expect(page.locator("#next")).not_to_have_attribute("aria-disabled", "true")
        if place + 1 < TAUGHT:
            press(page, "Enter")
            page.wait_for_url("**/assignments/*/")


def she_passes(page: Page, ada: Membership) -> None:
    page.goto("/projects/pilot/queue/")
    page.get_by_role("link", name="See the result").click()
    page.get_by_role("button", name="Begin attempt 2").click()
    page.wait_for_url("**/assignments/*/")
    for row in opened(ada, "qualification"):
        judge(page, row, MARKED)
    expect(page.locator("[data-code=passed]")).to_be_visible()
    look(page, "16-passed")
    assert Standing.objects.get(membership=ada).state == Standing.State.QUALIFIED


def work_is_released(page: Page) -> None:
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Batches").click()
    page.get_by_role("link", name="New batch").click()
    page.fill("[name=name]", "Real work")
    page.locator("details.options > summary").click()
    page.get_by_label("Only qualified annotators").check()
    page.fill("[name=anchors]", "50")
    page.fill("[name=overlap]", "0")
    page.get_by_label("bob", exact=True).uncheck()
    page.get_by_text("Generators").first.click()
    page.locator("[name=generators][value=painter]").check()
    look(page, "17-new-batch")
    page.get_by_role("button", name="Preview").last.click()
    look(page, "18-plan")
    page.get_by_role("button", name="Release batch").last.click()
    work()
    expect(page.locator("[data-code=released]")).to_be_visible()
    look(page, "19-released")


def she_works(page: Page, ada: Membership) -> None:
    """Two images on the page, which tells nobody what is an anchor."""
    page.goto("/projects/pilot/queue/")
    look(page, "20-queue-with-work")
    page.get_by_role("link", name="Start annotating").click()
    for place in range(2):
        page.wait_for_selector("main[data-ready]")
        look(page, f"21-work-{place}")
        before = page.url
        press(page, NO_ERRORS)
        page.wait_for_function("url => location.href !== url", arg=before)
    assert ada.assignments.filter(purpose="anchor").count() == ANCHORS
    assert ada.assignments.filter(purpose__in=("work", "anchor"), status="done").count() == 2


def she_drifts(page: Page, ada: Membership) -> None:
    """The rest of her queue, in its order: from the ninth anchor on she is stricter. By keys at both ends."""
    anchors = 0
    rows = ada.assignments.filter(batch__name="Real work", status=Assignment.Status.OPEN).order_by("position")
    held = list(rows.select_related("annotator__user", "batch__project", "image"))
    for place, row in enumerate(held):
        anchors += row.purpose == Assignment.Purpose.ANCHOR
        marks = STRICTER if anchors > STEADY_ANCHORS else STEADY[anchors % 2]
        if place < KEYED or place == len(held) - 2:
            judge(page, row, marks)
        else:
            submit(row, marks)


def the_lead_sees_it(page: Page) -> None:
    page.goto("/projects/pilot/")
    page.get_by_role("navigation", name="Project").get_by_role("link", name="People").click()
    page.get_by_role("link", name="Quality").click()
    page.get_by_role("button", name="Refresh").click()
    work()
    page.reload()
    expect(page.locator("#annotator-ada [data-code=verdict-look]")).to_be_visible()
    look(page, "22-quality")
    # The keyboard alone: to the first row, open it.
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#annotator-ada")).to_have_attribute("open", "")
    expect(page.locator("#annotator-ada")).to_contain_text("Lately higher than the references")
    look(page, "23-drift")
    page.get_by_role("link", name="Invite to norming").click()


def a_norming_session_is_started(page: Page, name: str) -> NormingSession:
    expect(page.get_by_role("checkbox", name="ada")).to_be_checked()
    page.get_by_role("checkbox", name="bob").check()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_text("At random", exact=True).click()
    page.get_by_label("Number of images").fill(str(NORMED))
    look(page, "24-new-norming")
    page.get_by_role("button", name="Start session").click()
    expect(page.get_by_role("progressbar", name="ada")).to_have_attribute("value", "0")
    look(page, f"25-answering-{name}")
    return NormingSession.objects.get(batch__name=name)


def both_judge(page: Page, session: NormingSession, ada: Membership, bob: Membership) -> None:
    """Her images on the page, blind; the last submission, his, reveals the session."""
    page.goto("/projects/pilot/queue/")
    expect(page.get_by_role("link", name=session.batch.name)).to_have_count(0)
    page.get_by_role("link", name="Continue").click()
    page.wait_for_selector("main[data-ready]")
    before = page.url
    press(page, NO_ERRORS)
    page.wait_for_function("url => location.href !== url", arg=before)
    for row in rows_of(session, ada)[1:]:
        judge(page, row, STRICTER)
    for row in rows_of(session, bob):
        submit(row, BOB)
    session.refresh_from_db()
    assert session.state == NormingSession.State.REVEALED


def they_discuss(lead: Page, annotator: Page, session: NormingSession) -> None:
    """The lead's page has become the discussion by itself."""
    expect(lead.locator("[data-code=differing]")).to_be_visible()
    look(lead, "26-revealed")
    annotator.goto("/projects/pilot/queue/")
    look(annotator, "27-queue-with-norming")
    annotator.get_by_role("link", name=session.batch.name).click()
    annotator.get_by_label("Comment", exact=True).fill("The hand has four fingers.")
    annotator.get_by_role("button", name="Comment", exact=True).click()
    look(annotator, "28-commented")
    expect(lead.get_by_role("log")).to_contain_text("The hand has four fingers.")
    for place in range(1, NORMED + 1):
        strip = lead.get_by_role("navigation", name="Images of the session")
        strip.get_by_role("link", name=f"Image {place}").click()
        expect(strip.locator("[aria-current=true]")).to_have_attribute("href", f"?image={place}")
        for cell in lead.locator("#adjudicate fieldset[data-cell]").all():
            cell.get_by_role("radio").first.check()
            assert cell.locator("[data-causes] input:checked").count() > 0
        look(lead, f"29-agreeing-{place}")
        lead.get_by_role("button", name="Save agreed value").click()
        expect(lead.locator("[data-code=agreed-count]")).to_have_text(f"{place} of {NORMED} agreed")


def the_lead_closes_it(page: Page, session: NormingSession) -> None:
    page.get_by_text("Close session…").click()
    page.get_by_role("button", name="Close session").click()
    expect(page.locator("[data-code=closed-since]")).to_be_visible()
    look(page, "30-closed")
    assert session.images.filter(reference__origin=Reference.Origin.NORMED).count() == NORMED


def a_second_round_is_started(page: Page, name: str) -> NormingSession:
    page.get_by_role("link", name="Start second round").click()
    page.get_by_label("Name", exact=True).fill(name)
    look(page, "31-second-round")
    page.get_by_role("button", name="Start session").click()
    expect(page.get_by_role("progressbar", name="bob")).to_be_visible()
    return NormingSession.objects.get(batch__name=name)


def the_rounds_are_compared(page: Page, session: NormingSession) -> None:
    work()
    # The page shows the comparison by itself once it is there.
    expect(page.get_by_role("region", name="Both rounds")).to_be_visible()
    look(page, "32-before-and-after")
    assert session.follows is not None
    normed = (set(each.images.values_list("image", flat=True)) for each in (session, session.follows))
    assert not set.intersection(*normed)
