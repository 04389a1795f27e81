"""People and invitations in a real browser: accessible, fitting, and the way in from link to queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Invitation, Project
from annotator.people.invitations import accept_invitation, invitation_with, revoke_invitation
from annotator.people.secrets import new_secret
from tests.annotator.invited import invite
from tests.browser.conftest import OpenPage
from tests.factories import REVIEWER, make_member, make_user

PEOPLE = "/projects/pilot/people/"
NEW = "/projects/pilot/people/invite/"
RECRUIT = "/projects/pilot/people/recruit/"
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


def narrow_enough(page: Page, width: int) -> bool:
    wide: int = page.evaluate("() => document.documentElement.scrollWidth")
    return wide <= width


@pytest.mark.parametrize("address", [PEOPLE, NEW, RECRUIT, "person"])
def test_pages_fit_a_phone(open_page: OpenPage, busy: Project, address: str) -> None:
    page = open_page("lee", viewport={"width": 320, "height": 640})
    page.goto(f"{PEOPLE}{busy.memberships.get(code='ada').pk}/" if address == "person" else address)
    assert narrow_enough(page, 320)


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


def test_a_refused_clipboard_names_the_keys_beside_the_button(open_page: OpenPage, busy: Project) -> None:
    lead = open_page("lee")
    lead.add_init_script(
        "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));"
        "document.execCommand = () => false;"
    )
    lead.goto(NEW)
    lead.fill("#invite-lines", "ann1")
    lead.locator("button[data-count-lines]").click()
    lead.get_by_role("button", name="Copy").click()
    expect(lead.locator(".copy-line [data-code=press-keys]")).to_be_visible()
    expect(lead.locator("#link-1")).to_be_focused()
    assert lead.evaluate("String(getSelection())") == lead.locator("#link-1").input_value()


def test_without_script_the_link_can_be_copied_by_hand(open_page: OpenPage, busy: Project) -> None:
    page = open_page("lee", java_script_enabled=False)
    page.goto(NEW)
    page.fill("#invite-lines", "ann1")
    page.locator("button[data-count-lines]").click()
    assert "/join/" in page.locator("#link-1").input_value()
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()


@pytest.mark.parametrize("script", [True, False])
def test_many_are_invited_by_keyboard_with_and_without_script(
    open_page: OpenPage, busy: Project, script: bool
) -> None:
    page = open_page("lee", java_script_enabled=script)
    page.goto(NEW)
    button = page.locator("button[data-count-lines]")
    page.locator("#invite-lines").focus()
    page.keyboard.type("b1\nb2, reviewer\n")
    expect(button).to_have_text("Invite 2 people" if script else "Invite people")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-code=invited-many]")).to_be_visible()
    expect(page.locator("td.link input")).to_have_count(2)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download links as CSV").press("Enter")
    assert len(Path(download.value.path()).read_text("utf-8").splitlines()) == 3
