"""People and invitations in a real browser: accessible, fitting, and the way in from link to queue."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment, Invitation, Project
from annotator.people.invitations import accept_invitation, invitation_with, invite, revoke_invitation
from annotator.people.secrets import new_secret
from tests.browser.conftest import OpenPage
from tests.factories import REVIEWER, make_member, make_user

PEOPLE = "/projects/pilot/people/"
NEW = "/projects/pilot/people/invite/"
NEWCOMER = {"#id_username": "newcomer", "#id_password1": "blue-lamp-42", "#id_password2": "blue-lamp-42"}


@pytest.fixture
def busy(pilot: Project, queue_of_ada: list[Assignment]) -> Project:
    """A project with people and invitations in every state."""
    make_member(pilot, user=make_user("x.anno1", is_active=False), code="anno1")
    make_member(pilot, REVIEWER, code="a-reviewer-with-quite-a-long-code-2", is_active=False)
    for code in ("used", "revoked", "open"):
        invited(pilot, f"{code} 1", note=f"The one who is {code}, from the second group of the winter term")
    used, revoked = (Invitation.objects.get(code=code) for code in ("used 1", "revoked 1"))
    accept_invitation(invitation=used, user=make_user("sits-in-the-second-group"))
    revoke_invitation(invitation=revoked, actor=None)
    return pilot


def invited(project: Project, code: str, note: str = "") -> str:
    """The path of a link."""
    secret = new_secret()
    invite(project=project, role="annotator", code=code, note=note, secret=secret, actor=None)
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
