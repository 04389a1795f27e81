"""Batches without a script, and people invited to them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.releases import release_plan
from annotator.models import Annotation, Assignment, Batch, Invitation, Membership, Project
from annotator.people.invitations import accept_invitation, invitation_with, revoke_invitation
from annotator.people.secrets import new_secret
from tests.annotator.acting import save, submit
from tests.annotator.invited import invite
from tests.browser.conftest import OpenPage, picture
from tests.factories import ANNOTATOR, REVIEWER, make_assignment, make_batch, make_member, make_user


@dataclass(frozen=True)
class Stage:
    """A planned batch for ada and bob in every state, one of plain rows, and four images for nobody yet."""

    planned: Batch
    submitted: Annotation
    withdrawn: Assignment


@pytest.fixture
def stage(pilot: Project, ada: Membership) -> Stage:
    bob = make_member(pilot, ANNOTATOR, user=make_user("bob"), code="bob")
    make_member(pilot, ANNOTATOR, user=make_user("eve"), code="eve")
    for number in range(1, 5):
        picture(pilot, number)
    design = design_of(project=pilot, images=pilot.images.all(), people=[ada, bob], overlap=4, seed=1)
    planned = release_plan(project=pilot, name="Planned", plan=make_plan(design))
    first, second, third, last = Assignment.objects.filter(batch=planned, annotator=ada).order_by("position")
    submitted = submit(first)
    save(second)
    save(last)
    Annotation.objects.filter(assignment=second).update(flagged=True)
    Assignment.objects.filter(pk=third.pk).update(status="skipped")
    Assignment.objects.filter(pk=last.pk).update(status="withdrawn", position=None)
    make_assignment(ada, batch=make_batch(pilot, name="Closed one", status="closed"), image=picture(pilot, 5))
    for number in range(6, 10):
        picture(pilot, number)
    return Stage(planned, submitted, last)


def go(page: Page, button: str) -> None:
    """Press a button from the keyboard and wait for what comes."""
    page.get_by_role("button", name=button, exact=True).last.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.main_path
def test_from_the_order_to_the_closing_without_script(open_page: OpenPage, stage: Stage) -> None:
    page = open_page("lee", java_script_enabled=False)
    page.goto("/projects/pilot/batches/")
    page.get_by_role("link", name="New batch").first.click()
    assert page.locator("#count").inner_text() == "4 images"
    page.get_by_label("All, including assigned images").check()
    go(page, "Count images")
    assert page.locator("#count").inner_text() == "9 images"
    page.get_by_label("Not yet assigned").check()
    page.get_by_label("Name").fill("Second look")
    page.get_by_label("Annotators per overlap image").fill("9")
    go(page, "Preview")
    assert re.findall(r"\d+", page.locator(".error").inner_text()) == ["9", "3"]
    page.get_by_label("Annotators per overlap image").fill("2")
    go(page, "Preview")
    assert page.locator("h1").inner_text() == "Second look"
    assert not Batch.objects.filter(name="Second look").exists()
    go(page, "Release batch")
    batch = Batch.objects.get(name="Second look")
    assert page.url.endswith(f"/batches/{batch.pk}/")
    page.get_by_role("link", name="Progress", exact=True).click()
    assert page.locator(".matrix tbody tr").count() == 4
    page.get_by_role("link", name="Change annotators").click()
    page.get_by_label("eve").check()
    page.get_by_label("Reason").fill("Eve is ill.")
    go(page, "Preview change")
    assert page.locator("#moves").count() == 1
    go(page, "Apply change")
    page.get_by_label("Reason").fill("Enough.")
    go(page, "Close batch")
    batch.refresh_from_db()
    assert (batch.status, batch.plans.count()) == ("closed", 2)
    log = page.locator(".log tbody").inner_text()
    assert "Enough." in log
    assert "Eve is ill." in log


PEOPLE = "/projects/pilot/people/"
NEW = "/projects/pilot/people/invite/"
NEWCOMER = {"#id_username": "newcomer", "#id_password1": "blue-lamp-42", "#id_password2": "blue-lamp-42"}


@pytest.fixture
def busy(pilot: Project, queue_of_ada: list[Assignment]) -> Project:
    """A project with people and invitations in every state."""
    make_member(pilot, user=make_user("x.anno1", is_active=False), code="anno1")
    make_member(pilot, REVIEWER, code="a-reviewer-with-quite-a-long-code-2", is_active=False)
    for code in ("used", "revoked", "open"):
        invited(pilot, f"{code} 1")
    used, revoked = (Invitation.objects.get(code=code) for code in ("used 1", "revoked 1"))
    accept_invitation(invitation=used, user=make_user("sits-in-the-second-group"))
    revoke_invitation(invitation=revoked, actor=None)
    return pilot


def invited(project: Project, code: str) -> str:
    """The path of a link."""
    secret = new_secret()
    invite(project=project, role="annotator", code=code, secret=secret, actor=None)
    return f"/join/{secret}/"


@pytest.mark.main_path
def test_from_the_link_to_the_queue(open_page: OpenPage, busy: Project) -> None:
    lead = open_page("lee", permissions=["clipboard-read", "clipboard-write"])
    lead.goto(NEW)
    lead.fill("#invite-lines", "ann1")
    lead.locator("button[data-count-lines]").click()
    lead.get_by_role("button", name="Copy").click()
    expect(lead.locator(".copied")).to_have_text("Copied.")
    link = lead.evaluate("() => navigator.clipboard.readText()")
    assert link == lead.locator("#link-1").input_value()
    assert invitation_with(link.split("/")[-2]) is not None

    newcomer = open_page(None)
    newcomer.goto(link)
    assert newcomer.url.endswith("/join/")
    for field, text in NEWCOMER.items():
        newcomer.fill(field, text)
    newcomer.get_by_role("button", name="Create account and join").click()
    newcomer.wait_for_url("**/projects/pilot/queue/")
    expect(newcomer.locator("[data-code=welcome]")).to_contain_text("ann1")

    lead.goto(PEOPLE)
    expect(lead.get_by_role("row", name="ann1 newcomer Annotator active")).to_be_visible()
