"""axe-core on every page of every role, and on every state of labelling, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from annotator.models import Assignment, User
from tests.annotator.acting import save, submit
from tests.browser.conftest import Look, OpenPage, two_looks
from tests.browser.labelling.labelling_page import FIGURE_8_KEYS, click, open_label, play, press, wait_place
from tests.browser.test_markup import ROLES, pages_of
from tests.factories import make_payload
from tests.permissions.world import make_side

AXE = Axe()


@pytest.fixture
def work(queue_of_ada: list[Assignment]) -> list[Assignment]:
    """One image submitted, one begun with a warning, one untouched."""
    marks = [("missing.limbs", "1/4c"), ("missing.hands", "1/3b"), ("missing.face", "2/2a")]
    submit(queue_of_ada[0], make_payload(marks, note="A note."))
    marks = [("missing.feet", "1/4a"), ("missing.feet", "1/3b"), ("extra.hands", "1/2c")]
    save(queue_of_ada[1], make_payload(marks))
    return queue_of_ada


def violations(page: Page) -> list[str]:
    """What axe finds, as `rule: element`."""
    page.wait_for_load_state("load")
    # A colour that is still fading has a contrast that nobody sees for long.
    page.evaluate("() => Promise.allSettled(document.getAnimations().map((each) => each.finished))")
    # The details of what passes, which nobody reads, cost more than finding them.
    options = {"resultTypes": ["violations"]}
    found: list[dict[str, Any]] = AXE.run(page, options=options).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


@two_looks
@pytest.mark.parametrize("troubled", [False, True])
def test_no_state_of_labelling_violates_anything(
    open_page: OpenPage, work: list[Assignment], look: Look, troubled: bool
) -> None:
    # Half-way through a fade nothing has its colours: the test is of the states, without motion.
    page = open_page("ada", **look, reduced_motion="reduce")
    open_label(page, work[2])
    if troubled:
        save(work[2], make_payload([("missing.feet", "1/4a")], note="Entered elsewhere."))
    found = {}
    for name, reach in (TROUBLES if troubled else STATES).items():
        reach(page)
        found[name] = violations(page)
    assert {name: rules for name, rules in found.items() if rules} == {}


def menu(name: str) -> Callable[[Page], None]:
    """Open the keypad of a target."""
    return lambda page: click(page, name, button="right")


def keys(text: str) -> Callable[[Page], None]:
    """Press keys."""
    return lambda page: press(page, text)


def twenty_marks(page: Page) -> None:
    """Fill most of the grid, once more than it can take."""
    for row in "tlfhe":
        press(page, f"m {row} a x b g c o a")
    press(page, "g h 9 9 b")


def then(*acts: Callable[[Page], object]) -> Callable[[Page], None]:
    """Do one thing after the other."""

    def all_of_it(page: Page) -> None:
        for act in acts:
            act(page)

    return all_of_it


STATES: dict[str, Callable[[Page], None]] = {
    "arrival": keys(""),
    "Fig 8 with a pin": then(keys(FIGURE_8_KEYS), lambda page: play(page, [["image", 0.4, 0.6]])),
    "being typed": keys("p t 2 / 7"),
    "pin mode": keys("Escape g h ."),
    "pin focused": then(keys("Escape"), lambda page: page.locator(".pin").first.click()),
    "warning": keys("g h 1 / 9 a"),
    "refusal": keys("g h 9 b"),
    "question": keys("g f 4 b c"),
    "correct": keys("Enter Shift+c"),
    "field of people": lambda page: click(page, "people:+"),
    "keypad": then(keys("Escape"), menu("zone:missing.limbs.c")),
    "note": keys("Escape n"),
    "flag": keys("Escape s"),
    "help": keys("Escape ?"),
    "settings": then(keys("Escape"), lambda page: click(page, "settings")),
    "20 marks": then(keys("Escape"), twenty_marks),
    "submitted": then(keys("PageUp PageUp"), lambda page: wait_place(page, "1 of 3")),
    "next image": then(keys("PageDown PageDown Ctrl+Enter"), lambda page: page.wait_for_load_state()),
}


def trouble(state: str) -> Callable[[Page], None]:
    """Wait until the save state is so."""
    return lambda page: expect(page.locator("#save-state")).to_have_attribute("data-state", state)


TROUBLES: dict[str, Callable[[Page], None]] = {
    "changed elsewhere": then(keys("1 h a"), trouble("changed")),
    "compare": lambda page: click(page, "save"),
    "offline": then(
        keys("Escape PageUp"),
        lambda page: wait_place(page, "2 of 3"),
        lambda page: page.reload(),
        lambda page: page.wait_for_selector("main[data-ready]"),
        lambda page: page.context.set_offline(True),
        keys("m h a"),
        trouble("offline"),
    ),
    "not saved": then(
        lambda page: page.route("**/save", lambda route: route.abort()),
        lambda page: page.context.set_offline(False),
        trouble("failed"),
    ),
    "sign in again": then(
        lambda page: page.context.clear_cookies(name="anatomark_session"),
        lambda page: page.unroute("**/save"),
        lambda page: page.get_by_role("dialog", name="Sign in").wait_for(),
    ),
    "signed out": then(keys("Escape"), trouble("signed_out")),
}


@two_looks
@pytest.mark.timeout(1800)  # opens every page there is
def test_no_page_of_any_role_violates_anything(
    open_page: OpenPage, transactional_db: None, look: Look
) -> None:
    side, found, opened = make_side(1), {}, 0
    for who, attribute in ROLES.items():
        account = User.objects.get(pk=getattr(side, attribute).user_id)
        client = Client()
        client.force_login(account)
        page = open_page(account.username, **look)
        for address in pages_of(side, who, client):
            if not client.get(address).content.lstrip().startswith(b"<!doctype"):
                continue  # a part, which a page fetches
            page.goto(address)
            opened += 1
            if rules := violations(page):
                found[f"{address} as {who}"] = rules
        page.close()
    assert found == {}
    assert opened > 90
