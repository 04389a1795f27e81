"""axe-core on every page and state: no violation, light and dark, small, large and upright."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotator.annotations import save_draft, submit_annotation
from annotator.models import Assignment, Image
from tests.browser.conftest import OpenPage
from tests.factories import make_payload

VIEWPORTS = {"small": (1280, 720), "large": (1920, 1080), "upright": (820, 1180)}
AXE = Axe()


@pytest.fixture
def work(queue_of_ada: list[Assignment]) -> list[Assignment]:
    """One image submitted, one begun with a warning, one untouched."""
    user = queue_of_ada[0].annotator.user
    assert user is not None
    marks = [("missing.limbs", "1/4c"), ("missing.hands", "1/3b"), ("missing.face", "2/2a")]
    first = make_payload(marks, note="A note.")
    submit_annotation(
        assignment=queue_of_ada[0], actor=user, payload=first, replaces=0, request_key=uuid.uuid4()
    )
    second = make_payload([("missing.feet", "1/4a"), ("missing.feet", "1/3b"), ("extra.hands", "1/2c")])
    save_draft(assignment=queue_of_ada[1], actor=user, payload=second, replaces=0, request_key=uuid.uuid4())
    return queue_of_ada


def violations(page: Page) -> list[str]:
    """What axe finds, as `rule: element`."""
    page.wait_for_load_state("load")
    found: list[dict[str, Any]] = AXE.run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", VIEWPORTS)
class TestNoViolations:
    """One visit to every page; the states of the labelling page are pages of their own."""

    def open_as(self, open_page: OpenPage, who: str | None, scheme: str, size: str) -> Page:
        width, height = VIEWPORTS[size]
        return open_page(who, color_scheme=scheme, viewport={"width": width, "height": height})

    def test_for_nobody(self, open_page: OpenPage, pilot: object, scheme: str, size: str) -> None:
        page = self.open_as(open_page, None, scheme, size)
        found = {}
        for address in ("/accounts/login/", "/accounts/login/?next=/", "/nowhere/"):
            page.goto(address)
            found[address] = violations(page)
        page.goto("/accounts/login/")
        page.fill("#id_username", "nobody")
        page.fill("#id_password", "wrong")
        page.get_by_role("button", name="Sign in").click()
        found["refused"] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    def test_for_an_annotator(
        self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str
    ) -> None:
        page = self.open_as(open_page, "ada", scheme, size)
        found = {}
        for address in ("/projects/pilot/queue/", "/accounts/password/", *map(label, work)):
            page.goto(address)
            found[address] = violations(page)
        page.goto(f"{label(work[2])}?after={work[0].pk}")
        found["after a submission"] = violations(page)
        page.locator("#cell-missing-limbs").fill("1/")
        page.locator("#cell-missing-feet").fill("1/4c")
        expect(page.locator(".cell.wrong")).to_have_count(1)
        found["a cell that cannot be read"] = violations(page)
        page.get_by_text("Note", exact=True).click()
        found["the note"] = violations(page)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Submit and next").click()
        expect(page.locator("#save-state")).to_contain_text("Not submitted")
        found["refused"] = violations(page)
        page.locator("input[name=version]").evaluate("input => input.value = 0")
        page.locator("#cell-missing-feet").fill("2/4c")
        expect(page.locator(".clash")).to_be_visible()
        found["conflict"] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    def test_for_a_lead(self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str) -> None:
        page = self.open_as(open_page, "lee", scheme, size)
        Image.objects.filter(pk=work[2].image_id).update(
            display_state="failed", display_error="Not a picture."
        )
        found = {}
        images = [f"/projects/pilot/images/{each.image.public_id}/" for each in work]
        lists = ["/projects/pilot/", "/projects/pilot/images/", "/projects/pilot/images/?prompt=none"]
        for address in ("/", *lists, "/projects/pilot/problems/", *images):
            page.goto(address)
            found[address] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}


@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 600), (1280, 720), (1366, 650), (1920, 1080), (1024, 768), (820, 1180), (768, 1024)],
)
def test_the_labelling_page_fits_and_every_target_is_large_enough(
    open_page: OpenPage, work: list[Assignment], width: int, height: int
) -> None:
    page = open_page("ada", viewport={"width": width, "height": height})
    page.goto(label(work[1]))
    page.wait_for_load_state("load")
    overflow = page.evaluate(
        """() => [document.documentElement, document.querySelector("#answer")]
            .map((box) => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight])"""
    )
    assert overflow == [[0, 0], [0, 0]]
    small = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), summary")]
            .filter((target) => target.offsetParent && !target.classList.contains("skip-link"))
            .filter((target) => target.type !== "checkbox" && target.tabIndex >= 0)
            .filter((target) => target.offsetWidth < 24 || target.offsetHeight < 24)
            .map((target) => target.outerHTML)"""
    )
    assert small == []
    assert page.locator(".frame img").bounding_box()["height"] >= 180  # type: ignore[index]


@pytest.mark.parametrize("address", ["/projects/pilot/", "/projects/pilot/images/", "/"])
def test_pages_fit_a_phone(open_page: OpenPage, work: list[Assignment], address: str) -> None:
    page = open_page("lee", viewport={"width": 320, "height": 640})
    page.goto(address)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def label(assignment: Assignment) -> str:
    """The labelling page of an assignment."""
    return f"/assignments/{assignment.pk}/"
