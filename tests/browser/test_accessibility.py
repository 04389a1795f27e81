"""axe-core on every page and state: no violation, light and dark, small and upright."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotator.annotations.reopening import reopen_for_annotator
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.batches.closing import close_batch
from annotator.models import Assignment, Image, Membership, User
from tests.annotator.asking import answered, asked
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import (
    FIGURE_8_KEYS,
    click,
    label,
    open_label,
    play,
    press,
    stored,
    wait_place,
)
from tests.browser.looks import VIEWPORTS, two_looks
from tests.factories import make_payload

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


def lead_of(assignment: Assignment) -> Membership:
    """The lead of an assignment's project."""
    return Membership.objects.get(project=assignment.batch.project, role="lead")


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
class TestNoViolations:
    """One visit to every page; the states of the annotation page are pages of their own."""

    def open_as(
        self, open_page: OpenPage, who: str | None, scheme: str, size: str, **options: object
    ) -> Page:
        width, height = VIEWPORTS[size]
        return open_page(who, color_scheme=scheme, viewport={"width": width, "height": height}, **options)

    def test_for_nobody(self, open_page: OpenPage, pilot: object, scheme: str, size: str) -> None:
        page = self.open_as(open_page, None, scheme, size)
        found = {}
        for address in ("/accounts/login/", "/accounts/login/?next=/", "/nowhere/", "/offline/"):
            page.goto(address)
            found[address] = violations(page)
        page.goto("/accounts/login/")
        page.fill("#id_username", "nobody")
        page.fill("#id_password", "wrong")
        page.get_by_role("button", name="Sign in").click()
        found["refused"] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    @pytest.mark.main_path
    def test_for_an_annotator(
        self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str
    ) -> None:
        page = self.open_as(open_page, "ada", scheme, size)
        found = {}
        answered(asked(work[0]), lead_of(work[0]))
        own = "/projects/pilot/questions/mine/"
        asking = f"/assignments/{work[0].pk}/ask/"
        for address in ("/projects/pilot/queue/", own, asking, "/accounts/password/", *map(label, work)):
            page.goto(address)
            found[address] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    def test_every_state_of_labelling(
        self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str
    ) -> None:
        # Half-way through a fade nothing has its colours: the test is of the states, without motion.
        page = self.open_as(open_page, "ada", scheme, size, reduced_motion="reduce")
        found = {}
        open_label(page, work[2])
        for name, reach in STATES.items():
            reach(page)
            found[name] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    def test_every_trouble_of_saving(
        self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str
    ) -> None:
        page = self.open_as(open_page, "ada", scheme, size, reduced_motion="reduce")
        found = {}
        open_label(page, work[2])
        user = work[2].annotator.user
        assert user is not None
        elsewhere = make_payload([("missing.feet", "1/4a")], note="Entered elsewhere.")
        save_draft(assignment=work[2], actor=user, payload=elsewhere, replaces=0, request_key=uuid.uuid4())
        for name, reach in TROUBLES.items():
            reach(page)
            found[name] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    def test_where_an_answer_is_closed_or_opened_again(
        self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str
    ) -> None:
        page = self.open_as(open_page, "ada", scheme, size, reduced_motion="reduce")
        found = {}
        for name, reach in ENDS.items():
            reach(page, work)
            found[name] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    def test_labelling_without_script(
        self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str
    ) -> None:
        page = self.open_as(open_page, "ada", scheme, size)
        found = {}
        sent = {"version": "0", "request_key": str(uuid.uuid4()), "marks.missing.limbs": "1/4a"}
        for action, cells in (("submit", {"marks.missing.feet": "1/"}), ("draft", {"version": "7"})):
            post(page, label(work[2]), {**sent, **cells, "action": action})
            found[action] = violations(page)
        assert {name: rules for name, rules in found.items() if rules} == {}

    @pytest.mark.few(1)
    @pytest.mark.main_path
    def test_for_a_lead(self, open_page: OpenPage, work: list[Assignment], scheme: str, size: str) -> None:
        page = self.open_as(open_page, "lee", scheme, size)
        Image.objects.filter(pk=work[2].image_id).update(
            display_state="failed", display_error="Not a picture."
        )
        found = {}
        images = [f"/projects/pilot/images/{each.image.public_id}/" for each in work]
        asked(work[0])
        lists = ["/projects/pilot/", "/projects/pilot/images/", "/projects/pilot/images/?prompt=none"]
        lists.append("/projects/pilot/questions/")
        others = ["/projects/pilot/details/", "/projects/pilot/problems/", "/projects/pilot/disagreements/"]
        for address in ("/", *lists, *others, *images):
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
    page = open_page("ada", viewport={"width": width, "height": height}, has_touch=width < 1000)
    open_label(page, work[2])
    press(page, f"{FIGURE_8_KEYS} a")
    play(page, [["image", 0.5, 0.5]])
    overflow = page.evaluate(
        """() => "html .desk-header #main #sheet .top-row .grid .panel .panel-head .definitions .actions"
          .split(" ").map((name) => [name, document.querySelector(name)])
          .map(([name, box]) => [name, box.scrollWidth - box.clientWidth, box.scrollHeight, box.clientHeight])
          .filter(([, wide, needed, high]) => wide > 1 || needed > high + 1)"""
    )
    assert overflow == []
    targets = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), [tabindex]")]
            .filter((target) => target.offsetParent && !target.matches(".skip-link, main"))
            .map((target) => {
              const box = target.getBoundingClientRect();
              return [target.outerHTML.slice(0, 120), box.width, box.height, box.right, box.bottom];
            })"""
    )
    assert len(targets) > 120
    assert [each for each in targets if each[1] < 24 or each[2] < 24] == []
    assert [each for each in targets if each[3] > width or each[4] > height] == []
    assert page.locator("#picture img").bounding_box()["height"] >= 180  # type: ignore[index]
    chips = page.evaluate(
        """() => [...document.querySelectorAll(".chip:not([hidden]) button")]
            .map((button) => [button.offsetWidth, button.offsetHeight])"""
    )
    least_wide, least_high = (32, 40) if width < 960 else (24, 32)
    assert len(chips) >= 8
    assert min(wide for wide, _ in chips) >= least_wide
    assert min(high for _, high in chips) >= least_high


@pytest.mark.parametrize("address", ["/projects/pilot/", "/projects/pilot/images/", "/"])
def test_pages_fit_a_phone(open_page: OpenPage, work: list[Assignment], address: str) -> None:
    page = open_page("lee", viewport={"width": 320, "height": 640})
    page.goto(address)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320


def post(page: Page, address: str, fields: dict[str, str]) -> None:
    """Send a form as a browser without script does; the answer is what stays on the page."""
    page.goto("/accounts/password/")
    page.evaluate(
        """([address, fields]) => {
          const form = document.createElement("form");
          form.method = "post";
          form.action = address;
          const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
          for (const [name, value] of Object.entries({...fields, csrfmiddlewaretoken: token})) {
            const input = document.createElement("input");
            [input.type, input.name, input.value] = ["hidden", name, value];
            form.append(input);
          }
          document.body.append(form);
          form.requestSubmit();
        }""",
        [address, fields],
    )
    page.wait_for_selector("#answer", state="attached")
    # The plain form gives a script some seconds to replace it; here none comes.
    page.evaluate("() => { for (const animation of document.getAnimations()) animation.finish(); }")


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


def ask_why(page: Page, work: list[Assignment]) -> None:
    """Reopen one's own submission: the dialog asks for the reason."""
    open_label(page, work[0])
    click(page, "reopen")
    expect(page.get_by_role("dialog", name="Reopen to correct")).to_be_visible()


def reopened_by_the_lead(page: Page, work: list[Assignment]) -> None:
    """The lead has opened a submission again and said why."""
    lee = User.objects.get(username="lee")
    reason = "The left hand has six fingers: is that Extra?"
    reopen_for_annotator(annotation=stored(work[0]), actor=lee, reason=reason, request_key=uuid.uuid4())
    open_label(page, work[0])
    expect(page.locator("#line[data-code=request]")).to_contain_text(reason)


def closed_meanwhile(page: Page, work: list[Assignment]) -> None:
    """The batch is closed over a draft that is not saved yet."""
    open_label(page, work[1])
    close_batch(batch=work[1].batch, reason="The study is over.", actor=None)
    press(page, "m h b")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "barred")


def closed_and_read(page: Page, work: list[Assignment]) -> None:
    """An answer in a closed batch is read."""
    open_label(page, work[0])
    expect(page.locator("#save-state")).to_have_attribute("data-state", "barred")


def queue_of_a_closed_batch(page: Page, _: list[Assignment]) -> None:
    """The queue with nothing left to do."""
    page.goto("/projects/pilot/queue/")


def withdrawn(page: Page, work: list[Assignment]) -> None:
    """An image that was given to somebody else."""
    Assignment.objects.filter(pk=work[2].pk).update(status="withdrawn", position=None)
    open_label(page, work[2])
    expect(page.locator("#save-state")).to_have_attribute("data-state", "barred")


ENDS: dict[str, Callable[[Page, list[Assignment]], None]] = {
    "reopening": ask_why,
    "the lead's reason": reopened_by_the_lead,
    "closed, with a draft": closed_meanwhile,
    "closed": closed_and_read,
    "queue": queue_of_a_closed_batch,
    "withdrawn": withdrawn,
}
